package ext

import (
	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"

	"github.com/ibwire/ibwire/opcode"
)

// XRCETH is the XRC Extended Transport Header, right behind the BTH of every
// XRC request; responses have none.
//
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	|      Rsv      |                    XRCSRQ                     |
type XRCETH struct {
	layers.BaseLayer
	Rsv    uint8
	XRCSRQ uint32 // 24 bits, the shared receive queue of the target
}

// DecodeFromBytes reads the header from the front of data.
func (x *XRCETH) DecodeFromBytes(data []byte, df gopacket.DecodeFeedback) (err error) {
	if x.BaseLayer, err = split(opcode.XRCETH, data, df); err != nil {
		*x = XRCETH{}
		return err
	}
	x.Rsv, x.XRCSRQ = word(data)
	return nil
}

// SerializeTo implements gopacket.SerializableLayer.
func (x *XRCETH) SerializeTo(b gopacket.SerializeBuffer, _ gopacket.SerializeOptions) error {
	p, err := b.PrependBytes(opcode.XRCETH.Size())
	if err != nil {
		return err
	}
	return putWord(p, "XRCETH.XRCSRQ", x.Rsv, x.XRCSRQ)
}
