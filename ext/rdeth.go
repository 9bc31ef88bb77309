package ext

import (
	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"

	"github.com/ibwire/ibwire/opcode"
)

// RDETH is the Reliable Datagram Extended Transport Header, right behind the
// BTH of every RD packet.
//
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	|      Rsv      |                  EE-Context                   |
type RDETH struct {
	layers.BaseLayer
	Rsv       uint8
	EEContext uint32 // 24 bits
}

// DecodeFromBytes reads the header from the front of data.
func (r *RDETH) DecodeFromBytes(data []byte, df gopacket.DecodeFeedback) (err error) {
	if r.BaseLayer, err = split(opcode.RDETH, data, df); err != nil {
		*r = RDETH{}
		return err
	}
	r.Rsv, r.EEContext = word(data)
	return nil
}

// SerializeTo implements gopacket.SerializableLayer.
func (r *RDETH) SerializeTo(b gopacket.SerializeBuffer, _ gopacket.SerializeOptions) error {
	p, err := b.PrependBytes(opcode.RDETH.Size())
	if err != nil {
		return err
	}
	return putWord(p, "RDETH.EEContext", r.Rsv, r.EEContext)
}
