package ibwire_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/testdata"
	"github.com/ibwire/ibwire/testdata/paths"
)

func TestMain(m *testing.M) {
	ibwire.Register()
	m.Run()
}

// firstLayer returns where the decoding of a frame begins in gopacket.
func firstLayer(f testdata.Frame) (gopacket.LayerType, bool) { return paths.FirstLayer(linkOf(f)) }

// walk checks every frame of a file, and every prefix of it: that it decodes
// without a panic, the same on every path, into structs that have held all the
// packets before. In a file of thousands of frames, all of a kind, prefixes are
// taken of the first ones only; and deep in the payload of a long frame not each
// byte is a place of its own.
func walk(t *testing.T, path string) {
	const manyFrames, deep, stride, end = 200, 400, 61, 16
	all := paths.New()
	for _, f := range testdata.Frames(t, path) {
		if _, ok := firstLayer(f); !ok {
			continue
		}
		shortest := 0
		if f.N > manyFrames {
			shortest = len(f.Data)
		}
		for n := shortest; n <= len(f.Data); n++ {
			if n < deep || n%stride == 0 || n > len(f.Data)-end {
				all.Check(t, linkOf(f), f.Data[:n:n])
			}
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
	stacks := paths.New().Stacks
	for _, path := range append(testdata.Glob(t, "*.pcap"), testdata.Glob(t, "*.erf")...) {
		for _, f := range testdata.Frames(t, path) {
			first, ok := firstLayer(f)
			require.True(t, ok, "%s: link type %d", f.File, f.Link)
			for kind, s := range stacks {
				if _, whole, err := s.Parse(first, f.Data); err != nil || !whole {
					continue // an error costs its text
				}
				if slices.Contains(s.Decoded, layers.LayerTypeIPv6) && s.Options() {
					continue // gopacket allocates these
				}
				p := s.Parser(first)
				require.Zero(t, testing.AllocsPerRun(1, func() { _ = p.DecodeLayers(f.Data, &s.Decoded) }),
					"%s of %s, frame %d", kind, f.File, f.N)
			}
		}
	}
}

// What a packet was decoded into gives its bytes back.
func TestSerializeGivesThePacketBack(t *testing.T) {
	for _, path := range append(testdata.Glob(t, "*.pcap"), testdata.Glob(t, "*.erf")...) {
		for _, f := range testdata.Frames(t, path) {
			first, _ := firstLayer(f)
			paths.CheckSerialize(t, first, f.Data)
			if t.Failed() {
				t.Fatalf("%s, frame %d", f.File, f.N)
			}
		}
	}
}
