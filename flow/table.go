package flow

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/opcode"
)

// A Table finds the flows of a capture. It belongs to one goroutine, and so do
// its flows.
type Table struct {
	onEvent     func(*Event)
	onMessage   func(*Message)
	onFlow      func(*Flow)
	maxFlows    int
	maxMessages int
	maxGap      int32
	copyWindow  int64 // nanoseconds
	quietWindow int64 // where a NAK would have been seen
	likeCopy    bool  // the packet at hand

	flows  map[compact]*Flow
	clock  []*Flow // the flows again; those with nothing since the hand went by are evicted first
	hand   int
	groups map[ends]*group
	given  map[compact]compact // pairs from the user, both ways

	records pool[record]
	oldest  int32 // record
	newest  int32
	gaps    pool[gap]
	octaves int // that latencies may still take

	number int64 // of the packet at hand
	now    int64 // its time, nanoseconds
	totals Totals
	event  Event   // handed to onEvent
	msg    Message // handed to onMessage
}

// New returns an empty table.
func New(opts ...Option) *Table {
	t := &Table{
		maxFlows: 100_000, maxMessages: 100_000, maxGap: 1 << 16, copyWindow: int64(time.Microsecond), quietWindow: int64(leastTimeout),
		flows: map[compact]*Flow{}, groups: map[ends]*group{}, given: map[compact]compact{},
		oldest: none, newest: none, octaves: maxOctaves, now: noTime,
	}
	for _, o := range opts {
		o(t)
	}
	return t
}

// Add takes the next packet: its number, its time, which may be the zero Time,
// and the length of its frame on the wire in bytes. It returns the flow that the
// packet belongs to, or nil. The packet is not kept.
//
// Packets come in the order of the capture; of several files that of their times.
func (t *Table) Add(p *ibwire.Packet, number int64, at time.Time, length int) *Flow {
	t.tick(number, stamp(at))
	t.totals.add(p, length)
	if p.Inside()&ibwire.BTH == 0 {
		return nil
	}
	c, ok := compactOf(p)
	if !ok {
		t.totals.NoFlow++
		return nil
	}
	f := t.flows[c]
	if f == nil {
		f = t.add(c, p)
	}
	t.note(f, p, length)
	t.track(f, p)
	return f
}

func (t *Table) tick(number, now int64) {
	switch {
	case now == noTime:
		t.totals.NoTime++
	case now < t.now:
		t.totals.Backwards++
	}
	t.number, t.now = number, now
}

// track looks at the packet as its transport has it.
func (t *Table) track(f *Flow, p *ibwire.Packet) {
	o := p.BTH.OpCode
	if p.Ext.Present != o.Headers() {
		f.Cut++
	}
	switch f.Key.Transport {
	case opcode.RC, opcode.XRC, opcode.UC:
		switch {
		case !o.Assigned():
			f.Unchecked++
			f.requests.loose = true // nobody knows what it did to the PSN
		case t.copied(f, p):
			t.duplicate(f, p)
		case o.IsResponse():
			t.response(f, p)
		default:
			t.request(f, p)
		}
	case opcode.UD:
		f.Unchecked++
		if o.Assigned() {
			t.datagram(f, p)
		}
	case opcode.CNP:
		f.Unchecked++
		t.cnp(f)
	default:
		f.Unchecked++
	}
}

// add opens a flow, and makes room for it.
func (t *Table) add(c compact, p *ibwire.Packet) *Flow {
	t.totals.Flows++
	f := &Flow{
		Key: c.key(), ID: t.totals.Flows, FirstPacket: t.number, start: noTime, stop: noTime, trouble: noTime,
		pkey: p.BTH.PKey, migrated: p.BTH.MigReq, head: none, tail: none,
	}
	f.begin()
	t.flows[c] = f
	if len(t.clock) < t.maxFlows {
		t.clock = append(t.clock, f)
	} else {
		t.evictFlow()
		t.clock[t.hand] = f
		t.hand = (t.hand + 1) % len(t.clock)
	}
	t.join(f, c)
	return f
}

// evictFlow evicts the flow at the hand of the clock, which goes on until it
// finds one that has had no packets since it went by.
func (t *Table) evictFlow() {
	for t.clock[t.hand].used {
		t.clock[t.hand].used = false
		t.hand = (t.hand + 1) % len(t.clock)
	}
	f := t.clock[t.hand]
	t.totals.EvictedFlows++
	t.settle(f, Evicted)
	if t.onFlow != nil {
		t.onFlow(f)
	}
	for _, l := range [...]*Latency{f.Latency.ACK, f.Latency.ReadFirst, f.Latency.ReadLast, f.Latency.Atomic} {
		t.octaves += l.room()
	}
	t.leave(f)
	delete(t.flows, f.Key.compact())
}

// settle ends everything that is open in f.
func (t *Table) settle(f *Flow, open Status) {
	t.endRun(f, &f.requests)
	t.endRun(f, &f.responses)
	t.closeGaps(f, &f.requests)
	t.closeGaps(f, &f.responses)
	for f.head != none {
		t.emit(f.head, t.statusOf(t.records.at(f.head), open))
	}
}

// Close ends all flows: what is still open is judged by what is known, the
// messages come to their handler, and the flows to theirs, which stay in the
// table. No packet may be added afterwards.
func (t *Table) Close() {
	for f := range t.Flows() {
		t.settle(f, Unfinished)
	}
	if t.onFlow != nil {
		for f := range t.Flows() {
			t.onFlow(f)
		}
	}
}

// Flow returns the flow with this key, or nil.
func (t *Table) Flow(k Key) *Flow { return t.flows[k.compact()] }

// Flows returns the flows in the table in the order of their first packets.
func (t *Table) Flows() iter.Seq[*Flow] {
	sorted := slices.SortedFunc(slices.Values(t.clock), func(a, b *Flow) int { return cmp.Compare(a.ID, b.ID) })
	return slices.Values(sorted)
}

// A Conversation is two flows, one in each direction, or one whose other
// direction is not known.
type Conversation struct {
	A, B    *Flow // A had the first packet; B is nil if Pairing is Unpaired
	Pairing Pairing
}

// Conversations returns the flows in the table by pairs, in the order of their
// first packets.
func (t *Table) Conversations() iter.Seq[Conversation] {
	return func(yield func(Conversation) bool) {
		for f := range t.Flows() {
			if f.peer != nil && f.peer.ID < f.ID {
				continue
			}
			if !yield(Conversation{f, f.peer, f.pairing}) {
				return
			}
		}
	}
}

// Totals returns the counts of all packets so far.
func (t *Table) Totals() *Totals { return &t.totals }
