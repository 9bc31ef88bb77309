package paths

import (
	"slices"
	"testing"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/erf"
	"github.com/ibwire/ibwire/grh"
	"github.com/ibwire/ibwire/linktype"
	"github.com/ibwire/ibwire/lrh"
)

// Paths is the memory of all paths, for one packet after the other.
type Paths struct {
	Stacks map[string]*Stack
	flat   ibwire.Packet
}

// New returns a Paths. ibwire.Register must have been called.
func New() *Paths {
	p := &Paths{Stacks: map[string]*Stack{}}
	for name, c := range Containers {
		p.Stacks[name] = NewStack(c())
	}
	return p
}

// Forget makes the memory that of a new Paths which has decoded data.
func (p *Paths) Forget(link linktype.Type, data []byte) {
	p.flat = ibwire.Packet{}
	_ = p.flat.Decode(link, data) // nobody asks what it is
	first, ok := FirstLayer(link)
	for _, s := range p.Stacks {
		s.Forget()
		if ok {
			_, _, _ = s.Parse(first, data)
		}
	}
}

// modes are the ways to make a gopacket.Packet, besides the default.
var modes = map[string]gopacket.DecodeOptions{
	"lazy":        {Lazy: true},
	"NoCopy":      {NoCopy: true},
	"lazy NoCopy": {Lazy: true, NoCopy: true},
}

// Check decodes data on every path and requires that all see the same: a new
// Packet and one that has been used, which must agree on any link type, and
// gopacket's ways where gopacket has one.
func (p *Paths) Check(t testing.TB, link linktype.Type, data []byte) {
	fresh := &ibwire.Packet{}
	err := fresh.Decode(link, data)
	CheckParts(t, fresh, err)
	sameError(t, err, p.flat.Decode(link, data), "a Packet used again")
	Equal(t, fresh, &p.flat)
	first, ok := FirstLayer(link)
	if !ok {
		return
	}
	checkFlat(t, fresh, err, p.CheckLayers(t, first, data))
	if inside(fresh) {
		// No layer of gopacket's is in the way, so nothing needs its recovery.
		gopacket.NewPacket(data, first, gopacket.DecodeOptions{NoCopy: true, SkipDecodeRecovery: true})
	}
}

// inside reports whether all of a packet is decoded by this module.
func inside(p *ibwire.Packet) bool {
	const ours = ^(ibwire.LRH - 1) | ibwire.ERF | ibwire.ERFExt | ibwire.ERFSub
	if p.Layers()&^ours != 0 || p.Has(ibwire.RWH) || p.Has(ibwire.LRH) && p.LRH.LNH <= lrh.LNHIPv6 {
		return false
	}
	return !p.Has(ibwire.ERF) || Own(p.ERF.NextLayerType()) || p.ERF.NextLayerType() == gopacket.LayerTypePayload
}

// CheckLayers decodes data, which begins with a layer of type first, with
// gopacket's packets and parsers, requires that all see the same, and returns
// the packet.
func (p *Paths) CheckLayers(t testing.TB, first gopacket.LayerType, data []byte) gopacket.Packet {
	want := gopacket.NewPacket(data, first, gopacket.Default)
	wantLayers, wantErr := Layers(want), Error(want)
	for mode, opts := range modes {
		if opts.Lazy && len(data) == 0 {
			continue // gopacket does not even try
		}
		got := gopacket.NewPacket(data, first, opts)
		gotLayers := Layers(got)
		same(t, wantLayers, gotLayers, mode)
		sameError(t, wantErr, Error(got), mode)
		equal(t, want.Metadata().Truncated, got.Metadata().Truncated, mode)
		if opts.NoCopy {
			checkInside(t, data, gotLayers)
		}
	}
	// Of what is behind hop-by-hop options, gopacket's packets and parsers do not
	// give the same bytes to the next layer.
	options := slices.IndexFunc(wantLayers, func(l gopacket.Layer) bool { return l.LayerType() == layers.LayerTypeIPv6HopByHop })
	for name, s := range p.Stacks {
		truncated, whole, err := s.Parse(first, data)
		for i, lt := range s.Decoded {
			if i == options {
				break
			}
			if i >= len(wantLayers) {
				require.Less(t, i, len(wantLayers), name)
			}
			equal(t, wantLayers[i].LayerType(), lt, name)
			// A parser has one of each layer, which is the last one by now, even if it
			// was cut.
			again := slices.Contains(s.Decoded[i+1:], lt) || err != nil && slices.Contains(s.Decoded, lrh.LayerTypeMirror)
			if got := s.Layer(lt); got != nil && !again {
				same(t, wantLayers[i], got, name)
			}
		}
		if !whole || options >= 0 {
			continue
		}
		sameError(t, wantErr, err, name)
		equal(t, want.Metadata().Truncated, truncated, name)
		// A layer that failed may be in the packet, as far as it was read.
		if failed := err != nil && len(s.Decoded)+1 == len(wantLayers); !failed {
			equal(t, len(wantLayers), len(s.Decoded), name)
		}
	}
	return want
}

// checkInside requires that the layers of this module in a packet decoded from
// data without a copy lie inside it.
func checkInside(t testing.TB, data []byte, all []gopacket.Layer) {
	for _, l := range all {
		if !Own(l.LayerType()) {
			continue
		}
		for _, part := range [][]byte{l.LayerContents(), l.LayerPayload(), trailer(l)} {
			if len(part) > 0 {
				place(t, data, part)
			}
		}
	}
}

// trailer returns what a layer of this module found behind its payload.
func trailer(l gopacket.Layer) []byte {
	switch l := l.(type) {
	case *erf.Record:
		return l.Trailer
	case *lrh.LRH:
		return l.Trailer
	case *lrh.FlowControl:
		return l.Trailer
	case *grh.GRH:
		return l.Trailer
	}
	return nil
}
