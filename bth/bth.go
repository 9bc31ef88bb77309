// Package bth decodes the InfiniBand Base Transport Header (IBTA Vol 1, 9.2)
// and finds the pad and the ICRC at the end of the packet.
package bth

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"

	"github.com/ibwire/ibwire/ext"
	"github.com/ibwire/ibwire/opcode"
)

// Size is the length of a BTH in bytes.
const Size = 12

// icrcSize is the length of the ICRC in bytes.
const icrcSize = 4

// MinSize is the least that begins with a BTH, in bytes: a BTH and an ICRC.
const MinSize = Size + icrcSize

var be = binary.BigEndian

// BTH is a Base Transport Header, with what the BTH knows of the packet's end.
//
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	|    OpCode     |S|M|Pad| TVer  |             P_Key             |
//	|F|B|   Rsv6    |                    DestQP                     |
//	|A|    Rsv7     |                      PSN                      |
//
// Its payload, in the sense of gopacket, is the extension headers and what the
// user sent: pad and ICRC are taken off.
type BTH struct {
	layers.BaseLayer
	OpCode opcode.Opcode
	SE     bool  // solicited event
	MigReq bool  // M: migration state
	PadCnt uint8 // 2 bits, pad bytes between payload and ICRC
	TVer   uint8 // 4 bits, transport version
	PKey   uint16
	FECN   bool   // set by a congested hop
	BECN   bool   // set in a CNP
	Rsv6   uint8  // 6 bits; not 0 in the traffic of some adapters
	DestQP uint32 // 24 bits
	AckReq bool
	Rsv7   uint8  // 7 bits
	PSN    uint32 // 24 bits

	// Pad is the pad as it stands in the packet: PadCnt bytes, or fewer if so
	// many are not there behind the headers.
	Pad []byte
	// ICRC is the invariant CRC, its four bytes read big-endian as Wireshark
	// prints it, if HasICRC. It is not there if the packet is cut, or if its
	// length leaves no room for it behind the headers.
	ICRC    uint32
	HasICRC bool

	// Ext is told which headers follow. It is for a parser, where it must be the
	// ext.Headers that stands in the parser too; in NewPacket it stays nil.
	Ext *ext.Headers
}

// DecodeFromBytes implements gopacket.DecodingLayer. data runs from the BTH
// through the ICRC, as the length field of the layer outside has it: PktLen,
// PayLen or the UDP length.
//
// If an outer layer found the packet cut, the end of data is not the end of the
// packet, and neither pad nor ICRC are taken off. The feedback tells: it is the
// packet itself, the parser or a Feedback. With any other one data is taken to be
// whole. gopacket.PacketSource, when it is lazy, says "cut" for any packet that
// was captured short, though only bytes outside the InfiniBand packet may be
// missing.
//
// Fewer than Size bytes are an error that wraps io.ErrUnexpectedEOF. If bytes of
// the extension headers are missing, the packet is marked as truncated.
func (b *BTH) DecodeFromBytes(data []byte, df gopacket.DecodeFeedback) error {
	if len(data) < Size {
		return b.cut(data, df)
	}
	b.OpCode = opcode.Opcode(data[0])
	b.SE, b.MigReq = data[1]&0x80 != 0, data[1]&0x40 != 0
	b.PadCnt, b.TVer = data[1]>>4&3, data[1]&0xf
	b.PKey = be.Uint16(data[2:])
	b.FECN, b.BECN, b.Rsv6 = data[4]&0x80 != 0, data[4]&0x40 != 0, data[4]&0x3f
	b.DestQP = be.Uint32(data[4:]) & max24
	b.AckReq, b.Rsv7 = data[8]&0x80 != 0, data[8]&0x7f
	b.PSN = be.Uint32(data[8:]) & max24

	set, end := b.OpCode.Headers(), len(data)
	b.Pad, b.ICRC, b.HasICRC = nil, 0, false
	switch room := len(data) - Size - set.Size(); {
	case room < 0:
		df.SetTruncated()
	case room >= icrcSize && !truncated(df):
		end = b.takeEnd(data, room)
	}
	b.Contents, b.Payload = data[:Size], data[Size:end]

	if b.Ext != nil {
		b.Ext.Begin(set, b.payloadType())
	}
	return nil
}

// takeEnd takes ICRC and pad off the end of data, of which the last room bytes
// are behind the extension headers, and returns where it ends then. A responder is
// known to send PadCnt 2 in packets without a payload, so the pad never reaches
// into the headers.
func (b *BTH) takeEnd(data []byte, room int) int {
	end := len(data) - icrcSize
	b.ICRC, b.HasICRC = be.Uint32(data[end:]), true
	pad := min(int(b.PadCnt), room-icrcSize)
	b.Pad = data[end-pad : end]
	return end - pad
}

