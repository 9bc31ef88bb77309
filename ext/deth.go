package ext

import (
	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"

	"github.com/ibwire/ibwire/opcode"
)

// DETH is the Datagram Extended Transport Header of UD packets and of RD
// requests.
//
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	|                             Q_Key                             |
//	|      Rsv      |                     SrcQP                     |
type DETH struct {
	layers.BaseLayer
	QKey  uint32 // bit 31 set: a controlled Q_Key; 0x80010000 on QP1
	Rsv   uint8
	SrcQP uint32 // 24 bits
}

// DecodeFromBytes reads the header from the front of data.
func (d *DETH) DecodeFromBytes(data []byte, df gopacket.DecodeFeedback) (err error) {
	if d.BaseLayer, err = split(opcode.DETH, data, df); err != nil {
		*d = DETH{}
		return err
	}
	d.QKey = be.Uint32(data)
	d.Rsv, d.SrcQP = word(data[4:])
	return nil
}

// SerializeTo implements gopacket.SerializableLayer.
func (d *DETH) SerializeTo(b gopacket.SerializeBuffer, _ gopacket.SerializeOptions) error {
	p, err := b.PrependBytes(opcode.DETH.Size())
	if err != nil {
		return err
	}
	be.PutUint32(p, d.QKey)
	return putWord(p[4:], "DETH.SrcQP", d.Rsv, d.SrcQP)
}
