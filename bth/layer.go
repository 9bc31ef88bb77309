package bth

import (
	"fmt"

	"github.com/google/gopacket"

	"github.com/ibwire/ibwire/ext"
	"github.com/ibwire/ibwire/opcode"
)

// LayerTypeBTH is the layer type of a BTH.
var LayerTypeBTH = gopacket.RegisterLayerType(1902, gopacket.LayerTypeMetadata{
	Name: "BTH", Decoder: gopacket.DecodeFunc(decode),
})

// LayerType implements gopacket.Layer.
func (b *BTH) LayerType() gopacket.LayerType { return LayerTypeBTH }

// CanDecode implements gopacket.DecodingLayer.
func (b *BTH) CanDecode() gopacket.LayerClass { return LayerTypeBTH }

// NextLayerType implements gopacket.DecodingLayer: the first extension header,
// or what the payload is where there is none.
func (b *BTH) NextLayerType() gopacket.LayerType {
	if set := b.OpCode.Headers(); set != 0 {
		return ext.LayerType(set)
	}
	return b.payloadType()
}

func decode(data []byte, p gopacket.PacketBuilder) error {
	b := &BTH{}
	if err := b.DecodeFromBytes(data, p); err != nil {
		return err
	}
	p.AddLayer(b)
	payload := b.payloadType()
	if payload == gopacket.LayerTypePayload {
		return p.NextDecoder(nextDecoders[b.OpCode])
	}
	return p.NextDecoder(ext.Chain{Headers: b.OpCode.Headers(), Payload: payload})
}

// nextDecoders has, for each opcode, what decodes what follows where RegisterQP has
// been told nothing. To make it anew for each packet would allocate.
var nextDecoders = func() (d [256]gopacket.Decoder) {
	for o := range d {
		d[o] = ext.Chain{Headers: opcode.Opcode(o).Headers(), Payload: gopacket.LayerTypePayload}
	}
	return d
}()

// payloadTypes is what RegisterQP has been told.
var payloadTypes = map[uint32]gopacket.LayerType{}

// RegisterQP makes t the layer type of the payload of packets to queue pair
// qpn, in the manner of layers.RegisterUDPPortLayerType: it is for the start of
// a program, not for while packets are decoded. It replaces what was registered
// before; gopacket.LayerTypePayload takes the queue pair out again. A qpn of
// more than 24 bits is an error.
//
// QP 0 and QP 1 take management datagrams, which are UD, so there only the
// payload of UD packets is of type t (IBTA Vol 1, 13.5).
func RegisterQP(qpn uint32, t gopacket.LayerType) error {
	if qpn > max24 {
		return fmt.Errorf("bth: QP number %#x is more than %#x", qpn, max24)
	}
	if t == gopacket.LayerTypePayload {
		delete(payloadTypes, qpn)
	} else {
		payloadTypes[qpn] = t
	}
	return nil
}

// payloadType returns the layer type of what follows the extension headers.
func (b *BTH) payloadType() gopacket.LayerType {
	if len(payloadTypes) == 0 || !b.OpCode.Assigned() || !b.OpCode.HasPayload() {
		return gopacket.LayerTypePayload
	}
	if b.DestQP <= 1 && b.OpCode.Transport() != opcode.UD {
		return gopacket.LayerTypePayload
	}
	if t, ok := payloadTypes[b.DestQP]; ok {
		return t
	}
	return gopacket.LayerTypePayload
}

var (
	_ gopacket.Layer             = (*BTH)(nil)
	_ gopacket.DecodingLayer     = (*BTH)(nil)
	_ gopacket.SerializableLayer = (*BTH)(nil)
)
