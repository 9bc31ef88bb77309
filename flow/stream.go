package flow

import "github.com/ibwire/ibwire/opcode"

// diff returns how far PSN a is ahead of b, from -2^23 to 2^23-1.
func diff(a, b uint32) int32 { return int32((a-b)<<8) >> 8 }

// psnMask has the bits of a PSN.
const psnMask = 1<<24 - 1

// maxSpan bounds stream.span: what is further back cannot be told from what is
// ahead.
const maxSpan = 1 << 23

// A stream is a sequence of PSNs: of the requests of a flow, or of its READ
// responses.
type stream struct {
	known    bool   // next is
	loose    bool   // something of unknown length came last: a jump is no gap
	response bool   // READ responses
	active   bool   // of responses: a First or Middle came last
	next     uint32 // expected
	span     uint32 // PSNs from the first one to next, at most maxSpan
	gaps     gaps   // open ones
	run      run
	lastPSN  uint32 // of the packet before this one
	lastOp   opcode.Opcode
	lastTime int64
}

// begin makes f's streams ready for any PSN.
func (f *Flow) begin() {
	f.requests = stream{gaps: noGaps}
	f.responses = stream{gaps: noGaps, response: true}
}

// A run is a row of packets that go back behind what was seen before.
type run struct {
	on      bool
	cause   Cause
	first   uint32
	next    uint32
	packets uint32
	repeats uint32 // packets that had been seen before
	early   uint32 // PSNs from before the first packet of the capture
	filled  gaps   // what had been missing
}

// begin starts s with n PSNs from psn on.
func (s *stream) begin(psn, n uint32) {
	s.known, s.loose, s.next, s.span = true, false, (psn+n)&psnMask, n
}

// advance moves s on to psn.
func (s *stream) advance(psn uint32) {
	s.span = min(s.span+uint32(max(diff(psn, s.next), 0)), maxSpan)
	s.next = psn & psnMask
}

// psns returns the counts of s in f.
func (f *Flow) psns(s *stream) *PSNStats {
	if s.response {
		return &f.Stats.Responses
	}
	return &f.Stats.Requests
}

// step takes a packet with n PSNs from psn on into s, and returns whether any of
// them is new. With n 0, for a READ request of unknown span, at least one is.
func (t *Table) step(f *Flow, s *stream, psn, n uint32, o opcode.Opcode) (fresh bool) {
	f.psns(s).Packets++
	loose := n == 0
	n = max(n, 1)
	switch d := diff(psn, s.next); {
	case !s.known:
		s.begin(psn, n)
		fresh = true
	case d > t.maxGap, d < -t.maxGap:
		t.restart(f, s, psn, n)
		fresh = true
	case d >= 0:
		t.endRun(f, s)
		if d > 0 {
			t.jump(f, s, psn)
		}
		s.advance(psn + n)
		s.loose = false
		fresh = true
	default:
		fresh = t.back(f, s, psn, n, o)
		loose = loose && s.loose
	}
	s.loose = s.loose || loose
	s.lastPSN, s.lastOp, s.lastTime = psn, o, t.now
	return fresh
}

// jump notes that the PSNs from s.next up to psn are missing.
func (t *Table) jump(f *Flow, s *stream, psn uint32) {
	if s.loose {
		f.psns(s).Undecided++
		s.advance(psn)
		return
	}
	t.openGap(f, s, s.next, uint32(diff(psn, s.next)))
	s.advance(psn)
	if !s.response {
		t.settleGaps(f)
	}
}

// restart begins s anew: a new connection, or more is missing than can be told.
func (t *Table) restart(f *Flow, s *stream, psn, n uint32) {
	t.endRun(f, s)
	t.closeGaps(f, s)
	if !s.response {
		for f.head != none {
			t.emit(f.head, t.statusOf(t.records.at(f.head), Unfinished))
		}
		f.read, f.hasAcked, f.naks, f.retry = none, false, naks{}, span{}
		if f.pairing == Uncertain {
			t.unpair(f)
		}
	}
	f.psns(s).Restarts++
	t.report(Event{Kind: Restart, Flow: f, Response: s.response, PSN: psn, Last: psn})
	s.begin(psn, n)
}

