package grh

import (
	"net/netip"

	"github.com/google/gopacket"

	"github.com/ibwire/ibwire/bth"
)

// LayerTypeGRH is the layer type of a GRH.
var LayerTypeGRH = gopacket.RegisterLayerType(1901, gopacket.LayerTypeMetadata{
	Name: "GRH", Decoder: gopacket.DecodeFunc(decode),
})

// EndpointGID is the endpoint type of a GID: 16 bytes.
var EndpointGID = gopacket.RegisterEndpointType(1901, gopacket.EndpointTypeMetadata{
	Name: "GID",
	Formatter: func(b []byte) string {
		if a, ok := netip.AddrFromSlice(b); ok {
			return a.String()
		}
		return ""
	},
})

// LayerType implements gopacket.Layer.
func (g *GRH) LayerType() gopacket.LayerType { return LayerTypeGRH }

// CanDecode implements gopacket.DecodingLayer.
func (g *GRH) CanDecode() gopacket.LayerClass { return LayerTypeGRH }

// NextLayerType implements gopacket.DecodingLayer: a BTH behind NxtHdr 0x1B,
// and never anywhere else.
func (g *GRH) NextLayerType() gopacket.LayerType {
	if g.NxtHdr == NxtHdrIBA {
		return bth.LayerTypeBTH
	}
	return gopacket.LayerTypePayload
}

// NetworkFlow implements gopacket.NetworkLayer, from SGID to DGID.
func (g *GRH) NetworkFlow() gopacket.Flow {
	src, dst := g.SGID.As16(), g.DGID.As16()
	return gopacket.NewFlow(EndpointGID, src[:], dst[:])
}

func decode(data []byte, p gopacket.PacketBuilder) error {
	g := &GRH{}
	if err := g.DecodeFromBytes(data, p); err != nil {
		return err
	}
	p.AddLayer(g)
	p.SetNetworkLayer(g)
	if g.NxtHdr == NxtHdrIBA {
		return p.NextDecoder(bthDecoder)
	}
	return p.NextDecoder(gopacket.LayerTypePayload)
}

// bthDecoder is here since to make it anew for each packet would allocate.
var bthDecoder gopacket.Decoder = bth.LayerTypeBTH

var (
	_ gopacket.NetworkLayer      = (*GRH)(nil)
	_ gopacket.DecodingLayer     = (*GRH)(nil)
	_ gopacket.SerializableLayer = (*GRH)(nil)
)
