package capture

import (
	"encoding/binary"
	"fmt"

	"github.com/ibwire/ibwire/erf"
	"github.com/ibwire/ibwire/linktype"
)

// moreBit in a type byte says that an extension header follows.
const moreBit = 0x80

// readERF sets ERFTime and Length from the ERF header in Data, and RecordLength
// to the Length that there was. It reports whether there is one.
func (rec *Record) readERF() bool {
	if rec.LinkType != linktype.ERF || len(rec.Data) < erf.HeaderSize {
		rec.ERFTime, rec.RecordLength = 0, 0
		return false
	}
	rec.ERFTime = erf.Timestamp(binary.LittleEndian.Uint64(rec.Data))
	n, _ := erfHeaderLen(rec.Data)
	rec.RecordLength = rec.Length
	rec.Length = n + int(binary.BigEndian.Uint16(rec.Data[14:]))
	return true
}

// erfHeaderLen returns the length of all headers of the ERF record b, or len(b)
// and false if b ends in them.
func erfHeaderLen(b []byte) (n int, whole bool) {
	n = erf.HeaderSize
	for more := b[8]&moreBit != 0; more; n += erf.ExtHeaderSize {
		if n >= len(b) {
			return len(b), false
		}
		more = b[n]&moreBit != 0
	}
	n += erf.Type(b[8] &^ moreBit).SubHeaderSize()
	return min(n, len(b)), n <= len(b)
}

// portNames are the names of the interfaces of ERF records.
var portNames = [...]string{"Port A", "Port B", "Port C", "Port D"}

// erfFile reads files of ERF records.
type erfFile struct{ *Reader }

func newERF(r *Reader) container {
	for _, name := range portNames {
		r.addInterface(Interface{
			Name: name, LinkType: linktype.ERF, Resolution: binaryBit | 32, FCSLen: -1,
		})
	}
	return erfFile{r}
}

func (e erfFile) next(rec *Record) error {
	for {
		start := e.buf.offset()
		h := e.buf.peek(erf.HeaderSize)
		if len(h) < erf.HeaderSize {
			return e.cut("an ERF record header", start, erf.HeaderSize, int64(len(h)))
		}
		size := int(binary.BigEndian.Uint16(h[10:]))
		if size < erf.HeaderSize {
			return e.fail(start, fmt.Sprintf("an ERF record of %d bytes", size), fmt.Sprintf("at least %d", erf.HeaderSize),
				ErrDamaged, lost)
		}
		b := e.buf.peek(size)
		if len(b) < size {
			return e.cut("an ERF record", start, int64(size), int64(len(b)))
		}
		e.buf.pos += size
		// With extension headers it has something to say and is no padding.
		if erf.Type(b[8]) == erf.TypePad {
			e.counts.Pads++
			continue
		}
		rec.Offset = start
		rec.LinkType = linktype.ERF
		rec.Section, rec.Interface = 1, erf.Flags(b[9]).Interface()
		rec.FCSLen = -1
		rec.Data = b[:size:size]
		rec.readERF()
		rec.RecordLength = 0
		rec.RecordTime = rec.ERFTime.Time()
		rec.Time = rec.RecordTime
		return nil
	}
}
