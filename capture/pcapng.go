package capture

import (
	"fmt"
	"math"
	"time"
)

// Types of pcapng blocks.
const (
	blockSection   = 0x0a0d0d0a // the same in both byte orders
	blockInterface = 1
	blockPacket    = 2 // obsolete
	blockSimple    = 3
	blockEnhanced  = 6
)

// Least sizes of pcapng blocks.
const (
	minBlock     = 12
	minSection   = 28
	minInterface = 20
	minSimple    = 16
	minPacket    = 32 // enhanced and obsolete
)

// byteOrderMagic is in the byte order of the section.
const byteOrderMagic = 0x1a2b3c4d

const (
	// maxBlock is the most bytes that a block with a packet or an interface may
	// have. Other blocks may have any length.
	maxBlock = bufferSize / 2
	// maxInterfaces bounds the interfaces of a section.
	maxInterfaces = 1 << 14
)

// pcapng reads pcapng files. A block is
//
//	type 4, total length 4, body, total length 4
//
// in the byte order of its section.
type pcapng struct {
	*Reader
	bigEndian
	section     int
	moreSection bool // the header of the section has options
}

// newPcapng reads the header of the first section.
func newPcapng(r *Reader) (container, error) {
	p := &pcapng{Reader: r}
	if err := p.readSection(0); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *pcapng) next(rec *Record) error {
	for {
		start := p.buf.offset()
		h := p.buf.peek(8)
		if len(h) < 8 {
			return p.cut("a block header", start, 8, int64(len(h)))
		}
		typ, length := p.uint32(h), p.uint32(h[4:])
		if typ == blockSection {
			if err := p.readSection(start); err != nil {
				return err
			}
			continue
		}
		if length < minBlock {
			return p.fail(start, fmt.Sprintf("a block of %d bytes", length), fmt.Sprintf("at least %d", minBlock),
				ErrDamaged, lost)
		}
		size := blockSize(length)
		ours := typ == blockInterface || typ == blockPacket || typ == blockSimple || typ == blockEnhanced
		if !ours || size > maxBlock {
			taken := p.buf.skip(size - 4)
			end := p.buf.peek(4)
			if taken += int64(len(end)); taken < size {
				return p.cut("a block", start, size, taken)
			}
			p.buf.pos += 4
			p.compareLengths(start, length, p.uint32(end))
			if ours {
				p.tooLarge(typ, start, size)
			} else {
				p.counts.Blocks++
			}
			continue
		}
		b := p.buf.peek(int(size))
		if int64(len(b)) < size {
			return p.cut("a block", start, size, int64(len(b)))
		}
		p.buf.pos += len(b)
		if p.readBlock(typ, start, b, rec) {
			return nil
		}
	}
}

// blockSize returns how many bytes a block takes. Some writers do not count the
// padding.
func blockSize(length uint32) int64 { return (int64(length) + 3) &^ 3 }

// readSection reads a section header at start.
func (p *pcapng) readSection(start int64) error {
	h := p.buf.peek(minSection)
	if len(h) < minSection {
		return p.cut("a section header", start, minSection, int64(len(h)))
	}
	switch m := h[8:12]; uint32(byteOrderMagic) {
	case bigEndian(false).uint32(m):
		p.bigEndian = false
	case bigEndian(true).uint32(m):
		p.bigEndian = true
	default:
		return p.fail(start, fmt.Sprintf("byte-order magic % x", m), "1a 2b 3c 4d or 4d 3c 2b 1a",
			ErrDamaged, "a file transfer in text mode does this")
	}
	length := p.uint32(h[4:])
	if length < minSection {
		return p.fail(start, fmt.Sprintf("a section header of %d bytes", length), fmt.Sprintf("at least %d", minSection),
			ErrDamaged, lost)
	}
	if major := p.uint16(h[12:]); major != 1 {
		return p.fail(start, fmt.Sprintf("pcapng version %d.%d", major, p.uint16(h[14:])), "1.x",
			ErrFormat, "a newer Wireshark may be able to convert it")
	}
	p.moreSection = length > minSection && p.uint16(h[24:]) != optionEnd
	size := blockSize(length)
	if taken := p.buf.skip(size); taken < size {
		return p.cut("a section header", start, size, taken)
	}
	p.section++
	p.ifaces = p.ifaces[:0]
	return nil
}

