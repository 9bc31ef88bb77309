package paths

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"

	"github.com/ibwire/ibwire/bth"
	"github.com/ibwire/ibwire/erf"
	"github.com/ibwire/ibwire/ext"
	"github.com/ibwire/ibwire/grh"
	"github.com/ibwire/ibwire/lrh"
	"github.com/ibwire/ibwire/opcode"
)

// A Stack is a parser with every layer of this module and those of gopacket
// that lead to them and that a parser can have, each decoded into the same memory again and again.
type Stack struct {
	headers
	// Decoded are the layers of the packet decoded last.
	Decoded []gopacket.LayerType

	container gopacket.DecodingLayerContainer
	parsers   map[gopacket.LayerType]*gopacket.DecodingLayerParser
}

// headers is the memory of a Stack.
type headers struct {
	erf     erf.Record
	lrh     lrh.LRH
	rwh     lrh.RWH
	link    lrh.FlowControl
	grh     grh.GRH
	ext     ext.Headers
	bth     bth.BTH
	eth     layers.Ethernet
	vlan    layers.Dot1Q
	ip4     layers.IPv4
	ip6     layers.IPv6
	udp     layers.UDP
	gre     layers.GRE
	erspan  layers.ERSPANII
	vxlan   layers.VXLAN
	mirror  lrh.Mirror
	frag    gopacket.Fragment
	payload gopacket.Payload
}

// Containers are the ways for a parser to find its layers.
var Containers = map[string]func() gopacket.DecodingLayerContainer{
	"map":    func() gopacket.DecodingLayerContainer { return gopacket.DecodingLayerMap(nil) },
	"sparse": func() gopacket.DecodingLayerContainer { return gopacket.DecodingLayerSparse(nil) },
	"array":  func() gopacket.DecodingLayerContainer { return gopacket.DecodingLayerArray(nil) },
}

// NewStack returns a Stack that finds its layers in c.
func NewStack(c gopacket.DecodingLayerContainer) *Stack {
	s := &Stack{parsers: map[gopacket.LayerType]*gopacket.DecodingLayerParser{}}
	s.Forget()
	for _, l := range []gopacket.DecodingLayer{
		&s.erf, &s.lrh, &s.rwh, &s.link, &s.grh, &s.ext, &s.bth, &s.eth, &s.vlan, &s.ip4, &s.ip6, &s.udp,
		&s.gre, &s.erspan, &s.vxlan, &s.mirror, &s.frag, &s.payload,
	} {
		c = c.Put(l)
	}
	s.container = c
	return s
}

// Forget makes the memory that of a new Stack.
func (s *Stack) Forget() {
	s.headers = headers{}
	s.bth.Ext = &s.ext
}

// Parser returns the parser for packets that begin with a layer type. It lets
// panics through.
func (s *Stack) Parser(first gopacket.LayerType) *gopacket.DecodingLayerParser {
	p := s.parsers[first]
	if p == nil {
		p = gopacket.NewDecodingLayerParser(first)
		p.SetDecodingLayerContainer(s.container)
		p.IgnorePanic = true
		s.parsers[first] = p
	}
	return p
}

// Parse decodes data from layer type first on. whole is false if the packet goes
// on with a layer that the parser has not, or if a layer of gopacket panics.
func (s *Stack) Parse(first gopacket.LayerType, data []byte) (truncated, whole bool, err error) {
	p := s.Parser(first)
	defer func() {
		if r := recover(); r != nil {
			if _, stack, _ := strings.Cut(string(debug.Stack()), "\npanic("); ours(stack) {
				panic(r)
			}
			truncated, whole, err = p.Truncated, false, fmt.Errorf("gopacket: %v", r)
		}
	}()
	err = p.DecodeLayers(data, &s.Decoded)
	if _, ok := err.(gopacket.UnsupportedLayerType); ok {
		return p.Truncated, false, nil
	}
	if n := len(s.Decoded); n > 0 && err == nil {
		last, _ := s.container.Decoder(s.Decoded[n-1])
		whole = len(last.LayerPayload()) == 0 // or gopacket has no layer for what follows
	}
	return p.Truncated, whole || err != nil, err
}

// Layer returns the layer of type t of the packet decoded last, or nil if it is
// not one of this module's.
func (s *Stack) Layer(t gopacket.LayerType) gopacket.Layer {
	switch t {
	case erf.LayerTypeERF:
		return &s.erf
	case lrh.LayerTypeLRH:
		return &s.lrh
	case lrh.LayerTypeRWH:
		return &s.rwh
	case lrh.LayerTypeMirror:
		return &s.mirror
	case lrh.LayerTypeFlowControl:
		return &s.link
	case grh.LayerTypeGRH:
		return &s.grh
	case bth.LayerTypeBTH:
		b := s.bth
		b.Ext = nil // wiring, which a packet has none of
		return &b
	case gopacket.LayerTypePayload:
		return &s.payload
	}
	for h := range opcode.AllHeaders.All() {
		if ext.LayerType(h) == t {
			return s.ext.Layer(h)
		}
	}
	return nil
}

// Options reports whether the packet decoded last has IPv6 hop-by-hop options,
// for which gopacket allocates.
func (s *Stack) Options() bool { return s.ip6.HopByHop != nil }
