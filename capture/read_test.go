package capture_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/capture"
)

// Every format in every byte order and compression.
func TestRead(t *testing.T) {
	for _, s := range samples() {
		for _, c := range compressions {
			t.Run(s.name+"_"+c.name, func(t *testing.T) {
				r, err := capture.NewReader(bytes.NewReader(c.compress(t, s.data)))
				require.NoError(t, err)
				require.Equal(t, s.format, r.Format())
				require.Equal(t, c.name, r.Compression())
				got, err := readAll(r)
				require.Equal(t, io.EOF, err)
				require.Equal(t, s.want, got)
				require.NoError(t, r.Err())
				require.Zero(t, r.Counts().Warnings)
				require.NoError(t, r.Close())
			})
		}
	}
}

// Compressed files may be put one behind the other, and pzstd begins with a frame
// that holds nothing.
func TestReadConcatenated(t *testing.T) {
	s := samples()[0]
	half := len(s.data) / 2
	for _, c := range compressions {
		t.Run(c.name, func(t *testing.T) {
			data := append(c.compress(t, s.data[:half]), c.compress(t, s.data[half:])...)
			if c.name == "zstd" {
				data = append([]byte("\x50\x2a\x4d\x18\x04\x00\x00\x00skip"), data...)
			}
			got, warnings, err := readBytes(t, data)
			require.Equal(t, io.EOF, err)
			require.Empty(t, warnings)
			require.Equal(t, s.want, got)
		})
	}
}

// What the reader below hands out at once makes no difference.
func TestReadInPieces(t *testing.T) {
	for _, s := range samples() {
		for _, c := range compressions {
			data := c.compress(t, s.data)
			for name, r := range map[string]io.Reader{
				"one_byte":        iotest.OneByteReader(bytes.NewReader(data)),
				"half":            iotest.HalfReader(bytes.NewReader(data)),
				"data_with_error": iotest.DataErrReader(bytes.NewReader(data)),
			} {
				t.Run(s.name+"_"+c.name+"_"+name, func(t *testing.T) {
					r, err := capture.NewReader(r)
					require.NoError(t, err)
					got, err := readAll(r)
					require.Equal(t, io.EOF, err)
					require.Equal(t, s.want, got)
				})
			}
		}
	}
}

// A file that is cut off gives what is whole, and then an error that says where
// the cut is, unless that is between two parts.
func TestCut(t *testing.T) {
	for _, s := range samples() {
		t.Run(s.name, func(t *testing.T) {
			part, end, start := 0, 0, 0 // the part that is cut
			for n := range s.data {
				for n >= end {
					start, end = end, end+s.parts[part]
					part++
				}
				packets := 0
				for packets < len(s.want) && s.want[packets].Offset < int64(start) {
					packets++
				}
				got, warnings, err := readBytes(t, s.data[:n])
				require.Empty(t, warnings, n)
				require.Len(t, got, packets, n)
				require.Equal(t, s.want[:packets], append([]capture.Record{}, got...), n)
				if n == start && n > 0 {
					require.Equal(t, io.EOF, err, n)
					continue
				}
				var e *capture.Error
				require.ErrorAs(t, err, &e, n)
				if n < 4 || s.format == capture.FormatERF && n < 16 {
					require.ErrorIs(t, err, capture.ErrFormat, n)
					continue
				}
				require.ErrorIs(t, err, io.ErrUnexpectedEOF, n)
				require.EqualValues(t, packets+1, e.Packet, n)
				require.EqualValues(t, start, e.Offset, n)
			}
		})
	}
}

// Compressed data that is cut off or damaged never passes for whole.
func TestCutCompressed(t *testing.T) {
	s := samples()[0]
	for _, c := range compressions[1:] {
		t.Run(c.name, func(t *testing.T) {
			data := c.compress(t, s.data)
			for n := range data {
				got, _, err := readBytes(t, data[:n])
				require.Error(t, err, n)
				require.NotEqual(t, io.EOF, err, n)
				var e *capture.Error
				require.ErrorAs(t, err, &e, n)
				require.Equal(t, s.want[:len(got)], append([]capture.Record{}, got...), n)
				if n >= 6 {
					require.ErrorIs(t, err, io.ErrUnexpectedEOF, n)
				}
			}
			for n := range data {
				damaged := bytes.Clone(data)
				damaged[n] ^= 0x10
				_, _, err := readBytes(t, damaged)
				require.Error(t, err, n)
			}
		})
	}
}

func TestOpen(t *testing.T) {
	s := samples()[0]
	path := filepath.Join(t.TempDir(), "capture")
	require.NoError(t, os.WriteFile(path, s.data, 0o600))
	r, err := capture.Open(path)
	require.NoError(t, err)
	got, err := readAll(r)
	require.Equal(t, io.EOF, err)
	require.Equal(t, s.want, got)
	require.NoError(t, r.Close())
	require.NoError(t, r.Close())

	r, err = capture.Open(path)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	_, err = r.Next()
	require.Equal(t, io.EOF, err, "after Close")
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	_, err := capture.Open(filepath.Join(dir, "none"))
	require.ErrorIs(t, err, os.ErrNotExist)

	_, err = capture.Open(dir)
	var e *capture.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, dir, e.File)
	var below *os.PathError
	require.ErrorAs(t, err, &below)
}

// An error of the reader below is passed on, once, behind the packets that are
// whole.
func TestReaderError(t *testing.T) {
	broken := errors.New("broken")
	for _, s := range samples() {
		t.Run(s.name, func(t *testing.T) {
			r, err := capture.NewReader(io.MultiReader(bytes.NewReader(s.data), iotest.ErrReader(broken)))
			require.NoError(t, err)
			got, err := readAll(r)
			require.Equal(t, s.want, got)
			require.ErrorIs(t, err, broken)
			require.Equal(t, err, r.Err())
			_, err = r.Next()
			require.Equal(t, io.EOF, err)

			_, err = capture.NewReader(io.MultiReader(bytes.NewReader(s.data[:10]), iotest.ErrReader(broken)))
			require.ErrorIs(t, err, broken)
		})
	}
}

// noProgress never returns anything.
type noProgress struct{}

func (noProgress) Read([]byte) (int, error) { return 0, nil }

func TestNoProgress(t *testing.T) {
	_, err := capture.NewReader(noProgress{})
	require.ErrorIs(t, err, io.ErrNoProgress)
	r, err := capture.NewReader(io.MultiReader(bytes.NewReader(samples()[0].data), noProgress{}))
	require.NoError(t, err)
	_, err = readAll(r)
	require.ErrorIs(t, err, io.ErrNoProgress)
}
