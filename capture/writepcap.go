package capture

import (
	"encoding/binary"
	"math"

	"github.com/ibwire/ibwire/linktype"
)

// Packets are written by code of our own, since pcapgo refuses those that are
// longer than their length on the wire, knows link types of eight bits only, no
// FCS length in pcap, and nothing but nanoseconds in pcapng.

var le = binary.LittleEndian

// writePcap writes a packet of an interface to a pcap file.
func (w *Writer) writePcap(rec *Record, key interfaceKey) error {
	if key.link != w.first.link {
		return notHeld(rec, "a pcap file has one link type, here %v, and this is %v", w.first.link, key.link)
	}
	w.compareInterface(key)
	b := w.buf[:0]
	if !w.begun {
		b = w.appendPcapHeader(b, key.index, key.link)
	}
	in := &w.ifaces[0]
	if rec.FCSLen != in.FCSLen {
		w.loss |= LossFCSLen
	}
	sec, fraction := w.time(rec, in, 32)
	b = le.AppendUint32(b, uint32(sec))
	b = le.AppendUint32(b, fraction)
	b = le.AppendUint32(b, uint32(len(rec.Data)))
	b = le.AppendUint32(b, w.wireLength(rec))
	w.buf = append(b, rec.Data...)
	_, err := w.w.Write(w.buf)
	return err
}

// appendPcapHeader appends the file header for an interface of the source.
func (w *Writer) appendPcapHeader(b []byte, index int, link linktype.Type) []byte {
	in := w.describe(index, link)
	switch { // in pcap, 0 is no good limit
	case in.SnapLen != 0:
	case link == linktype.ERF || w.fromFormat() == FormatERF:
		in.SnapLen = math.MaxUint16 // the most that a record has
	default:
		in.SnapLen = maxPacket
	}
	word := uint32(link)
	const most = 0xf * 2
	if in.FCSLen >= 0 && in.FCSLen <= most && in.FCSLen%2 == 0 {
		word |= 1<<26 | uint32(in.FCSLen/2)<<28
	} else {
		in.FCSLen = -1
	}
	magic := uint32(magicPcapNano)
	if in.Resolution == microseconds {
		magic = magicPcap
	}
	w.ifaces = append(w.ifaces[:0], in)
	b = le.AppendUint32(b, magic)
	b = le.AppendUint16(b, 2) // version 2.4
	b = le.AppendUint16(b, 4)
	b = le.AppendUint64(b, 0) // time zone and accuracy, which nobody sets
	b = le.AppendUint32(b, in.SnapLen)
	return le.AppendUint32(b, word)
}
