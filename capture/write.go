package capture

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/ibwire/ibwire/erf"
	"github.com/ibwire/ibwire/linktype"
)

// A Writer writes a capture file. It is the counterpart of a Reader: it takes
// Records as Next returns them, and a file of the same format is the same byte
// for byte, apart from what only describes the file. That is the byte order,
// which is always little-endian here, and in pcapng the blocks that hold no
// packet, all options of sections, and all of interfaces but name, description and
// FCS length. Times are in microseconds where the source has them so, else in
// nanoseconds.
//
// A Record of one's own needs LinkType, Time, Length and Data, FCSLen, which is
// -1 if it is not known, and ERFTime if it is an ERF record. RecordTime and
// RecordLength are written if they are there, else Time and Length. In pcapng a
// packet without a time gets 1970.
//
// Each packet is one Write to the writer below. A Writer does not buffer. It
// belongs to one goroutine. Once the writer below has failed, so does every Write.
type Writer struct {
	w          io.Writer
	err        error // that every Write returns
	format     Format
	from       *Reader
	as         linktype.Type // 0: as each packet is
	resolution uint8         // 0: as fine as in the source
	onLoss     func(*Record, Loss)

	begun  bool
	first  interfaceKey // of the first packet
	ifaces []outInterface

	// In pcapng, the numbers of the interfaces of a section of the source, and of
	// all those that are written.
	section int
	ids     map[interfaceKey]int
	written map[writtenInterface]int

	loss   Loss       // of the packet at hand
	rec    Record     // the packet in another form
	record erf.Record // for taking packets out
	packet []byte     // Data of rec
	buf    []byte     // what is written next

	erf        *erf.Writer
	erfRecords int    // up to checkedRecords, without padding
	erfSecond  uint64 // of the last of them
}

// An interfaceKey tells the interfaces of a source apart. In pcapng an interface
// has one link type.
type interfaceKey struct {
	link           linktype.Type
	section, index int
}

// An outInterface is an interface that is written.
type outInterface struct {
	Interface
	finer bool // the source counts time in finer units than a Record does
}

// A WriterOption changes how a Writer writes.
type WriterOption func(*Writer)

// From has the interfaces described as in the file that r reads, of which each
// packet is written before the next is read: name, description, snap length, FCS
// length, and times in microseconds or, where they are in any other unit, in
// nanoseconds. Without it, times are in nanoseconds and there is no snap length.
func From(r *Reader) WriterOption {
	return func(w *Writer) { w.from = r }
}

// As has all packets written with the link type t. ERF records (linktype.ERF)
// become the packets that they hold, and packets ERF records:
//
//	linktype.InfiniBand   erf.TypeInfiniband
//	linktype.Ethernet     erf.TypeETH, and from the types with a color
//	linktype.IPv4         erf.TypeIPv4
//	linktype.IPv6         erf.TypeIPv6
//
// A record that is made from a packet has no padding. In FormatERF, t is
// linktype.ERF and nothing else.
func As(t linktype.Type) WriterOption {
	return func(w *Writer) { w.as = t }
}

// TimeResolution has times written in units of 10^-n s, instead of as finely as the
// source has them. n is 6 or 9; with any other one every Write is an error.
func TimeResolution(n uint8) WriterOption {
	return func(w *Writer) { w.resolution = n }
}

// OnLoss has f called with each packet of which something is lost in the file
// that is written, once it is written.
func OnLoss(f func(*Record, Loss)) WriterOption {
	return func(w *Writer) { w.onLoss = f }
}

// NewWriter returns a Writer of a file of format f to w. Nothing is written
// before the first packet or Close.
func NewWriter(w io.Writer, f Format, opts ...WriterOption) *Writer {
	out := &Writer{
		w: w, format: f, erf: erf.NewWriter(w),
		ids: make(map[interfaceKey]int), written: make(map[writtenInterface]int),
	}
	for _, o := range opts {
		o(out)
	}
	switch {
	case f == FormatERF:
		out.as = linktype.ERF
	case f != FormatPcap && f != FormatPcapng:
		out.err = fmt.Errorf("capture: there is no format %q to write: want %q, %q or %q", f, FormatPcap, FormatPcapng, FormatERF)
	}
	if n := out.resolution; n != 0 && n != microseconds && n != nanoseconds {
		out.err = fmt.Errorf("capture: times cannot be written in units of 10^-%d s: want %d or %d", n, microseconds, nanoseconds)
	}
	return out
}

// Write writes a packet. A packet that the file cannot hold is not written: the
// error is a *NotHeldError, and the next packet may be written. Any other error
// is that of the writer below, or of what NewWriter was given.
func (w *Writer) Write(rec *Record) error {
	if w.err != nil {
		return w.err
	}
	if len(rec.Data) > maxPacket {
		return notHeld(rec, "no reader takes a packet of more than %d bytes", maxPacket)
	}
	w.loss = w.unread(rec)
	out, err := w.convert(rec)
	if err != nil {
		return err
	}
	key := interfaceKey{out.LinkType, rec.Section, rec.Interface}
	if !w.begun {
		w.first = key
	}
	switch w.format {
	case FormatERF:
		err = w.writeERF(out)
	case FormatPcapng:
		err = w.writePcapng(out, key)
	default:
		err = w.writePcap(out, key)
	}
	if err != nil {
		if _, ok := errors.AsType[*NotHeldError](err); !ok {
			w.err = err
		}
		return err
	}
	w.begun = true
	if w.loss != 0 && w.onLoss != nil {
		w.onLoss(rec, w.loss)
	}
	return nil
}

