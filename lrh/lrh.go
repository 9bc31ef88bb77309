// Package lrh decodes what begins a native InfiniBand packet: the Local Route
// Header (IBTA Vol 1, 7.7), the Raw Header behind it in packets of another
// transport (7.8.3), and the flow control packet of the link layer (7.9.4). It
// finds the VCRC behind the packet.
package lrh

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"

	"github.com/ibwire/ibwire/crc"
)

// Size is the length of an LRH in bytes.
const Size = 8

// vcrcSize is the length of the VCRC in bytes.
const vcrcSize = 2

var be = binary.BigEndian

// LNH is the Link Next Header field: what follows the LRH. Its upper bit tells
// the InfiniBand transport, its lower one that a GRH or IPv6 header follows.
type LNH uint8

//go:generate go tool -modfile=../tools.mod stringer -linecomment -type=LNH,FlowControlOp -output=string.go

// Values of LNH. What follows is an RWH, an IPv6 header, a BTH, a GRH.
const (
	LNHRaw    LNH = iota // Raw
	LNHIPv6              // IPv6
	LNHLocal             // IBA local
	LNHGlobal            // IBA global
)

// LRH is a Local Route Header, with what it tells of the packet's end.
//
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	|  VL   | LVer  |  SL   |Rsv|LNH|             DLID              |
//	|  Rsv5   |       PktLen        |             SLID              |
type LRH struct {
	layers.BaseLayer
	VL     uint8 // 4 bits, virtual lane
	LVer   uint8 // 4 bits, link version
	SL     uint8 // 4 bits, service level
	Rsv2   uint8 // 2 bits
	LNH    LNH   // 2 bits
	DLID   LID
	Rsv5   uint8  // 5 bits
	PktLen uint16 // 11 bits, in 4-byte words from the LRH through the ICRC; the VCRC is not counted
	SLID   LID

	// VCRC is the variant CRC, its two bytes read big-endian as Wireshark prints
	// it, if HasVCRC: if two bytes follow those that PktLen counts. Captures
	// without VCRC are usual.
	VCRC    uint16
	HasVCRC bool
	// Trailer is what lies behind the packet and its VCRC.
	Trailer []byte
}

// DecodeFromBytes implements gopacket.DecodingLayer. data is the packet as it
// was captured. The payload is what PktLen counts behind the LRH; if fewer bytes
// are there the packet is marked as truncated and has no VCRC.
//
// A PktLen that has no room for the header that LNH announces, or for a BTH
// without its ICRC, cannot be true.
// Then the payload is all that is there, and since nobody knows where the packet
// ends, it is marked as truncated too.
//
// Fewer than Size bytes are an error that wraps io.ErrUnexpectedEOF.
func (l *LRH) DecodeFromBytes(data []byte, df gopacket.DecodeFeedback) error {
	if len(data) < Size {
		return l.cut(data, df)
	}
	l.VL, l.LVer = data[0]>>4, data[0]&0xf
	l.SL, l.Rsv2, l.LNH = data[1]>>4, data[1]>>2&3, LNH(data[1]&3)
	l.DLID = LID(be.Uint16(data[2:]))
	l.Rsv5, l.PktLen = data[4]>>3, be.Uint16(data[4:])&maxPktLen
	l.SLID = LID(be.Uint16(data[6:]))

	end := int(l.PktLen) * 4
	if end > len(data) || end < Size+nextSize[l.LNH] {
		df.SetTruncated()
		end = len(data)
	}
	l.Contents, l.Payload = data[:Size], data[Size:end]
	l.VCRC, l.HasVCRC, l.Trailer = 0, false, nil
	if len(data)-end >= vcrcSize {
		l.VCRC, l.HasVCRC = be.Uint16(data[end:]), true
		end += vcrcSize
	}
	if end < len(data) {
		l.Trailer = data[end:]
	}
	return nil
}

// cut returns the error about an LRH of which bytes are missing.
func (l *LRH) cut(data []byte, df gopacket.DecodeFeedback) error {
	df.SetTruncated()
	*l = LRH{}
	return fmt.Errorf("lrh: need %d bytes, have %d: %w", Size, len(data), io.ErrUnexpectedEOF)
}

// maxPktLen is the largest value of the 11 bits of PktLen.
const maxPktLen = 1<<11 - 1

// SerializeTo implements gopacket.SerializableLayer. It puts the LRH in front of
// b, and VCRC, if HasVCRC, and Trailer behind. FixLengths sets PktLen; it is an
// error if the packet is not a whole number of 4-byte words or too long. A field
// that does not fit its bits is an error.
//
// ComputeChecksums sets HasVCRC and VCRC, and with LNH 2 writes the ICRC over the
// last four bytes of b, where bth.BTH has left room for it; with LNH 3 grh.GRH has
// done so. Both stand where the bytes end, whatever PktLen says, so that a packet
// with a wrong length can be built. With LNH 2 it is an error if b is shorter
// than a BTH and an ICRC.
func (l *LRH) SerializeTo(b gopacket.SerializeBuffer, opts gopacket.SerializeOptions) error {
	if opts.FixLengths {
		n := Size + len(b.Bytes())
		if n%4 != 0 || n/4 > maxPktLen {
			return fmt.Errorf("lrh: a packet of %d bytes does not fit PktLen: it counts 4-byte words, at most %d", n, maxPktLen)
		}
		l.PktLen = uint16(n / 4)
	}
	if err := l.check(); err != nil {
		return err
	}
	p, err := b.PrependBytes(Size)
	if err != nil {
		return err
	}
	p[0], p[1] = l.VL<<4|l.LVer, l.SL<<4|l.Rsv2<<2|uint8(l.LNH)
	be.PutUint16(p[2:], uint16(l.DLID))
	be.PutUint16(p[4:], uint16(l.Rsv5)<<11|l.PktLen)
	be.PutUint16(p[6:], uint16(l.SLID))
	if opts.ComputeChecksums {
		if err := l.compute(b.Bytes()); err != nil {
			return err
		}
	}
	return l.appendEnd(b)
}

// compute computes the CRCs of a packet that ends in front of the VCRC.
func (l *LRH) compute(packet []byte) error {
	if l.LNH == LNHLocal && !crc.PutNative(packet) {
		return fmt.Errorf("lrh: %d bytes have no room for LRH, BTH and ICRC", len(packet))
	}
	l.VCRC, l.HasVCRC = crc.VCRC(packet), true
	return nil
}

// appendEnd puts VCRC and trailer behind b.
func (l *LRH) appendEnd(b gopacket.SerializeBuffer) error {
	n := 0
	if l.HasVCRC {
		n = vcrcSize
	}
	p, err := b.AppendBytes(n + len(l.Trailer))
	if err != nil {
		return err
	}
	if l.HasVCRC {
		be.PutUint16(p, l.VCRC)
	}
	copy(p[n:], l.Trailer)
	return nil
}

// check reports the first field that does not fit its bits.
func (l *LRH) check() error {
	for _, f := range [...]struct {
		name       string
		value, max uint16
	}{
		{"VL", uint16(l.VL), 0xf},
		{"LVer", uint16(l.LVer), 0xf},
		{"SL", uint16(l.SL), 0xf},
		{"Rsv2", uint16(l.Rsv2), 3},
		{"LNH", uint16(l.LNH), 3},
		{"Rsv5", uint16(l.Rsv5), 0x1f},
		{"PktLen", l.PktLen, maxPktLen},
	} {
		if f.value > f.max {
			return fmt.Errorf("lrh: %s is %#x, more than %#x", f.name, f.value, f.max)
		}
	}
	return nil
}
