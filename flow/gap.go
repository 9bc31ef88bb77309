package flow

// maxGaps and maxFlowGaps are how many gaps may be open in a table and in a
// sequence of PSNs.
const (
	maxGaps     = 1 << 17
	maxFlowGaps = 64
)

// A gap is PSNs [from, from+count) that are missing in a stream.
type gap struct {
	from, count uint32
	number      int64 // of the packet that showed it
	prev, next  int32 // in the stream, by PSN
}

// gaps is a list of gaps, by PSN.
type gaps struct {
	first, last int32
	n           int32 // how many
}

// noGaps is the empty list.
var noGaps = gaps{none, none, 0}

// openGap notes that count PSNs from psn on are missing.
func (t *Table) openGap(f *Flow, s *stream, psn, count uint32) {
	t.countGap(f, s, psn, count)
	if s.gaps.n >= maxFlowGaps || t.gaps.used >= maxGaps {
		t.totals.EvictedGaps++
		if s.gaps.n == 0 {
			t.judge(f, s, psn, count, Unresolved)
			return
		}
		t.closeGap(f, s, s.gaps.first)
	}
	before := s.gaps.last
	for before != none && diff(t.gaps.at(before).from, psn) > 0 {
		before = t.gaps.at(before).prev
	}
	t.insertGap(&s.gaps, before, gap{from: psn, count: count, number: t.number})
}

func (t *Table) countGap(f *Flow, s *stream, psn, count uint32) {
	st := f.psns(s)
	st.Gaps++
	st.Missing += int64(count)
	t.report(Event{Kind: Gap, Flow: f, Response: s.response, PSN: psn, Last: (psn + count - 1) & psnMask, Count: count})
}

// insertGap puts g behind gap i of l.
func (t *Table) insertGap(l *gaps, i int32, g gap) {
	n := t.gaps.take()
	g.prev, g.next = i, l.first
	if i != none {
		g.next = t.gaps.at(i).next
		t.gaps.at(i).next = n
	} else {
		l.first = n
	}
	if g.next != none {
		t.gaps.at(g.next).prev = n
	} else {
		l.last = n
	}
	*t.gaps.at(n) = g
	l.n++
}

// removeGap takes gap i out of l.
func (t *Table) removeGap(l *gaps, i int32) {
	g := t.gaps.at(i)
	if g.prev != none {
		t.gaps.at(g.prev).next = g.next
	} else {
		l.first = g.next
	}
	if g.next != none {
		t.gaps.at(g.next).prev = g.prev
	} else {
		l.last = g.prev
	}
	t.gaps.put(i)
	l.n--
}

// overlap returns which PSNs of g are among the n from psn on: [from, to),
// relative to g.from.
func (g *gap) overlap(psn, n uint32) (from, to int32) {
	return max(diff(psn, g.from), 0), min(diff(psn+n, g.from), int32(g.count))
}

// missing tells whether any of n PSNs from psn on are missing in s.
func (t *Table) missing(s *stream, psn, n uint32) bool {
	for i := s.gaps.last; i != none; {
		g := t.gaps.at(i)
		if from, to := g.overlap(psn, n); from < to {
			return true
		}
		if diff(psn, g.from) >= 0 {
			return false // the gaps before are behind psn
		}
		i = g.prev
	}
	return false
}

// fill takes n PSNs from psn on out of the gaps of s. The run has filled them.
func (t *Table) fill(s *stream, psn, n uint32) {
	for i := s.gaps.last; i != none; {
		g := t.gaps.at(i)
		prev, base, number := g.prev, g.from, g.number
		from, to := g.overlap(psn, n)
		if from < to {
			t.cutGap(s, i, uint32(from), uint32(to))
			t.filled(&s.run.filled, gap{from: (base + uint32(from)) & psnMask, count: uint32(to - from), number: number})
		}
		if diff(psn, base) >= 0 {
			return
		}
		i = prev
	}
}

// brought takes n PSNs from psn on, which have come with the last run of s, out of
// its gaps.
func (t *Table) brought(f *Flow, s *stream, psn, n uint32) {
	r := &s.run
	if !r.on {
		r.filled = noGaps
		t.fill(s, psn, n)
		t.judgeFilled(f, s, r.verdict)
		return
	}
	t.fill(s, psn, n)
	if r.next == psn {
		r.next = (psn + n) & psnMask
	}
	if r.next == s.next {
		t.endRun(f, s)
	}
}

// judgeFilled gives the PSNs that the last run of s has brought their verdict.
func (t *Table) judgeFilled(f *Flow, s *stream, v Verdict) {
	l := &s.run.filled
	for l.n > 0 {
		g := *t.gaps.at(l.first)
		t.removeGap(l, l.first)
		t.judge(f, s, g.from, g.count, v)
	}
}

// filled puts g at the end of l.
func (t *Table) filled(l *gaps, g gap) {
	if l.last != none {
		if last := t.gaps.at(l.last); (last.from+last.count)&psnMask == g.from {
			last.count += g.count
			return
		}
	}
	t.insertGap(l, l.last, g)
}

// cutGap takes the PSNs [from, to), relative to its first one, out of gap i.
func (t *Table) cutGap(s *stream, i int32, from, to uint32) {
	g := t.gaps.at(i)
	rest := gap{from: (g.from + to) & psnMask, count: g.count - to, number: g.number}
	switch {
	case from > 0:
		g.count = from
		if rest.count > 0 {
			t.insertGap(&s.gaps, i, rest)
		}
	case rest.count > 0:
		g.from, g.count = rest.from, rest.count
	default:
		t.removeGap(&s.gaps, i)
	}
}

// judge closes count PSNs from psn on with a verdict.
func (t *Table) judge(f *Flow, s *stream, psn, count uint32, v Verdict) {
	f.psns(s).Verdicts[v] += int64(count)
	t.totals.Verdicts[v] += int64(count)
	t.report(Event{Kind: GapClosed, Flow: f, Response: s.response, PSN: psn, Last: (psn + count - 1) & psnMask, Count: count, Verdict: v})
}

// closeGap gives up gap i. Of requests it is unresolved. The requester has what
// is missing of READ responses if it went on to ask for something new.
func (t *Table) closeGap(f *Flow, s *stream, i int32) {
	g := *t.gaps.at(i)
	t.removeGap(&s.gaps, i)
	v := Unresolved
	if s.response && f.peer != nil && f.peer.newest > g.number {
		v = CaptureMissed
	}
	t.judge(f, s, g.from, g.count, v)
}

func (t *Table) closeGaps(f *Flow, s *stream) {
	for s.gaps.n > 0 {
		t.closeGap(f, s, s.gaps.first)
	}
}

// settleGaps closes the gaps of requests that are acknowledged: the receiver has
// the packets, so the capture has missed them.
func (t *Table) settleGaps(f *Flow) {
	if !f.hasAcked {
		return
	}
	s := &f.requests
	for i := s.gaps.first; i != none; i = s.gaps.first {
		g := t.gaps.at(i)
		n := min(diff(f.ackedTo, g.from)+1, int32(g.count))
		if n <= 0 {
			return
		}
		from, v := g.from, CaptureMissed
		if i := t.openRead(f, from); i != none && t.records.at(i).end == from { // they may be those of a READ that has come
			v = Unresolved
			f.Stats.Requests.Undecided++
		}
		t.cutGap(s, i, 0, uint32(n))
		t.judge(f, s, from, uint32(n), v)
	}
}
