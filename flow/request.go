package flow

import (
	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/opcode"
)

// request takes a request of a connection.
func (t *Table) request(f *Flow, p *ibwire.Packet) {
	o, psn := p.BTH.OpCode, p.BTH.PSN
	op := o.Operation()
	if pos := op.Position(); pos == opcode.First || pos == opcode.Middle {
		f.learnMTU(p.PayloadLen)
	}
	f.fit(p.PayloadLen)
	t.endReadBefore(f, psn)
	n := uint32(1)
	if op == opcode.ReadRequest {
		n = t.span(f, p)
		if i := t.openRead(f, psn+1); n > 0 && i != none && t.records.at(i).psn == psn {
			t.setEnd(f, i, psn+n) // it comes again, and its end has become known
		}
		t.retried(f, psn, max(n, 1))
	}
	if !t.step(f, &f.requests, psn, n) {
		return
	}
	f.newest = t.number
	if f.open {
		f.front()
	}
	i := t.put(f, p, max(n, 1))
	if n == 0 {
		t.leaveOpen(f, i)
	}
	if f.Key.Transport == opcode.UC {
		t.deliver(f, i)
	}
}

// maxParts is how many parts of UC messages of a flow may be open.
const maxParts = 8

// deliver ends the UC message of record i if it is whole: nobody acknowledges it.
// Of parts that lack a packet the oldest are broken.
func (t *Table) deliver(f *Flow, i int32) {
	if t.records.at(i).whole() {
		t.emit(i, Complete)
		return
	}
	n := 0
	for j := f.tail; j != none; j = t.records.at(j).prev {
		n++
	}
	if n > maxParts {
		t.emit(f.head, Broken)
	}
}

// datagram takes a UD packet, which is a message.
func (t *Table) datagram(f *Flow, p *ibwire.Packet) {
	t.emit(t.put(f, p, 1), Complete)
}

// put takes a request with something new, of n PSNs, into a record, and returns
// its index.
func (t *Table) put(f *Flow, p *ibwire.Packet, n uint32) int32 {
	op := p.BTH.OpCode.Operation()
	psn, kind, pos := p.BTH.PSN, operations[op], op.Position()
	before := f.tail
	for before != none && diff(t.records.at(before).psn, psn) > 0 {
		before = t.records.at(before).prev
	}
	i := int32(none)
	if before != none && pos != opcode.First && pos != opcode.Only {
		if r := t.records.at(before); r.end == psn && !r.last && r.op == kind {
			i = before
		}
	}
	if i == none {
		i = t.open(f, before, psn, kind)
	}
	r := t.records.at(i)
	r.end = (psn + n) & psnMask
	r.first = r.first || pos == opcode.First || pos == opcode.Only
	r.last = r.last || pos == opcode.Last || pos == opcode.Only
	r.packets++
	r.lastPacket = t.number
	if t.now != noTime {
		r.stop = t.now
	}
	r.describe(p)
	t.connect(f, i)
	return i
}

// maxFlowMessages is how many messages of a flow may be open.
const maxFlowMessages = 4096

// open puts a new record behind record before of f, and returns its index.
func (t *Table) open(f *Flow, before int32, psn uint32, kind Operation) int32 {
	evict := int32(none)
	switch {
	case f.messages >= maxFlowMessages:
		evict = f.head
	case t.records.used >= t.maxMessages:
		evict = t.oldest
	}
	if evict != none {
		if evict == before {
			before = t.records.at(before).prev
		}
		t.totals.EvictedMessages++
		t.emit(evict, t.statusOf(t.records.at(evict), Evicted))
	}
	f.messages++
	i := t.records.take()
	r := t.records.at(i)
	*r = record{flow: f, psn: psn, op: kind, firstPacket: t.number, start: t.now, stop: t.now, acked: noTime, prev: before, older: t.newest, newer: none}
	r.next = f.head
	if before != none {
		r.next = t.records.at(before).next
		t.records.at(before).next = i
	} else {
		f.head = i
	}
	if r.next != none {
		t.records.at(r.next).prev = i
	} else {
		f.tail = i
	}
	if t.newest != none {
		t.records.at(t.newest).newer = i
	} else {
		t.oldest = i
	}
	t.newest = i
	return i
}

// describe takes over what the headers of a request say of its message.
func (r *record) describe(p *ibwire.Packet) {
	x := &p.Ext
	if r.op != Read {
		r.bytes += int64(p.PayloadLen)
	}
	if x.Present.Has(opcode.RETH) {
		r.hasRETH, r.va, r.rkey, r.length = true, x.RETH.VA, x.RETH.RKey, x.RETH.DMALen
	}
	if x.Present.Has(opcode.AtomicETH) {
		r.hasRETH, r.va, r.rkey = true, x.AtomicETH.VA, x.AtomicETH.RKey
	}
	if x.Present.Has(opcode.ImmDt) {
		r.imm, r.immData = true, x.ImmDt.Data
	}
	if x.Present.Has(opcode.IETH) {
		r.inv, r.invKey = true, x.IETH.RKey
	}
}

// connect joins record i with the one behind it, if a packet that was missing
// has brought them together.
func (t *Table) connect(f *Flow, i int32) {
	r := t.records.at(i)
	if r.next == none || r.last {
		return
	}
	n := t.records.at(r.next)
	if n.psn != r.end || n.first || n.op != r.op {
		return
	}
	r.end, r.last = n.end, n.last
	r.packets += n.packets
	r.bytes += n.bytes
	r.firstPacket, r.lastPacket = min(r.firstPacket, n.firstPacket), max(r.lastPacket, n.lastPacket)
	if r.start == noTime || n.start != noTime && n.start < r.start {
		r.start = n.start
	}
	r.stop = max(r.stop, n.stop)
	if n.imm {
		r.imm, r.immData = true, n.immData
	}
	if n.inv {
		r.inv, r.invKey = true, n.invKey
	}
	t.free(r.next)
}
