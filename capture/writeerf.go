package capture

import (
	"bytes"
	"encoding/binary"
	"math"
	"time"

	"github.com/google/gopacket"

	"github.com/ibwire/ibwire/erf"
	"github.com/ibwire/ibwire/linktype"
)

// be is the byte order of ERF, apart from its time.
var be = binary.BigEndian

// writeERF writes an ERF record to a file of them. The package erf adds the
// padding that pcap files leave out; other lengths that disagree with what is
// there cannot stay, since the next record is found by them.
func (w *Writer) writeERF(rec *Record) error {
	b := rec.Data
	if len(b) > math.MaxUint16 {
		return tooLong(rec)
	}
	n, whole := 0, false
	if len(b) >= erf.HeaderSize {
		n, whole = erfHeaderLen(b)
	}
	if !whole {
		return notHeld(rec, "an ERF file has no records that are cut in their headers")
	}
	pad := b[8] == uint8(erf.TypePad)
	size := int(be.Uint16(b[10:]))
	cut := len(b)-n < int(be.Uint16(b[14:]))
	wrong := size < len(b) || size > len(b) && cut
	if wrong {
		size = len(b)
	}
	if size == erf.HeaderSize && !pad {
		return notHeld(rec, "an ERF file has no records of %d bytes: Wireshark takes them for damage", size)
	}
	w.compareInterface(interfaceKey{rec.LinkType, rec.Section, rec.Interface})
	w.checkOrder(b)
	w.note(pad, LossPad)
	w.note(rec.FCSLen >= 0, LossFCSLen)
	w.note(rec.recordLength() != rec.Length && rec.recordLength() != len(b), LossLength)
	w.note(!w.sameTime(rec), LossRecordTime)
	w.note(wrong, LossRecordLength)
	if wrong {
		p := w.buffer(size)
		copy(p, b)
		be.PutUint16(p[10:], uint16(size))
		b = p
	}
	return w.erf.WritePacket(gopacket.CaptureInfo{}, b)
}

// checkedRecords is how many records at the beginning Wireshark looks at to know
// a file of ERF records, which has no other mark.
const checkedRecords = 20

// checkOrder notes that an ERF record will not be taken for one.
func (w *Writer) checkOrder(b []byte) {
	typ := erf.Type(b[8] &^ moreBit)
	if w.erfRecords == checkedRecords || typ == erf.TypePad {
		return
	}
	sec := le.Uint64(b) >> 32
	if w.erfRecords > 0 && !follows(w.erfSecond, sec) || typ == erf.TypeLegacy {
		w.loss |= LossFormat
	}
	w.erfRecords++
	w.erfSecond = sec
}

// tooLong returns the error for a packet that fits no ERF record.
func tooLong(rec *Record) error {
	return notHeld(rec, "an ERF record has at most %d bytes", math.MaxUint16)
}

// sameTime reports whether the times of an ERF record and of the record or block
// around it are the same, as far as the unit of the latter allows.
func (w *Writer) sameTime(rec *Record) bool {
	unit := 2 * time.Nanosecond // some writers round, some do not
	if w.from != nil && rec.Interface >= 0 && rec.Interface < len(w.from.ifaces) {
		if n := w.from.ifaces[rec.Interface].units; n > 0 {
			unit = max(unit, time.Duration(uint64(time.Second)/n))
		}
	}
	return rec.recordTime().Sub(rec.ERFTime.Time()).Abs() < unit
}

// convert returns rec in the form in which it is written: with the link type
// that is asked for, and without the padding of ERF files.
func (w *Writer) convert(rec *Record) (*Record, error) {
	switch {
	case w.as != 0 && rec.LinkType != w.as && w.as == linktype.ERF:
		return w.wrap(rec)
	case w.as != 0 && rec.LinkType != w.as:
		return w.unwrap(rec)
	case w.format != FormatERF && w.fromFormat() == FormatERF && rec.LinkType == linktype.ERF:
		return w.unpad(rec), nil
	}
	return rec, nil
}

// unpad returns an ERF record without padding of zeros, as Wireshark has it in
// pcap and pcapng. Its rlen still counts it.
func (w *Writer) unpad(rec *Record) *Record {
	w.rec = *rec
	if n := min(rec.Length, len(rec.Data)); isZero(rec.Data[n:]) {
		w.rec.Data = rec.Data[:n]
	}
	w.rec.RecordLength = max(rec.Length, len(w.rec.Data))
	return &w.rec
}

