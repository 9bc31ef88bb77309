package ext

import (
	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"

	"github.com/ibwire/ibwire/opcode"
)

// CNP is what follows the BTH of a RoCEv2 congestion notification packet
// (opcode 0x81): 16 reserved bytes (IBTA Vol 1, A17.9.3). Senders write zeros,
// some vendors more.
type CNP struct {
	layers.BaseLayer
	Rsv [16]byte
}

// DecodeFromBytes reads the header from the front of data.
func (c *CNP) DecodeFromBytes(data []byte, df gopacket.DecodeFeedback) (err error) {
	if c.BaseLayer, err = split(opcode.CNPRsv, data, df); err != nil {
		*c = CNP{}
		return err
	}
	c.Rsv = [16]byte(data)
	return nil
}

// SerializeTo implements gopacket.SerializableLayer.
func (c *CNP) SerializeTo(b gopacket.SerializeBuffer, _ gopacket.SerializeOptions) error {
	return prepend16(b, &c.Rsv)
}

// DCCETH is the connect header of Mellanox' Dynamically Connected transport.
// Its layout is not public, so its bytes are kept as they are; and no opcode is
// known to announce it, so it comes up only where a Chain or Headers is told to
// expect it.
type DCCETH struct {
	layers.BaseLayer
	Data [16]byte
}

// DecodeFromBytes reads the header from the front of data.
func (d *DCCETH) DecodeFromBytes(data []byte, df gopacket.DecodeFeedback) (err error) {
	if d.BaseLayer, err = split(opcode.DCCETH, data, df); err != nil {
		*d = DCCETH{}
		return err
	}
	d.Data = [16]byte(data)
	return nil
}

// SerializeTo implements gopacket.SerializableLayer.
func (d *DCCETH) SerializeTo(b gopacket.SerializeBuffer, _ gopacket.SerializeOptions) error {
	return prepend16(b, &d.Data)
}

// prepend16 puts a header of 16 opaque bytes in front of b.
func prepend16(b gopacket.SerializeBuffer, v *[16]byte) error {
	p, err := b.PrependBytes(len(v))
	if err != nil {
		return err
	}
	copy(p, v[:])
	return nil
}
