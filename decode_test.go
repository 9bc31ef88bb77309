package ibwire_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/bth"
	"github.com/ibwire/ibwire/erf"
	"github.com/ibwire/ibwire/ext"
	"github.com/ibwire/ibwire/grh"
	"github.com/ibwire/ibwire/linktype"
	"github.com/ibwire/ibwire/lrh"
	"github.com/ibwire/ibwire/opcode"
	"github.com/ibwire/ibwire/testdata"
)

func TestMain(m *testing.M) {
	ibwire.Register()
	m.Run()
}

// packetModes are the ways to make a gopacket.Packet.
var packetModes = map[string]gopacket.DecodeOptions{
	"lazy":        {Lazy: true},
	"NoCopy":      {NoCopy: true},
	"lazy NoCopy": {Lazy: true, NoCopy: true},
}

// layersOf returns the layers of a packet, but for the failure at its end.
func layersOf(p gopacket.Packet) []gopacket.Layer {
	all := p.Layers()
	if n := len(all); n > 0 && all[n-1].LayerType() == gopacket.LayerTypeDecodeFailure {
		return all[:n-1]
	}
	return all
}

// errorOf returns the error at the end of a packet. Some layers of gopacket
// panic on short packets, which gopacket turns into an error; a panic of this
// module's is a panic of the test.
func errorOf(p gopacket.Packet) error {
	e := p.ErrorLayer()
	if e == nil {
		return nil
	}
	if d, ok := e.(gopacket.Dumper); ok {
		_, stack, panicked := strings.Cut(d.Dump(), "\npanic(")
		for line := range strings.Lines(stack) {
			if strings.HasPrefix(line, "github.com/") {
				panicked = panicked && strings.HasPrefix(line, "github.com/ibwire/")
				break
			}
		}
		if panicked {
			panic(d.Dump())
		}
	}
	return e.Error()
}

// A stack is a parser with every layer of this module and those of gopacket
// that lead to them, each decoded into the same memory again and again.
type stack struct {
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
	frag    gopacket.Fragment
	payload gopacket.Payload

	container gopacket.DecodingLayerContainer
	parsers   map[gopacket.LayerType]*gopacket.DecodingLayerParser
	decoded   []gopacket.LayerType
}

// containers are the ways for a parser to find its layers.
var containers = map[string]func() gopacket.DecodingLayerContainer{
	"map":    func() gopacket.DecodingLayerContainer { return gopacket.DecodingLayerMap(nil) },
	"sparse": func() gopacket.DecodingLayerContainer { return gopacket.DecodingLayerSparse(nil) },
	"array":  func() gopacket.DecodingLayerContainer { return gopacket.DecodingLayerArray(nil) },
}

func newStack(c gopacket.DecodingLayerContainer) *stack {
	s := &stack{parsers: map[gopacket.LayerType]*gopacket.DecodingLayerParser{}}
	s.bth.Ext = &s.ext
	for _, l := range []gopacket.DecodingLayer{
		&s.erf, &s.lrh, &s.rwh, &s.link, &s.grh, &s.ext, &s.bth, &s.eth, &s.vlan, &s.ip4, &s.ip6, &s.udp, &s.frag, &s.payload,
	} {
		c = c.Put(l)
	}
	s.container = c
	return s
}

// parse decodes data from layer type first on. whole is false if the packet goes
// on with a layer that the parser has not.
func (s *stack) parse(first gopacket.LayerType, data []byte) (truncated, whole bool, err error) {
	p := s.parsers[first]
	if p == nil {
		p = gopacket.NewDecodingLayerParser(first)
		p.SetDecodingLayerContainer(s.container)
		p.IgnorePanic = true
		s.parsers[first] = p
	}
	err = p.DecodeLayers(data, &s.decoded)
	if _, ok := err.(gopacket.UnsupportedLayerType); ok {
		return p.Truncated, false, nil
	}
	if n := len(s.decoded); n > 0 && err == nil {
		last, _ := s.container.Decoder(s.decoded[n-1])
		whole = len(last.LayerPayload()) == 0 // or gopacket has no layer for what follows
	}
	return p.Truncated, whole || err != nil, err
}

