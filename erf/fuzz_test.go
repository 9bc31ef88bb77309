package erf_test

import (
	"bytes"
	"io"
	"slices"
	"testing"

	"github.com/google/gopacket"
	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/erf"
)

// checkRecord tests what holds for any bytes: missing headers are the only
// error, all bytes survive decode and serialize, and neither what the Record
// held before nor the way of decoding makes a difference.
func checkRecord(t *testing.T, data []byte) {
	got, truncated, err := decode(data)
	reused, _, _ := decode(sample("color_eth_ext1"))
	require.Equal(t, err, reused.DecodeFromBytes(data, gopacket.NilDecodeFeedback))
	require.Equal(t, got, reused)

	p := gopacket.NewPacket(data, erf.LayerTypeERF, gopacket.NoCopy)
	if len(data) >= erf.HeaderSize {
		require.Equal(t, gopacket.Layer(got), p.Layers()[0])
	}
	if err != nil {
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		require.True(t, truncated)
		require.Equal(t, err, p.ErrorLayer().Error())
		require.Equal(t, data[len(got.Contents):], p.ErrorLayer().LayerContents())
		return
	}
	require.Len(t, got.Contents, got.HeaderLen())
	require.EqualValues(t, got.WLen, len(got.Payload)+got.Missing())
	again, err := serialize(got, got.Payload, gopacket.SerializeOptions{})
	require.NoError(t, err)
	require.Equal(t, data, again)
}

// checkReader tests what holds for any file: reading ends, the records are the
// bytes of the file up to the error and follow each other, and writing them
// gives the same file.
func checkReader(t *testing.T, data []byte) {
	r, err := erf.NewReader(bytes.NewReader(data))
	twin, twinErr := erf.NewReader(bytes.NewReader(data))
	require.Equal(t, err, twinErr)
	var written bytes.Buffer
	w := erf.NewWriter(&written)
	read := 0
	for err == nil {
		var rec []byte
		var ci, twinCI gopacket.CaptureInfo
		rec, ci, err = r.ZeroCopyReadPacketData()
		require.EqualValues(t, read, r.Offset())
		twinRec, twinCI, twinErr := twin.ReadPacketData()
		require.Equal(t, err, twinErr)
		if err != nil {
			break
		}
		require.Equal(t, twinRec, rec)
		require.Equal(t, twinCI, ci)
		require.Equal(t, len(rec), ci.CaptureLength)
		require.LessOrEqual(t, ci.CaptureLength, ci.Length)
		require.GreaterOrEqual(t, len(rec), erf.HeaderSize)
		require.Equal(t, data[read:read+len(rec)], rec)
		require.NoError(t, w.WritePacket(ci, rec))
		read += len(rec)
	}
	require.True(t, bytes.Equal(data[:read], written.Bytes()))
	if err == io.EOF {
		require.Len(t, data, read)
		return
	}
	var at *erf.RecordError
	require.ErrorAs(t, err, &at)
	require.EqualValues(t, read, at.Offset)
	require.True(t, bytes.HasPrefix(data[read:], at.Rest))
	if r != nil {
		_, _, next := r.ReadPacketData()
		require.True(t, next == err || next == io.EOF)
		require.EqualValues(t, read, r.Offset())
	}
}

// fileSeeds are files of records, whole and broken.
func fileSeeds() [][]byte {
	return [][]byte{
		nil,
		file,
		file[:len(file)-1],
		file[:130],
		file[:50],
		slices.Concat(file, make([]byte, 16)),
		slices.Concat(sample("infiniband_rlen_zero"), file),
		slices.Concat(record("95 04 0020 0000 001e", exts(3)[:16]), file),
		record("15 04 ffff 0000 ffff", make([]byte, 65519)),
	}
}

func TestRecordSeeds(t *testing.T) {
	for _, s := range samples {
		for n := range len(s.data) + 1 {
			checkRecord(t, s.data[:n:n])
		}
	}
}

func TestReaderSeeds(t *testing.T) {
	for _, data := range fileSeeds() {
		checkReader(t, data)
	}
}

func FuzzRecord(f *testing.F) {
	for _, s := range samples {
		f.Add(s.data)
	}
	f.Fuzz(checkRecord)
}

func FuzzReader(f *testing.F) {
	for _, data := range fileSeeds() {
		f.Add(data)
	}
	f.Fuzz(checkReader)
}
