package ext

import (
	"errors"

	"github.com/google/gopacket"

	"github.com/ibwire/ibwire/opcode"
)

// Chain decodes a sequence of extension headers in gopacket.NewPacket, each as
// a layer of its own, and then the payload. It holds no state, so one value may
// serve any number of packets at once.
type Chain struct {
	Headers opcode.HeaderSet
	Payload gopacket.LayerType // what follows the headers
}

// Decode implements gopacket.Decoder: it decodes the first header of the chain
// and hands the rest on. A header that is cut is an error that wraps
// io.ErrUnexpectedEOF; the headers before it stay.
func (c Chain) Decode(data []byte, p gopacket.PacketBuilder) error {
	h := c.Headers.First()
	if h == 0 || h > opcode.AllHeaders {
		return p.NextDecoder(c.Payload)
	}
	l := kinds[h.Index()].new()
	if err := l.DecodeFromBytes(data, p); err != nil {
		return err
	}
	p.AddLayer(l)
	if rest := c.Headers.Rest(); rest != 0 {
		return p.NextDecoder(Chain{rest, c.Payload})
	}
	return p.NextDecoder(c.Payload)
}

// Headers holds every extension header by value. It is the one DecodingLayer
// for all of them: each call of DecodeFromBytes takes the next header of the
// set that Begin was given, which bth.BTH does through its field Ext.
//
// Like every layer of gopacket it belongs to one goroutine, and its fields are
// good until the next packet.
type Headers struct {
	Present opcode.HeaderSet // the headers decoded since Begin

	RDETH        RDETH
	XRCETH       XRCETH
	DETH         DETH
	DCCETH       DCCETH
	FETH         FETH
	RETH         RETH
	AtomicETH    AtomicETH
	AETH         AETH
	AtomicAckETH AtomicAckETH
	ImmDt        ImmDt
	IETH         IETH
	CNP          CNP

	rest    opcode.HeaderSet // still to come
	payload gopacket.LayerType
	behind  []byte // what is behind the header decoded last
}

// Begin starts a packet: want are the headers to come, payload is the type of
// what follows them.
func (h *Headers) Begin(want opcode.HeaderSet, payload gopacket.LayerType) {
	h.Present, h.rest, h.payload, h.behind = 0, want&opcode.AllHeaders, payload, nil
}

var errNoHeader = errors.New("ext: no header expected: is this Headers the Ext of the parser's BTH?")

// DecodeFromBytes implements gopacket.DecodingLayer: it decodes the next
// header. A header that is cut is an error that wraps io.ErrUnexpectedEOF; the
// headers before it stay.
func (h *Headers) DecodeFromBytes(data []byte, df gopacket.DecodeFeedback) error {
	first := h.rest.First()
	if first == 0 {
		return errNoHeader
	}
	h.behind = nil
	if err := h.decode(first, data, df); err != nil {
		return err
	}
	h.Present |= first
	h.rest = h.rest.Rest()
	h.behind = data[first.Size():]
	return nil
}

// decode decodes the header one. Through the interfaces of kinds it took twice as
// long.
func (h *Headers) decode(one opcode.HeaderSet, data []byte, df gopacket.DecodeFeedback) error {
	switch one {
	case opcode.RDETH:
		return h.RDETH.DecodeFromBytes(data, df)
	case opcode.XRCETH:
		return h.XRCETH.DecodeFromBytes(data, df)
	case opcode.DETH:
		return h.DETH.DecodeFromBytes(data, df)
	case opcode.DCCETH:
		return h.DCCETH.DecodeFromBytes(data, df)
	case opcode.FETH:
		return h.FETH.DecodeFromBytes(data, df)
	case opcode.RETH:
		return h.RETH.DecodeFromBytes(data, df)
	case opcode.AtomicETH:
		return h.AtomicETH.DecodeFromBytes(data, df)
	case opcode.AETH:
		return h.AETH.DecodeFromBytes(data, df)
	case opcode.AtomicAckETH:
		return h.AtomicAckETH.DecodeFromBytes(data, df)
	case opcode.ImmDt:
		return h.ImmDt.DecodeFromBytes(data, df)
	case opcode.IETH:
		return h.IETH.DecodeFromBytes(data, df)
	}
	return h.CNP.DecodeFromBytes(data, df)
}

// CanDecode implements gopacket.DecodingLayer: every extension header.
func (h *Headers) CanDecode() gopacket.LayerClass { return layerClass }

// NextLayerType implements gopacket.DecodingLayer.
func (h *Headers) NextLayerType() gopacket.LayerType {
	if h.rest != 0 {
		return LayerType(h.rest.First())
	}
	return h.payload
}

// LayerPayload implements gopacket.DecodingLayer: what is behind the header
// decoded last.
func (h *Headers) LayerPayload() []byte { return h.behind }

// Layer returns the one header of a set of one as a gopacket.Layer, and nil
// unless it is present.
func (h *Headers) Layer(one opcode.HeaderSet) gopacket.Layer {
	if one == 0 || one.Rest() != 0 || !h.Present.Has(one) {
		return nil
	}
	return kinds[one.Index()].of(h)
}
