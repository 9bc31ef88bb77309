// Package paths decodes a packet on every path of this module, gopacket.NewPacket,
// gopacket.DecodingLayerParser and ibwire.Packet, and requires that they agree,
// with each other and with the bytes of the packet.
package paths

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/erf"
	"github.com/ibwire/ibwire/linktype"
	"github.com/ibwire/ibwire/lrh"
)

// module is what the functions of this module begin with in a stack.
const module = "github.com/ibwire/ibwire"

// Layers returns the layers of a packet, but for the failure at its end.
func Layers(p gopacket.Packet) []gopacket.Layer {
	all := p.Layers()
	if n := len(all); n > 0 && all[n-1].LayerType() == gopacket.LayerTypeDecodeFailure {
		return all[:n-1]
	}
	return all
}

// Error returns the error at the end of a packet. Some layers of gopacket panic
// on short packets, which gopacket turns into an error; a panic of this module's
// is a panic again.
func Error(p gopacket.Packet) error {
	e := p.ErrorLayer()
	if e == nil {
		return nil
	}
	if d, ok := e.(gopacket.Dumper); ok {
		if _, stack, panicked := strings.Cut(d.Dump(), "\npanic("); panicked && ours(stack) {
			panic(d.Dump())
		}
	}
	return e.Error()
}

// ours reports whether a stack, from a panic on, is that of a panic of this
// module's.
func ours(stack string) bool {
	for line := range strings.Lines(stack) {
		if strings.HasPrefix(line, "github.com/") {
			return strings.HasPrefix(line, module)
		}
	}
	return true
}

// FirstLayer returns the layer type that the packets of a link type begin with,
// or false for one that leads nowhere near InfiniBand in gopacket.
func FirstLayer(link linktype.Type) (gopacket.LayerType, bool) {
	switch link {
	case linktype.ERF:
		return erf.LayerTypeERF, true
	case linktype.InfiniBand:
		return lrh.LayerTypeLRH, true
	case linktype.Ethernet:
		return layers.LayerTypeEthernet, true
	case linktype.IPv4:
		return layers.LayerTypeIPv4, true
	case linktype.IPv6:
		return layers.LayerTypeIPv6, true
	}
	return 0, false
}

// Own reports whether a layer type is one of this module's.
func Own(t gopacket.LayerType) bool { return t >= 1900 && t < 2000 }

// place returns where part, which must not be empty, lies in data. It must lie
// inside: slices of one array have their capacity up to the same end.
func place(t testing.TB, data, part []byte) int {
	at := cap(data) - cap(part)
	if at < 0 || at+len(part) > len(data) || &data[at] != &part[0] {
		require.Fail(t, "a slice does not lie inside the input", "%d bytes of %d", len(part), len(data))
	}
	return at
}

// same and equal are require.Equal, fast where it holds: a fuzz target runs them
// millions of times.
func same(t testing.TB, want, got any, what string) {
	if !reflect.DeepEqual(want, got) {
		require.Equal(t, want, got, what)
	}
}

func equal[T comparable](t testing.TB, want, got T, what string) {
	if want != got {
		require.Equal(t, want, got, what)
	}
}

// sameError requires that two errors say the same.
func sameError(t testing.TB, want, got error, what string) {
	if want != nil || got != nil {
		equal(t, fmt.Sprint(want), fmt.Sprint(got), what)
	}
}