// layer returns the layer of type t of the packet decoded last, or nil if it is
// not one of this module's.
func (s *stack) layer(t gopacket.LayerType) gopacket.Layer {
	switch t {
	case erf.LayerTypeERF:
		return &s.erf
	case lrh.LayerTypeLRH:
		return &s.lrh
	case lrh.LayerTypeRWH:
		return &s.rwh
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

// firstLayer returns where the decoding of a frame begins, or false for a link
// type that leads nowhere near InfiniBand.
func firstLayer(f testdata.Frame) (gopacket.LayerType, bool) {
	switch f.Link {
	case erf.LinkType:
		return erf.LayerTypeERF, true
	case lrh.LinkType:
		return lrh.LayerTypeLRH, true
	case layers.LinkTypeEthernet:
		return layers.LayerTypeEthernet, true
	case layers.LinkTypeRaw:
		return layers.LayerTypeIPv4, true
	}
	return 0, false
}

// checkPaths decodes data on every path and requires that all see the same.
func checkPaths(t *testing.T, stacks map[string]*stack, flat *ibwire.Packet, link linktype.Type, first gopacket.LayerType, data []byte) {
	t.Helper()
	want := gopacket.NewPacket(data, first, gopacket.Default)
	wantLayers, wantErr := layersOf(want), errorOf(want)
	checkFlat(t, flat, flat.Decode(link, data), want)
	for mode, opts := range packetModes {
		if opts.Lazy && len(data) == 0 {
			continue // gopacket does not even try
		}
		got := gopacket.NewPacket(data, first, opts)
		gotLayers := layersOf(got)
		same(t, wantLayers, gotLayers, mode)
		require.Equal(t, fmt.Sprint(wantErr), fmt.Sprint(errorOf(got)), mode)
		require.Equal(t, want.Metadata().Truncated, got.Metadata().Truncated, mode)
	}
	wantLayers = slices.DeleteFunc(slices.Clone(wantLayers), func(l gopacket.Layer) bool {
		return l.LayerType() == layers.LayerTypeIPv6HopByHop // which to a parser is a part of IPv6
	})
	for name, s := range stacks {
		truncated, whole, err := s.parse(first, data)
		for i, lt := range s.decoded {
			require.Less(t, i, len(wantLayers), name)
			require.Equal(t, wantLayers[i].LayerType(), lt, name)
			if got := s.layer(lt); got != nil {
				same(t, wantLayers[i], got, name)
			}
		}
		if !whole {
			continue
		}
		require.Equal(t, fmt.Sprint(wantErr), fmt.Sprint(err), name)
		require.Equal(t, want.Metadata().Truncated, truncated, name)
		if err == nil {
			require.Len(t, s.decoded, len(wantLayers), name)
		} else { // a layer that failed may be in the packet, as far as it was read
			require.GreaterOrEqual(t, len(s.decoded)+1, len(wantLayers), name)
		}
	}
}

// same is require.Equal, fast where it holds.
func same(t *testing.T, want, got any, what string) {
	t.Helper()
	if !reflect.DeepEqual(want, got) {
		require.Equal(t, want, got, what)
	}
}

func newStacks() map[string]*stack {
	stacks := map[string]*stack{}
	for name, c := range containers {
		stacks[name] = newStack(c())
	}
	return stacks
}

// walk checks every frame of a file, and every prefix of it: that it decodes
// without a panic, the same on every path, into structs that have held all the
// packets before. In a file of thousands of frames, all of a kind, prefixes are
// taken of the first ones only.
func walk(t *testing.T, path string) {
	const manyFrames = 400
	stacks, flat := newStacks(), &ibwire.Packet{}
	for _, f := range testdata.Frames(t, path) {
		first, ok := firstLayer(f)
		if !ok {
			continue
		}
		shortest := 0
		if f.N > manyFrames {
			shortest = len(f.Data)
		}
		for n := shortest; n <= len(f.Data); n++ {
			checkPaths(t, stacks, flat, linkOf(f), first, f.Data[:n:n])
		}
		if t.Failed() {
			t.Fatalf("%s, frame %d", f.File, f.N)
		}
	}
}

func TestPathsAgree(t *testing.T) {
	for _, path := range append(testdata.Glob(t, "*.pcap"), testdata.Glob(t, "*.erf")...) {
		t.Run(name(path), func(t *testing.T) { walk(t, path) })
	}
}

func TestPathsAgreeOnOutsideCaptures(t *testing.T) {
	for _, path := range append(testdata.Shared(t, "cases/*.pcap"), testdata.Shared(t, "captures/*.*")...) {
		if strings.HasSuffix(path, ".md") {
			continue
		}
		t.Run(name(path), func(t *testing.T) { walk(t, path) })
	}
}

func name(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

func TestParserAllocatesNothing(t *testing.T) {
	stacks := newStacks()
	for _, path := range append(testdata.Glob(t, "*.pcap"), testdata.Glob(t, "*.erf")...) {
		for _, f := range testdata.Frames(t, path) {
			first, ok := firstLayer(f)
			require.True(t, ok, "%s: link type %d", f.File, f.Link)
			for kind, s := range stacks {
				if _, whole, err := s.parse(first, f.Data); err != nil || !whole {
					continue // an error costs its text
				}
				if slices.Contains(s.decoded, layers.LayerTypeIPv6) && s.ip6.HopByHop != nil {
					continue // gopacket allocates these options
				}
				p := s.parsers[first]
				require.Zero(t, testing.AllocsPerRun(1, func() { _ = p.DecodeLayers(f.Data, &s.decoded) }),
					"%s of %s, frame %d", kind, f.File, f.N)
			}
		}
	}
}

// What a packet was decoded into gives its bytes back, reserved bits, pads, CRCs
// and trailers included.
func TestSerializeGivesThePacketBack(t *testing.T) {
	for _, path := range append(testdata.Glob(t, "*.pcap"), testdata.Glob(t, "*.erf")...) {
		for _, f := range testdata.Frames(t, path) {
			first, _ := firstLayer(f)
			p := gopacket.NewPacket(f.Data, first, gopacket.Default)
			own := ownLayers(p)
			if len(own) == 0 || errorOf(p) != nil {
				continue
			}
			b := gopacket.NewSerializeBuffer()
			require.NoError(t, gopacket.SerializeLayers(b, gopacket.SerializeOptions{}, own...))
			at := len(f.Data)
			for _, l := range layersOf(p) {
				if l.LayerType() == own[0].LayerType() {
					at = offset(f.Data, l.LayerContents())
					break
				}
			}
			got := b.Bytes()
			require.Equal(t, f.Data[at:at+len(got)], got, "%s, frame %d", f.File, f.N)
		}
	}
}

// ownLayers returns the layers of this module and the payload behind them, as
// long as nothing of another module stands between.
func ownLayers(p gopacket.Packet) []gopacket.SerializableLayer {
	var own []gopacket.SerializableLayer
	for _, l := range layersOf(p) {
		lt := int(l.LayerType())
		s, ok := l.(gopacket.SerializableLayer)
		switch {
		case ok && lt >= 1900 && lt < 2000:
			own = append(own, s)
		case len(own) == 0:
		case l.LayerType() == gopacket.LayerTypePayload:
			own = append(own, gopacket.Payload(l.LayerContents()))
			return own
		default:
			return append(own, gopacket.Payload(append(l.LayerContents()[:len(l.LayerContents()):len(l.LayerContents())], l.LayerPayload()...)))
		}
	}
	return own
}

// offset returns where part, a slice of data or of a copy of it, begins.
func offset(data, part []byte) int { return strings.Index(string(data), string(part)) }
