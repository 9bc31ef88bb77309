package capture_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/capture"
	"github.com/ibwire/ibwire/erf"
	"github.com/ibwire/ibwire/linktype"
)

// order is a byte order to write in.
type order interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

var orders = []struct {
	name string
	order
}{{"little", binary.LittleEndian}, {"big", binary.BigEndian}}

// A pcapHeader is the header of a pcap file; zero values are the usual ones.
type pcapHeader struct {
	order        order
	magic        uint32
	major, minor uint16
	snapLen      uint32
	link         uint32
}

func (h pcapHeader) bytes() []byte {
	o := h.order
	b := o.AppendUint32(nil, orDefault(h.magic, 0xa1b2c3d4))
	b = o.AppendUint16(b, orDefault(h.major, 2))
	b = o.AppendUint16(b, orDefault(h.minor, 4))
	b = append(b, make([]byte, 8)...)
	b = o.AppendUint32(b, h.snapLen)
	return o.AppendUint32(b, orDefault(h.link, 247))
}

func orDefault[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

// pcapRecord returns a record of data with the length it had on the wire. extra
// stands between header and data.
func pcapRecord(o order, sec, fraction uint32, length int, data []byte, extra ...byte) []byte {
	b := o.AppendUint32(nil, sec)
	b = o.AppendUint32(b, fraction)
	b = o.AppendUint32(b, uint32(len(data)))
	b = o.AppendUint32(b, uint32(length))
	return slices.Concat(b, extra, data)
}

// block returns a pcapng block.
func block(o order, typ uint32, body ...[]byte) []byte {
	all := pad4(bytes.Join(body, nil))
	n := uint32(len(all) + 12)
	b := o.AppendUint32(nil, typ)
	b = o.AppendUint32(b, n)
	return o.AppendUint32(append(b, all...), n)
}

func pad4(b []byte) []byte { return append(bytes.Clone(b), make([]byte, -len(b)&3)...) }

func u16s(o order, v ...uint16) (b []byte) {
	for _, v := range v {
		b = o.AppendUint16(b, v)
	}
	return b
}

func u32s(o order, v ...uint32) (b []byte) {
	for _, v := range v {
		b = o.AppendUint32(b, v)
	}
	return b
}

func section(o order) []byte {
	return block(o, 0x0a0d0d0a, u32s(o, 0x1a2b3c4d), u16s(o, 1, 0), bytes.Repeat([]byte{0xff}, 8))
}

func ifaceBlock(o order, link linktype.Type, snapLen uint32, options ...[]byte) []byte {
	return block(o, 1, u16s(o, uint16(link), 0), u32s(o, snapLen), bytes.Join(options, nil))
}

func option(o order, code uint16, value []byte) []byte {
	return append(u16s(o, code, uint16(len(value))), pad4(value)...)
}

func enhanced(o order, id uint32, time uint64, length int, data []byte, options ...[]byte) []byte {
	return block(o, 6, u32s(o, id, uint32(time>>32), uint32(time), uint32(len(data)), uint32(length)),
		pad4(data), bytes.Join(options, nil))
}

func obsolete(o order, id uint16, time uint64, length int, data []byte, options ...[]byte) []byte {
	return block(o, 2, u16s(o, id, 0xffff), u32s(o, uint32(time>>32), uint32(time), uint32(len(data)), uint32(length)),
		pad4(data), bytes.Join(options, nil))
}

func simple(o order, length int, data []byte) []byte {
	return block(o, 3, u32s(o, uint32(length)), data)
}

// erfRecord returns a record of type INFINIBAND from port B. Behind packet come
// as many zeros as given.
func erfRecord(at erf.Timestamp, wlen int, packet []byte, padding int) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(at))
	b = append(b, byte(erf.TypeInfiniband), byte(erf.FlagVLen)|1)
	b = binary.BigEndian.AppendUint16(b, uint16(16+len(packet)+padding))
	b = append(b, 0, 0)
	b = binary.BigEndian.AppendUint16(b, uint16(wlen))
	return slices.Concat(b, packet, make([]byte, padding))
}

// pad is a PAD record of n bytes.
func pad(n int) []byte {
	b := make([]byte, n)
	b[8] = byte(erf.TypePad)
	binary.BigEndian.PutUint16(b[10:], uint16(n))
	return b
}

// Packets of the samples, and their times.
var (
	packets = [][]byte{counting(30), {}, counting(1), counting(100)}
	at      = time.Unix(1600000000, 0).UTC()
	erfAt   = erf.TimestampOf(at.Add(500 * time.Millisecond))
)

// counting returns n bytes, each one more than the one before.
func counting(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i)
	}
	return b
}

// A sample is a file with what must be read from it.
type sample struct {
	name   string
	format capture.Format
	data   []byte
	parts  []int // sizes of file header, blocks and records, in order
	want   []capture.Record
}

// add adds a part that holds no packet.
func (s *sample) add(part []byte) {
	s.parts = append(s.parts, len(part))
	s.data = append(s.data, part...)
}

// packet adds a part that holds a packet. Number and Offset of rec are set here.
func (s *sample) packet(part []byte, rec capture.Record) {
	rec.Number, rec.Offset = int64(len(s.want)+1), int64(len(s.data))
	rec.Section = orDefault(rec.Section, 1)
	s.want = append(s.want, rec)
	s.add(part)
}

