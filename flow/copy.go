package flow

import (
	"time"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/opcode"
)

// A sight is a packet as it was seen.
type sight struct {
	at   int64  // nanoseconds
	tag  uint32 // PSN and opcode
	mark uint32 // of the AETH and the Identification of the IPv4 header, where there are any
}

func sightOf(p *ibwire.Packet, now int64) sight {
	s := sight{at: now, tag: p.BTH.PSN<<8 | uint32(p.BTH.OpCode)}
	if a := &p.Ext.AETH; p.Ext.Present.Has(opcode.AETH) {
		s.mark = uint32(a.Syndrome)<<24 | a.MSN
	}
	if p.Inside()&ibwire.IPv4 != 0 {
		s.mark ^= uint32(p.IPv4.Id) << 8
	}
	return s
}

// sights are the last packets of a flow. A mirror of two ports has as many packets
// between a packet and its copy as the switch has under way.
type sights struct {
	last   [maxSights]sight
	copied uint8 // bits of those that were seen again
	n      uint8 // how many; those beyond maxSights only tell where the next one goes
}

const maxSights = 7

// find returns the index of the packet with this tag, or none, and whether it is the
// last one.
func (s *sights) find(tag uint32) (i int8, adjacent bool) {
	for back := range min(s.n, maxSights) {
		if i := (s.n - 1 - back) % maxSights; s.last[i].tag == tag {
			return int8(i), back == 0
		}
	}
	return none, false
}

func (s *sights) add(one sight) {
	s.copied &^= 1 << (s.n % maxSights)
	s.last[s.n%maxSights] = one
	if s.n++; s.n == 2*maxSights {
		s.n = maxSights
	}
}

// leastTimeout is the least time that a requester waits for an acknowledge before
// it sends again: 4.096 microseconds times 2, a Local ACK Timeout of 1.
const leastTimeout = 8192 * time.Nanosecond

// troubleTime is how long, in nanoseconds, a requester that was asked to send again
// may take, and one that has may do so once more.
const troubleTime = int64(time.Millisecond)

// unanswered tells whether a READ or ATOMIC up to PSN psn has no answer yet: it is
// sent again, with what is behind it, as soon as a later request is answered.
func (t *Table) unanswered(f *Flow, psn uint32) bool {
	for i := f.head; i != none && diff(t.records.at(i).psn, psn) <= 0; i = t.records.at(i).next {
		if t.records.at(i).answered() {
			return true
		}
	}
	return false
}

// copied tells whether p is a copy of one of the packets of f before it, which the
// capture has twice: the same one, soon after it, and nothing has asked for it. It
// notes p if it is none.
//
// Where it is the same one soon after, and something may have asked for it, it is
// like a copy.
func (t *Table) copied(f *Flow, p *ibwire.Packet) bool {
	t.likeCopy = false
	now := sightOf(p, t.now)
	i, adjacent := f.sights.find(now.tag)
	if i == none {
		f.sights.add(now)
		return false
	}
	s, bit := &f.sights.last[i], uint8(1)<<i
	ns, ok := t.since(s.at)
	same := ok && s.mark == now.mark && ns <= max(t.copyWindow, t.quietWindow)
	if same && (f.sights.copied&bit == 0 && f.twice() || t.copyOf(f, p, ns, adjacent)) {
		f.sights.copied |= bit
		return true
	}
	if t.likeCopy {
		f.sights.copied |= bit
	} else {
		f.sights.add(now)
	}
	return false
}

// twice tells whether f is captured twice: most of its packets are.
func (f *Flow) twice() bool {
	n := f.Stats.Requests.Duplicates + f.Stats.Responses.Duplicates
	return n >= maxSights && 3*n >= f.Packets
}

// duplicate counts p, which the capture has twice.
func (t *Table) duplicate(f *Flow, p *ibwire.Packet) {
	s, o := &f.requests, p.BTH.OpCode
	if o.IsResponse() {
		s = &f.responses
	}
	switch o.Operation() {
	case opcode.Acknowledge, opcode.AtomicAcknowledge:
		f.Unchecked++
	default:
		f.psns(s).Packets++
	}
	t.twice(f, s, p.BTH.PSN, p.BTH.PSN, 1)
}

// twice counts n packets that the capture has twice.
func (t *Table) twice(f *Flow, s *stream, first, last, n uint32) {
	f.psns(s).Duplicates += int64(n)
	t.report(Event{Kind: Duplicate, Flow: f, Response: s.response, PSN: first, Last: last, Count: n})
}

// copyOf tells whether p is a copy of a packet that is the same and was seen ns
// nanoseconds ago. Adjacent ones have no packet of the flow between them.
func (t *Table) copyOf(f *Flow, p *ibwire.Packet, ns int64, adjacent bool) bool {
	o, psn := p.BTH.OpCode, p.BTH.PSN
	op, soon := o.Operation(), ns <= t.copyWindow
	switch {
	case op == opcode.Acknowledge || op == opcode.AtomicAcknowledge: // a responder may say the same again
		return soon
	case o.IsResponse():
		again := f.peer != nil && f.peer.retry.has(psn)
		t.likeCopy = !again
		return adjacent && soon || !again && !f.responses.run.goesOn(psn) && (soon || f.peer != nil)
	case f.naks.asks(psn) != UnknownCause:
		return false
	case adjacent && soon:
		return true
	case f.trouble != noTime && t.now-f.trouble < troubleTime:
		return false
	}
	t.likeCopy = op != opcode.ReadRequest && op != opcode.CmpSwap && op != opcode.FetchAdd && !t.unanswered(f, psn)
	return !f.requests.run.goesOn(psn) && (soon || f.peer != nil && t.likeCopy)
}
