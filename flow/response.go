package flow

import (
	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/ext"
	"github.com/ibwire/ibwire/opcode"
)

// response takes a response of a connection: g is its flow, and the requests are
// in the flow that it is paired with.
func (t *Table) response(g *Flow, p *ibwire.Packet) {
	op := p.BTH.OpCode.Operation()
	if op == opcode.ReadResponseFirst || op == opcode.ReadResponseMiddle {
		g.learnMTU(p.PayloadLen)
	}
	g.fit(p.PayloadLen)
	fits := t.match(g, p)
	g.answers = g.answers || op != opcode.Acknowledge
	f := g.peer
	if f != nil {
		t.endReads(f)
		t.renew(g, f, p)
	}
	switch op {
	case opcode.Acknowledge:
		g.Unchecked++
		t.syndrome(g, f, p)
	case opcode.AtomicAcknowledge:
		g.Unchecked++
		t.positive(g, p)
		if f != nil {
			t.atomicAck(f, p.BTH.PSN)
		}
	default:
		t.positive(g, p)
		t.readResponse(g, f, p)
	}
	if fits && g.pairing == Uncertain {
		t.confirm(g, p)
	}
}

// positive counts the AETH of a response that is always an ACK.
func (t *Table) positive(g *Flow, p *ibwire.Packet) {
	if p.Ext.Present.Has(opcode.AETH) {
		g.ACKs++
	}
}

// syndrome takes an Acknowledge, about the requests of f, which may be nil.
func (t *Table) syndrome(g, f *Flow, p *ibwire.Packet) {
	if !p.Ext.Present.Has(opcode.AETH) {
		return
	}
	a, psn := &p.Ext.AETH, p.BTH.PSN
	e := Event{Flow: g, PSN: psn, Last: psn, MSN: a.MSN, Subject: f, Pairing: g.pairing}
	switch a.Syndrome.Type() {
	case ext.Ack:
		g.ACKs++
		if f != nil {
			t.acknowledge(f, psn)
		}
		return
	case ext.RNRNak:
		g.RNRNAKs++
		t.totals.RNRs[a.Syndrome.Value()]++
		e.Kind, e.Timer = RNRNAK, a.Syndrome.RNRTimer()
	case ext.Nak:
		e.Code, _ = a.Syndrome.NakCode()
		g.countNAK(e.Code)
		t.totals.NAKs[a.Syndrome.Value()]++
		e.Kind = NAK
	default:
		g.ReservedAETHs++
		return
	}
	t.report(e)
	if f != nil {
		t.refused(f, psn, e)
	}
}

// refused takes the NAK or RNR NAK e for PSN psn of f. What is before it is
// acknowledged.
func (t *Table) refused(f *Flow, psn uint32, e Event) {
	t.acknowledge(f, (psn-1)&psnMask)
	f.trouble = t.now
	switch {
	case e.Kind == RNRNAK:
		f.naks.add(ReceiverNAK, psn)
	case e.Code == ext.PSNSequenceError:
		f.naks.add(SequenceNAK, psn)
	default:
		t.refuse(f, psn, e.Code)
	}
}

// atomicAck takes the acknowledge of an ATOMIC of f.
func (t *Table) atomicAck(f *Flow, psn uint32) {
	t.acknowledge(f, psn)
	i := t.find(f, psn, findLimit)
	if i == none {
		return
	}
	r := t.records.at(i)
	if r.op != CmpSwap && r.op != FetchAdd {
		return
	}
	r.responses, r.acked = 1, t.now
	t.sample(&f.Latency.Atomic, r.start)
	t.emit(i, Complete)
}

// readResponse takes a READ response to a request of f, which may be nil.
func (t *Table) readResponse(g, f *Flow, p *ibwire.Packet) {
	psn, s := p.BTH.PSN, &g.responses
	pos := p.BTH.OpCode.Operation().Position()
	t.missedResponses(g, f, psn, pos)
	fresh := t.step(g, s, psn, 1)
	s.active = pos == opcode.First || pos == opcode.Middle
	if f == nil {
		return
	}
	t.acknowledge(f, psn)
	i := t.find(f, psn, findLimit)
	if i == none {
		return
	}
	if pos == opcode.Last || pos == opcode.Only {
		t.setEnd(f, i, psn+1)
	}
	if fresh {
		t.answer(f, i, p)
	}
}

// missedResponses notes the responses missing between the one before and this
// one, at PSN psn, and moves on to it. PSNs there that no READ has taken are
// those of other requests.
func (t *Table) missedResponses(g, f *Flow, psn uint32, pos opcode.Position) {
	s := &g.responses
	if s.known && diff(psn, s.next) < -t.maxGap { // no READ for 2^23 PSNs
		t.endRun(g, s)
		t.closeGaps(g, s)
		s.known = false
	}
	if f != nil {
		t.missedByReads(g, f, psn)
	}
	d := diff(psn, s.next)
	if !s.known || d <= 0 {
		return
	}
	begins := pos == opcode.First || pos == opcode.Only
	switch {
	case s.active && begins: // the message before lacks its end, at least one packet
		t.missed(g, s.next, 1)
	case s.active:
		t.missed(g, s.next, uint32(d))
	case !begins: // this one lacks its beginning, at least one packet
		t.missed(g, (psn-1)&psnMask, 1)
	}
	s.advance(psn)
}

// missedByReads notes the responses missing up to PSN psn of READs of f.
func (t *Table) missedByReads(g, f *Flow, psn uint32) {
	s := &g.responses
	for i := f.head; i != none; i = t.records.at(i).next {
		r := t.records.at(i)
		if diff(psn, r.psn) < 0 {
			break
		}
		if r.op != Read || f.mayBeAnswered(r) {
			continue
		}
		if !s.known {
			s.begin(r.psn, 0)
		}
		from, to := r.psn, r.end
		if diff(s.next, from) > 0 {
			from = s.next
		}
		if r.endless() {
			if to = psn; diff(to, r.most) > 0 {
				to = r.most
			}
			if r.bounded && diff(to, r.bound) > 0 {
				to = r.bound
			}
		}
		if diff(to, psn) > 0 {
			to = psn
		}
		if n := diff(to, from); n > 0 {
			t.missed(g, from, uint32(n))
			s.active = false
		}
		if diff(psn, r.end) < 0 && diff(psn, s.next) > 0 {
			s.advance(psn)
		}
	}
}

// missed opens a gap of n responses from psn on.
func (t *Table) missed(g *Flow, psn, n uint32) {
	s := &g.responses
	t.endRun(g, s)
	s.advance(psn)
	t.openGap(g, s, psn, n)
	s.advance(psn + n)
}

// answer takes a response with something new into the record of its READ.
func (t *Table) answer(f *Flow, i int32, p *ibwire.Packet) {
	r := t.records.at(i)
	if r.op != Read {
		return
	}
	r.responses++
	r.bytes += int64(p.PayloadLen)
	r.lastPacket = t.number
	if t.now != noTime {
		r.stop = t.now
	}
	if p.BTH.PSN == r.psn {
		t.sample(&f.Latency.ReadFirst, r.start)
	}
	if !r.endless() && r.responses == uint32(diff(r.end, r.psn)) {
		r.acked = t.now
		t.sample(&f.Latency.ReadLast, r.start)
		t.emit(i, Complete)
	}
}
