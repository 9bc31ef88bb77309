package lrh

import (
	"encoding/binary"
	"strconv"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"

	"github.com/ibwire/ibwire/bth"
	"github.com/ibwire/ibwire/grh"
)

// LinkType is the libpcap link type of packets that begin with an LRH.
const LinkType layers.LinkType = 247

// lrhNumber is the number of LayerTypeLRH, for what leads back to it: Go lets no
// variable need itself.
const lrhNumber gopacket.LayerType = 1900

// Layer types.
var (
	LayerTypeLRH = gopacket.RegisterLayerType(int(lrhNumber), gopacket.LayerTypeMetadata{
		Name: "LRH", Decoder: gopacket.DecodeFunc(decodeLRH),
	})
	LayerTypeRWH = gopacket.RegisterLayerType(1904, gopacket.LayerTypeMetadata{
		Name: "RWH", Decoder: gopacket.DecodeFunc(decodeRWH),
	})
	LayerTypeFlowControl = gopacket.RegisterLayerType(1905, gopacket.LayerTypeMetadata{
		Name: "FlowControl", Decoder: gopacket.DecodeFunc(decodeFlowControl),
	})
	LayerTypeMirror = gopacket.RegisterLayerType(1906, gopacket.LayerTypeMetadata{
		Name: "Mirror", Decoder: gopacket.DecodeFunc(decodeMirror),
	})
)

// nextSize is the least that follows an LRH, by LNH.
var nextSize = [4]int{LNHRaw: RWHSize, LNHIPv6: 40, LNHLocal: bth.MinSize, LNHGlobal: grh.Size}

// EndpointLID is the endpoint type of a LID: two bytes, big-endian.
var EndpointLID = gopacket.RegisterEndpointType(1900, gopacket.EndpointTypeMetadata{
	Name: "LID",
	Formatter: func(b []byte) string {
		if len(b) != 2 {
			return ""
		}
		return strconv.Itoa(int(binary.BigEndian.Uint16(b)))
	},
})

// LayerType implements gopacket.Layer.
func (l *LRH) LayerType() gopacket.LayerType { return LayerTypeLRH }

// CanDecode implements gopacket.DecodingLayer.
func (l *LRH) CanDecode() gopacket.LayerClass { return LayerTypeLRH }

// NextLayerType implements gopacket.DecodingLayer, by LNH.
func (l *LRH) NextLayerType() gopacket.LayerType {
	switch l.LNH {
	case LNHRaw:
		return LayerTypeRWH
	case LNHIPv6:
		return layers.LayerTypeIPv6
	case LNHLocal:
		return bth.LayerTypeBTH
	}
	return grh.LayerTypeGRH
}

// LinkFlow implements gopacket.LinkLayer, from SLID to DLID.
func (l *LRH) LinkFlow() gopacket.Flow {
	var src, dst [2]byte
	be.PutUint16(src[:], uint16(l.SLID))
	be.PutUint16(dst[:], uint16(l.DLID))
	return gopacket.NewFlow(EndpointLID, src[:], dst[:])
}

func decodeLRH(data []byte, p gopacket.PacketBuilder) error {
	l := &LRH{}
	if err := l.DecodeFromBytes(data, p); err != nil {
		return err
	}
	p.AddLayer(l)
	p.SetLinkLayer(l)
	return p.NextDecoder(nextDecoders[l.LNH])
}

// nextDecoders are the layer types of NextLayerType as the decoders that they are.
// To make one anew for each packet would allocate.
var nextDecoders = [4]gopacket.Decoder{
	LNHRaw: LayerTypeRWH, LNHIPv6: layers.LayerTypeIPv6, LNHLocal: bth.LayerTypeBTH, LNHGlobal: grh.LayerTypeGRH,
}

// LayerType implements gopacket.Layer.
func (r *RWH) LayerType() gopacket.LayerType { return LayerTypeRWH }

// CanDecode implements gopacket.DecodingLayer.
func (r *RWH) CanDecode() gopacket.LayerClass { return LayerTypeRWH }

// NextLayerType implements gopacket.DecodingLayer: a mirror header, or what
// gopacket's table has for EtherType, and payload where it has nothing.
func (r *RWH) NextLayerType() gopacket.LayerType {
	if mirrorEtherTypes[r.EtherType] {
		return LayerTypeMirror
	}
	if t := r.EtherType.LayerType(); t != gopacket.LayerTypeZero {
		return t
	}
	return gopacket.LayerTypePayload
}

func decodeRWH(data []byte, p gopacket.PacketBuilder) error {
	r := &RWH{}
	if err := r.DecodeFromBytes(data, p); err != nil {
		return err
	}
	p.AddLayer(r)
	return p.NextDecoder(r.NextLayerType())
}

// LayerType implements gopacket.Layer.
func (f *FlowControl) LayerType() gopacket.LayerType { return LayerTypeFlowControl }

// CanDecode implements gopacket.DecodingLayer.
func (f *FlowControl) CanDecode() gopacket.LayerClass { return LayerTypeFlowControl }

// NextLayerType implements gopacket.DecodingLayer: nothing follows.
func (f *FlowControl) NextLayerType() gopacket.LayerType { return gopacket.LayerTypeZero }

func decodeFlowControl(data []byte, p gopacket.PacketBuilder) error {
	f := &FlowControl{}
	if err := f.DecodeFromBytes(data, p); err != nil {
		return err
	}
	p.AddLayer(f)
	return nil
}

var (
	_ gopacket.LinkLayer         = (*LRH)(nil)
	_ gopacket.DecodingLayer     = (*LRH)(nil)
	_ gopacket.SerializableLayer = (*LRH)(nil)
	_ gopacket.Layer             = (*RWH)(nil)
	_ gopacket.DecodingLayer     = (*RWH)(nil)
	_ gopacket.SerializableLayer = (*RWH)(nil)
	_ gopacket.Layer             = (*FlowControl)(nil)
	_ gopacket.DecodingLayer     = (*FlowControl)(nil)
	_ gopacket.SerializableLayer = (*FlowControl)(nil)
)