// back takes a packet that is behind s.next.
func (t *Table) back(f *Flow, s *stream, psn, n uint32, o opcode.Opcode) (fresh bool) {
	var early uint32
	if back := uint32(-diff(psn, s.next)); back > s.span {
		early = min(back-s.span, n)
		s.span = back
	}
	filled := t.missing(s, psn, n)
	if d := diff(psn+n, s.next); d > 0 { // a READ request that goes on for longer
		early += uint32(d)
		s.advance(psn + n)
	}
	fresh = filled || early > 0
	if !fresh && (t.copied(f, s, psn, o) || f.Key.Transport == opcode.UC) {
		f.psns(s).Duplicates++
		t.report(Event{Kind: Duplicate, Flow: f, Response: s.response, PSN: psn, Last: psn, Count: 1})
		return false
	}
	late := s.run.on && s.run.repeats == 0 // as it seems: what a NAK has asked for is no part of it
	if !s.run.on || diff(psn, s.run.next) < 0 || late && !s.response && f.naks.asks(psn) != UnknownCause {
		t.endRun(f, s)
		s.run = run{on: true, cause: t.cause(f, s, psn), first: psn, next: psn, filled: noGaps}
	}
	r := &s.run
	r.packets++
	if !s.response {
		f.naks.answer(r.next, psn+n)
	}
	if r.next = (psn + n) & psnMask; !fresh {
		r.repeats++
	}
	if r.early += early; filled {
		t.fill(s, psn, n)
	}
	if r.next == s.next {
		t.endRun(f, s)
	}
	return fresh
}

// copied tells whether a packet that was seen before is a copy of the one right
// before it, which nobody asked for.
func (t *Table) copied(f *Flow, s *stream, psn uint32, o opcode.Opcode) bool {
	if psn != s.lastPSN || o != s.lastOp || !s.response && f.naks.asks(psn) != UnknownCause {
		return false
	}
	ns, ok := t.since(s.lastTime)
	return ok && ns <= t.copyWindow
}

// cause returns why the packets from psn on are sent again, if they are.
func (t *Table) cause(f *Flow, s *stream, psn uint32) Cause {
	switch {
	case f.peer == nil || f.Key.Transport == opcode.UC:
		return UnknownCause
	case s.response:
		if r := &f.peer.retry; diff(psn, r.from) >= 0 && diff(psn, r.to) < 0 {
			return ReadRetry
		}
		return UnknownCause
	}
	if c := f.naks.asks(psn); c != UnknownCause {
		return c
	}
	return Timeout
}

// endRun ends the run of s, if there is one, and judges it: a run that repeats
// packets, or that was asked for, was sent again; any other is late.
func (t *Table) endRun(f *Flow, s *stream) {
	r := s.run
	if !r.on {
		return
	}
	s.run.on = false
	st := f.psns(s)
	verdict := Lost
	e := Event{Kind: Retransmission, Flow: f, Response: s.response, PSN: r.first, Last: (r.next - 1) & psnMask,
		Count: r.packets, Repeats: r.repeats, Cause: r.cause}
	if r.repeats == 0 && r.cause != SequenceNAK && r.cause != ReceiverNAK && r.cause != ReadRetry {
		verdict = Reordered
		st.OutOfOrder += int64(r.packets)
		e.Kind, e.Cause = OutOfOrder, UnknownCause
	} else {
		st.Retransmissions += int64(r.repeats)
		st.Runs[r.cause]++
		if r.cause == SequenceNAK && r.filled.n == 0 && r.early == 0 {
			st.LostBehind++
		}
	}
	t.report(e)
	for r.filled.n > 0 {
		g := *t.gaps.at(r.filled.first)
		t.removeGap(&r.filled, r.filled.first)
		t.judge(f, s, g.from, g.count, verdict)
	}
}
