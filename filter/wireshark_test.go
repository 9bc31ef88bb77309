package filter_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/google/gopacket/pcapgo"
	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/capture"
	"github.com/ibwire/ibwire/field"
	"github.com/ibwire/ibwire/testdata"
	"github.com/ibwire/ibwire/testdata/wireshark"
)

// A listed filter is a line of testdata/filters.txt.
type listed struct {
	text  string
	trite bool // it may select nothing, or everything
}

func list(t testing.TB) (all []listed) {
	t.Helper()
	text, err := os.ReadFile("testdata/filters.txt")
	require.NoError(t, err)
	trite := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		trite = trite || line == "// none, or all of them"
		if line != "" && !strings.HasPrefix(line, "//") {
			all = append(all, listed{line, trite})
		}
	}
	return all
}

// merge writes all packets of captures into one pcapng file.
func merge(t testing.TB, paths []string) string {
	t.Helper()
	dir := t.TempDir()
	merged := filepath.Join(dir, "merged.pcapng")
	out, err := os.Create(merged)
	require.NoError(t, err)
	w, err := pcapgo.NewNgWriter(out, layers.LinkTypeEthernet)
	require.NoError(t, err)
	interfaces := map[layers.LinkType]int{layers.LinkTypeEthernet: 0}
	for _, path := range paths {
		s, err := wireshark.Open(path, dir) // where it is of link type 247, in ERF records
		require.NoError(t, err, path)
		r, err := capture.Open(s.Theirs)
		require.NoError(t, err, path)
		for {
			rec, err := r.Next()
			if err != nil {
				break // where a file is damaged does not matter here
			}
			link := layers.LinkType(rec.LinkType)
			if _, ok := interfaces[link]; !ok {
				interfaces[link], err = w.AddInterface(pcapgo.NgInterface{LinkType: link, TimestampResolution: 9})
				require.NoError(t, err)
			}
			require.NoError(t, w.WritePacket(gopacket.CaptureInfo{
				Timestamp: rec.RecordTime, CaptureLength: len(rec.Data), Length: max(rec.Length, len(rec.Data)), InterfaceIndex: interfaces[link],
			}, rec.Data))
		}
		require.NoError(t, r.Close())
	}
	require.NoError(t, w.Flush())
	require.NoError(t, out.Close())
	return merged
}

// records reads a capture up to where it is damaged.
func records(t testing.TB, path string, do func(*capture.Record)) {
	t.Helper()
	r, err := capture.Open(path)
	require.NoError(t, err)
	defer r.Close()
	for {
		rec, err := r.Next()
		if err != nil {
			return
		}
		do(rec)
	}
}

// fill decodes the packet of a record, as far as it goes.
func fill(f *field.Frame, rec *capture.Record) {
	f.Advance(rec.Time)
	f.Number, f.Length, f.Captured = int(rec.Number), rec.Length, len(rec.Data)
	_ = f.Decode(rec.LinkType, rec.Data)
}

// each decodes all packets of a capture, one after the other into one frame.
func each(t testing.TB, path string, do func(*field.Frame)) {
	t.Helper()
	f := &field.Frame{Packet: &ibwire.Packet{}}
	records(t, path, func(rec *capture.Record) {
		fill(f, rec)
		do(f)
	})
}

// real are captures that others have made, and packets by which a decoder is
// known to go wrong.
var real = []string{
	"captures/infiniband-erf-01-31.pcap", "captures/derived-infiniband-01-31-lt247.pcap", "captures/rocev2-*.pcap", "captures/hex-*.pcap", "cases/*.pcap",
}

// needTshark skips a test for want of a tshark of the series that the package
// follows. Times without a zone are of UTC here, as in that tshark.
func needTshark(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("tshark takes seconds")
	}
	version, err := wireshark.TsharkVersion()
	if errors.Is(err, wireshark.ErrNoTshark) {
		t.Skip(err)
	}
	require.NoError(t, err)
	if !strings.HasPrefix(version, "4.0.") {
		t.Skipf("tshark is of version %s, and its filters may differ", version)
	}
	local := time.Local
	time.Local = time.UTC
	t.Cleanup(func() { time.Local = local })
}

// Every filter of the list selects the packets that tshark selects: of this
// module's captures, and of real ones. A packet of which the two see different
// values in a field of the filter, does not count; why they do is a rule of
// testdata/wireshark.
func TestTshark(t *testing.T) {
	needTshark(t)
	paths := append(testdata.Glob(t, "*.pcap"), testdata.Glob(t, "*.erf")...)
	local, err := filepath.Glob("../field/testdata/*.pcap")
	require.NoError(t, err)
	filters := list(t)
	require.GreaterOrEqual(t, len(filters), 200)
	c := compared{filters: filters, selects: make([]bool, len(filters)), rejects: make([]bool, len(filters))}
	c.compare(t, merge(t, append(paths, local...)))
	t.Run("shared", func(t *testing.T) {
		var paths []string
		for _, pattern := range real {
			paths = append(paths, testdata.Shared(t, pattern)...)
		}
		c.compare(t, merge(t, paths))
		c.isTelling(t)
	})
	t.Logf("%d filters, %d packets, %d choices alike, %d that do not count", len(filters), c.packets, c.alike, c.apart)
}

// first are the filters that the language has to have at least.
var first = []listed{
	{text: "infiniband.bth.opcode & 0xE0 == 0x60"},
	{text: "infiniband.bth.opcode == 0x80"},
	{text: "infiniband.bth.opcode == 0x0A"},
	{text: "infiniband.lrh.lnh == 2"},
	{text: "infiniband.lrh.slid == 3"},
	{text: "infiniband.bth.destqp == 0x12345"},
	{text: "infiniband.aeth.syndrome.opcode == 1"},
	{text: "infiniband.bth.p_key == 0xFFFF"},
	{text: "infiniband.reth && !infiniband.immdt"},
}

// These select what tshark -Y selects, packet by packet and without exception.
func TestTsharkY(t *testing.T) {
	needTshark(t)
	paths := testdata.Shared(t, "captures/infiniband-erf-01-31.pcap")
	paths = append(paths, testdata.Shared(t, "captures/rocev2-*.pcap")...)
	for _, path := range paths {
		ours := selected(t, path, first)
		for i, f := range first {
			theirs, err := wireshark.SelectOne(path, f.text)
			require.NoError(t, err)
			require.Equal(t, theirs, ours[i], "%s: %s", path, f.text)
		}
	}
}