func isZero(b []byte) bool { return len(bytes.TrimLeft(b, "\x00")) == 0 }

// recordTypes are the types of ERF records that packets are put in.
var recordTypes = map[linktype.Type]erf.Type{
	linktype.Ethernet:   erf.TypeETH,
	linktype.IPv4:       erf.TypeIPv4,
	linktype.IPv6:       erf.TypeIPv6,
	linktype.InfiniBand: erf.TypeInfiniband,
}

// newHeaderSize returns the length of the ERF headers of a packet that is put
// in a record.
func newHeaderSize(link linktype.Type) int {
	return erf.HeaderSize + recordTypes[link].SubHeaderSize()
}

// wrap puts a packet in an ERF record.
func (w *Writer) wrap(rec *Record) (*Record, error) {
	typ, ok := recordTypes[rec.LinkType]
	if !ok {
		return nil, notHeld(rec, "there is no type of ERF record for packets of link type %v", rec.LinkType)
	}
	headers := newHeaderSize(rec.LinkType)
	size := headers + len(rec.Data)
	if size > math.MaxUint16 {
		return nil, tooLong(rec)
	}
	// Less than len(rec.Data), and bytes would be no more of the packet.
	wlen := min(max(rec.Length, len(rec.Data)), math.MaxUint16)
	w.note(wlen != rec.Length, LossLength)
	sec := rec.recordTime().Unix()
	w.note(sec < 0 || sec > math.MaxUint32, LossTime)
	w.rec = *rec
	w.rec.LinkType = linktype.ERF
	w.rec.ERFTime = erf.TimestampOf(rec.recordTime())
	w.rec.Time = w.rec.ERFTime.Time()
	w.rec.Length = headers + wlen
	w.rec.Data = w.buffer(size)
	p := w.rec.Data
	le.PutUint64(p, uint64(w.rec.ERFTime))
	p[8], p[9] = uint8(typ), uint8(erf.FlagVLen)
	be.PutUint16(p[10:], uint16(size))
	be.PutUint16(p[12:], 0)
	be.PutUint16(p[14:], uint16(wlen))
	clear(p[erf.HeaderSize:headers])
	copy(p[headers:], rec.Data)
	return &w.rec, nil
}

// unwrap takes the packet out of an ERF record.
func (w *Writer) unwrap(rec *Record) (*Record, error) {
	if rec.LinkType != linktype.ERF {
		return nil, notHeld(rec, "packets of link type %v cannot become %v", rec.LinkType, w.as)
	}
	r := &w.record
	if r.DecodeFromBytes(rec.Data, gopacket.NilDecodeFeedback) != nil {
		return nil, notHeld(rec, "the headers of an ERF record are cut")
	}
	want, ok := recordTypes[w.as]
	if typ := plainType(r.Type); !ok || typ != want {
		return nil, notHeld(rec, "ERF records of type %v hold no packets of link type %v", r.Type, w.as)
	}
	w.rec = *rec
	w.rec.LinkType = w.as
	w.rec.Data = r.Payload
	w.rec.Length, w.rec.RecordLength = int(r.WLen), 0
	if w.sameTime(rec) {
		w.rec.Time = rec.ERFTime.Time() // the finer one
		if erf.TimestampOf(w.rec.Time) != rec.ERFTime {
			w.loss |= LossPrecision
		}
	} else {
		w.loss |= LossRecordTime
	}
	w.rec.RecordTime = w.rec.Time
	w.noteHeaders(r)
	return &w.rec, nil
}

// plainType returns the type of the records with the same kind of packet but
// without a color.
func plainType(t erf.Type) erf.Type {
	switch t {
	case erf.TypeColorETH, erf.TypeDSMColorETH, erf.TypeColorHashETH:
		return erf.TypeETH
	}
	return t
}

// noteHeaders notes what is lost of a record with its headers.
func (w *Writer) noteHeaders(r *erf.Record) {
	named := w.format == FormatPcapng && w.fromFormat() == FormatERF // each port is an interface there
	w.note(r.Flags&^erf.FlagInterface != erf.FlagVLen, LossFlags)
	w.note(r.Flags.Has(erf.FlagInterface) && !named, LossInterface)
	w.note(len(r.Ext) > 0, LossExtHeaders)
	w.note(r.Type.HasColor(), LossColor)
	w.note(!r.Type.HasColor() && r.LCtr != 0, LossCounter)
	w.note(!isZero(r.SubHeader), LossSubHeader)
	w.note(!isZero(r.Trailer), LossTrailer)
}
