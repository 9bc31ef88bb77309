package ext

import (
	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"

	"github.com/ibwire/ibwire/opcode"
)

// ImmDt is Immediate Data: four bytes that go to the receiver's completion.
type ImmDt struct {
	layers.BaseLayer
	Data uint32 // big-endian, as it stands on the wire
}

// DecodeFromBytes reads the header from the front of data.
func (i *ImmDt) DecodeFromBytes(data []byte, df gopacket.DecodeFeedback) (err error) {
	if i.BaseLayer, err = split(opcode.ImmDt, data, df); err != nil {
		*i = ImmDt{}
		return err
	}
	i.Data = be.Uint32(data)
	return nil
}

// SerializeTo implements gopacket.SerializableLayer.
func (i *ImmDt) SerializeTo(b gopacket.SerializeBuffer, _ gopacket.SerializeOptions) error {
	return prepend32(b, i.Data)
}

// IETH is the Invalidate Extended Transport Header of a SEND with Invalidate.
type IETH struct {
	layers.BaseLayer
	RKey uint32 // the R_Key to invalidate
}

// DecodeFromBytes reads the header from the front of data.
func (i *IETH) DecodeFromBytes(data []byte, df gopacket.DecodeFeedback) (err error) {
	if i.BaseLayer, err = split(opcode.IETH, data, df); err != nil {
		*i = IETH{}
		return err
	}
	i.RKey = be.Uint32(data)
	return nil
}

// SerializeTo implements gopacket.SerializableLayer.
func (i *IETH) SerializeTo(b gopacket.SerializeBuffer, _ gopacket.SerializeOptions) error {
	return prepend32(b, i.RKey)
}

// prepend32 puts a header of one 32-bit value in front of b.
func prepend32(b gopacket.SerializeBuffer, v uint32) error {
	p, err := b.PrependBytes(4)
	if err != nil {
		return err
	}
	be.PutUint32(p, v)
	return nil
}
