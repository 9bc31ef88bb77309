package capture_test

import (
	"bytes"
	"hash/crc32"
	"io"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/ulikunitz/xz"

	"github.com/ibwire/ibwire/capture"
)

// Streams may follow each other, with zeros between and behind, and have checks
// of several kinds.
func TestXZ(t *testing.T) {
	s := samples()[0]
	half := len(s.data) / 2
	for _, check := range []byte{xz.None, xz.CRC32, xz.CRC64, xz.SHA256} {
		first := compressXZ(t, s.data[:half], check)
		empty := compressXZ(t, nil, check)
		second := compressXZ(t, s.data[half:], xz.CRC64)
		zeros := make([]byte, 8)
		got, warnings, err := readBytes(t, slices.Concat(empty, first, zeros, empty, second, zeros))
		require.Equal(t, io.EOF, err, check)
		require.Empty(t, warnings)
		require.Equal(t, s.want, got)

		if check != xz.None {
			first[len(first)/2] ^= 1
			_, _, err = readBytes(t, first)
			require.NotEqual(t, io.EOF, err, check)
		}
	}
}

// No block may have more memory than the limit, not only the first one, and no
// block is read through a filter that is not known here.
func TestXZBlockHeader(t *testing.T) {
	s := samples()[0]
	for _, tt := range []struct {
		name   string
		change func(filter []byte)
		want   string
	}{
		{"dictionary of 4 GiB", func(f []byte) { f[2] = 40 }, "xz: dictionary of 4294967295 bytes, more than 134217728"},
		{"dictionary of 192 MiB", func(f []byte) { f[2] = 31 }, "xz: dictionary of 201326592 bytes, more than 134217728"},
		{"dictionary of 128 MiB", func(f []byte) { f[2] = 30 }, ""},
		{"dictionary not defined", func(f []byte) { f[2] = 41 }, "lzma: invalid dictionary size code"},
		{"another filter", func(f []byte) { f[0] = 4 }, "xz: a block has a filter other than LZMA2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := slices.Concat(compressXZ(t, s.data[:100], xz.CRC32), compressXZ(t, s.data[100:], xz.CRC32))
			start := bytes.LastIndex(file, []byte("\xfd7zXZ\x00")) + 12
			header := file[start : start+4*(1+int(file[start]))]
			end := len(header) - 4
			tt.change(header[bytes.Index(header, []byte{0x21, 1}):])
			le.PutUint32(header[end:], crc32.ChecksumIEEE(header[:end]))

			got, _, err := readBytes(t, file)
			if tt.want == "" {
				require.Equal(t, io.EOF, err)
				return
			}
			require.Less(t, len(got), len(s.want))
			var e *capture.Error
			require.ErrorAs(t, err, &e)
			require.EqualError(t, e.Err, tt.want)
		})
	}
}
