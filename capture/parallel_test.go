package capture_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/capture"
	"github.com/ibwire/ibwire/testdata"
)

// A seen is what is kept of a packet.
type seen struct {
	rec  capture.Record
	data string
}

func see(rec *capture.Record) seen {
	s := seen{*rec, string(rec.Data)}
	s.rec.Data = nil
	return s
}

// A reading is what a file has come to.
type reading struct {
	packets  []seen
	warnings []string
	end      string
}

func newReading(file []byte) (*reading, *capture.Reader, error) {
	all := &reading{}
	r, err := capture.NewReader(bytes.NewReader(file), capture.OnWarning(func(e *capture.Error) {
		all.warnings = append(all.warnings, e.Error())
	}))
	return all, r, err
}

// serially reads a file with Next.
func serially(file []byte) *reading {
	all, r, err := newReading(file)
	for err == nil {
		var rec *capture.Record
		if rec, err = r.Next(); err == nil {
			all.packets = append(all.packets, see(rec))
		}
	}
	if err == io.EOF {
		err = nil
	}
	all.end = fmt.Sprint(err)
	return all
}

// inParallel reads a file with Parallel. Those who work look at every byte, so
// that the race detector sees who else does.
func inParallel(t testing.TB, file []byte) *reading {
	t.Helper()
	all, r, err := newReading(file)
	if err != nil {
		all.end = fmt.Sprint(err)
		return all
	}
	var first, previous time.Time
	err = capture.Parallel(r, func(b *capture.Batch[[]seen]) {
		b.Result = b.Result[:0]
		for i := range b.Records {
			b.Result = append(b.Result, see(&b.Records[i]))
		}
	}, func(b *capture.Batch[[]seen]) error {
		require.Equal(t, first, b.First)
		require.Equal(t, previous, b.Previous)
		for _, s := range b.Result {
			if !s.rec.Time.IsZero() {
				if previous = s.rec.Time; first.IsZero() {
					first = s.rec.Time
				}
			}
		}
		all.packets = append(all.packets, b.Result...)
		return nil
	})
	all.end = fmt.Sprint(err)
	_, err = r.Next()
	require.Equal(t, io.EOF, err, "behind the end")
	return all
}

// requireSame requires that a file comes to the same packets, warnings and end on
// both ways.
func requireSame(t testing.TB, file []byte, what string) *reading {
	t.Helper()
	want, got := serially(file), inParallel(t, file)
	require.Equal(t, len(want.packets), len(got.packets), what)
	for i := range want.packets {
		require.Equal(t, want.packets[i], got.packets[i], what)
	}
	want.packets, got.packets = nil, got.packets[:len(got.packets):len(got.packets)]
	packets := got.packets
	got.packets = nil
	require.Equal(t, want, got, what)
	got.packets = packets
	return got
}

// All captures come to the same in parallel, and so do their halves.
func TestParallelReadsAll(t *testing.T) {
	files := append(testdata.Glob(t, "*.pcap"), testdata.Glob(t, "*.erf")...)
	for _, path := range append(files, testdata.Shared(t, "captures/*")...) {
		file, err := os.ReadFile(path)
		require.NoError(t, err)
		requireSame(t, file, filepath.Base(path))
		requireSame(t, file[:len(file)/2], "half of "+filepath.Base(path))
	}
}

// many returns a file of at least some size with the packets of a capture again
// and again.
func many(t testing.TB, name string, size int) []byte {
	t.Helper()
	file, err := os.ReadFile(testdata.Path(t, name))
	require.NoError(t, err)
	header := 24
	if filepath.Ext(name) == ".erf" {
		header = 0
	}
	all := bytes.Clone(file)
	for len(all) < size {
		all = append(all, file[header:]...)
	}
	return all
}

// Large files, also damaged ones, come in order and whole, whatever the number of
// goroutines.
func TestParallelKeepsOrder(t *testing.T) {
	for _, name := range []string{"native.erf.pcap", "native-padded.erf", "tunnels.pcap"} {
		file := many(t, name, 3<<20)
		for _, n := range []int{1, 2, 7} {
			t.Run(fmt.Sprintf("%s on %d", name, n), func(t *testing.T) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
				packets := len(requireSame(t, file, name).packets)
				require.Greater(t, packets, 10000)
				cut := requireSame(t, file[:len(file)-5], "cut")
				require.Len(t, cut.packets, packets-1)
				require.Contains(t, cut.end, "unexpected EOF")
			})
		}
		damaged := bytes.Clone(file)
		copy(damaged[2<<20:], bytes.Repeat([]byte{0xff}, 300))
		requireSame(t, damaged, "damaged "+name)
	}
}

// Damage in a pcapng file does not stop the reader: warnings come in order, and
// what is behind them comes too.
func TestParallelWarnings(t *testing.T) {
	section := sectionOf(t, 3)
	var file []byte
	for i := range 200 {
		s := bytes.Clone(section)
		if i%50 == 25 {
			s[len(s)-1] ^= 0x40 // of the second length of the last block
		}
		file = append(file, s...)
	}
	all := requireSame(t, file, "pcapng")
	require.Len(t, all.packets, 600)
	require.Len(t, all.warnings, 4)
}

// sectionOf returns a section of pcapng with n packets of 10,000 bytes.
func sectionOf(t testing.TB, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	w := capture.NewWriter(&b, capture.FormatPcapng)
	for i := range n {
		data := bytes.Repeat([]byte{byte(i)}, 10000)
		require.NoError(t, w.Write(&capture.Record{LinkType: 247, Time: time.Unix(int64(i), 0), Length: len(data), FCSLen: -1, Data: data}))
	}
	return b.Bytes()
}

// An error of done ends it, and no batch is done behind it.
func TestParallelStops(t *testing.T) {
	enough := errors.New("enough")
	file := many(t, "native.erf.pcap", 8<<20)
	for range 20 {
		_, r, err := newReading(file)
		require.NoError(t, err)
		calls := 0
		require.Equal(t, enough, capture.Parallel(r, func(*capture.Batch[int]) {}, func(*capture.Batch[int]) error {
			if calls++; calls == 2 {
				return enough
			}
			return nil
		}))
		require.Equal(t, 2, calls)
		require.NoError(t, r.Close())
	}
}

// However long a file is, Parallel allocates for its batches, and no more.
func TestParallelAllocatesForBatches(t *testing.T) {
	allocations := func(size int) float64 {
		file := many(t, "native.erf.pcap", size)
		return testing.AllocsPerRun(1, func() {
			_, r, err := newReading(file)
			require.NoError(t, err)
			require.NoError(t, capture.Parallel(r, func(*capture.Batch[int]) {}, func(*capture.Batch[int]) error { return nil }))
		})
	}
	small, large := allocations(8<<20), allocations(32<<20)
	require.Less(t, large-small, 300.0, "for 250,000 packets more")
}
