//go:build !race

package filter_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/capture"
	"github.com/ibwire/ibwire/field"
	"github.com/ibwire/ibwire/filter"
	"github.com/ibwire/ibwire/testdata"
)

// operators are those of the language, as they stand between others.
var operators = []string{
	" or ", " || ", " and ", " && ", "not ", "!", "any ", "all ",
	" == ", " eq ", " any_eq ", " != ", " ne ", " all_ne ", " === ", " all_eq ", " !== ", " any_ne ", " ~= ",
	" > ", " gt ", " >= ", " ge ", " < ", " lt ", " <= ", " le ",
	" contains ", " matches ", " ~ ", " in {", " not in {", " ! in {", "..",
	" & ", " bitwise_and ", " + ", " - ", " * ", " / ", " % ", "-frame", "+frame", "[", "#1", "#[",
}

// asked returns all filters of the tests, and demands that every operator and
// every function is in one of them.
func asked(t *testing.T) []string {
	t.Helper()
	texts := slices.Collect(maps.Keys(besides))
	for _, l := range list(t) {
		texts = append(texts, l.text)
	}
	_, err := filter.Compile("none(frame)")
	_, functions, _ := strings.Cut(err.Error(), "there are ")
	wanted := slices.Clone(operators)
	for _, name := range strings.Split(functions, ", ") {
		wanted = append(wanted, name+"(")
	}
	for _, o := range wanted {
		require.True(t, slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, o) }), "%q is in no filter", o)
	}
	return texts
}

// packets returns the packets of captures, each in a frame of its own.
func packets(t *testing.T, names ...string) (frames []*field.Frame) {
	t.Helper()
	for _, name := range names {
		records(t, testdata.Path(t, name), func(rec *capture.Record) {
			own := *rec
			own.Data = slices.Clone(rec.Data)
			f := &field.Frame{Packet: &ibwire.Packet{}}
			fill(f, &own)
			frames = append(frames, f)
		})
	}
	return frames
}

// Nothing is allocated for a packet, by none of the filters, whatever is in it.
// With the race detector, package regexp allocates.
func TestNoAllocations(t *testing.T) {
	frames := append(samples(t), packets(t, "tunnels.pcap", "erf-types.pcap", "ether.pcap", "rocev1.pcap", "rocev2-ipv6.pcap", "opcodes-unassigned.pcap", "cuts.pcap")...)
	for _, text := range asked(t) {
		f := compiled(t, text)
		require.Zero(t, testing.AllocsPerRun(1, func() {
			for _, frame := range frames {
				f.Match(frame)
			}
		}), text)
	}
}
