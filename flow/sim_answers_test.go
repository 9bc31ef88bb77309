package flow_test

import (
	"github.com/ibwire/ibwire/flow"
	"github.com/ibwire/ibwire/opcode"
)

// readResponse takes a READ response.
func (t *truth) readResponse(i int, x *transmission) {
	t.arrived(i, x, true)
	q := &t.responses
	if x.copy {
		q.packets++
		q.duplicates++
		return
	}
	if !t.readable[x.psn] {
		q.undecidable = true // the capture does not show what this answers
	}
	if !q.started {
		q.started = true
		q.top = min(t.firstRead(), x.psn)
	}
	for p := q.top; p < x.psn; p++ {
		if !t.readable[p] {
			q.seen[p] = true // no READ takes it, or none that the capture shows
		}
	}
	missing, _ := q.seeResponses(i, x)
	if _, ok := t.answers[x.psn]; !ok {
		t.answers[x.psn] = x.tapped
	}
	for _, p := range missing {
		switch {
		case !x.again:
			q.verdicts[p] = flow.Reordered
		case !t.lostResponse(p) || !t.retried[p]:
			q.verdicts[p] = undecidable
		default:
			q.verdicts[p] = flow.Lost
		}
	}
}

// firstRead returns the PSN of the first READ that the capture shows.
func (t *truth) firstRead() int64 {
	first := int64(-1)
	for p := range t.readable {
		if first < 0 || p < first {
			first = p
		}
	}
	return max(first, 0)
}

// seeResponses is see for responses: PSNs that no READ has taken are not missing.
func (q *sequence) seeResponses(i int, x *transmission) ([]int64, bool) {
	return q.see(i, x, func(int64) bool { return false })
}

// lostResponse tells whether the network has lost the first response with PSN psn
// before the tap.
func (t *truth) lostResponse(psn int64) bool {
	for _, x := range t.n.wire {
		if x.machine == t.machine && x.response && !x.again && x.psn == psn && x.f.op != opcode.RCAcknowledge {
			return x.lost
		}
	}
	return false
}

// unanswered judges the answers that nothing behind them has shown to be missing:
// their requests, and what was acknowledged after them, do.
func (t *truth) unanswered(wire []*transmission) {
	for m, i := range t.reads {
		passed := -1
		for _, r := range t.replies {
			if last := r.psn; r.index > i && (last > m.end || last == m.end && r.included) {
				passed = r.index
				break
			}
		}
		answered := m.op != flow.Read && m.op != flow.CmpSwap && m.op != flow.FetchAdd
		if answered || passed < 0 {
			continue
		}
		for p := wire[i].psn; p < m.end; p++ {
			_, came := t.answers[p]
			_, judged := t.responses.verdicts[p]
			if came || judged {
				continue
			}
			t.responses.verdicts[p] = flow.Unresolved
			if t.lastFresh > passed {
				t.responses.verdicts[p] = flow.CaptureMissed
			}
		}
	}
}
