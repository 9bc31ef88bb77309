package capture_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/capture"
	"github.com/ibwire/ibwire/testdata"
)

// record is a packet of one's own.
func record() *capture.Record {
	return &capture.Record{LinkType: 247, Time: time.Unix(1700000000, 0), Length: 4, FCSLen: -1, Data: []byte{1, 2, 3, 4}}
}

// A failsOnce writes n times, then fails once, and then goes on.
type failsOnce struct {
	bytes.Buffer
	n int
}

var errNoRoom = errors.New("no room")

func (f *failsOnce) Write(p []byte) (int, error) {
	if f.n--; f.n == -1 {
		return 0, errNoRoom
	}
	return f.Buffer.Write(p)
}

// Once a packet could not be written, what would follow it fits nothing: it is not
// written either.
func TestWriterStaysBroken(t *testing.T) {
	for _, f := range []capture.Format{capture.FormatPcap, capture.FormatPcapng, capture.FormatERF} {
		for n := range 3 {
			out := &failsOnce{n: n}
			w := capture.NewWriter(out, f)
			for range n {
				require.NoError(t, w.Write(record()))
			}
			good := out.Len()
			require.ErrorIs(t, w.Write(record()), errNoRoom)
			require.ErrorIs(t, w.Write(record()), errNoRoom)
			require.ErrorIs(t, w.Close(), errNoRoom)
			require.Equal(t, good, out.Len())
		}
	}
}

func TestWriterRefuses(t *testing.T) {
	for _, c := range []struct {
		format capture.Format
		opts   []capture.WriterOption
		want   string
	}{
		{"", nil, `there is no format "" to write`},
		{"erf", nil, `there is no format "erf" to write: want "pcap", "pcapng" or "ERF"`},
		{capture.FormatPcapng, []capture.WriterOption{capture.TimeResolution(3)}, "units of 10^-3 s: want 6 or 9"},
		{capture.FormatPcap, []capture.WriterOption{capture.TimeResolution(0x8a)}, "units of 10^-138 s: want 6 or 9"},
	} {
		var out bytes.Buffer
		w := capture.NewWriter(&out, c.format, c.opts...)
		require.ErrorContains(t, w.Write(record()), c.want)
		require.ErrorContains(t, w.Close(), c.want)
		require.Zero(t, out.Len())
	}
}

// A packet that no reader takes is left out, and the next one is not.
func TestWriterLongestPacket(t *testing.T) {
	for _, f := range []capture.Format{capture.FormatPcap, capture.FormatPcapng} {
		var out bytes.Buffer
		w := capture.NewWriter(&out, f)
		rec := record()
		rec.Data = make([]byte, 256<<10)
		rec.Length = len(rec.Data)
		require.NoError(t, w.Write(rec))
		rec.Data = make([]byte, 256<<10+1)
		_, ok := errors.AsType[*capture.NotHeldError](w.Write(rec))
		require.True(t, ok)
		require.NoError(t, w.Write(record()))
		r, err := capture.NewReader(&out)
		require.NoError(t, err)
		for _, n := range []int{256 << 10, 4} {
			rec, err := r.Next()
			require.NoError(t, err)
			require.Len(t, rec.Data, n)
		}
	}
}

// What does not fit its field is a loss, and what is written in its stead fits.
func TestWriterOddRecords(t *testing.T) {
	for _, f := range []capture.Format{capture.FormatPcap, capture.FormatPcapng} {
		for _, length := range []int{-5, 1<<33 + 7} {
			var out bytes.Buffer
			lost := losses{}
			w := capture.NewWriter(&out, f, capture.OnLoss(lost.count))
			rec := record()
			rec.Length = length
			require.NoError(t, w.Write(rec))
			require.Equal(t, losses{capture.LossLength: 1}, lost)
			r, err := capture.NewReader(&out)
			require.NoError(t, err)
			got, err := r.Next()
			require.NoError(t, err)
			require.Equal(t, 4, got.Length)
		}
	}
	src, err := capture.NewReader(bytes.NewReader(read(t, testdata.Path(t, "native.erf.pcap"))))
	require.NoError(t, err)
	for _, i := range []int{-1, 99} { // no interface of the source
		var out bytes.Buffer
		rec := record()
		rec.Interface = i
		require.NoError(t, capture.NewWriter(&out, capture.FormatPcapng, capture.From(src)).Write(rec))
	}
}
