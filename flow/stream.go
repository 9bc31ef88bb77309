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
	unseen   span   // PSNs from before the first packet of the capture that have not come since
	gaps     gaps   // open ones
	run      run
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
	repeats uint32  // packets that had been seen before
	copies  uint32  // of these, packets that are like copies
	early   uint32  // PSNs from before the first packet of the capture
	lost    bool    // what a NAK asks for is still missing
	filled  gaps    // what had been missing
	verdict Verdict // about that, when the run has ended
}

// goesOn tells whether a packet with PSN psn goes on with what r sends again.
func (r *run) goesOn(psn uint32) bool {
	return r.on && (r.repeats > 0 || r.cause.asked()) && diff(psn, r.next) >= 0
}

// has tells whether PSN psn is one of r.
func (r *run) has(psn uint32) bool { return span{r.first, r.next}.has(psn) }

// begin starts s with n PSNs from psn on.
func (s *stream) begin(psn, n uint32) {
	s.known, s.loose, s.next, s.span, s.unseen = true, false, (psn+n)&psnMask, n, span{}
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
func (t *Table) step(f *Flow, s *stream, psn, n uint32) (fresh bool) {
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
		fresh = t.back(f, s, psn, n)
		loose = loose && s.loose
	}
	s.loose = s.loose || loose
	return fresh
}

// early returns how many of n PSNs from psn on are from before the first packet of
// the capture, and come for the first time.
func (s *stream) early(psn, n uint32) uint32 {
	u, low := &s.unseen, (s.next-s.span)&psnMask
	if further := diff(low, psn); further > 0 {
		if u.from == u.to {
			u.to = low
		}
		u.from = psn
		s.span = min(s.span+uint32(further), maxSpan)
	}
	from, to := max(diff(psn, u.from), 0), min(diff(psn+n, u.from), diff(u.to, u.from))
	if from >= to {
		return 0
	}
	u.from = (u.from + uint32(to)) & psnMask
	return uint32(to - from)
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
		f.hasAcked, f.hasMSN, f.naks, f.retry = false, false, naks{}, span{}
		if f.pairing == Uncertain {
			t.unpair(f)
		}
	}
	f.psns(s).Restarts++
	t.report(Event{Kind: Restart, Flow: f, Response: s.response, PSN: psn, Last: psn})
	s.begin(psn, n)
}

// back takes a packet that is behind s.next.
func (t *Table) back(f *Flow, s *stream, psn, n uint32) (fresh bool) {
	early := s.early(psn, n)
	filled := t.missing(s, psn, n)
	if d := diff(psn+n, s.next); d > 0 { // a READ request that goes on for longer
		early += uint32(d)
		s.advance(psn + n)
	}
	fresh = filled || early > 0
	if !fresh && f.Key.Transport == opcode.UC {
		t.twice(f, s, psn, psn, 1)
		return false
	}
	late := s.run.on && s.run.repeats == 0 // as it seems: what a NAK has asked for is no part of it
	if !s.run.on || diff(psn, s.run.next) < 0 || late && !s.response && f.naks.asks(psn) != UnknownCause {
		t.endRun(f, s)
		s.run = run{on: true, first: psn, next: psn, filled: noGaps}
		t.findCause(f, s, fresh)
	}
	r := &s.run
	r.packets++
	if t.likeCopy {
		r.copies++
	} else if !fresh {
		f.trouble = t.now
	}
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

// findCause finds why the packets of the run that begins are sent again, if they
// are. Fresh tells that the first one is new.
func (t *Table) findCause(f *Flow, s *stream, fresh bool) {
	r := &s.run
	switch {
	case f.peer == nil || f.Key.Transport == opcode.UC:
	case s.response:
		if f.peer.retry.has(r.first) {
			r.cause = ReadRetry
		}
	case f.naks.asks(r.first) != UnknownCause:
		r.cause = f.naks.asks(r.first)
	default:
		r.cause = Timeout
		if k := f.naks.before(f, r.first); k != nil && !fresh { // what it asks for is lost again
			r.cause, r.lost = k.cause, t.missing(s, k.psn, 1)
			k.cause = UnknownCause
		}
	}
}

// endRun ends the run of s, if there is one, and judges it: a run that repeats
// packets, or that was asked for, was sent again; any other is late.
func (t *Table) endRun(f *Flow, s *stream) {
	r := &s.run
	if !r.on {
		return
	}
	r.on, r.verdict = false, Lost
	st := f.psns(s)
	// Who sends again does not stop on the way.
	if r.copies == r.packets && (r.next != s.next || st.Duplicates > 0) {
		t.twice(f, s, r.first, (r.next-1)&psnMask, r.packets)
		return
	}
	e := Event{Kind: Retransmission, Flow: f, Response: s.response, PSN: r.first, Last: (r.next - 1) & psnMask,
		Count: r.packets, Repeats: r.repeats, Cause: r.cause}
	if r.repeats == 0 && !r.cause.asked() {
		r.verdict = Reordered
		st.OutOfOrder += int64(r.packets)
		e.Kind, e.Cause = OutOfOrder, UnknownCause
	} else {
		st.Retransmissions += int64(r.repeats)
		st.Runs[r.cause]++
		if r.cause == SequenceNAK && r.filled.n == 0 && r.early == 0 && !r.lost {
			st.LostBehind++
		}
	}
	t.report(e)
	t.judgeFilled(f, s, r.verdict)
}
