package flow_test

import (
	"slices"

	"github.com/ibwire/ibwire/flow"
	"github.com/ibwire/ibwire/opcode"
)

// undecidable is the verdict where the capture does not have what would tell.
const undecidable = flow.Verdict(99)

// A sequence is what a capture shows of a sequence of PSNs.
type sequence struct {
	started     bool
	start, top  int64
	seen        map[int64]bool
	opened      map[int64]int // of missing PSNs: the index of the packet that showed it
	verdicts    map[int64]flow.Verdict
	packets     int64
	repeats     int64
	duplicates  int64
	lateOnes    int64 // packets that were overtaken
	undecidable bool  // nothing about this sequence is compared
}

func newSequence() sequence {
	return sequence{seen: map[int64]bool{}, opened: map[int64]int{}, verdicts: map[int64]flow.Verdict{}}
}

// A truth is what a table has to find in the capture of the requests of a host,
// and of the responses to them.
type truth struct {
	n         *network
	given     bool // the table was told the pair
	machine   int
	requests  sequence
	responses sequence
	acked     int64 // the last PSN of which the capture shows that it has arrived
	lastFresh int   // index of the last request that was not sent again
	naks      map[int64]int
	nakCount  int64
	rnrCount  int64
	episodes  map[int]*episode
	fills     []filled
	replies   []reply
	reads     map[*message]int // READs and ATOMICs by the index of their first request
	readable  map[int64]bool   // PSNs of READs whose requests are captured
	last      *transmission    // the request before
	before    *episode         // the newest
	unclear   bool             // what is late now cannot be told from what is sent again
	other     int              // index of the first packet of the other direction, or -1
	rnr       map[int64]bool   // PSNs of which the last NAK is an RNR NAK
	going     int64            // PSN behind the last packet that was sent again, or -1 if something new came since
	retried   map[int64]bool   // PSNs of READs that are seen to be requested again
	firstSeen map[int64]int64  // PSN of a request: when it was captured
	answers   map[int64]int64  // PSN of a response: when it was captured
}

// An episode is a go-back-N of the requester.
type episode struct {
	asked  bool // the capture has a NAK for its first packet, and that packet
	repeat bool
	behind bool
	filled bool
	mute   bool // nothing of the other direction was captured before
	rnr    bool // asked by an RNR NAK
}

type filled struct {
	psn     int64
	episode int
}

// A reply is a response in the capture: everything before psn has arrived, and
// psn itself if it is included.
type reply struct {
	index    int
	at, psn  int64
	included bool
}

// judge works out what the capture shows of machine m.
func judge(n *network, wire []*transmission, m int) *truth {
	t := &truth{n: n, machine: m, requests: newSequence(), responses: newSequence(), acked: -1, going: -1, other: -1, rnr: map[int64]bool{}, readable: map[int64]bool{}, lastFresh: -1, naks: map[int64]int{},
		episodes: map[int]*episode{}, reads: map[*message]int{}, retried: map[int64]bool{}, firstSeen: map[int64]int64{}, answers: map[int64]int64{}}
	for i, x := range wire {
		if x.captured && x.host != m && t.other < 0 {
			t.other = i
		}
		switch {
		case x.machine != m || !x.captured:
		case x.response:
			t.response(i, x)
		default:
			t.request(i, x)
		}
	}
	t.finish()
	t.unanswered(wire)
	return t
}

// see notes the PSNs of x in q, and returns those that had been missing.
func (q *sequence) see(i int, x *transmission, settled func(int64) bool) (missing []int64, repeat bool) {
	q.packets++
	end := x.psn + x.span
	if !q.started {
		q.started, q.start, q.top = true, x.psn, x.psn
	}
	for p := q.top; p < x.psn; p++ {
		q.opened[p] = i
		if settled(p) {
			q.verdicts[p] = flow.CaptureMissed
			q.seen[p] = true
		}
	}
	repeat = true
	for p := x.psn; p < end; p++ {
		if q.seen[p] {
			continue
		}
		repeat = false
		q.seen[p] = true
		if _, open := q.opened[p]; open {
			missing = append(missing, p)
		}
	}
	q.top = max(q.top, end)
	if repeat {
		q.repeats++
	}
	return missing, repeat
}

func (t *truth) request(i int, x *transmission) {
	q := &t.requests
	last := t.last
	t.last = x
	_, asked := t.naks[x.psn]
	if soon := last != nil && last.f.op == x.f.op && last.psn == x.psn && x.tapped-last.tapped <= 1000; x.copy || soon && !asked {
		q.packets++
		q.duplicates++
		return
	}
	behind := q.started && x.psn < q.top
	missing, repeat := q.see(i, x, func(p int64) bool { return p <= t.acked })
	m := t.n.machines[t.machine].at(x.psn)
	if !repeat {
		t.lastFresh = i
		t.firstSeen[x.psn] = x.tapped
	}
	if _, ok := t.reads[m]; !ok && !repeat {
		t.reads[m] = i
	}
	for p := x.psn; p < x.psn+x.span && m.op == flow.Read && !repeat; p++ {
		t.readable[p] = true
	}
	if behind && m.op == flow.Read {
		for p := x.psn; p < m.end; p++ {
			t.retried[p] = true
		}
	}
	if !behind {
		t.going = -1
	}
	if x.again {
		from := x.psn
		if t.going >= 0 && t.going < from {
			from = t.going
		}
		t.partOf(x, behind, repeat, len(missing) > 0 || behind && !repeat)
		for p := from; p < x.psn+x.span; p++ {
			delete(t.naks, p) // another one has to ask for it the next time
		}
	}
	for _, p := range missing {
		switch nak, asked := t.naks[p]; {
		case x.again && t.lostFirst(p):
			t.fills = append(t.fills, filled{p, x.episode})
		case x.again, asked && nak > q.opened[p], t.unclear:
			q.verdicts[p] = undecidable
			t.unclear = true
		default:
			q.verdicts[p] = flow.Reordered
		}
	}
	if !x.again && behind && !repeat {
		q.lateOnes++
	}
	t.unclear = behind && (x.again || t.unclear)
	if behind {
		delete(t.naks, x.psn) // whoever has sent it: it is there
	}
}

