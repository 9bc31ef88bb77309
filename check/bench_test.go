package check_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/check"
	"github.com/ibwire/ibwire/linktype"
	"github.com/ibwire/ibwire/testdata"
)

// healthy are packets that break no rule but those of severity info, from real
// captures.
func healthy(t testing.TB) []testdata.Frame {
	t.Helper()
	return append(testdata.Frames(t, testdata.Shared(t, "captures/infiniband-erf-01-31.pcap")[0]),
		testdata.Frames(t, testdata.Shared(t, "captures/rocev2-huawei-send-001-070.pcap")[0])...)
}

func TestCheckAllocatesNothing(t *testing.T) {
	for _, f := range healthy(t) {
		c, err := check.New(check.Options{})
		require.NoError(t, err)
		in := check.Input{Packet: &ibwire.Packet{}, Length: len(f.Data), LinkType: linktype.Type(f.Link)}
		var found []check.Finding
		once := func() {
			_ = in.Decode(in.LinkType, f.Data)
			found = c.Append(found[:0], &in)
		}
		once()
		require.Zero(t, testing.AllocsPerRun(10, once), "%s, frame %d", f.File, f.N)
		require.Empty(t, found)
	}
}

// The difference of the two is what checking costs, with both CRCs.
func BenchmarkDecodeAndCheck(b *testing.B) { benchmark(b, true) }
func BenchmarkDecode(b *testing.B)         { benchmark(b, false) }

func benchmark(b *testing.B, checked bool) {
	c, err := check.New(check.Options{})
	require.NoError(b, err)
	in := check.Input{Packet: &ibwire.Packet{}}
	var found []check.Finding
	frames := healthy(b)
	n := int64(0)
	for _, f := range frames {
		n += int64(len(f.Data))
	}
	b.SetBytes(n)
	b.ReportAllocs()
	for b.Loop() {
		for _, f := range frames {
			in.LinkType, in.Length = linktype.Type(f.Link), len(f.Data)
			_ = in.Decode(in.LinkType, f.Data)
			if checked {
				found = c.Append(found[:0], &in)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(frames)), "ns/packet")
}
