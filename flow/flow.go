package flow

import (
	"math"
	"time"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/ext"
	"github.com/ibwire/ibwire/opcode"
)

// A Flow is one direction of a conversation. Of a connection it has the requests
// of the sender and, with PSNs of their own, its responses to the requests of the
// other direction. What is exported is for reading.
type Flow struct {
	Key Key
	ID  int64 // in the order of first packets, from 1

	FirstPacket, LastPacket int64 // numbers of packets, as given to Add
	Stats

	Latency Latencies // of this flow's requests

	start, stop int64 // nanoseconds
	pkey        uint16
	migrated    bool
	answers     bool // has sent a READ response or ATOMIC acknowledge
	early       bool // its peer had, when it was found
	used        bool // since the hand of the clock went by

	mtu        uint32 // bytes, 0 while it is not known
	guessedMTU uint32 // by the PSN behind a READ
	largest    uint32 // payload of a packet, bytes
	requests   stream
	responses  stream
	openReads  int   // whose end is not certain
	newest     int64 // number of the newest request that was not sent again

	head, tail int32  // records, by PSN
	messages   int    // how many
	ackedTo    uint32 // the last PSN acknowledged
	hasAcked   bool
	hasMSN     bool
	msn        uint32 // that the last acknowledge came with
	ended      uint32 // messages whose end is acknowledged, to compare with MSNs
	naks       naks   // about this flow's requests
	sights     sights
	trouble    int64 // nanoseconds: when packets were last asked for or sent again
	retry      span  // of READ requests that were sent again

	peer    *Flow
	pairing Pairing
	paired  int64 // number of the packet that showed it
	proof   proof
	tries   uint32 // vain attempts to find a peer
	group   *group
	side    uint8
	open    bool  // stands in the group's list of flows that may still be paired
	ahead   *Flow // in that list
	behind  *Flow
}

// A nak waits for the packet with this PSN.
type nak struct {
	cause Cause // UnknownCause if it waits no longer
	psn   uint32
}

// naks are what has asked for packets to be sent again, the last few. A requester
// may still wait for the time of one when the next arrives.
type naks struct {
	last [4]nak
	n    uint8
}

// add adds a NAK of PSN psn in place of any other one of it.
func (n *naks) add(c Cause, psn uint32) {
	n.answer(psn, psn+1)
	n.last[n.n%uint8(len(n.last))] = nak{c, psn}
	n.n++
}

// asks returns which of them asks for PSN psn, or UnknownCause.
func (n *naks) asks(psn uint32) Cause {
	for _, k := range n.last {
		if k.cause != UnknownCause && k.psn == psn {
			return k.cause
		}
	}
	return UnknownCause
}

// before returns the last of them that asks for a PSN before psn, if it was not
// acknowledged since, else nil.
func (n *naks) before(f *Flow, psn uint32) (last *nak) {
	for i := range n.last {
		k := &n.last[i]
		if k.cause == UnknownCause || diff(psn, k.psn) <= 0 || f.hasAcked && diff(f.ackedTo, k.psn) >= 0 {
			continue
		}
		if last == nil || diff(k.psn, last.psn) > 0 {
			last = k
		}
	}
	return last
}

// answer notes that the PSNs [from, to) have been sent again.
func (n *naks) answer(from, to uint32) {
	for i := range n.last {
		if k := &n.last[i]; (span{from, to}).has(k.psn) {
			k.cause = UnknownCause
		}
	}
}

// A span is PSNs [from, to).
type span struct{ from, to uint32 }

func (s span) has(psn uint32) bool { return diff(psn, s.from) >= 0 && diff(psn, s.to) < 0 }

// Latencies are times between a request and its answer. Each is nil until there
// is a sample. They begin with the first packet of the message, also if it was
// sent again.
type Latencies struct {
	ACK       *Latency // messages without an answer of their own, to the ACK that closes them
	ReadFirst *Latency // READ request to its first response
	ReadLast  *Latency // READ request to its last response
	Atomic    *Latency // ATOMIC request to its acknowledge
}

// Stats are the counts of a flow.
type Stats struct {
	Count

	Requests  PSNStats
	Responses PSNStats // READ responses; with ACKs as Duplicates, and ATOMIC acknowledges in gaps
	Unchecked int64    // packets whose PSN is not checked: ACKs, UD, RD, CNPs, opcodes that are not assigned
	Cut       int64    // packets that a header is missing from that the opcode announces

	ACKs          int64    // positive ones, of their own and as part of responses
	NAKs          [6]int64 // by ext.NakCode; [5] has the reserved codes
	RNRNAKs       int64
	ReservedAETHs int64 // of the syndrome type that is reserved

	CNPs          int64 // that throttle this flow
	UncertainCNPs int64 // of those, the ones of which that is not certain
	CE            int64 // packets with ECN Congestion Experienced
	FECN, BECN    int64 // packets with the bit, BECN without CNPs
	SE            int64 // packets with a solicited event
	Migrations    int64 // changes of MigReq
	PKeyChanges   int64

	Messages     [numStatuses]int64 // by Status
	MessageBytes int64              // payload of messages, each PSN once, with READ responses
}