// unread returns what the source says of its last packet, rec, that a Record has
// no field for.
func (w *Writer) unread(rec *Record) (l Loss) {
	if w.from == nil {
		return 0
	}
	switch c := w.from.container.(type) {
	case *pcap:
		if c.headerSize == modifiedHeaderSize {
			l |= LossModified
		}
	case *pcapng:
		if c.moreOptions {
			l |= LossOptions
		}
		if c.moreSection || w.losesDescription(rec) {
			l |= LossDescription
		}
	}
	return l
}

// losesDescription reports whether the interface of rec, which is from a pcapng
// file, is described by more than will be written.
func (w *Writer) losesDescription(rec *Record) bool {
	if rec.Interface < 0 || rec.Interface >= len(w.from.ifaces) {
		return false
	}
	in := &w.from.ifaces[rec.Interface]
	if in.more || w.format == FormatPcapng {
		return in.more
	}
	// ERF records name their port themselves, as this package describes it.
	isPort := rec.LinkType == linktype.ERF && len(rec.Data) >= erf.HeaderSize && in.Name == portNames[erf.Flags(rec.Data[9]).Interface()]
	return in.Description != "" || in.Name != "" && !isPort
}

// Close writes what a file without packets consists of, if no packet has been
// written. It does not close the writer below.
func (w *Writer) Close() error {
	if w.err != nil || w.begun || w.format == FormatERF {
		return w.err
	}
	w.begun = true
	link := w.as
	if link == 0 && w.from != nil && len(w.from.ifaces) > 0 {
		link = w.from.ifaces[0].link
	}
	if w.format == FormatPcapng {
		w.buf = appendSection(w.buf[:0])
	} else {
		w.buf = w.appendPcapHeader(w.buf[:0], 0, link)
	}
	_, err := w.w.Write(w.buf)
	return err
}

// describe returns the interface of the index i in the source, for packets of
// the given link type.
func (w *Writer) describe(i int, link linktype.Type) outInterface {
	if w.from == nil || i < 0 || i >= len(w.from.ifaces) {
		return outInterface{Interface: Interface{LinkType: link, Resolution: w.timeResolution(nanoseconds), FCSLen: -1}}
	}
	src := &w.from.ifaces[i]
	out := outInterface{Interface: src.Interface}
	out.LinkType, out.TimeOffset = link, 0
	switch { // what is no limit stays none
	case src.SnapLen == 0 || src.link == link:
	case link == linktype.ERF:
		out.SnapLen += uint32(newHeaderSize(src.link))
	case src.link == linktype.ERF:
		out.SnapLen = max(out.SnapLen, uint32(newHeaderSize(link))+1) - uint32(newHeaderSize(link))
	}
	out.finer = w.from.format == FormatPcapng && (src.units == 0 || src.units > 1e9)
	// The time of a packet that was in an ERF record was finer there.
	if src.Resolution != microseconds || src.link == linktype.ERF && link != linktype.ERF {
		out.Resolution = nanoseconds
	}
	out.Resolution = w.timeResolution(out.Resolution)
	return out
}

// timeResolution returns n unless an option says otherwise.
func (w *Writer) timeResolution(n uint8) uint8 {
	if w.resolution != 0 {
		return w.resolution
	}
	return n
}

// time returns the time of rec in seconds and a fraction, in the resolution of
// in. It rounds down. Seconds have the given number of bits.
func (w *Writer) time(rec *Record, in *outInterface, bits int) (sec uint64, fraction uint32) {
	t := rec.recordTime()
	s, ns := t.Unix(), t.Nanosecond()
	if s < 0 || s >= 1<<bits {
		w.loss |= LossTime
		return 0, 0
	}
	if in.finer && rec.LinkType != linktype.ERF {
		w.loss |= LossPrecision
	}
	if in.Resolution != microseconds {
		return uint64(s), uint32(ns)
	}
	if ns%1e3 != 0 && (rec.LinkType != linktype.ERF || !t.Equal(rec.ERFTime.Time())) {
		w.loss |= LossPrecision
	}
	return uint64(s), uint32(ns / 1e3)
}

// recordTime is RecordTime or, without it, Time.
func (rec *Record) recordTime() time.Time {
	if rec.RecordTime.IsZero() {
		return rec.Time
	}
	return rec.RecordTime
}

// wireLength returns the length of rec on the wire as it is written, in 32 bits.
func (w *Writer) wireLength(rec *Record) uint32 {
	n := rec.recordLength()
	if n < 0 || n > math.MaxUint32 {
		w.loss |= LossLength
		n = len(rec.Data)
	}
	return uint32(n)
}

// recordLength is RecordLength or, without it, Length.
func (rec *Record) recordLength() int {
	if rec.RecordLength == 0 {
		return rec.Length
	}
	return rec.RecordLength
}

// note notes a loss of the packet at hand, if there is one.
func (w *Writer) note(is bool, l Loss) {
	if is {
		w.loss |= l
	}
}

// compareInterface notes the loss of the interface of a packet, where the file
// has one for all. ERF records name it themselves.
func (w *Writer) compareInterface(key interfaceKey) {
	w.note(w.fromFormat() != FormatERF && (key.section != w.first.section || key.index != w.first.index), LossInterface)
}

// fromFormat returns the format of the source, "" if it is not known.
func (w *Writer) fromFormat() Format {
	if w.from == nil {
		return ""
	}
	return w.from.format
}

// buffer returns n bytes of undefined content for the packet in another form.
func (w *Writer) buffer(n int) []byte {
	w.packet = slices.Grow(w.packet[:0], n)[:n]
	return w.packet
}
