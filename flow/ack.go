package flow

import (
	"github.com/ibwire/ibwire/ext"
)

// maxUnanswered is how many READs and ATOMICs of a flow wait for an answer though
// later requests have theirs. Where there are more, the oldest are broken.
const maxUnanswered = 16

// acknowledge takes an acknowledge of everything up to PSN psn of f.
func (t *Table) acknowledge(f *Flow, psn uint32) {
	d := diff(psn, f.requests.next)
	if !f.requests.known || d > t.maxGap || d < -t.maxGap || f.hasAcked && diff(psn, f.ackedTo) < 0 {
		return
	}
	f.hasAcked, f.ackedTo = true, psn
	t.settleGaps(f)
	unanswered := 0
	for i := f.head; i != none; {
		r := t.records.at(i)
		if diff(psn, r.psn) < 0 {
			break
		}
		next := r.next
		switch {
		case r.answered():
			if t.count(f, r); r.passed == 0 && diff(psn, r.end) >= 0 {
				r.passed = t.number
			}
			if unanswered++; unanswered > maxUnanswered {
				t.emit(f.firstUnanswered(t), Broken)
			}
		case !r.last && diff(psn, r.end) >= 0:
			if diff(f.requests.next, r.end) > 0 { // what is missing behind it will not come
				t.emit(i, Broken)
			}
		case r.last && diff(psn, r.end-1) >= 0:
			t.count(f, r)
			t.closeMessage(f, i)
		}
		i = next
	}
}

// closeMessage ends a message of SEND, WRITE and the like that is acknowledged.
func (t *Table) closeMessage(f *Flow, i int32) {
	r := t.records.at(i)
	if r.acked = t.now; !r.first {
		t.emit(i, Broken)
		return
	}
	t.sample(&f.Latency.ACK, r.start)
	t.emit(i, Complete)
}

// count counts a message that the receiver has completed, as its MSN does. A READ
// counts when it is accepted.
func (t *Table) count(f *Flow, r *record) {
	if !r.counted {
		r.counted = true
		f.ended++
	}
}

// firstUnanswered returns the record of the oldest READ or ATOMIC of f, which has
// one.
func (f *Flow) firstUnanswered(t *Table) int32 {
	i := f.head
	for !t.records.at(i).answered() {
		i = t.records.at(i).next
	}
	return i
}

// find returns the record of f that PSN psn belongs to, or none. It looks at no
// more than limit records.
func (t *Table) find(f *Flow, psn uint32, limit int) int32 {
	for i := f.head; i != none && limit > 0; limit-- {
		r := t.records.at(i)
		if diff(psn, r.psn) < 0 {
			return none
		}
		if diff(psn, r.end) < 0 || r.mayTake(psn) {
			return i
		}
		i = r.next
	}
	return none
}

// findLimit is enough for find where all records in front of what is looked for
// have been acknowledged.
const findLimit = 2 * maxUnanswered

// refuse takes a NAK other than a PSN sequence error for PSN psn of f.
func (t *Table) refuse(f *Flow, psn uint32, c ext.NakCode) {
	if i := t.find(f, psn, findLimit); i != none {
		t.records.at(i).nak = c
		t.emit(i, Refused)
	}
}

// statusOf returns the status of a record when nothing more is awaited for it.
func (t *Table) statusOf(r *record, open Status) Status {
	f := r.flow
	passed := f.hasAcked && diff(f.ackedTo, r.end) >= 0 && !f.mayBeAnswered(r)
	switch {
	case r.whole() && !r.answered():
		return Complete
	case !r.first, !r.last && r.next != none, r.answered() && passed:
		return Broken
	}
	return open
}

// emit ends record i: it is handed to the user as a message, and freed.
func (t *Table) emit(i int32, s Status) {
	r := t.records.at(i)
	f := r.flow
	if s == Broken && r.passed != 0 {
		t.noAnswer(f, r)
	}
	f.Messages[s]++
	t.totals.Messages[s]++
	f.MessageBytes += r.bytes
	if t.onMessage != nil {
		t.msg = Message{
			Flow: f, Pairing: f.pairing, Operation: r.op, Status: s, NAK: r.nak,
			PSN: r.psn, LastPSN: (r.end - 1) & psnMask, FirstPacket: r.firstPacket, LastPacket: r.lastPacket,
			Packets: r.packets, Responses: r.responses, Bytes: r.bytes, Length: r.length,
			HasRETH: r.hasRETH, VA: r.va, RKey: r.rkey, HasImm: r.imm, Imm: r.immData, HasInvKey: r.inv, InvKey: r.invKey,
			Start: timeOf(r.start), End: timeOf(r.stop), Acked: timeOf(r.acked),
		}
		t.onMessage(&t.msg)
	}
	t.free(i)
}

// mayBeAnswered tells whether answers to r may have come before it was known which
// flow they belong to.
func (f *Flow) mayBeAnswered(r *record) bool {
	return f.peer != nil && f.early && r.firstPacket < f.paired
}

// noAnswer counts the responses to r as missing that nothing has shown to be: those
// of a READ behind the last one that was seen, or the acknowledge of an ATOMIC. If
// the requester went on to send new requests, it has them.
func (t *Table) noAnswer(f *Flow, r *record) {
	g := f.peer
	if g == nil {
		return
	}
	s, from, n := &g.responses, r.psn, diff(r.end, r.psn)
	if r.op == Read {
		if !s.known {
			s.begin(from, 0)
		}
		if late := diff(s.next, from); late > 0 {
			from, n = s.next, n-late
		}
		if n <= 0 {
			return
		}
		s.advance(r.end)
		s.active = false
	}
	v := Unresolved
	if f.newest > r.passed {
		v = CaptureMissed
	}
	t.countGap(g, s, from, uint32(n))
	t.judge(g, s, from, uint32(n), v)
}

// free takes record i out of its flow and of the table.
func (t *Table) free(i int32) {
	r := t.records.at(i)
	f := r.flow
	if r.open {
		f.openReads--
	}
	if r.prev != none {
		t.records.at(r.prev).next = r.next
	} else {
		f.head = r.next
	}
	if r.next != none {
		t.records.at(r.next).prev = r.prev
	} else {
		f.tail = r.prev
	}
	if r.older != none {
		t.records.at(r.older).newer = r.newer
	} else {
		t.oldest = r.newer
	}
	if r.newer != none {
		t.records.at(r.newer).older = r.older
	} else {
		t.newest = r.older
	}
	f.messages--
	t.records.put(i)
}
