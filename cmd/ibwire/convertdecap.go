package main

import (
	"math"

	"github.com/google/gopacket"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/capture"
	"github.com/ibwire/ibwire/erf"
	"github.com/ibwire/ibwire/linktype"
)

// recordTypes are the types of ERF records for packets that were in others.
var recordTypes = map[linktype.Type]erf.Type{
	linktype.Ethernet:   erf.TypeETH,
	linktype.InfiniBand: erf.TypeInfiniband,
	linktype.IPv4:       erf.TypeIPv4,
	linktype.IPv6:       erf.TypeIPv6,
}

// A decap takes packets out of mirrors and tunnels.
type decap struct {
	inRecords bool // ERF records stay such, and are not taken off afterwards

	packet ibwire.Packet
	record erf.Record
	buf    gopacket.SerializeBuffer
	inner  capture.Record
}

func newDecap(inRecords bool) *decap {
	return &decap{inRecords: inRecords, buf: gopacket.NewSerializeBuffer()}
}

// open returns the innermost packet of rec, or rec if it is in no mirror or
// tunnel, and what is lost of the outer one. A nil decap returns rec.
//
// An ERF record becomes one of the inner packet, with the time, the loss counter
// and the extension headers that it had. If it stays one, it gets the flags that
// ibdump gives it, which are an interface of its own.
func (d *decap) open(rec *capture.Record) (*capture.Record, capture.Loss) {
	if d == nil {
		return rec, 0
	}
	_ = d.packet.Decode(rec.LinkType, rec.Data) // Inner is good up to an error
	link, data, ok := d.packet.Inner()
	if !ok {
		return rec, 0
	}
	// If bytes are missing, it is at the end, of both.
	length := len(data) + max(rec.Length-len(rec.Data), 0)
	d.inner = *rec
	d.inner.RecordLength, d.inner.FCSLen = 0, -1
	if rec.LinkType != linktype.ERF {
		d.inner.LinkType, d.inner.Data, d.inner.Length = link, data, length
		return &d.inner, 0
	}
	loss := d.wrap(rec.Data, recordTypes[link], data, length)
	d.inner.Data = d.buf.Bytes()
	d.inner.Length = d.record.HeaderLen() + int(d.record.WLen)
	return &d.inner, loss
}

// wrap puts a packet in place of that of an ERF record.
func (d *decap) wrap(outer []byte, typ erf.Type, packet []byte, length int) (loss capture.Loss) {
	const decapsulated = erf.FlagVLen | 1
	r := &d.record
	_ = r.DecodeFromBytes(outer, gopacket.NilDecodeFeedback) // it has an inner packet, so it is whole
	if d.inRecords {
		if r.Flags&^decapsulated != 0 {
			loss |= capture.LossFlags
		}
		r.Flags = decapsulated
	}
	if r.Type.HasColor() {
		loss |= capture.LossColor
		r.LCtr = 0
	}
	r.Type, r.SubHeader, r.Trailer = typ, nil, nil
	r.WLen = uint16(min(length, math.MaxUint16))
	r.RLen = uint16(r.HeaderLen() + len(packet)) // less than the outer one
	// A SerializeBuffer in memory and a record that was decoded fail in nothing.
	_ = d.buf.Clear()
	p, _ := d.buf.AppendBytes(len(packet))
	copy(p, packet)
	_ = r.SerializeTo(d.buf, gopacket.SerializeOptions{})
	return loss
}
