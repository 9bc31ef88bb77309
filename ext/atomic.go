package ext

import (
	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"

	"github.com/ibwire/ibwire/opcode"
)

// AtomicETH is the Atomic Extended Transport Header of CmpSwap and FetchAdd.
//
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	|                              VA                               |
//	|                                                               |
//	|                             R_Key                             |
//	|                      SwapData or AddData                      |
//	|                                                               |
//	|                            CmpData                            |
//	|                                                               |
type AtomicETH struct {
	layers.BaseLayer
	VA      uint64 // a multiple of 8
	RKey    uint32
	SwapAdd uint64 // CmpSwap: the value to store; FetchAdd: the value to add
	CmpData uint64 // CmpSwap: the value to compare with; FetchAdd: ignored
}

// DecodeFromBytes reads the header from the front of data.
func (a *AtomicETH) DecodeFromBytes(data []byte, df gopacket.DecodeFeedback) (err error) {
	if a.BaseLayer, err = split(opcode.AtomicETH, data, df); err != nil {
		*a = AtomicETH{}
		return err
	}
	a.VA, a.RKey = be.Uint64(data), be.Uint32(data[8:])
	a.SwapAdd, a.CmpData = be.Uint64(data[12:]), be.Uint64(data[20:])
	return nil
}

// SerializeTo implements gopacket.SerializableLayer.
func (a *AtomicETH) SerializeTo(b gopacket.SerializeBuffer, _ gopacket.SerializeOptions) error {
	p, err := b.PrependBytes(opcode.AtomicETH.Size())
	if err != nil {
		return err
	}
	be.PutUint64(p, a.VA)
	be.PutUint32(p[8:], a.RKey)
	be.PutUint64(p[12:], a.SwapAdd)
	be.PutUint64(p[20:], a.CmpData)
	return nil
}

// AtomicAckETH is the Atomic Acknowledge Extended Transport Header, behind the
// AETH of an ATOMIC Acknowledge.
//
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	|                          OrigRemData                          |
//	|                                                               |
type AtomicAckETH struct {
	layers.BaseLayer
	OrigRemData uint64 // what stood at the target before
}

// DecodeFromBytes reads the header from the front of data.
func (a *AtomicAckETH) DecodeFromBytes(data []byte, df gopacket.DecodeFeedback) (err error) {
	if a.BaseLayer, err = split(opcode.AtomicAckETH, data, df); err != nil {
		*a = AtomicAckETH{}
		return err
	}
	a.OrigRemData = be.Uint64(data)
	return nil
}

// SerializeTo implements gopacket.SerializableLayer.
func (a *AtomicAckETH) SerializeTo(b gopacket.SerializeBuffer, _ gopacket.SerializeOptions) error {
	p, err := b.PrependBytes(opcode.AtomicAckETH.Size())
	if err != nil {
		return err
	}
	be.PutUint64(p, a.OrigRemData)
	return nil
}
