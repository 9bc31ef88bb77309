package erf_test

import (
	"bytes"
	"io"
	"slices"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/gopacket"
	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/erf"
)

// file is a file of three records, of 48, 72 and 80 bytes.
var (
	fileRecords = [][]byte{sample("infiniband_padded"), sample("infiniband_ext3"), sample("eth")}
	file        = slices.Concat(fileRecords...)
)

// readAll reads records up to the first error.
func readAll(r io.Reader) (records [][]byte, err error) {
	e, err := erf.NewReader(r)
	for err == nil {
		var data []byte
		if data, _, err = e.ReadPacketData(); err == nil {
			records = append(records, data)
		}
	}
	return records, err
}

func TestReader(t *testing.T) {
	for _, tt := range []struct {
		name string
		r    io.Reader
	}{
		{"whole", bytes.NewReader(file)},
		{"one byte", iotest.OneByteReader(bytes.NewReader(file))},
		{"half", iotest.HalfReader(bytes.NewReader(file))},
		{"data with error", iotest.DataErrReader(bytes.NewReader(file))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			records, err := readAll(tt.r)
			require.Equal(t, io.EOF, err)
			require.Equal(t, fileRecords, records)
		})
	}
}

func TestReaderCaptureInfo(t *testing.T) {
	at := time.Unix(1600000000, 500000000).UTC()
	for _, tt := range []struct {
		name string
		data []byte
		want gopacket.CaptureInfo
	}{
		{"padding counts", sample("infiniband_padded"), gopacket.CaptureInfo{CaptureLength: 48, Length: 48}},
		{"interface", sample("infiniband_all_flags"), gopacket.CaptureInfo{CaptureLength: 48, Length: 48, InterfaceIndex: 3}},
		{"no packet", sample("infiniband_empty"), gopacket.CaptureInfo{CaptureLength: 16, Length: 16}},
		{"snapped", sample("hdlc_pos_snapped"), gopacket.CaptureInfo{CaptureLength: 24, Length: 48}},
		{"snapped behind extension headers and sub-header", record("92 01 0030 0000 0100", exts(3), make([]byte, 8)),
			gopacket.CaptureInfo{CaptureLength: 48, Length: 16 + 24 + 4 + 256, InterfaceIndex: 1}},
		{"cut extension header", record("95 00 0014 0000 0100", make([]byte, 4)), gopacket.CaptureInfo{CaptureLength: 20, Length: 276}},
		{"cut sub-header", record("05 00 0013 0000 0100", make([]byte, 3)), gopacket.CaptureInfo{CaptureLength: 19, Length: 275}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := erf.NewReader(bytes.NewReader(tt.data))
			require.NoError(t, err)
			require.Equal(t, erf.LinkType, r.LinkType())
			data, ci, err := r.ReadPacketData()
			require.NoError(t, err)
			require.Equal(t, tt.data, data)
			tt.want.Timestamp = at
			require.Equal(t, tt.want, ci)
		})
	}
}

func TestReaderEmpty(t *testing.T) {
	r, err := erf.NewReader(bytes.NewReader(nil))
	require.NoError(t, err)
	for range 2 {
		_, _, err = r.ReadPacketData()
		require.Equal(t, io.EOF, err)
	}
}

// All types are returned, as they stand in the file.
func TestReaderTypes(t *testing.T) {
	want := [][]byte{sample("pad"), sample("meta"), sample("infiniband_link"), sample("pad")}
	records, err := readAll(bytes.NewReader(slices.Concat(want...)))
	require.Equal(t, io.EOF, err)
	require.Equal(t, want, records)
}

func TestReaderLargestRecord(t *testing.T) {
	want := [][]byte{record("15 04 ffff 0000 ffef", make([]byte, 65519)), file[:48], record("15 04 fff8 0000 ffe8", make([]byte, 65512))}
	records, err := readAll(bytes.NewReader(slices.Concat(want...)))
	require.Equal(t, io.EOF, err)
	require.Equal(t, want, records)
}

// A record is returned as soon as its last byte is there.
func TestReaderPipe(t *testing.T) {
	pr, pw := io.Pipe()
	go func() {
		_, _ = pw.Write(fileRecords[0][:16])
	}()
	r, err := erf.NewReader(pr)
	require.NoError(t, err)
	rest := fileRecords[0][16:]
	for i, want := range fileRecords {
		go func() {
			_, _ = pw.Write(rest)
		}()
		data, _, err := r.ReadPacketData()
		require.NoError(t, err)
		require.Equal(t, want, data)
		rest = fileRecords[min(i+1, 2)]
	}
	go pw.Close()
	_, _, err = r.ReadPacketData()
	require.Equal(t, io.EOF, err)
}

// loop reads the bytes of file again and again.
type loop struct{ at int }

func (l *loop) Read(p []byte) (int, error) {
	n := copy(p, file[l.at:])
	l.at = (l.at + n) % len(file)
	return n, nil
}

func TestZeroCopyReadAllocs(t *testing.T) {
	r, err := erf.NewReader(new(loop))
	require.NoError(t, err)
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		if _, _, err := r.ZeroCopyReadPacketData(); err != nil {
			panic(err)
		}
	}))
}

// ReadPacketData returns bytes that stay, ZeroCopyReadPacketData the same ones.
func TestReadPacketDataCopies(t *testing.T) {
	r, err := erf.NewReader(new(loop))
	require.NoError(t, err)
	first, _, err := r.ReadPacketData()
	require.NoError(t, err)
	for range 100_000 {
		_, _, err = r.ZeroCopyReadPacketData()
		require.NoError(t, err)
	}
	require.Equal(t, fileRecords[0], first)
}

func TestPacketSource(t *testing.T) {
	r, err := erf.NewReader(bytes.NewReader(file[:len(file)-1]))
	require.NoError(t, err)
	source := gopacket.NewPacketSource(r, erf.LayerTypeERF)
	for _, want := range fileRecords[:2] {
		p, err := source.NextPacket()
		require.NoError(t, err)
		require.Equal(t, want, p.Data())
		require.NotNil(t, p.Layer(erf.LayerTypeERF))
	}
	_, err = source.NextPacket()
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	for range source.Packets() {
		t.Fatal("packet behind the end")
	}
}

func BenchmarkZeroCopyRead(b *testing.B) {
	r, err := erf.NewReader(new(loop))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.SetBytes(int64(len(file) / len(fileRecords)))
	for b.Loop() {
		if _, _, err := r.ZeroCopyReadPacketData(); err != nil {
			b.Fatal(err)
		}
	}
}
