package capture

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"

	"github.com/ibwire/ibwire/erf"
)

// detect finds out the format by the first bytes of the decompressed file.
func (r *Reader) detect() error {
	h := r.buf.peek(erf.HeaderSize)
	var err error
	switch magic, big := magicNumber(h); {
	case magic == magicPcap || magic == magicPcapNano || magic == magicPcapModified:
		r.format = FormatPcap
		r.container, err = newPcap(r, magic, big)
	case magic == blockSection:
		r.format = FormatPcapng
		r.container, err = newPcapng(r)
	case r.looksLikeERF():
		r.format = FormatERF
		r.container = newERF(r)
	default:
		err = r.unknown(h)
	}
	return err
}

// magicNumber returns the first four bytes in the byte order in which they are
// a magic number of pcap.
func magicNumber(h []byte) (uint32, bigEndian) {
	if len(h) < 4 {
		return 0, false
	}
	m := binary.LittleEndian.Uint32(h)
	if r := bits.ReverseBytes32(m); r>>16 == magicPcap>>16 {
		return r, true
	}
	return m, false
}

// unknown returns the error for a file that begins with h and is none of ours.
func (r *Reader) unknown(h []byte) error {
	if len(h) < erf.HeaderSize && r.buf.err != io.EOF {
		return r.cut("the file", 0, erf.HeaderSize, int64(len(h)))
	}
	e := &Error{
		File:  r.file,
		Found: fmt.Sprintf("bytes % x", h[:min(len(h), 8)]),
		Want:  "pcap, pcapng or ERF, plain or in gzip, bzip2, zstd or xz",
		Hint:  "if Wireshark opens it, convert it: editcap -F pcapng FILE OUT",
		Err:   ErrFormat,
	}
	switch {
	case len(h) == 0:
		e.Found, e.Hint = "no bytes", "the file is empty"
	case compressedWith(h) != "":
		e.Hint = "it is compressed twice: unpack it once"
	}
	return e
}

// Plausible ERF records have a type up to this one, or are padding. The types
// above are for internal use of the capture system.
const maxERFType = erf.TypeOmniPath

// looksLikeERF reports whether the file begins with ERF records. It looks at what
// has been read so far, since a pipe may hold no more for a long time; but while
// that is nothing but padding, which a card writes when it is idle, it reads on.
func (r *Reader) looksLikeERF() bool {
	for {
		b := r.buf.data[r.buf.pos:r.buf.end]
		is, undecided := isERF(b)
		if !undecided || len(b)+erf.HeaderSize > bufferSize || len(r.buf.peek(len(b)+1)) == len(b) {
			return is
		}
	}
}

// enoughRecords is how many records in a row are no accident: what is behind
// them and is none is damage.
const enoughRecords = 3

// isERF reports whether b, the first bytes of a file, looks like ERF records,
// which have no magic number. It looks at the records that are there whole and
// at the header of the one behind. It is undecided if they are all padding,
// which, in whole records to the end of the file, is a file without packets.
func isERF(b []byte) (is, undecided bool) {
	var last uint64 // time in seconds
	packets := 0
	for packets < enoughRecords && len(b) >= erf.HeaderSize {
		size := int(binary.BigEndian.Uint16(b[10:]))
		if size < erf.HeaderSize {
			return false, false
		}
		record := b[:min(size, len(b))]
		b = b[len(record):]
		if erf.Type(record[8]&^moreBit) == erf.TypePad {
			undecided = packets == 0
			is = len(b) == 0 && len(record) == size
			continue
		}
		sec := binary.LittleEndian.Uint64(record) >> 32
		if !plausible(record, size) || packets > 0 && !follows(last, sec) {
			return false, false
		}
		if packets == 0 && len(record) < size && !consistent(record, size) {
			return false, false
		}
		last, undecided = sec, false
		packets++
	}
	return packets > 0 || is, undecided
}

// plausible reports whether b, of which size bytes should be there, looks like
// an ERF record with a packet.
func plausible(b []byte, size int) bool {
	typ := erf.Type(b[8] &^ moreBit)
	_, whole := erfHeaderLen(b)
	return typ != erf.TypeLegacy && typ <= maxERFType && (whole || len(b) < size)
}

// follows reports whether a record of the second sec may stand behind one of
// the second last: records of several ports are not in strict order.
func follows(last, sec uint64) bool {
	const year = 365 * 24 * 3600
	return sec+1 >= last && sec <= last+year
}

// consistent looks closer at a first record if no other one supports it: its
// lengths must agree with the flag that says how they do.
func consistent(b []byte, size int) bool {
	const align = 8
	if !erf.Flags(b[9]).Has(erf.FlagVLen) {
		return size%align == 0
	}
	headers, whole := erfHeaderLen(b)
	return !whole || size < headers+int(binary.BigEndian.Uint16(b[14:]))+align
}
