package erf_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/google/gopacket"
	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/erf"
)

// A file that ends in a record gives the records before it, one error that
// holds the rest, and the end.
func TestReaderCut(t *testing.T) {
	for n := range len(file) {
		count, offset, need := 0, 0, 16
		for offset+len(fileRecords[count]) <= n {
			offset += len(fileRecords[count])
			count++
		}
		if n-offset >= 16 {
			need = len(fileRecords[count])
		}
		r, err := erf.NewReader(bytes.NewReader(file[:n]))
		if n == 0 || n >= 16 {
			require.NoError(t, err, n)
			for i := range count {
				data, _, err := r.ReadPacketData()
				require.NoError(t, err, n)
				require.Equal(t, fileRecords[i], data, n)
			}
			_, _, err = r.ReadPacketData()
			require.EqualValues(t, offset, r.Offset(), n)
		}
		if n == offset {
			require.Equal(t, io.EOF, err, n)
			continue
		}
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, n)
		require.Equal(t, &erf.RecordError{Record: count + 1, Offset: int64(offset), Need: need, Have: n - offset,
			Rest: file[offset:n], Err: io.ErrUnexpectedEOF}, err, n)
		if r != nil {
			_, _, err = r.ReadPacketData()
			require.Equal(t, io.EOF, err, n)
		}
	}
}

// So does a reader below whose own end is not where it should be, such as that
// of a compressed file that is cut.
func TestReaderUnexpectedEOF(t *testing.T) {
	for _, n := range []int{48, 55, 70} {
		r, err := erf.NewReader(io.MultiReader(bytes.NewReader(file[:n]), iotest.ErrReader(io.ErrUnexpectedEOF)))
		require.NoError(t, err)
		_, _, err = r.ReadPacketData()
		require.NoError(t, err)
		_, _, err = r.ReadPacketData()
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		_, _, err = r.ReadPacketData()
		require.Equal(t, io.EOF, err)
	}
}

func TestReaderRecordLength(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		bad        []byte
	}{
		{"0", "erf: record 3 at byte 120: record length 0 is less than 16", make([]byte, 16)},
		{"15", "erf: record 3 at byte 120: record length 15 is less than 16", record("15 04 000f 0000 001e")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			records, err := readAll(bytes.NewReader(slices.Concat(tt.bad, file)))
			require.ErrorIs(t, err, erf.ErrRecordLength)
			require.Empty(t, records)

			r, err := erf.NewReader(bytes.NewReader(slices.Concat(file[:120], tt.bad, file)))
			require.NoError(t, err)
			for range 2 {
				_, _, err = r.ReadPacketData()
				require.NoError(t, err)
			}
			_, _, err = r.ReadPacketData()
			require.ErrorIs(t, err, erf.ErrRecordLength)
			require.EqualError(t, err, tt.want)
			require.EqualValues(t, 120, r.Offset())
			var at *erf.RecordError
			require.ErrorAs(t, err, &at)
			require.Equal(t, tt.bad, at.Rest)
			_, _, err = r.ReadPacketData()
			require.Equal(t, io.EOF, err)
		})
	}
}

// A damaged file does not keep a PacketSource, which goes on after errors, busy
// for ever.
func TestPacketSourceEndsAtDamage(t *testing.T) {
	r, err := erf.NewReader(bytes.NewReader(slices.Concat(file[:120], make([]byte, 16), file)))
	require.NoError(t, err)
	n := 0
	for range gopacket.NewPacketSource(r, erf.LayerTypeERF).Packets() {
		n++
	}
	require.Equal(t, 2, n)

	r, err = erf.NewReader(io.MultiReader(bytes.NewReader(file[:120]), iotest.ErrReader(io.ErrClosedPipe)))
	require.NoError(t, err)
	n = 0
	for range gopacket.NewPacketSource(r, erf.LayerTypeERF).Packets() {
		n++
	}
	require.Equal(t, 2, n)
}

// A record whose extension headers run past its end is returned, and so is the
// next one.
func TestReaderExtensionHeadersPastRecord(t *testing.T) {
	want := [][]byte{record("95 04 0020 0000 001e", exts(3)[:16]), file[:48]}
	records, err := readAll(bytes.NewReader(slices.Concat(want...)))
	require.Equal(t, io.EOF, err)
	require.Equal(t, want, records)
	var cut *erf.HeaderError
	_, _, err = decode(records[0])
	require.ErrorAs(t, err, &cut)
	require.Equal(t, 40, cut.Need)
}

// Any other error of the reader below is said once.
func TestReaderOtherError(t *testing.T) {
	broken := errors.New("broken")
	for _, n := range []int{48, 55, 70} {
		r, err := erf.NewReader(io.MultiReader(bytes.NewReader(file[:n]), iotest.ErrReader(broken)))
		require.NoError(t, err)
		_, _, err = r.ReadPacketData()
		require.NoError(t, err)
		_, _, err = r.ReadPacketData()
		require.ErrorIs(t, err, broken)
		var at *erf.RecordError
		require.ErrorAs(t, err, &at)
		require.Equal(t, 2, at.Record)
		require.EqualValues(t, 48, at.Offset)
		require.Equal(t, file[48:n], append([]byte{}, at.Rest...))
		_, _, err = r.ReadPacketData()
		require.Equal(t, io.EOF, err)
	}
}