// tooLarge reports a block that was skipped because of its size.
func (p *pcapng) tooLarge(typ uint32, start, size int64) {
	found, want := fmt.Sprintf("a block of %d bytes", size), fmt.Sprintf("at most %d", maxBlock)
	if typ == blockInterface {
		p.unknownInterface(start, found, want)
	} else {
		p.damaged(start, found, want)
	}
}

// damaged warns of a block that is skipped.
func (p *pcapng) damaged(start int64, found, want string) {
	e := p.fail(start, found, want, ErrDamaged, "the block is skipped")
	e.Lost = true
	p.warn(e)
}

// compareLengths warns of a block whose two lengths differ.
func (p *pcapng) compareLengths(start int64, first, last uint32) {
	if first != last && blockSize(first) != int64(last) {
		p.warn(p.fail(start, fmt.Sprintf("length %d at the end of a block", last), fmt.Sprint(first),
			ErrDamaged, "the first length is used"))
	}
}

// readBlock reads the block b, which has at least minBlock bytes. It reports
// whether that is a packet, which is then in rec.
func (p *pcapng) readBlock(typ uint32, start int64, b []byte, rec *Record) bool {
	p.compareLengths(start, p.uint32(b[4:]), p.uint32(b[len(b)-4:]))
	least := minPacket
	switch typ {
	case blockInterface:
		p.readInterface(start, b)
		return false
	case blockSimple:
		least = minSimple
	}
	if len(b) < least {
		p.damaged(start, fmt.Sprintf("a packet block of %d bytes", len(b)), fmt.Sprintf("at least %d", least))
		return false
	}
	id := uint32(0)
	switch typ {
	case blockEnhanced:
		id = p.uint32(b[8:])
	case blockPacket:
		id = uint32(p.uint16(b[8:]))
	}
	if int64(id) >= int64(len(p.ifaces)) || p.ifaces[id].unknown {
		p.damaged(start, fmt.Sprintf("a packet of interface %d", id),
			fmt.Sprintf("one of the %d described before", len(p.ifaces)))
		return false
	}
	f := &p.ifaces[id]
	rec.FCSLen = f.FCSLen
	if !p.readPacket(typ, f, start, b, rec) {
		return false
	}
	rec.Offset = start
	rec.LinkType = f.link
	rec.Section, rec.Interface = p.section, int(id)
	rec.Time = rec.RecordTime
	rec.readERF()
	return true
}

// readPacket reads the packet of the block b of interface f. It reports whether
// the packet fits the block.
func (p *pcapng) readPacket(typ uint32, f *iface, start int64, b []byte, rec *Record) bool {
	var captured, length uint32
	var data []byte
	if typ == blockSimple { // says neither how much was captured, nor when
		length, data = p.uint32(b[8:]), b[12:len(b)-4]
		captured = min(length, uint32(len(data)))
		if f.SnapLen > 0 {
			captured = min(captured, f.SnapLen)
		}
		rec.RecordTime = time.Time{}
	} else {
		captured, length, data = p.uint32(b[20:]), p.uint32(b[24:]), b[28:len(b)-4]
		rec.RecordTime = f.time(uint64(p.uint32(b[12:]))<<32 | uint64(p.uint32(b[16:])))
	}
	if room := min(len(data), maxPacket); int64(captured) > int64(room) {
		p.damaged(start, fmt.Sprintf("a packet of %d bytes", captured), fmt.Sprintf("at most %d", room))
		return false
	}
	n := int(captured)
	p.moreOptions = false
	if padded := (n + 3) &^ 3; typ != blockSimple && padded < len(data) {
		rec.FCSLen = p.packetFCSLen(data[padded:], rec.FCSLen)
		p.moreOptions = p.hasMoreOptions(data[padded:])
	}
	rec.Length = int(min(length, math.MaxInt32))
	rec.Data = data[:n:n]
	return true
}
