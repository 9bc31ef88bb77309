package flow

import (
	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/opcode"
)

// retried notes that the READ request of n PSNs from psn on is sent again, if it
// is.
func (t *Table) retried(f *Flow, psn, n uint32, o opcode.Opcode) {
	s := &f.requests
	if !s.known || diff(psn, s.next) >= 0 || t.copied(f, s, psn, o) {
		return
	}
	goesOn := s.run.on && diff(psn, s.run.next) >= 0
	if r := &f.retry; r.from == r.to || !goesOn && diff(psn, r.to) >= 0 {
		*r = span{psn, psn}
	} else if diff(psn, r.from) < 0 {
		r.from = psn
	}
	if end := (psn + n) & psnMask; diff(end, f.retry.to) > 0 {
		f.retry.to = end
	}
}

// minMTU is the least path MTU in bytes.
const minMTU = 256

// mtus are the path MTUs: those of InfiniBand and, behind them, of Omni-Path.
var mtus = [...]uint32{256, 512, 1024, 2048, 4096, 8192, 10240}

// learnMTU takes the payload of a First or Middle for the path MTU, if it can be
// one.
func (f *Flow) learnMTU(payload int) {
	for _, m := range mtus {
		if int(m) == payload {
			f.mtu = m
			return
		}
	}
}

func (f *Flow) pathMTU() uint32 {
	if f.mtu == 0 && f.peer != nil {
		return f.peer.mtu
	}
	return f.mtu
}

// readSpan returns how many PSNs the responses to a READ of length bytes take.
func readSpan(length, mtu uint32) uint32 {
	return max((length+mtu-1)/mtu, 1) // length is at most 2^31, or it is no request that a receiver takes
}

// request takes a request of a connection.
func (t *Table) request(f *Flow, p *ibwire.Packet) {
	o, psn := p.BTH.OpCode, p.BTH.PSN
	op := o.Operation()
	if pos := op.Position(); pos == opcode.First || pos == opcode.Middle {
		f.learnMTU(p.PayloadLen)
	}
	t.endReadBefore(f, psn)
	n := uint32(1)
	if op == opcode.ReadRequest {
		n = t.span(f, p)
		t.retried(f, psn, max(n, 1), o)
	}
	if !t.step(f, &f.requests, psn, n, o) {
		return
	}
	f.newest = t.number
	if f.open {
		f.front()
	}
	i := t.put(f, p, max(n, 1))
	if r := t.records.at(i); n == 0 {
		if r.endless = true; r.end == f.requests.next {
			f.read = i
		}
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

// span returns how many PSNs the READ request p takes, or 0 if that cannot be
// told.
func (t *Table) span(f *Flow, p *ibwire.Packet) uint32 {
	if !p.Ext.Present.Has(opcode.RETH) {
		return 0
	}
	length, mtu := p.Ext.RETH.DMALen, f.pathMTU()
	switch {
	case length <= minMTU:
		return 1
	case mtu == 0:
		return 0
	}
	return min(readSpan(length, mtu), maxSpan-1)
}

// endRead finds the end of the newest request, a READ of unknown span, if the path
// MTU is known by now.
func (t *Table) endRead(f *Flow) {
	if f.read == none {
		return
	}
	r := t.records.at(f.read)
	if r.end != f.requests.next {
		f.read = none // others came behind it
		return
	}
	if m := f.pathMTU(); m != 0 && r.hasRETH {
		t.setEnd(f, r.psn+readSpan(r.length, m))
	}
}

// endReadBefore finds the end of such a READ from the PSN of the request behind
// it.
func (t *Table) endReadBefore(f *Flow, psn uint32) {
	t.endRead(f)
	if f.read == none {
		return
	}
	r := t.records.at(f.read)
	if d := diff(psn, r.psn); d > 0 && r.hasRETH && f.guessMTU(r.length, uint32(d)) {
		t.setEnd(f, psn)
	}
}

// setEnd tells that the READ of unknown span, if there is one, ends before PSN
// end.
func (t *Table) setEnd(f *Flow, end uint32) {
	i := f.read
	if i == none || diff(end, t.records.at(i).psn) <= 0 {
		return
	}
	r := t.records.at(i)
	r.end, r.endless = end&psnMask, false
	f.requests.advance(end)
	f.requests.loose, f.read = false, none
}

// guessMTU tells whether a READ of length bytes takes n PSNs with a path MTU that
// there is. If there is one such MTU only, that is it.
func (f *Flow) guessMTU(length, n uint32) bool {
	fits, which := 0, uint32(0)
	for _, m := range mtus {
		if readSpan(length, m) == n {
			fits++
			which = m
		}
	}
	if fits == 1 {
		f.mtu = which
	}
	return fits > 0
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
