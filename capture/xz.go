package capture

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"hash/crc64"
	"io"
	"slices"

	"github.com/ulikunitz/xz/lzma"
)

// xzMagic is what a stream of an xz file begins with.
const xzMagic = "\xfd7zXZ\x00"

// Parts of an xz stream.
const (
	xzHeaderSize  = 12
	xzFooterSize  = 12
	xzFilterLZMA2 = 0x21
)

var errXZ = errors.New("xz: damaged data")

// A counter counts the bytes read.
type counter struct {
	r *bufio.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

func (c *counter) ReadByte() (byte, error) {
	b, err := c.r.ReadByte()
	if err == nil {
		c.n++
	}
	return b, err
}

// An xzReader reads an xz file: streams of blocks, each of them LZMA2 data and a
// check of what was compressed. Package lzma reads the data. Package xz is not
// used for the rest because it allocates a dictionary of up to 4 GiB if a block
// says so.
type xzReader struct {
	in       counter
	inStream bool
	newCheck func() hash.Hash // of the stream, nil if it is not known here
	checkLen int64
	block    io.Reader // nil between blocks
	start    int64     // of the data of the block
	check    hash.Hash
}

// Read never fills a large p, so that what is there is delivered early.
func (x *xzReader) Read(p []byte) (int, error) {
	if x.block == nil {
		if err := x.nextBlock(); err != nil {
			return 0, err
		}
	}
	n, err := x.block.Read(p[:min(len(p), rawBufferSize)])
	if x.check != nil {
		x.check.Write(p[:n])
	}
	if err == io.EOF {
		x.block = nil
		err = x.endBlock()
	}
	return n, err
}

// nextBlock reads up to the data of the next block. It returns io.EOF behind the
// last stream.
func (x *xzReader) nextBlock() error {
	for {
		if !x.inStream {
			if err := x.streamHeader(); err != nil {
				return err
			}
			x.inStream = true
		}
		size, err := x.in.ReadByte()
		if err != nil {
			return cutXZ(err)
		}
		if size != 0 {
			return cutXZ(x.blockHeader(size))
		}
		if err := x.indexAndFooter(); err != nil {
			return cutXZ(err)
		}
		x.inStream = false
	}
}

// cutXZ turns the end of the file into io.ErrUnexpectedEOF.
func cutXZ(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// streamHeader reads a stream header and the padding before it, groups of four
// zeros. It returns io.EOF if there is none.
func (x *xzReader) streamHeader() error {
	var h [xzHeaderSize]byte
	for {
		if _, err := io.ReadFull(&x.in, h[:4]); err != nil {
			return err
		}
		if h[0] != 0 {
			break
		}
	}
	if _, err := io.ReadFull(&x.in, h[4:]); err != nil {
		return cutXZ(err)
	}
	if string(h[:6]) != xzMagic || h[6] != 0 || crc32.ChecksumIEEE(h[6:8]) != binary.LittleEndian.Uint32(h[8:]) {
		return fmt.Errorf("%w: no stream header", errXZ)
	}
	kind := h[7]
	if kind > 15 {
		return fmt.Errorf("%w: check of kind %d", errXZ, kind)
	}
	x.newCheck, x.checkLen = nil, 0
	if kind > 0 {
		x.checkLen = 4 << ((kind - 1) / 3)
	}
	switch kind {
	case 1:
		x.newCheck = func() hash.Hash { return crc32.NewIEEE() }
	case 4:
		x.newCheck = func() hash.Hash { return crc64.New(crc64.MakeTable(crc64.ECMA)) }
	case 10:
		x.newCheck = sha256.New
	}
	return nil
}

// blockHeader reads the rest of a block header behind its size byte.
func (x *xzReader) blockHeader(size byte) error {
	h := make([]byte, (int(size)+1)*4)
	h[0] = size
	if _, err := io.ReadFull(&x.in, h[1:]); err != nil {
		return err
	}
	end := len(h) - crc32.Size
	if crc32.ChecksumIEEE(h[:end]) != binary.LittleEndian.Uint32(h[end:]) {
		return fmt.Errorf("%w: checksum of a block header", errXZ)
	}
	flags, r := h[1], bytes.NewReader(h[2:end])
	for _, present := range []byte{0x40, 0x80} { // compressed and uncompressed size
		if flags&present != 0 {
			if _, err := binary.ReadUvarint(r); err != nil {
				return fmt.Errorf("%w: block header", errXZ)
			}
		}
	}
	var filter [3]byte // type, length of properties, dictionary size
	io.ReadFull(r, filter[:])
	if flags&0x3f != 0 || filter[0] != xzFilterLZMA2 || filter[1] != 1 {
		return errors.New("xz: a block has a filter other than LZMA2")
	}
	dict, err := lzma.DecodeDictCap(filter[2])
	if err != nil {
		return err
	}
	if dict > maxWindow {
		return fmt.Errorf("xz: dictionary of %d bytes, more than %d", dict, maxWindow)
	}
	x.start = x.in.n
	x.check = nil
	if x.newCheck != nil {
		x.check = x.newCheck()
	}
	x.block, err = lzma.Reader2Config{DictCap: int(dict)}.NewReader2(&x.in)
	return err
}

// endBlock reads the padding and the check behind the data of a block.
func (x *xzReader) endBlock() error {
	sum := make([]byte, x.checkLen)
	if err := x.discard(-(x.in.n - x.start) & 3); err != nil {
		return err
	}
	if _, err := io.ReadFull(&x.in, sum); err != nil {
		return cutXZ(err)
	}
	if x.check == nil {
		return nil
	}
	have := x.check.Sum(nil)
	if len(have) != sha256.Size { // CRCs are little-endian
		slices.Reverse(have)
	}
	if !bytes.Equal(have, sum) {
		return fmt.Errorf("%w: checksum of a block", errXZ)
	}
	return nil
}

// indexAndFooter passes over the end of a stream, behind the zero that the index
// begins with.
func (x *xzReader) indexAndFooter() error {
	start := x.in.n - 1
	records, err := binary.ReadUvarint(&x.in)
	for ; err == nil && records > 0; records-- {
		if _, err = binary.ReadUvarint(&x.in); err == nil {
			_, err = binary.ReadUvarint(&x.in)
		}
	}
	if err != nil {
		return err
	}
	if err := x.discard(-(x.in.n-start)&3 + crc32.Size); err != nil {
		return err
	}
	var footer [xzFooterSize]byte
	if _, err := io.ReadFull(&x.in, footer[:]); err != nil {
		return err
	}
	if string(footer[10:]) != "YZ" || crc32.ChecksumIEEE(footer[4:10]) != binary.LittleEndian.Uint32(footer[:]) {
		return fmt.Errorf("%w: no stream footer", errXZ)
	}
	return nil
}

// discard passes over n bytes.
func (x *xzReader) discard(n int64) error {
	_, err := io.CopyN(io.Discard, &x.in, n)
	return cutXZ(err)
}
