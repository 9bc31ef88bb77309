package capture

import (
	"bufio"
	"compress/bzip2"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// rawBufferSize is the size of the buffer in front of decompression. Reads of
// files that are not compressed bypass it.
const rawBufferSize = 64 << 10

// maxWindow is the most memory that a compressed file may ask for, as in the
// zstd tool. The largest dictionary of the xz tool has half of it.
const maxWindow = 128 << 20

// compressions are known by the bytes they begin with.
var compressions = []struct{ name, magic string }{
	{"gzip", "\x1f\x8b\x08"},
	{"bzip2", "BZh"},
	{"zstd", "\x28\xb5\x2f\xfd"},
	{"zstd", "\x50\x2a\x4d\x18"}, // a frame to skip, as pzstd writes
	{"xz", xzMagic},
}

// compressedWith returns the name of the compression of a file that begins with
// h, or "".
func compressedWith(h []byte) string {
	for _, c := range compressions {
		if strings.HasPrefix(string(h), c.magic) {
			return c.name
		}
	}
	return ""
}

// decompress sets where the buffer reads from.
func (r *Reader) decompress(in *bufio.Reader) (err error) {
	h, _ := in.Peek(len(xzMagic)) // the buffer will meet the error again
	r.compression = compressedWith(h)
	switch r.compression {
	case "gzip":
		r.buf.src, err = gzip.NewReader(in)
	case "bzip2":
		r.buf.src = bzip2.NewReader(in)
	case "zstd":
		r.buf.src, err = r.openZstd(in)
	case "xz":
		r.buf.src = &xzReader{in: counter{r: in}}
	default:
		r.buf.src = in
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return &Error{File: r.file, Found: fmt.Sprintf("bytes % x", h), Want: "a whole " + r.compression + " header", Err: err}
	}
	return nil
}

// openZstd reads in the caller's goroutine, because a goroutine of its own would
// read ahead.
func (r *Reader) openZstd(in *bufio.Reader) (io.Reader, error) {
	d, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow),
		zstd.WithDecoderLowmem(true), zstd.WithDecodeBuffersBelow(0))
	if err != nil {
		return nil, err
	}
	r.closers = append(r.closers, func() error { d.Close(); return nil })
	return d, nil
}