// PSNStats are the counts of a sequence of PSNs. The package documentation says
// what each of them means.
type PSNStats struct {
	Packets         int64
	Gaps            int64
	Missing         int64              // PSNs in those gaps
	Verdicts        [numVerdicts]int64 // PSNs that are no longer missing, or no longer looked for, by Verdict
	LostBehind      int64              // packets lost, at least, between the capture and the receiver
	OutOfOrder      int64              // packets
	Duplicates      int64              // packets
	Retransmissions int64              // packets that had been seen before
	Runs            [numCauses]int64   // by Cause
	Restarts        int64
	Undecided       int64 // times that a gap could not be told from a READ of unknown span
}

// Start returns the time of the first packet that has one.
func (f *Flow) Start() time.Time { return timeOf(f.start) }

// End returns the time of the last packet that has one.
func (f *Flow) End() time.Time { return timeOf(f.stop) }

// MTU returns the path MTU in bytes, or 0 if it is not known. It is the payload
// of First and Middle packets in either direction, or what the PSN behind a READ
// tells.
func (f *Flow) MTU() int {
	m := f.seenMTU()
	if m == 0 && f.guessedMTU >= f.leastMTU() {
		m = f.guessedMTU
	}
	return int(m)
}

// Peer returns the flow in the other direction, or nil, and how it was found.
func (f *Flow) Peer() (*Flow, Pairing) { return f.peer, f.pairing }

// noTime stands for the time of a packet without one.
const noTime = math.MinInt64

func stamp(at time.Time) int64 {
	if at.IsZero() {
		return noTime
	}
	return at.UnixNano()
}

func timeOf(ns int64) time.Time {
	if ns == noTime {
		return time.Time{}
	}
	return time.Unix(0, ns)
}

// since returns how long before now then was; ok is false if that is not known.
func (t *Table) since(then int64) (ns int64, ok bool) {
	if t.now == noTime || then == noTime || t.now < then {
		return 0, false
	}
	return t.now - then, true
}

// sample adds the time since then to *l.
func (t *Table) sample(l **Latency, then int64) {
	ns, ok := t.since(then)
	if !ok {
		return
	}
	if *l == nil {
		*l = new(Latency)
	}
	(*l).add(ns, &t.octaves)
}

// note counts what any packet has.
func (t *Table) note(f *Flow, p *ibwire.Packet, length int) {
	f.used, f.LastPacket = true, t.number
	if t.now != noTime {
		f.stop = t.now
		if f.start == noTime {
			f.start = t.now
		}
	}
	f.Count.add(length, p.PayloadLen)
	b := &p.BTH
	if b.PKey != f.pkey {
		f.PKeyChanges++
		t.report(Event{Kind: PKeyChange, Flow: f, PSN: b.PSN, Old: f.pkey, New: b.PKey})
		f.pkey = b.PKey
	}
	if b.MigReq != f.migrated {
		f.Migrations++
		t.report(Event{Kind: MigrationChange, Flow: f, PSN: b.PSN, Old: bit(f.migrated), New: bit(b.MigReq)})
		f.migrated = b.MigReq
	}
	if b.SE {
		t.mark(f, &f.SE, SolicitedEvent, b.PSN)
	}
	if b.FECN {
		t.mark(f, &f.FECN, FECNMark, b.PSN)
	}
	if b.BECN && f.Key.Transport != opcode.CNP {
		t.mark(f, &f.BECN, BECNMark, b.PSN)
	}
	if congested(p) {
		t.mark(f, &f.CE, CongestionMark, b.PSN)
	}
}

// congested tells whether ECN says Congestion Experienced. Only IP has ECN.
func congested(p *ibwire.Packet) bool {
	if p.Encapsulation() != ibwire.RoCEv2 {
		return false
	}
	if p.Inside()&ibwire.IPv4 != 0 {
		return p.IPv4.TOS&3 == 3
	}
	return p.IPv6.TrafficClass&3 == 3
}

func (t *Table) mark(f *Flow, count *int64, kind EventKind, psn uint32) {
	*count++
	t.report(Event{Kind: kind, Flow: f, PSN: psn})
}

func bit(b bool) uint16 {
	if b {
		return 1
	}
	return 0
}

// report hands e to the user's handler.
func (t *Table) report(e Event) {
	t.totals.Events[e.Kind]++
	if t.onEvent == nil {
		return
	}
	t.event = e
	t.event.Number, t.event.Time = t.number, timeOf(t.now)
	t.onEvent(&t.event)
}

// countNAK counts a NAK with code c.
func (s *Stats) countNAK(c ext.NakCode) { s.NAKs[min(int(c), len(s.NAKs)-1)]++ }
