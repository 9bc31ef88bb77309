// Package grh decodes the InfiniBand Global Route Header (IBTA Vol 1, 8.3),
// which has the layout of an IPv6 header. It also begins a RoCE v1 packet,
// behind EtherType 0x8915.
package grh

import (
	"encoding/binary"
	"fmt"
	"io"
	"net/netip"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"

	"github.com/ibwire/ibwire/bth"
	"github.com/ibwire/ibwire/crc"
)

// Size is the length of a GRH in bytes.
const Size = 40

// NxtHdrIBA is the NxtHdr of a packet of the InfiniBand transport: a BTH
// follows.
const NxtHdrIBA = 0x1b

// EtherType is the EtherType of RoCE v1: a GRH follows.
const EtherType layers.EthernetType = 0x8915

var be = binary.BigEndian

// GRH is a Global Route Header.
//
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	| IPVer |    TClass     |               FlowLabel               |
//	|            PayLen             |    NxtHdr     |    HopLmt     |
//	|                        SGID (16 bytes)                        |
//	|                        DGID (16 bytes)                        |
type GRH struct {
	layers.BaseLayer
	IPVer     uint8 // 4 bits, 6
	TClass    uint8
	FlowLabel uint32 // 20 bits
	PayLen    uint16 // bytes behind the GRH, through the ICRC
	NxtHdr    uint8
	HopLmt    uint8
	SGID      netip.Addr // always of 16 bytes, also where it maps an IPv4 address
	DGID      netip.Addr

	// Trailer is what lies behind the bytes that PayLen counts: on Ethernet
	// padding or a frame check sequence.
	Trailer []byte
}

// DecodeFromBytes implements gopacket.DecodingLayer. The payload is the PayLen
// bytes behind the header; if fewer are there the packet is marked as
// truncated.
//
// A PayLen that has no room for the BTH that NxtHdr announces and an ICRC cannot
// be true.
// Then the payload is all that is there, and since nobody knows where the packet
// ends, it is marked as truncated too.
//
// Fewer than Size bytes are an error that wraps io.ErrUnexpectedEOF.
func (g *GRH) DecodeFromBytes(data []byte, df gopacket.DecodeFeedback) error {
	if len(data) < Size {
		df.SetTruncated()
		*g = GRH{}
		return fmt.Errorf("grh: need %d bytes, have %d: %w", Size, len(data), io.ErrUnexpectedEOF)
	}
	first := be.Uint32(data)
	g.IPVer, g.TClass, g.FlowLabel = uint8(first>>28), uint8(first>>20), first&maxFlowLabel
	g.PayLen, g.NxtHdr, g.HopLmt = be.Uint16(data[4:]), data[6], data[7]
	g.SGID = netip.AddrFrom16([16]byte(data[8:24]))
	g.DGID = netip.AddrFrom16([16]byte(data[24:40]))

	rest := data[Size:]
	g.Contents, g.Payload, g.Trailer = data[:Size], rest, nil
	switch n := int(g.PayLen); {
	case n > len(rest), g.NxtHdr == NxtHdrIBA && n < bth.MinSize:
		df.SetTruncated()
	case n < len(rest):
		g.Payload, g.Trailer = rest[:n], rest[n:]
	}
	return nil
}

// maxFlowLabel is the largest value of the 20 bits of FlowLabel.
const maxFlowLabel = 1<<20 - 1

// SerializeTo implements gopacket.SerializableLayer. It puts the GRH in front of
// b and Trailer behind. FixLengths sets PayLen to the bytes of b. A field that
// does not fit its bits is an error. A GID that is not set is written as ::, an
// IPv4 address as the GID that maps it.
//
// ComputeChecksums writes the ICRC over the last four bytes of b, whatever PayLen
// says, if NxtHdr is NxtHdrIBA: of RoCE v1 and of a native packet it is the same.
// It is an error then if b is shorter than a BTH and an ICRC.
func (g *GRH) SerializeTo(b gopacket.SerializeBuffer, opts gopacket.SerializeOptions) error {
	if opts.FixLengths {
		n := len(b.Bytes())
		if n > 0xffff {
			return fmt.Errorf("grh: %d bytes do not fit PayLen", n)
		}
		g.PayLen = uint16(n)
	}
	if g.IPVer > 0xf || g.FlowLabel > maxFlowLabel {
		return fmt.Errorf("grh: IPVer %#x or FlowLabel %#x does not fit its bits (4, 20)", g.IPVer, g.FlowLabel)
	}
	p, err := b.PrependBytes(Size)
	if err != nil {
		return err
	}
	be.PutUint32(p, uint32(g.IPVer)<<28|uint32(g.TClass)<<20|g.FlowLabel)
	be.PutUint16(p[4:], g.PayLen)
	p[6], p[7] = g.NxtHdr, g.HopLmt
	sgid, dgid := g.SGID.As16(), g.DGID.As16()
	copy(p[8:], sgid[:])
	copy(p[24:], dgid[:])
	if opts.ComputeChecksums && g.NxtHdr == NxtHdrIBA && !crc.PutRoCEv1(b.Bytes()) {
		return fmt.Errorf("grh: %d bytes have no room for GRH, BTH and ICRC", len(b.Bytes()))
	}
	end, err := b.AppendBytes(len(g.Trailer))
	if err != nil {
		return err
	}
	copy(end, g.Trailer)
	return nil
}
