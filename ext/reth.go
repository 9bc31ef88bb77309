package ext

import (
	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"

	"github.com/ibwire/ibwire/opcode"
)

// RETH is the RDMA Extended Transport Header of WRITE First and Only, READ
// requests, FLUSH and ATOMIC WRITE.
//
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	|                              VA                               |
//	|                                                               |
//	|                             R_Key                             |
//	|                            DMALen                             |
type RETH struct {
	layers.BaseLayer
	VA     uint64 // virtual address at the target
	RKey   uint32
	DMALen uint32 // bytes of the whole message, not of this packet; at most 2^31
}

// DecodeFromBytes reads the header from the front of data.
func (r *RETH) DecodeFromBytes(data []byte, df gopacket.DecodeFeedback) (err error) {
	if r.BaseLayer, err = split(opcode.RETH, data, df); err != nil {
		*r = RETH{}
		return err
	}
	r.VA, r.RKey, r.DMALen = be.Uint64(data), be.Uint32(data[8:]), be.Uint32(data[12:])
	return nil
}

// SerializeTo implements gopacket.SerializableLayer.
func (r *RETH) SerializeTo(b gopacket.SerializeBuffer, _ gopacket.SerializeOptions) error {
	p, err := b.PrependBytes(opcode.RETH.Size())
	if err != nil {
		return err
	}
	be.PutUint64(p, r.VA)
	be.PutUint32(p[8:], r.RKey)
	be.PutUint32(p[12:], r.DMALen)
	return nil
}