// cut returns the error about a BTH of which bytes are missing.
func (b *BTH) cut(data []byte, df gopacket.DecodeFeedback) error {
	df.SetTruncated()
	*b = BTH{Ext: b.Ext}
	if b.Ext != nil {
		b.Ext.Begin(0, gopacket.LayerTypePayload) // nothing of the packet before is left
	}
	return fmt.Errorf("bth: need %d bytes, have %d: %w", Size, len(data), io.ErrUnexpectedEOF)
}

// A Feedback is a gopacket.DecodeFeedback that can tell what it was told.
type Feedback interface {
	gopacket.DecodeFeedback
	IsTruncated() bool
}

// Truncation is a Feedback of the simplest kind, and the one that costs nothing
// to ask. The zero value has not been told of a truncation.
type Truncation struct {
	// Truncated reports that a length field counts bytes that are not there.
	Truncated bool
}

// SetTruncated implements gopacket.DecodeFeedback.
func (t *Truncation) SetTruncated() { t.Truncated = true }

// IsTruncated implements Feedback.
func (t *Truncation) IsTruncated() bool { return t.Truncated }

// truncated asks the feedback whether an outer layer found the packet cut.
func truncated(df gopacket.DecodeFeedback) bool {
	switch f := df.(type) {
	case *Truncation:
		return f.Truncated
	case *gopacket.DecodingLayerParser:
		return f.Truncated
	case Feedback:
		return f.IsTruncated()
	case gopacket.Packet: // a packet under construction
		return f.Metadata().Truncated
	}
	return false
}

// max24 is the largest value of a 24-bit field.
const max24 = 1<<24 - 1

// SerializeTo implements gopacket.SerializableLayer. It puts the BTH in front
// of b, and Pad and, if HasICRC, ICRC behind. FixLengths sets PadCnt, Pad to so
// many zeros unless it has the right length already, and HasICRC, since the
// lengths outside count an ICRC. A field that does not fit its bits is an error,
// and so is a Pad longer than PadCnt.
//
// ComputeChecksums sets HasICRC too. What the ICRC is depends on the headers
// outside: grh.GRH and lrh.LRH write it over the one here, and for RoCE v2, whose
// outer headers are gopacket's, ibwire.Finish does. The field ICRC stays as it is.
func (b *BTH) SerializeTo(sb gopacket.SerializeBuffer, opts gopacket.SerializeOptions) error {
	if opts.FixLengths {
		b.PadCnt = uint8(-len(sb.Bytes()) & 3)
		if len(b.Pad) != int(b.PadCnt) {
			b.Pad = make([]byte, b.PadCnt)
		}
	}
	if opts.FixLengths || opts.ComputeChecksums {
		b.HasICRC = true
	}
	if err := b.check(); err != nil {
		return err
	}
	if err := b.appendEnd(sb); err != nil {
		return err
	}
	p, err := sb.PrependBytes(Size)
	if err != nil {
		return err
	}
	p[0] = uint8(b.OpCode)
	p[1] = bit(b.SE, 7) | bit(b.MigReq, 6) | b.PadCnt<<4 | b.TVer
	be.PutUint16(p[2:], b.PKey)
	be.PutUint32(p[4:], uint32(bit(b.FECN, 7)|bit(b.BECN, 6)|b.Rsv6)<<24|b.DestQP)
	be.PutUint32(p[8:], uint32(bit(b.AckReq, 7)|b.Rsv7)<<24|b.PSN)
	return nil
}

// appendEnd puts pad and ICRC behind b.
func (b *BTH) appendEnd(sb gopacket.SerializeBuffer) error {
	n := len(b.Pad)
	if b.HasICRC {
		n += icrcSize
	}
	p, err := sb.AppendBytes(n)
	if err != nil {
		return err
	}
	copy(p, b.Pad)
	if b.HasICRC {
		be.PutUint32(p[len(b.Pad):], b.ICRC)
	}
	return nil
}

// check reports the first field that does not fit its bits.
func (b *BTH) check() error {
	for _, f := range [...]struct {
		name       string
		value, max uint32
	}{
		{"PadCnt", uint32(b.PadCnt), 3},
		{"TVer", uint32(b.TVer), 0xf},
		{"Rsv6", uint32(b.Rsv6), 0x3f},
		{"DestQP", b.DestQP, max24},
		{"Rsv7", uint32(b.Rsv7), 0x7f},
		{"PSN", b.PSN, max24},
		{"length of Pad", uint32(len(b.Pad)), uint32(b.PadCnt)},
	} {
		if f.value > f.max {
			return fmt.Errorf("bth: %s is %#x, more than %#x", f.name, f.value, f.max)
		}
	}
	return nil
}

// bit returns 1<<n if set.
func bit(set bool, n uint) uint8 {
	if set {
		return 1 << n
	}
	return 0
}
