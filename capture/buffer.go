package capture

import "io"

// Sizes of the read buffer: for small files, and as soon as the first one is
// full. Every record that this package accepts fits the second.
const (
	smallBufferSize = 64 << 10
	bufferSize      = 1 << 20
)

// A buffer reads ahead of the records, which are handed out as parts of it. It
// never waits for more bytes than were asked for.
type buffer struct {
	src      io.Reader
	data     []byte
	pos, end int   // data[pos:end] is read and not taken yet
	base     int64 // offset in the file of data[0]
	err      error // of src, behind data[:end]

	// swap, if it is set, has records last longer than until the next one is read:
	// it returns other memory for data, of which records have been handed out.
	swap   func() []byte
	handed bool
}

// offset returns where in the file the next byte to take is.
func (b *buffer) offset() int64 { return b.base + int64(b.pos) }

// peek returns the next n bytes, n <= bufferSize, without taking them. Fewer
// are returned only if err says why.
func (b *buffer) peek(n int) []byte {
	if b.end-b.pos < n {
		return b.fill(n)
	}
	return b.data[b.pos : b.pos+n]
}

// fill is peek when bytes have to be read.
func (b *buffer) fill(n int) []byte {
	for empty := 0; b.end-b.pos < n && b.err == nil; {
		if b.pos == b.end || b.pos+n > len(b.data) {
			b.makeRoom(n)
		}
		var got int
		got, b.err = b.src.Read(b.data[b.end:])
		b.end += got
		if empty++; got > 0 {
			empty = 0
		} else if empty == 100 && b.err == nil {
			b.err = io.ErrNoProgress
		}
	}
	return b.data[b.pos:min(b.pos+n, b.end)]
}

// makeRoom moves what is not taken to the front.
func (b *buffer) makeRoom(n int) {
	to := b.data
	switch {
	case b.swap != nil && b.handed:
		to, b.handed = b.swap(), false
	case len(to) < bufferSize && (b.end == len(to) || n > len(to)):
		to = make([]byte, bufferSize)
	}
	b.base += int64(b.pos)
	b.end = copy(to, b.data[b.pos:b.end])
	b.pos, b.data = 0, to
}

// skip takes n bytes, however many, and returns how many were there.
func (b *buffer) skip(n int64) (taken int64) {
	for {
		k := min(n-taken, int64(b.end-b.pos))
		b.pos += int(k)
		taken += k
		if taken == n || len(b.fill(1)) == 0 {
			return taken
		}
	}
}
