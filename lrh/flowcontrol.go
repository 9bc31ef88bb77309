package lrh

import (
	"fmt"
	"io"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
)

// FlowControlSize is the length of a flow control packet in bytes.
const FlowControlSize = 6

// FlowControlOp is the Op field of a flow control packet; values above 1 are
// reserved.
type FlowControlOp uint8

// Values of FlowControlOp.
const (
	FlowControlNormal FlowControlOp = iota // Normal Flow Control
	FlowControlInit                        // Flow Control Init
)

// FlowControl is a flow control packet of the link layer, which ports exchange
// for each virtual lane. It has no LRH; in ERF it is a record type of its own.
//
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	|  Op   |         FCTBS         |  VL   |         FCCL          |
//	|             LPCRC             |
type FlowControl struct {
	layers.BaseLayer
	Op    FlowControlOp // 4 bits
	FCTBS uint16        // 12 bits, blocks sent on the lane, modulo 4096
	VL    uint8         // 4 bits
	FCCL  uint16        // 12 bits, credit limit in blocks, modulo 4096
	LPCRC uint16        // read big-endian; what it covers is not known for sure

	// Trailer is what lies behind the packet. Some captures hold 8 bytes, the
	// last two reserved.
	Trailer []byte
}

// DecodeFromBytes implements gopacket.DecodingLayer. Fewer than
// FlowControlSize bytes are an error that wraps io.ErrUnexpectedEOF.
func (f *FlowControl) DecodeFromBytes(data []byte, df gopacket.DecodeFeedback) error {
	if len(data) < FlowControlSize {
		df.SetTruncated()
		*f = FlowControl{}
		return fmt.Errorf("lrh: flow control packet needs %d bytes, have %d: %w", FlowControlSize, len(data), io.ErrUnexpectedEOF)
	}
	f.Op, f.FCTBS = FlowControlOp(data[0]>>4), be.Uint16(data)&0xfff
	f.VL, f.FCCL = data[2]>>4, be.Uint16(data[2:])&0xfff
	f.LPCRC = be.Uint16(data[4:])
	f.Contents, f.Payload, f.Trailer = data[:FlowControlSize], nil, nil
	if len(data) > FlowControlSize {
		f.Trailer = data[FlowControlSize:]
	}
	return nil
}

// SerializeTo implements gopacket.SerializableLayer. A field that does not fit
// its bits is an error.
func (f *FlowControl) SerializeTo(b gopacket.SerializeBuffer, _ gopacket.SerializeOptions) error {
	if f.Op > 0xf || f.VL > 0xf || f.FCTBS > 0xfff || f.FCCL > 0xfff {
		return fmt.Errorf("lrh: Op %#x, VL %#x, FCTBS %#x or FCCL %#x does not fit its bits (4, 4, 12, 12)", uint8(f.Op), f.VL, f.FCTBS, f.FCCL)
	}
	end, err := b.AppendBytes(len(f.Trailer))
	if err != nil {
		return err
	}
	copy(end, f.Trailer)
	p, err := b.PrependBytes(FlowControlSize)
	if err != nil {
		return err
	}
	be.PutUint16(p, uint16(f.Op)<<12|f.FCTBS)
	be.PutUint16(p[2:], uint16(f.VL)<<12|f.FCCL)
	be.PutUint16(p[4:], f.LPCRC)
	return nil
}
