package ext

import (
	"github.com/google/gopacket"

	"github.com/ibwire/ibwire/opcode"
)

// Layer types of the extension headers. As the first decoder of a packet each
// stands for that one header, then payload.
var (
	LayerTypeRDETH        = register(opcode.RDETH)
	LayerTypeXRCETH       = register(opcode.XRCETH)
	LayerTypeDETH         = register(opcode.DETH)
	LayerTypeDCCETH       = register(opcode.DCCETH)
	LayerTypeFETH         = register(opcode.FETH)
	LayerTypeRETH         = register(opcode.RETH)
	LayerTypeAtomicETH    = register(opcode.AtomicETH)
	LayerTypeAETH         = register(opcode.AETH)
	LayerTypeAtomicAckETH = register(opcode.AtomicAckETH)
	LayerTypeImmDt        = register(opcode.ImmDt)
	LayerTypeIETH         = register(opcode.IETH)
	LayerTypeCNP          = register(opcode.CNPRsv)
)

// register gives the header h its layer type: 1910 and up, in the order of the
// bits of an opcode.HeaderSet.
func register(h opcode.HeaderSet) gopacket.LayerType {
	return gopacket.RegisterLayerType(1910+h.Index(), gopacket.LayerTypeMetadata{
		Name:    h.String(),
		Decoder: Chain{h, gopacket.LayerTypePayload},
	})
}

// LayerType returns the layer type of the first header of a set, and that of
// the zero set is gopacket.LayerTypePayload: what follows no header is payload.
func LayerType(h opcode.HeaderSet) gopacket.LayerType {
	if h&opcode.AllHeaders == 0 {
		return gopacket.LayerTypePayload
	}
	return kinds[h.Index()].layerType
}

// header is what each extension header does.
type header interface {
	gopacket.SerializableLayer
	gopacket.Layer
	DecodeFromBytes(data []byte, df gopacket.DecodeFeedback) error
}

// kinds has a row for each header, in the order of the bits of an
// opcode.HeaderSet: its layer type, how a new one is made, and where the one of
// a Headers is.
var kinds = [...]struct {
	layerType gopacket.LayerType
	new       func() header
	of        func(*Headers) header
}{
	{LayerTypeRDETH, func() header { return new(RDETH) }, func(h *Headers) header { return &h.RDETH }},
	{LayerTypeXRCETH, func() header { return new(XRCETH) }, func(h *Headers) header { return &h.XRCETH }},
	{LayerTypeDETH, func() header { return new(DETH) }, func(h *Headers) header { return &h.DETH }},
	{LayerTypeDCCETH, func() header { return new(DCCETH) }, func(h *Headers) header { return &h.DCCETH }},
	{LayerTypeFETH, func() header { return new(FETH) }, func(h *Headers) header { return &h.FETH }},
	{LayerTypeRETH, func() header { return new(RETH) }, func(h *Headers) header { return &h.RETH }},
	{LayerTypeAtomicETH, func() header { return new(AtomicETH) }, func(h *Headers) header { return &h.AtomicETH }},
	{LayerTypeAETH, func() header { return new(AETH) }, func(h *Headers) header { return &h.AETH }},
	{LayerTypeAtomicAckETH, func() header { return new(AtomicAckETH) }, func(h *Headers) header { return &h.AtomicAckETH }},
	{LayerTypeImmDt, func() header { return new(ImmDt) }, func(h *Headers) header { return &h.ImmDt }},
	{LayerTypeIETH, func() header { return new(IETH) }, func(h *Headers) header { return &h.IETH }},
	{LayerTypeCNP, func() header { return new(CNP) }, func(h *Headers) header { return &h.CNP }},
}

// layerClass is every extension header.
var layerClass = func() gopacket.LayerClass {
	types := make([]gopacket.LayerType, len(kinds))
	for i, k := range kinds {
		types[i] = k.layerType
	}
	return gopacket.NewLayerClass(types)
}()

// LayerType implements gopacket.Layer.
func (*RDETH) LayerType() gopacket.LayerType { return LayerTypeRDETH }

// LayerType implements gopacket.Layer.
func (*XRCETH) LayerType() gopacket.LayerType { return LayerTypeXRCETH }

// LayerType implements gopacket.Layer.
func (*DETH) LayerType() gopacket.LayerType { return LayerTypeDETH }

// LayerType implements gopacket.Layer.
func (*DCCETH) LayerType() gopacket.LayerType { return LayerTypeDCCETH }

// LayerType implements gopacket.Layer.
func (*FETH) LayerType() gopacket.LayerType { return LayerTypeFETH }

// LayerType implements gopacket.Layer.
func (*RETH) LayerType() gopacket.LayerType { return LayerTypeRETH }

// LayerType implements gopacket.Layer.
func (*AtomicETH) LayerType() gopacket.LayerType { return LayerTypeAtomicETH }

// LayerType implements gopacket.Layer.
func (*AETH) LayerType() gopacket.LayerType { return LayerTypeAETH }

// LayerType implements gopacket.Layer.
func (*AtomicAckETH) LayerType() gopacket.LayerType { return LayerTypeAtomicAckETH }

// LayerType implements gopacket.Layer.
func (*ImmDt) LayerType() gopacket.LayerType { return LayerTypeImmDt }

// LayerType implements gopacket.Layer.
func (*IETH) LayerType() gopacket.LayerType { return LayerTypeIETH }

// LayerType implements gopacket.Layer.
func (*CNP) LayerType() gopacket.LayerType { return LayerTypeCNP }

var (
	_ gopacket.Decoder       = Chain{}
	_ gopacket.DecodingLayer = (*Headers)(nil)
	_ header                 = (*RDETH)(nil)
	_ header                 = (*XRCETH)(nil)
	_ header                 = (*DETH)(nil)
	_ header                 = (*DCCETH)(nil)
	_ header                 = (*FETH)(nil)
	_ header                 = (*RETH)(nil)
	_ header                 = (*AtomicETH)(nil)
	_ header                 = (*AETH)(nil)
	_ header                 = (*AtomicAckETH)(nil)
	_ header                 = (*ImmDt)(nil)
	_ header                 = (*IETH)(nil)
	_ header                 = (*CNP)(nil)
)
