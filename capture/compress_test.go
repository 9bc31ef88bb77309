package capture_test

import (
	"bytes"
	"io"
	"math/bits"
	"slices"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
	"github.com/ulikunitz/xz"
)

// compressions are all that a Reader unpacks, and none.
var compressions = []struct {
	name     string
	compress func(testing.TB, []byte) []byte
}{
	{"", func(_ testing.TB, data []byte) []byte { return data }},
	{"gzip", func(t testing.TB, data []byte) []byte {
		return compress(t, data, func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil })
	}},
	{"zstd", func(t testing.TB, data []byte) []byte {
		return compress(t, data, func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) })
	}},
	{"xz", func(t testing.TB, data []byte) []byte { return compressXZ(t, data, xz.CRC64) }},
	{"bzip2", func(_ testing.TB, data []byte) []byte { return compressBzip2(data) }},
}

func compress(t testing.TB, data []byte, open func(io.Writer) (io.WriteCloser, error)) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := open(&b)
	require.NoError(t, err)
	_, err = w.Write(data)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

// compressXZ writes blocks of 100 bytes.
func compressXZ(t testing.TB, data []byte, check byte) []byte {
	t.Helper()
	return compress(t, data, func(w io.Writer) (io.WriteCloser, error) {
		return xz.WriterConfig{CheckSum: check, NoCheckSum: check == xz.None, BlockSize: 100, DictCap: 1 << 16}.NewWriter(w)
	})
}

// A bitWriter writes the most significant bit first.
type bitWriter struct {
	b    []byte
	free int // bits of the last byte
}

func (w *bitWriter) put(n int, v uint64) {
	for n--; n >= 0; n-- {
		if w.free == 0 {
			w.b, w.free = append(w.b, 0), 8
		}
		w.free--
		w.b[len(w.b)-1] |= byte(v>>n&1) << w.free
	}
}

// compressBzip2 writes one block with codes of two lengths. The standard library
// has no compressor.
func compressBzip2(data []byte) []byte {
	w := bitWriter{b: []byte("BZh9")}
	crc := uint32(0)
	if len(data) > 0 {
		crc = bzip2Block(&w, data)
	}
	w.put(48, 0x177245385090)
	w.put(32, uint64(crc))
	return w.b
}

func bzip2Block(w *bitWriter, data []byte) uint32 {
	crc := ^uint32(0)
	for _, c := range data {
		crc ^= uint32(c) << 24
		for range 8 {
			crc = crc<<1 ^ 0x04c11db7&-(crc>>31)
		}
	}
	crc = ^crc

	// Runs of four to 255 bytes are four of them and a count of the others.
	var runs []byte
	for i := 0; i < len(data); {
		n := 1
		for i+n < len(data) && data[i+n] == data[i] && n < 255 {
			n++
		}
		runs = append(runs, data[i:i+min(n, 4)]...)
		if n >= 4 {
			runs = append(runs, byte(n-4))
		}
		i += n
	}

	// The last column of all sorted rotations, and where the first one went.
	twice := slices.Concat(runs, runs)
	rotations := make([]int, len(runs))
	for i := range rotations {
		rotations[i] = i
	}
	slices.SortFunc(rotations, func(i, j int) int {
		return bytes.Compare(twice[i:i+len(runs)], twice[j:j+len(runs)])
	})

	// Move to front, with runs of zeros as numbers of the digits 1 and 2.
	used := slices.Compact(slices.Sorted(slices.Values(runs)))
	front := bytes.Clone(used)
	var symbols []int
	zeros := 0
	flush := func() {
		for ; zeros > 0; zeros = (zeros - 1) / 2 {
			symbols = append(symbols, (zeros-1)&1)
		}
	}
	for _, i := range rotations {
		c := twice[i+len(runs)-1]
		k := bytes.IndexByte(front, c)
		if k == 0 {
			zeros++
			continue
		}
		flush()
		symbols = append(symbols, k+1)
		copy(front[1:], front[:k])
		front[0] = c
	}
	flush()
	end := len(used) + 1
	symbols = append(symbols, end)

	w.put(48, 0x314159265359)
	w.put(32, uint64(crc))
	w.put(1+24, uint64(slices.Index(rotations, 0)))
	var groups uint64
	for _, c := range used {
		groups |= 0x8000 >> (c >> 4)
	}
	w.put(16, groups)
	for g := range 16 {
		if groups&(0x8000>>g) == 0 {
			continue
		}
		var set uint64
		for _, c := range used {
			if int(c>>4) == g {
				set |= 0x8000 >> (c & 15)
			}
		}
		w.put(16, set)
	}
	selectors := (len(symbols) + 49) / 50
	w.put(3, 2) // tables, at least two
	w.put(15, uint64(selectors))
	w.put(selectors, 0) // always the first
	// The first codes are one bit shorter, so that none is left over.
	length := bits.Len(uint(end))
	short := 1<<length - (end + 1)
	for range 2 {
		w.put(5, uint64(length-1))
		for s := range end + 1 {
			if s == short {
				w.put(2, 2) // one longer
			}
			w.put(1, 0)
		}
	}
	for _, s := range symbols {
		if s < short {
			w.put(length-1, uint64(s))
		} else {
			w.put(length, uint64(s+short))
		}
	}
	return crc
}