// partOf takes x into its episode.
func (t *truth) partOf(x *transmission, behind, repeat, fills bool) {
	e := t.episodes[x.episode]
	if e == nil {
		asks, nak := t.asks(x.psn, behind && repeat)
		nak = nak && behind
		if t.before != nil && t.going >= 0 && x.psn >= t.going && (!nak || t.before.repeat) {
			e = t.before // it goes on where the one before it stopped, and cannot be told from it
		} else {
			e = &episode{asked: nak, mute: t.other < 0, rnr: t.rnr[asks]}
			_, missing := t.requests.opened[asks]
			e.filled = missing && !t.requests.seen[asks] && asks < x.psn
		}
		t.episodes[x.episode], t.before = e, e
		delete(t.naks, asks)
	}
	if behind {
		t.going = x.psn + x.span
	}
	e.repeat = e.repeat || repeat
	e.behind = e.behind || behind
	e.filled = e.filled || fills
}

// asks returns the PSN that a NAK asks for in front of psn, which is sent again, or
// of psn itself.
func (t *truth) asks(psn int64, repeat bool) (asks int64, ok bool) {
	if _, ok := t.naks[psn]; ok || !repeat {
		return psn, ok
	}
	asks = -1
	for p := range t.naks {
		if p < psn && p > t.acked {
			asks = max(asks, p)
		}
	}
	return asks, asks >= 0
}

// lostFirst tells whether the network has lost the first packet with PSN psn
// before the tap.
func (t *truth) lostFirst(psn int64) bool {
	for _, x := range t.n.wire {
		if x.machine == t.machine && !x.response && !x.again && x.psn <= psn && psn < x.psn+x.span {
			return x.lost
		}
	}
	return false
}

func (t *truth) response(i int, x *transmission) {
	switch {
	case x.copy && (x.f.op == opcode.RCAcknowledge || x.f.op == opcode.RCAtomicAcknowledge):
		t.responses.duplicates++
	case x.f.op == opcode.RCAcknowledge && x.f.syndrome>>5 == 0:
		t.arrived(i, x, true)
	case x.f.op == opcode.RCAcknowledge:
		if x.f.syndrome == 0x60 {
			t.nakCount++
		} else {
			t.rnrCount++
		}
		t.naks[x.psn], t.rnr[x.psn] = i, x.f.syndrome != 0x60
		t.arrived(i, x, false)
	case x.f.op == opcode.RCAtomicAcknowledge:
		t.arrived(i, x, true)
		if _, ok := t.answers[x.psn]; !ok {
			t.answers[x.psn] = x.tapped
		}
	default:
		t.readResponse(i, x)
	}
}

// arrived notes what x acknowledges: the gaps there are the capture's.
func (t *truth) arrived(i int, x *transmission, included bool) {
	if !t.requests.started {
		return
	}
	t.replies = append(t.replies, reply{i, x.tapped, x.psn, included})
	last := x.psn
	if !included {
		last--
	}
	t.acked = max(t.acked, last)
	for p := range t.requests.opened {
		if p <= t.acked && !t.requests.seen[p] {
			t.requests.verdicts[p] = flow.CaptureMissed
			t.requests.seen[p] = true
		}
	}
}

// finish judges what only the whole capture can tell.
func (t *truth) finish() {
	for _, f := range t.fills {
		v := flow.Lost
		if e := t.episodes[f.episode]; !e.asked && !e.repeat {
			v = undecidable
		}
		t.requests.verdicts[f.psn] = v
	}
	for p := range t.requests.opened {
		if !t.requests.seen[p] {
			t.requests.verdicts[p] = flow.Unresolved
		}
	}
	q := &t.responses
	for p, i := range q.opened {
		switch _, judged := q.verdicts[p]; {
		case q.seen[p] && !judged:
			delete(q.opened, p) // no READ's
		case judged:
		case t.lastFresh > i:
			q.verdicts[p] = flow.CaptureMissed
		default:
			q.verdicts[p] = flow.Unresolved
		}
	}
}

// sortByTap puts packets into the order of the capture.
func sortByTap(wire []*transmission) []*transmission {
	wire = slices.Clone(wire)
	slices.SortStableFunc(wire, func(a, b *transmission) int { return int(a.tapped - b.tapped) })
	return wire
}
