package lrh

import (
	"fmt"
	"io"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
)

// RWHSize is the length of an RWH in bytes.
const RWHSize = 4

// RWH is the Raw Header of a packet of another transport (LNH 0). Such a packet
// has no ICRC.
//
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	|              Rsv              |           EtherType           |
type RWH struct {
	layers.BaseLayer
	Rsv       uint16
	EtherType layers.EthernetType
}

// DecodeFromBytes implements gopacket.DecodingLayer. Fewer than RWHSize bytes
// are an error that wraps io.ErrUnexpectedEOF.
func (r *RWH) DecodeFromBytes(data []byte, df gopacket.DecodeFeedback) error {
	if len(data) < RWHSize {
		df.SetTruncated()
		*r = RWH{}
		return fmt.Errorf("lrh: RWH needs %d bytes, have %d: %w", RWHSize, len(data), io.ErrUnexpectedEOF)
	}
	r.Rsv, r.EtherType = be.Uint16(data), layers.EthernetType(be.Uint16(data[2:]))
	r.Contents, r.Payload = data[:RWHSize], data[RWHSize:]
	return nil
}

// SerializeTo implements gopacket.SerializableLayer.
func (r *RWH) SerializeTo(b gopacket.SerializeBuffer, _ gopacket.SerializeOptions) error {
	p, err := b.PrependBytes(RWHSize)
	if err != nil {
		return err
	}
	be.PutUint16(p, r.Rsv)
	be.PutUint16(p[2:], uint16(r.EtherType))
	return nil
}
