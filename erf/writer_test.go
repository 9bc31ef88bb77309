package erf_test

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/google/gopacket"
	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/erf"
)

func TestWritePacketReadPacket(t *testing.T) {
	var b bytes.Buffer
	w := erf.NewWriter(&b)
	r, err := erf.NewReader(bytes.NewReader(file))
	require.NoError(t, err)
	for range fileRecords {
		data, ci, err := r.ZeroCopyReadPacketData()
		require.NoError(t, err)
		require.NoError(t, w.WritePacket(ci, data))
	}
	require.Equal(t, file, b.Bytes())
}

func TestWritePacket(t *testing.T) {
	cutChain := record("95 04 0028 0000 0000", exts(2)[:9])
	for _, tt := range []struct {
		name       string
		data, want []byte
	}{
		{"whole", sample("infiniband_padded"), sample("infiniband_padded")},
		{"padding left out", sample("infiniband_no_padding"), sample("infiniband_padded")},
		{"packet cut", sample("infiniband_padded")[:40], record("15 04 0028 0000 001e", ibPacket[:24])},
		{"packet cut before its last byte", sample("infiniband_padded")[:45], record("15 04 002d 0000 001e", ibPacket[:29])},
		{"no byte of the packet", sample("infiniband_padded")[:16], record("15 04 0010 0000 001e")},
		{"extension headers cut", cutChain, record("95 04 0019 0000 0000", exts(2)[:9])},
		{"sub-header cut", sample("mc_hdlc")[:18], record("05 04 0012 0000 0004", []byte{1, 2})},
		{"padding left out behind extension headers", sample("infiniband_ext3")[:70], sample("infiniband_ext3")},
		{"empty packet", record("15 04 0018 0000 0000"), record("15 04 0018 0000 0000", make([]byte, 8))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b bytes.Buffer
			w := erf.NewWriter(&b)
			given := bytes.Clone(tt.data)
			// A long record first, so that the buffer of the second is dirty.
			long := record("15 04 0100 0000 0001", bytes.Repeat([]byte{0xa5}, 200))
			require.NoError(t, w.WritePacket(gopacket.CaptureInfo{}, long))
			b.Reset()
			require.NoError(t, w.WritePacket(gopacket.CaptureInfo{}, tt.data))
			require.Equal(t, tt.want, b.Bytes())
			require.Equal(t, given, tt.data, "input is changed")
			records, err := readAll(&b)
			require.Equal(t, io.EOF, err)
			require.Len(t, records, 1)
		})
	}
}

func TestWritePacketErrors(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		data       []byte
		want       error
	}{
		{"no header", "erf: need 16 bytes, have 15: unexpected EOF", file[:15], io.ErrUnexpectedEOF},
		{"record length 0", "erf: impossible record length 0, have 46 bytes", sample("infiniband_rlen_zero"), erf.ErrRecordLength},
		{"record length 15", "erf: impossible record length 15, have 16 bytes", record("15 04 000f 0000 0000"), erf.ErrRecordLength},
		{"more than the record", "erf: impossible record length 48, have 49 bytes", file[:49], erf.ErrRecordLength},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b bytes.Buffer
			err := erf.NewWriter(&b).WritePacket(gopacket.CaptureInfo{}, tt.data)
			require.ErrorIs(t, err, tt.want)
			require.EqualError(t, err, tt.text)
			require.Zero(t, b.Len())
		})
	}
}

func TestWriteRecord(t *testing.T) {
	at := erf.TimestampOf(time.Unix(1600000000, 500000000))
	ext, _, err := decode(sample("infiniband_ext3"))
	require.NoError(t, err)
	for _, tt := range []struct {
		name   string
		r      erf.Record
		packet []byte
		want   []byte
	}{
		{"padded", erf.Record{Timestamp: at, Type: erf.TypeInfiniband, Flags: erf.FlagVLen}, ibPacket, sample("infiniband_padded")},
		{"trailer is replaced", erf.Record{Timestamp: at, Type: erf.TypeInfiniband, Flags: erf.FlagVLen, Trailer: []byte{1, 2, 3}},
			ibPacket, sample("infiniband_padded")},
		{"extension headers", erf.Record{Timestamp: at, Type: erf.TypeInfiniband, Flags: erf.FlagVLen, Ext: ext.Ext},
			ibPacket, sample("infiniband_ext3")},
		{"sub-header left out", erf.Record{Timestamp: at, Type: erf.TypeETH, Flags: erf.FlagVLen}, ethPacket, sample("eth")},
		{"no padding needed", erf.Record{Timestamp: at}, make([]byte, 8), record("00 00 0018 0000 0008", make([]byte, 8))},
		{"empty", erf.Record{Timestamp: at}, nil, record("00 00 0010 0000 0000")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b bytes.Buffer
			w := erf.NewWriter(&b)
			require.NoError(t, w.WriteRecord(&erf.Record{Type: 1}, bytes.Repeat([]byte{0xa5}, 300)))
			b.Reset()
			require.NoError(t, w.WriteRecord(&tt.r, tt.packet))
			require.Equal(t, tt.want, b.Bytes())
			require.EqualValues(t, len(tt.packet), tt.r.WLen)
			require.EqualValues(t, len(tt.want), tt.r.RLen)
		})
	}
}

func TestWriteRecordErrors(t *testing.T) {
	var b bytes.Buffer
	w := erf.NewWriter(&b)
	require.EqualError(t, w.WriteRecord(&erf.Record{Type: 0x80}, nil), "erf: type 128 does not fit 7 bits")
	require.EqualError(t, w.WriteRecord(new(erf.Record), make([]byte, 65513)),
		"erf: record of 65536 bytes does not fit its length field of 16 bits")
	require.Zero(t, b.Len())
	require.NoError(t, w.WriteRecord(new(erf.Record), make([]byte, 65512)))
	require.Equal(t, 65528, b.Len())
}

// An error of the writer below is returned as it is.
func TestWriterError(t *testing.T) {
	broken := errors.New("broken")
	w := erf.NewWriter(writerFunc(func([]byte) (int, error) { return 0, broken }))
	require.Equal(t, broken, w.WriteRecord(new(erf.Record), nil))
	require.Equal(t, broken, w.WritePacket(gopacket.CaptureInfo{}, sample("infiniband_padded")))
	require.Equal(t, broken, w.WritePacket(gopacket.CaptureInfo{}, sample("infiniband_no_padding")))
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestWriterAllocs(t *testing.T) {
	w := erf.NewWriter(io.Discard)
	r, _, err := decode(sample("infiniband_ext3"))
	require.NoError(t, err)
	short := sample("infiniband_no_padding")
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if w.WriteRecord(r, ibPacket) != nil || w.WritePacket(gopacket.CaptureInfo{}, short) != nil {
			panic("not written")
		}
	}))
}
