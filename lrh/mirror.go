package lrh

import (
	"fmt"
	"io"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
)

// MirrorSize is the length of a mirror header in bytes.
const MirrorSize = 4

// MirrorEtherType is the EtherType that announces a mirror header in an RWH,
// unless the switch was told another one: see RegisterMirror.
const MirrorEtherType layers.EthernetType = 0x1123

// Mirror is what a switch puts between the RWH of its own raw packet and the
// packet that it mirrors, which begins with its LRH again. What it holds is not
// public. A switch may cut what it mirrors; the packet then has no CRCs of its
// own.
//
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	|                            Prefix                             |
type Mirror struct {
	layers.BaseLayer
	Prefix uint32
}

// DecodeFromBytes implements gopacket.DecodingLayer. Fewer than MirrorSize bytes
// are an error that wraps io.ErrUnexpectedEOF.
func (m *Mirror) DecodeFromBytes(data []byte, df gopacket.DecodeFeedback) error {
	if len(data) < MirrorSize {
		df.SetTruncated()
		*m = Mirror{}
		return fmt.Errorf("lrh: mirror header needs %d bytes, have %d: %w", MirrorSize, len(data), io.ErrUnexpectedEOF)
	}
	m.Prefix = be.Uint32(data)
	m.Contents, m.Payload = data[:MirrorSize], data[MirrorSize:]
	return nil
}

// SerializeTo implements gopacket.SerializableLayer.
func (m *Mirror) SerializeTo(b gopacket.SerializeBuffer, _ gopacket.SerializeOptions) error {
	p, err := b.PrependBytes(MirrorSize)
	if err != nil {
		return err
	}
	be.PutUint32(p, m.Prefix)
	return nil
}

// LayerType implements gopacket.Layer.
func (m *Mirror) LayerType() gopacket.LayerType { return LayerTypeMirror }

// CanDecode implements gopacket.DecodingLayer.
func (m *Mirror) CanDecode() gopacket.LayerClass { return LayerTypeMirror }

// NextLayerType implements gopacket.DecodingLayer: the LRH of what was mirrored.
func (m *Mirror) NextLayerType() gopacket.LayerType { return lrhNumber }

func decodeMirror(data []byte, p gopacket.PacketBuilder) error {
	m := &Mirror{}
	if err := m.DecodeFromBytes(data, p); err != nil {
		return err
	}
	p.AddLayer(m)
	return p.NextDecoder(m.NextLayerType())
}

// mirrorEtherTypes is what RegisterMirror has been told.
var mirrorEtherTypes = map[layers.EthernetType]bool{MirrorEtherType: true}

// RegisterMirror makes an EtherType in an RWH announce a mirror header, besides
// MirrorEtherType, for switches that were told to use it. It is for the start of
// a program, not for while packets are decoded.
func RegisterMirror(t layers.EthernetType) { mirrorEtherTypes[t] = true }

var (
	_ gopacket.Layer             = (*Mirror)(nil)
	_ gopacket.DecodingLayer     = (*Mirror)(nil)
	_ gopacket.SerializableLayer = (*Mirror)(nil)
)
