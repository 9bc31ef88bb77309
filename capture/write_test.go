package capture_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/capture"
	"github.com/ibwire/ibwire/linktype"
	"github.com/ibwire/ibwire/testdata"
)

// losses counts packets by what they lose.
type losses map[capture.Loss]int

func (l losses) count(_ *capture.Record, loss capture.Loss) {
	for ; loss != 0; loss &= loss - 1 {
		l[loss&-loss]++
	}
}

// rewrite writes the packets of file anew, as far as it can be read. It returns
// the file that is written, what was lost, and how many packets were not held.
func rewrite(t *testing.T, file []byte, f capture.Format, opts ...capture.WriterOption) ([]byte, losses, int) {
	t.Helper()
	r, err := capture.NewReader(bytes.NewReader(file))
	require.NoError(t, err)
	defer r.Close()
	var out bytes.Buffer
	lost, notHeld := losses{}, 0
	w := capture.NewWriter(&out, f, append([]capture.WriterOption{capture.From(r), capture.OnLoss(lost.count)}, opts...)...)
	for {
		rec, err := r.Next()
		if err != nil {
			require.NoError(t, w.Close())
			return out.Bytes(), lost, notHeld
		}
		if err = w.Write(rec); err != nil {
			_, ok := errors.AsType[*capture.NotHeldError](err)
			require.True(t, ok, err)
			notHeld++
		}
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return b
}

// writable are the files of this module, and those outside of it that can be
// read at all.
func writable(t *testing.T) map[string][]byte {
	t.Helper()
	files := make(map[string][]byte)
	for _, path := range append(testdata.Glob(t, "*.pcap"), testdata.Shared(t, "captures/*")...) {
		data := read(t, path)
		if r, err := capture.NewReader(bytes.NewReader(data)); err == nil {
			files[filepath.Base(path)] = data
			r.Close()
		}
	}
	return files
}

// A pcap file written anew is the same byte for byte up to the last whole
// packet, unless it was big-endian or its header has values that nobody uses.
func TestWriterKeepsPcap(t *testing.T) {
	same := 0
	for name, file := range writable(t) {
		magic := binary.LittleEndian.Uint32(file)
		if magic != 0xa1b2c3d4 && magic != 0xa1b23c4d || !bytes.Equal(file[4:16], []byte{2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0}) {
			continue
		}
		got, lost, notHeld := rewrite(t, file, capture.FormatPcap)
		require.Empty(t, lost, name)
		require.Zero(t, notHeld, name)
		require.LessOrEqual(t, len(got), len(file), name)
		if file[16]|file[17]|file[18]|file[19] == 0 { // no snap length
			copy(got[16:20], file[16:])
		}
		require.Equal(t, file[:len(got)], got, name)
		same++
	}
	require.Greater(t, same, 20)
}

// describe returns what a file says of each packet and its interface.
func describe(t *testing.T, file []byte) (recs []capture.Record, ifaces []capture.Interface) {
	t.Helper()
	r, err := capture.NewReader(bytes.NewReader(file))
	require.NoError(t, err)
	defer r.Close()
	for {
		rec, err := r.Next()
		if err != nil {
			return recs, ifaces
		}
		c := *rec
		c.Data = append([]byte{}, rec.Data...)
		c.Offset, c.Section, c.Interface = 0, 0, 0
		if c.Time.IsZero() { // what is written instead
			c.Time, c.RecordTime = time.Unix(0, 0).UTC(), time.Unix(0, 0).UTC()
		}
		in := r.Interfaces()[rec.Interface]
		in.TimeOffset = 0
		if in.Resolution != 6 {
			in.Resolution = 9
		}
		recs, ifaces = append(recs, c), append(ifaces, in)
	}
}

// A pcapng file written anew says the same of all packets and interfaces, and
// from then on it stays byte for byte.
func TestWriterKeepsPcapng(t *testing.T) {
	checked := 0
	for name, file := range writable(t) {
		if !bytes.HasPrefix(file, []byte{0x0a, 0x0d, 0x0d, 0x0a}) {
			continue
		}
		got, lost, notHeld := rewrite(t, file, capture.FormatPcapng)
		delete(lost, capture.LossOptions)
		delete(lost, capture.LossTime)
		delete(lost, capture.LossDescription)
		require.Empty(t, lost, name)
		require.Zero(t, notHeld, name)
		wantRecs, wantIfaces := describe(t, file)
		gotRecs, gotIfaces := describe(t, got)
		require.Equal(t, wantRecs, gotRecs, name)
		require.Equal(t, wantIfaces, gotIfaces, name)
		again, _, _ := rewrite(t, got, capture.FormatPcapng)
		require.Equal(t, got, again, name)
		checked++
	}
	require.Greater(t, checked, 20)
}

// The raw ERF file and the one of link type 247 were made from the pcap file by
// other programs.
func TestWriterAgainstDerivedFiles(t *testing.T) {
	captures := filepath.Dir(testdata.Shared(t, "captures/infiniband-erf-01-31.pcap")[0])
	pcap := read(t, filepath.Join(captures, "infiniband-erf-01-31.pcap"))
	raw := read(t, filepath.Join(captures, "derived-infiniband-01-31.erf"))
	native := read(t, filepath.Join(captures, "derived-infiniband-01-31-lt247.pcap"))

	got, lost, _ := rewrite(t, pcap, capture.FormatERF)
	require.Equal(t, raw, got)
	require.Empty(t, lost)
	got, lost, _ = rewrite(t, raw, capture.FormatPcap, capture.TimeResolution(6))
	require.Equal(t, pcap, got)
	require.Empty(t, lost)
	got, lost, _ = rewrite(t, raw, capture.FormatPcap, capture.TimeResolution(6), capture.As(linktype.InfiniBand))
	require.Equal(t, native, got)
	require.Equal(t, losses{capture.LossInterface: 14, capture.LossPrecision: 31}, lost)
}

// ERF records around packets are what the README of testdata says of ibdump.
func TestWriterWraps(t *testing.T) {
	file := read(t, testdata.Path(t, "native.pcap"))
	got, lost, notHeld := rewrite(t, file, capture.FormatERF)
	require.Empty(t, lost)
	require.Zero(t, notHeld)
	var want []byte
	for _, f := range testdata.Frames(t, testdata.Path(t, "native.pcap")) {
		n := f.N - 1
		// n microseconds are 4294.967296 * n of the units.
		fraction := uint32((uint64(n)*1e6<<32/1e6 + 500_000) / 1e6)
		want = binary.LittleEndian.AppendUint32(want, fraction)
		want = binary.LittleEndian.AppendUint32(want, uint32(1700000000+n))
		want = append(want, 21, 4)
		want = binary.BigEndian.AppendUint16(want, uint16(16+len(f.Data)))
		want = append(want, 0, 0)
		want = binary.BigEndian.AppendUint16(want, uint16(len(f.Data)))
		want = append(want, f.Data...)
	}
	require.Equal(t, want, got)
}

// Counts by hand: testdata/gen/erftypes.go says what the records are.
func TestWriterLosses(t *testing.T) {
	types := read(t, testdata.Path(t, "erf-types.pcap"))
	padded := read(t, testdata.Path(t, "erf-types-padded.erf"))
	for _, c := range []struct {
		name    string
		file    []byte
		format  capture.Format
		as      linktype.Type
		lost    losses
		notHeld int
	}{
		// All types twice, with and without extension headers, and seven odd ones.
		{"raw ERF", types, capture.FormatERF, 0, losses{capture.LossRecordTime: 71, capture.LossPad: 1}, 0},
		{"pcap", types, capture.FormatPcap, 0, losses{}, 0},
		{"pcapng", types, capture.FormatPcapng, 0, losses{}, 0},
		{"raw ERF to pcap", padded, capture.FormatPcap, 0, losses{}, 0},
		// Five of type 21. Of these, one has flags 0xff, one has none; one has three
		// bits of interface and a loss counter; one has its VCRC behind wlen.
		{"InfiniBand", types, capture.FormatPcap, linktype.InfiniBand, losses{
			capture.LossExtHeaders: 1, capture.LossFlags: 2, capture.LossInterface: 1, capture.LossCounter: 1,
			capture.LossTrailer: 1, capture.LossRecordTime: 5,
		}, 66},
		// Types 2, 11, 16 and 20 twice, and one with a color.
		{"Ethernet", types, capture.FormatPcap, linktype.Ethernet, losses{
			capture.LossExtHeaders: 4, capture.LossColor: 7, capture.LossRecordTime: 9,
		}, 62},
		{"IPv4", types, capture.FormatPcapng, linktype.IPv4, losses{capture.LossExtHeaders: 1, capture.LossRecordTime: 2}, 69},
	} {
		opts := []capture.WriterOption{}
		if c.as != 0 {
			opts = append(opts, capture.As(c.as))
		}
		_, lost, notHeld := rewrite(t, c.file, c.format, opts...)
		require.Equal(t, c.lost, lost, c.name)
		require.Equal(t, c.notHeld, notHeld, c.name)
	}
}
