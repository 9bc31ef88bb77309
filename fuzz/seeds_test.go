package fuzz_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/gopacket/layers"
	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/linktype"
	"github.com/ibwire/ibwire/testdata"
)

// captures are the files of testdata.
func captures(t testing.TB) []string {
	t.Helper()
	return slices.Concat(testdata.Glob(t, "*.pcap"), testdata.Glob(t, "*.erf"))
}

// A frame is a packet by link type.
type frame struct {
	link linktype.Type
	data []byte
}

// frames are all packets of testdata.
func frames(t testing.TB) (all []frame) {
	t.Helper()
	for _, path := range captures(t) {
		for _, f := range testdata.Frames(t, path) {
			link := linktype.Type(f.Link)
			if f.Link == layers.LinkTypeRaw {
				link = linktype.IPv4
			}
			all = append(all, frame{link, f.Data})
		}
	}
	return all
}

// find returns the first packet of a file of testdata that is there for what
// begins so.
func find(t testing.TB, file, what string) []byte {
	t.Helper()
	path := testdata.Path(t, file)
	for i, w := range testdata.Wants(t, path) {
		if strings.HasPrefix(w.What, what) {
			return testdata.Frames(t, path)[i].Data
		}
	}
	require.Fail(t, "no such packet", "%s: %s", file, what)
	return nil
}

// seeds are the packets of testdata from their first header of a kind on, each
// once.
func seeds(t testing.TB, header string) (all [][]byte) {
	t.Helper()
	kind := map[string]ibwire.Layer{
		"ERF": ibwire.ERF, "LRH": ibwire.LRH, "GRH": ibwire.GRH, "BTH": ibwire.BTH, "Ethernet": ibwire.Ethernet,
	}[header]
	seen := map[string]bool{}
	for _, f := range frames(t) {
		var p ibwire.Packet
		_ = p.Decode(f.link, f.data) // some are cut
		at := p.Offset(kind)
		if at < 0 || seen[string(f.data[at:])] {
			continue
		}
		seen[string(f.data[at:])] = true
		all = append(all, f.data[at:])
	}
	return all
}
