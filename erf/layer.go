package erf

import (
	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"

	"github.com/ibwire/ibwire/lrh"
)

// LinkType is the link type of pcap and pcapng files whose packets are ERF
// records (LINKTYPE_ERF).
const LinkType layers.LinkType = 197

// LayerTypeERF is the layer type of Record.
var LayerTypeERF = gopacket.RegisterLayerType(1903, gopacket.LayerTypeMetadata{
	Name:    "ERF",
	Decoder: gopacket.DecodeFunc(decode),
})

var (
	_ gopacket.Layer             = (*Record)(nil)
	_ gopacket.DecodingLayer     = (*Record)(nil)
	_ gopacket.SerializableLayer = (*Record)(nil)
	_ gopacket.DecodeFunc        = decode
)

// LayerType implements gopacket.Layer: it is LayerTypeERF.
func (r *Record) LayerType() gopacket.LayerType { return LayerTypeERF }

// CanDecode implements gopacket.DecodingLayer.
func (r *Record) CanDecode() gopacket.LayerClass { return LayerTypeERF }

// NextLayerType implements gopacket.DecodingLayer. The packets of types that
// have no layer here, META and PAD among them, are gopacket's Payload.
func (r *Record) NextLayerType() gopacket.LayerType {
	if r.cut {
		return gopacket.LayerTypeZero
	}
	switch r.Type {
	case TypeInfiniband:
		return lrh.LayerTypeLRH
	case TypeInfinibandLink:
		return lrh.LayerTypeFlowControl
	case TypeETH, TypeColorETH, TypeDSMColorETH, TypeColorHashETH:
		return layers.LayerTypeEthernet
	case TypeIPv4:
		return layers.LayerTypeIPv4
	case TypeIPv6:
		return layers.LayerTypeIPv6
	}
	return gopacket.LayerTypePayload
}

// decode adds a Record to p, also one whose headers are cut behind the first 16
// bytes, so that what was decoded is not lost.
func decode(data []byte, p gopacket.PacketBuilder) error {
	r := new(Record)
	err := r.DecodeFromBytes(data, p)
	if r.Contents != nil {
		p.AddLayer(r)
	}
	if err != nil {
		return err
	}
	return p.NextDecoder(r.NextLayerType())
}
