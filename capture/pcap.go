package capture

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"time"

	"github.com/ibwire/ibwire/linktype"
)

// Magic numbers of pcap.
const (
	magicPcap         = 0xa1b2c3d4
	magicPcapNano     = 0xa1b23c4d
	magicPcapModified = 0xa1b2cd34
)

// Sizes in a pcap file.
const (
	pcapHeaderSize   = 24
	recordHeaderSize = 16
	// In modified files, interface, protocol and packet type follow.
	modifiedHeaderSize = 24
)

// bigEndian is the byte order of a file or section.
type bigEndian bool

func (big bigEndian) uint16(b []byte) uint16 {
	v := binary.LittleEndian.Uint16(b)
	if big {
		v = bits.ReverseBytes16(v)
	}
	return v
}

func (big bigEndian) uint32(b []byte) uint32 {
	v := binary.LittleEndian.Uint32(b)
	if big {
		v = bits.ReverseBytes32(v)
	}
	return v
}

// pcap reads pcap files.
//
// The link-type word is the link type in its low 16 bits and, if bit 26 is set,
// the length of the FCS in units of 16 bits in its top four.
type pcap struct {
	*Reader
	bigEndian
	headerSize int
	fraction   int64 // nanoseconds of a unit of the fraction
	// Up to version 2.2 the two lengths stood the other way round. In version
	// 2.3 that depends on who wrote the file.
	swapped, maybeSwapped bool
	link                  linktype.Type
	fcsLen                int
}

// newPcap reads the file header.
func newPcap(r *Reader, magic uint32, big bigEndian) (container, error) {
	h := r.buf.peek(pcapHeaderSize)
	if len(h) < pcapHeaderSize {
		return nil, r.cut("the file header", 0, pcapHeaderSize, int64(len(h)))
	}
	p := &pcap{Reader: r, bigEndian: big, headerSize: recordHeaderSize, fraction: 1e3, fcsLen: -1}
	resolution := microseconds
	switch magic {
	case magicPcapNano:
		p.fraction, resolution = 1, nanoseconds
	case magicPcapModified:
		p.headerSize = modifiedHeaderSize
	}
	major, minor := p.uint16(h[4:]), p.uint16(h[6:])
	switch {
	case major == 2:
		p.swapped, p.maybeSwapped = minor < 3, minor == 3
	case major == 543: // tcpdump of DG/UX
		p.swapped = true
	default:
		r.warn(r.fail(4, fmt.Sprintf("pcap version %d.%d", major, minor), "2.4", ErrDamaged, "read as 2.4"))
	}
	word := p.uint32(h[20:])
	if word&(1<<26) != 0 {
		p.fcsLen = int(word >> 28 * 2)
	}
	if reserved := word & 0x0bff0000; reserved != 0 {
		r.warn(r.fail(20, fmt.Sprintf("reserved bits %#x in the link-type word", reserved), "none",
			ErrDamaged, fmt.Sprintf("read as link type %v", linktype.Type(word))))
	}
	p.link = r.addInterface(Interface{
		LinkType: linktype.Type(word), SnapLen: p.uint32(h[16:]), Resolution: resolution, FCSLen: p.fcsLen,
	}).link
	r.buf.pos += pcapHeaderSize
	return p, nil
}

func (p *pcap) next(rec *Record) error {
	start := p.buf.offset()
	h := p.buf.peek(p.headerSize)
	if len(h) < p.headerSize {
		return p.cut("a record header", start, int64(p.headerSize), int64(len(h)))
	}
	sec, fraction := p.uint32(h), p.uint32(h[4:])
	captured, length := p.uint32(h[8:]), p.uint32(h[12:])
	if p.swapped || p.maybeSwapped && captured > length {
		captured, length = length, captured
	}
	if captured > maxPacket {
		return p.fail(start, fmt.Sprintf("a packet of %d bytes", captured), fmt.Sprintf("at most %d", maxPacket),
			ErrDamaged, lost)
	}
	size := p.headerSize + int(captured)
	b := p.buf.peek(size)
	if len(b) < size {
		return p.cut("a record", start, int64(size), int64(len(b)))
	}
	p.buf.pos += size

	rec.Offset = start
	rec.LinkType = p.link
	rec.Section, rec.Interface = 1, 0
	rec.RecordTime = time.Unix(int64(sec), int64(fraction)*p.fraction).UTC()
	rec.Time = rec.RecordTime
	rec.Length = int(min(length, math.MaxInt32))
	rec.FCSLen = p.fcsLen
	rec.Data = b[p.headerSize:size:size]
	if rec.readERF() {
		rec.Time = rec.ERFTime.Time()
	}
	return nil
}
