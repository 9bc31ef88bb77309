package capture_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/capture"
	"github.com/ibwire/ibwire/erf"
	"github.com/ibwire/ibwire/linktype"
)

// PAD records are counted and not delivered, unless they say something.
func TestERFPad(t *testing.T) {
	one := erfRecord(erfAt, 8, counting(8), 0)
	padExt := pad(24)
	padExt[8] |= 0x80
	r, err := capture.NewReader(bytes.NewReader(slices.Concat(pad(16), one, pad(65528), padExt, pad(24))))
	require.NoError(t, err)
	got, err := readAll(r)
	require.Equal(t, io.EOF, err)
	require.Len(t, got, 2)
	require.Equal(t, one, got[0].Data)
	require.EqualValues(t, 16, got[0].Offset)
	require.Equal(t, padExt, got[1].Data)
	require.EqualValues(t, 2, got[1].Number)
	require.Equal(t, capture.Counts{Packets: 2, Pads: 3}, r.Counts())
}

func TestERFInterfaces(t *testing.T) {
	var file []byte
	for port := range 4 {
		record := erfRecord(erfAt, 8, counting(8), 0)
		record[9] = byte(erf.FlagVLen) | byte(port)
		file = append(file, record...)
	}
	r, err := capture.NewReader(bytes.NewReader(file))
	require.NoError(t, err)
	require.Len(t, r.Interfaces(), 4)
	got, err := readAll(r)
	require.Equal(t, io.EOF, err)
	for port, rec := range got {
		require.Equal(t, port, rec.Interface)
		require.Equal(t, capture.Interface{
			Name: "Port " + string(rune('A'+port)), LinkType: linktype.ERF, Resolution: 0x80 | 32, FCSLen: -1,
		}, r.Interfaces()[rec.Interface])
	}
}

// The largest record is read, and one that is too small ends the file.
func TestERFRecordSize(t *testing.T) {
	largest := erfRecord(erfAt, 65519, make([]byte, 65519), 0)
	got, _, err := readBytes(t, bytes.Repeat(largest, 40))
	require.Equal(t, io.EOF, err)
	require.Len(t, got, 40)
	require.Equal(t, largest, got[39].Data)

	for _, size := range []uint16{0, 1, 15} {
		damaged := bytes.Repeat(erfRecord(erfAt, 8, counting(8), 0), 30)
		binary.BigEndian.PutUint16(damaged[25*24+10:], size)
		got, _, err := readBytes(t, damaged)
		require.Len(t, got, 25)
		var e *capture.Error
		require.ErrorAs(t, err, &e)
		require.ErrorIs(t, err, capture.ErrDamaged)
		require.EqualValues(t, 26, e.Packet)
		require.EqualValues(t, 25*24, e.Offset)
	}
}

// What looks like ERF records, and what does not.
func TestDetectERF(t *testing.T) {
	one := erfRecord(erfAt, 8, counting(8), 0)
	at := func(sec int64) []byte { return erfRecord(erfAt+erf.Timestamp(sec<<32), 8, counting(8), 0) }
	with := func(b []byte, i int, v ...byte) []byte {
		b = bytes.Clone(b)
		copy(b[i:], v)
		return b
	}
	for _, tt := range []struct {
		name string
		data []byte
		want bool
	}{
		{"one", one, true},
		{"time 0", with(one, 0, make([]byte, 8)...), true},
		{"type 26", with(one, 8, 26), true},
		{"type 0", with(one, 8, 0), false},
		{"type 30", with(one, 8, 30), false},
		{"type 32", with(one, 8, 32), false},
		{"type 127", with(one, 8, 127), false},
		{"padding first", slices.Concat(pad(16), one), true},
		{"padding alone", pad(32), true},
		{"padding cut", pad(32)[:30], false},
		{"forty times padding first", slices.Concat(bytes.Repeat(pad(16), 40), one), true},
		{"second of type 0", slices.Concat(one, with(one, 8, 0)), false},
		{"second of length 15", slices.Concat(one, with(one, 10, 0, 15)), false},
		{"third of type 0", slices.Concat(one, one, with(one, 8, 0)), false},
		{"fourth of type 0", slices.Concat(one, one, one, with(one, 8, 0)), true},
		{"zeros behind three", slices.Concat(one, one, one, make([]byte, 100)), true},
		{"a second back", slices.Concat(at(0), at(-1)), true},
		{"two seconds back", slices.Concat(at(0), at(-2)), false},
		{"a year on", slices.Concat(at(0), at(365*24*3600)), true},
		{"more than a year on", slices.Concat(at(0), at(365*24*3600+1)), false},
		{"extension header", with(one, 8, 0x95), true},
		{"extension headers beyond the record", with(one, 8, 0x95, 4, 0, 16), false},
		{"second cut", slices.Concat(one, one[:20]), true},
		{"second header cut", slices.Concat(one, one[:10]), true},
		{"only the header", one[:16], true},
		{"only the header, longer than its packet", with(one[:16], 10, 0, 40), false},
		{"only the header, fixed length", with(one[:16], 9, 0), true},
		{"only the header, unaligned fixed length", with(one[:16], 9, 0, 0, 25), false},
		{"only the header, with an extension header", with(one[:16], 8, 0x95, 4, 1, 0), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := capture.NewReader(bytes.NewReader(tt.data))
			if !tt.want {
				require.ErrorIs(t, err, capture.ErrFormat)
				return
			}
			require.NoError(t, err)
			require.Equal(t, capture.FormatERF, r.Format())
		})
	}
}
