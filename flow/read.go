package flow

import (
	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/opcode"
)

// retried notes that the READ request of n PSNs from psn on is sent again, if it
// is.
func (t *Table) retried(f *Flow, psn, n uint32) {
	s := &f.requests
	if !s.known || diff(psn, s.next) >= 0 {
		return
	}
	if r := &f.retry; r.from == r.to || !s.run.goesOn(psn) && diff(psn, r.to) >= 0 {
		*r = span{psn, psn}
	} else if diff(psn, r.from) < 0 {
		r.from = psn
	}
	if end := (psn + n) & psnMask; diff(end, f.retry.to) > 0 {
		f.retry.to = end
	}
}

// Path MTUs in bytes.
const (
	minMTU = 256
	maxMTU = 10240
)

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

// seenMTU returns the path MTU if a packet has shown it, else 0.
func (f *Flow) seenMTU() uint32 {
	if f.mtu == 0 && f.peer != nil {
		return f.peer.mtu
	}
	return f.mtu
}

// fit notes that a payload of f fits the path MTU.
func (f *Flow) fit(payload int) { f.largest = max(f.largest, uint32(min(payload, maxMTU))) }

// leastMTU returns what the path MTU is not less than.
func (f *Flow) leastMTU() uint32 {
	least := max(f.largest, minMTU)
	if f.peer != nil {
		least = max(least, f.peer.largest)
	}
	return least
}

// readSpan returns how many PSNs the responses to a READ of length bytes take. A
// length of more than 2^31 is none that a receiver takes.
func readSpan(length, mtu uint32) uint32 {
	return min(max((length+mtu-1)/mtu, 1), maxSpan-1)
}

// span returns how many PSNs the READ request p takes, or 0 if that cannot be
// told.
func (t *Table) span(f *Flow, p *ibwire.Packet) uint32 {
	if !p.Ext.Present.Has(opcode.RETH) {
		return 0
	}
	length, mtu := p.Ext.RETH.DMALen, f.seenMTU()
	switch {
	case length <= f.leastMTU():
		return 1
	case mtu == 0:
		return 0
	}
	return readSpan(length, mtu)
}

// A reach tells how far a READ may reach whose span was not known when it came.
type reach struct {
	open    bool   // it may still end elsewhere
	bounded bool   // there are requests behind it
	bound   uint32 // PSN of the first of them
	most    uint32 // PSN that it ends before with the least path MTU
	guessed bool   // it is taken to end there
	jumped  bool   // by no path MTU it does
}

// endless tells whether the end of the record is no more than a lower bound.
func (r *reach) endless() bool { return r.open && !r.guessed }

// mayTake tells whether PSN psn, which is not before it, may be one of the READ.
func (r *reach) mayTake(psn uint32) bool { return r.within(psn) && diff(psn, r.most) < 0 }

// within tells whether PSN psn is before all requests that are known to be behind
// the READ.
func (r *reach) within(psn uint32) bool { return r.open && (!r.bounded || diff(psn, r.bound) < 0) }

// leaveOpen notes that record i is a READ whose end is not known.
func (t *Table) leaveOpen(f *Flow, i int32) {
	r, next := t.records.at(i), f.requests.next
	at := reach{open: true, bounded: r.end != next, bound: next, most: r.psn + uint32(t.maxGap)}
	if r.hasRETH {
		at.most = r.psn + readSpan(r.length, f.leastMTU())
	}
	if r.next != none {
		at.bound = t.records.at(r.next).psn
	}
	if at.bounded && at.bound == r.end {
		return
	}
	r.reach = at
	f.openReads++
}

// endReads finds the ends of the READs of unknown span if the path MTU is known by
// now.
func (t *Table) endReads(f *Flow) {
	if f.openReads == 0 {
		return
	}
	m := f.seenMTU()
	if m == 0 {
		return
	}
	for i := f.head; i != none; i = t.records.at(i).next {
		if r := t.records.at(i); r.open && r.hasRETH {
			t.setEnd(f, i, r.psn+readSpan(r.length, m))
		}
	}
}

// openRead returns the record of the last such READ before PSN psn, or none.
func (t *Table) openRead(f *Flow, psn uint32) int32 {
	if f.openReads == 0 {
		return none
	}
	i := f.tail
	for i != none && (!t.records.at(i).open || diff(psn, t.records.at(i).psn) <= 0) {
		i = t.records.at(i).prev
	}
	return i
}

// endReadBefore finds the end of the last such READ from the PSN of the request
// that was sent behind it, or at least how far it may reach.
func (t *Table) endReadBefore(f *Flow, psn uint32) {
	t.endReads(f)
	i := t.openRead(f, psn)
	if i == none {
		return
	}
	r := t.records.at(i)
	d := diff(psn, r.psn)
	switch {
	case d > t.maxGap, !r.within(psn - 1), psn == r.bound && (r.guessed || r.jumped):
	case r.hasRETH && f.guessMTU(r.length, uint32(d)):
		guess := d > 1 && (!r.bounded || r.jumped)
		t.setEnd(f, i, psn)
		if guess {
			r.reach = reach{open: true, bounded: true, bound: psn, most: psn, guessed: true}
			f.openReads++
		}
	case d == 1:
		t.setEnd(f, i, psn)
	default:
		r.bounded, r.jumped, r.bound = true, r.jumped || f.requests.loose && diff(psn, f.requests.next) > 0, psn
	}
}

// setEnd tells that the READ of record i ends before PSN end, or before the request
// behind it, if its end was not certain.
func (t *Table) setEnd(f *Flow, i int32, end uint32) {
	r := t.records.at(i)
	at := r.reach
	if !at.open || diff(end, r.psn) <= 0 {
		return
	}
	if !at.within(end) {
		end = at.bound
	}
	from := r.end
	r.end, r.reach = end&psnMask, reach{}
	f.openReads--
	switch {
	case !at.bounded:
		f.requests.advance(end)
		f.requests.loose = false
	case at.jumped, at.guessed:
		if at.jumped {
			f.Stats.Requests.Undecided--
		}
		if n := diff(at.bound, end); n > 0 {
			t.openGap(f, &f.requests, end, uint32(n))
			t.settleGaps(f)
		}
	default:
		t.brought(f, &f.requests, from, uint32(diff(end, from)))
	}
}

// guessMTU tells whether a READ of length bytes takes n PSNs with a path MTU that
// there is. If there is one such MTU only, that is it.
func (f *Flow) guessMTU(length, n uint32) bool {
	fits, which := 0, uint32(0)
	for _, m := range mtus {
		if m >= f.leastMTU() && readSpan(length, m) == n {
			fits++
			which = m
		}
	}
	if fits == 1 {
		f.guessedMTU = which
	}
	return fits > 0
}