// samples are whole files, one or more of each format and byte order.
func samples() []*sample {
	var all []*sample
	for _, o := range orders {
		all = append(all,
			pcapSample("pcap_micro_"+o.name, o.order, 0xa1b2c3d4),
			pcapSample("pcap_nano_"+o.name, o.order, 0xa1b23c4d),
			pcapSample("pcap_modified_"+o.name, o.order, 0xa1b2cd34),
			pcapngSample("pcapng_"+o.name, o.order))
	}
	s := &sample{name: "pcapng_sections", format: capture.FormatPcapng}
	for i, o := range orders {
		part := pcapngSample("", o.order)
		before := int64(len(s.want))
		for _, rec := range part.want {
			rec.Section = i + 1
			rec.Number += before
			rec.Offset += int64(len(s.data))
			s.want = append(s.want, rec)
		}
		s.data = append(s.data, part.data...)
		s.parts = append(s.parts, part.parts...)
	}
	return append(all, s, erfSample())
}

func pcapSample(name string, o order, magic uint32) *sample {
	s := &sample{name: name, format: capture.FormatPcap}
	fraction, extra := uint32(123456), []byte(nil)
	switch magic {
	case 0xa1b23c4d:
		fraction *= 1000
	case 0xa1b2cd34:
		extra = make([]byte, 8)
	}
	s.add(pcapHeader{order: o, magic: magic}.bytes())
	when := at.Add(123456 * time.Microsecond)
	for _, p := range packets {
		s.packet(pcapRecord(o, uint32(at.Unix()), fraction, len(p)+7, p, extra...), capture.Record{
			LinkType: linktype.InfiniBand, Time: when, RecordTime: when, Length: len(p) + 7, FCSLen: -1, Data: p,
		})
	}
	return s
}

// pcapngSample has three interfaces with link types, clocks and FCS of their
// own, all kinds of packet blocks, and other blocks between them.
func pcapngSample(name string, o order) *sample {
	s := &sample{name: name, format: capture.FormatPcapng}
	s.add(section(o))
	s.add(ifaceBlock(o, linktype.InfiniBand, 0))
	s.add(block(o, 0xbad, counting(100)))
	for i, p := range packets {
		when := at.Add(time.Duration(i) * time.Microsecond)
		ticks := uint64(when.UnixMicro())
		s.packet(enhanced(o, 0, ticks, len(p)+7, p, option(o, 1, []byte("comment"))), capture.Record{
			LinkType: linktype.InfiniBand, Time: when, RecordTime: when, Length: len(p) + 7, FCSLen: -1, Data: p,
		})
	}
	s.add(ifaceBlock(o, linktype.Ethernet, 0, option(o, 9, []byte{9}), option(o, 13, []byte{32}),
		option(o, 14, int64s(o, 1000)), option(o, 0, nil)))
	p, when := packets[0], at.Add(7)
	s.packet(obsolete(o, 1, uint64(when.UnixNano()-1000e9), len(p), p), capture.Record{
		LinkType: linktype.Ethernet, Interface: 1, Time: when, RecordTime: when, Length: len(p), FCSLen: 4, Data: p,
	})
	s.packet(simple(o, len(p), p), capture.Record{LinkType: linktype.InfiniBand, Length: len(p), FCSLen: -1, Data: p})
	s.add(ifaceBlock(o, linktype.ERF, 0, option(o, 9, []byte{0x80 | 32})))
	p, when = erfRecord(erfAt, 40, packets[0], 2), at.Add(250*time.Millisecond)
	s.packet(enhanced(o, 2, uint64(at.Unix())<<32|1<<30, 56, p), capture.Record{
		LinkType: linktype.ERF, Interface: 2, Time: when, RecordTime: when, ERFTime: erfAt, Length: 56, RecordLength: 56, FCSLen: -1, Data: p,
	})
	return s
}

func int64s(o order, v int64) []byte { return o.AppendUint64(nil, uint64(v)) }

func erfSample() *sample {
	s := &sample{name: "erf", format: capture.FormatERF}
	for i, p := range packets {
		p = erfRecord(erfAt, len(p)+i, p, 2)
		s.packet(p, capture.Record{
			LinkType: linktype.ERF, Interface: 1, Time: erfAt.Time(), RecordTime: erfAt.Time(), ERFTime: erfAt,
			Length: len(p) + i - 2, FCSLen: -1, Data: p,
		})
		s.add(pad(24))
	}
	return s
}

// readAll reads packets up to the first error.
func readAll(r *capture.Reader) (all []capture.Record, err error) {
	for {
		rec, err := r.Next()
		if err != nil {
			return all, err
		}
		kept := *rec
		kept.Data = append([]byte{}, rec.Data...)
		all = append(all, kept)
	}
}

// readBytes reads the file data and returns its warnings too.
func readBytes(t testing.TB, data []byte, opts ...capture.Option) (all []capture.Record, warnings []*capture.Error, err error) {
	t.Helper()
	warn := capture.OnWarning(func(e *capture.Error) { warnings = append(warnings, e) })
	r, err := capture.NewReader(bytes.NewReader(data), append(opts, warn)...)
	if err != nil {
		return nil, warnings, err
	}
	all, err = readAll(r)
	require.EqualValues(t, len(all), r.Counts().Packets)
	require.EqualValues(t, len(warnings), r.Counts().Warnings)
	_, again := r.Next()
	require.Equal(t, io.EOF, again, "after %v", err)
	require.NoError(t, r.Close())
	return all, warnings, err
}
