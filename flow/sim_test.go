package flow_test

import (
	"container/heap"
	"math/rand/v2"

	"github.com/ibwire/ibwire/flow"
	"github.com/ibwire/ibwire/opcode"
)

// A scenario is what a simulated conversation meets with. Probabilities are per
// packet.
type scenario struct {
	mtu          int
	base         [2]uint32 // first PSN of the requests of each host
	messages     [2]int
	early        float64 // request lost between the sender and the tap
	late         float64 // request lost between the tap and the receiver
	ackLoss      float64 // response lost, on either side of the tap
	rnr          float64 // receiver not ready, per message
	missed       float64 // passes the tap, and is not captured
	delayed      float64 // request overtaken by others before the tap
	tolerant     bool    // the responder takes requests in any order
	twin         float64 // captured twice
	lag          int64   // how much later, in nanoseconds; 0 for less than a microsecond
	kinds        []flow.Operation
	longest      int  // packets of a message
	short        bool // SENDs and WRITEs have one packet, so that the path MTU is not known from them
	xrc          bool // XRC in place of RC
	quiet        int  // packets at the beginning that nothing happens to
	toTap, toEnd int64
}

// spacing is the time between packets of a host, in nanoseconds.
const spacing = 2000

// A transmission is a packet that was sent, with all that a capture cannot know
// of it. PSNs are counted from 0 and do not wrap.
type transmission struct {
	f        frame
	host     int // that sent it
	machine  int // the host whose requests it belongs to
	response bool
	psn      int64
	span     int64
	again    bool // its PSNs were sent before
	episode  int  // of sending again, from 1
	lost     bool // before the tap
	tapped   int64
	captured bool
	copy     bool
}

// message is what the requester was asked to send.
type message struct {
	op         flow.Operation
	psn, end   int64
	bytes      int
	packets    int
	imm        bool
	responded  int64 // of a READ: the next response that the requester wants
	start      int64
	acked      int64
	firstReply int64
}

// event is something to happen at a time.
type event struct {
	at   int64
	seq  int
	then func()
}

type agenda []event

func (a agenda) Len() int { return len(a) }
func (a agenda) Less(i, j int) bool {
	return a[i].at < a[j].at || a[i].at == a[j].at && a[i].seq < a[j].seq
}
func (a agenda) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a *agenda) Push(x any)   { *a = append(*a, x.(event)) }
func (a *agenda) Pop() any {
	last := (*a)[len(*a)-1]
	*a = (*a)[:len(*a)-1]
	return last
}

// A network carries a conversation between two hosts past a tap.
type network struct {
	scenario
	rng      *rand.Rand
	now      int64
	agenda   agenda
	seq      int
	free     [2]int64 // when the link of each host is free
	sent     int
	wire     []*transmission // in the order of the tap, also those that it missed
	machines [2]*machine
	qp       [2]uint32
}

// machine is a requester with the responder at the other host.
type machine struct {
	requester
	responder
}

func newNetwork(s scenario, seed uint64) *network {
	n := &network{scenario: s, rng: rand.New(rand.NewPCG(seed, 7)), qp: [2]uint32{0x11, 0x22}}
	for i := range n.machines {
		m := &machine{}
		m.requester = requester{n: n, host: i, peer: &m.responder, pipe: &m.responder}
		m.responder = responder{n: n, host: 1 - i, machine: i, peer: &m.requester}
		n.machines[i] = m
		m.plan(s.messages[i])
	}
	return n
}

func (n *network) after(d int64, then func()) {
	n.seq++
	heap.Push(&n.agenda, event{n.now + d, n.seq, then})
}

// run lets the conversation happen.
func (n *network) run() {
	for _, m := range n.machines {
		m.send()
	}
	for steps := 0; len(n.agenda) > 0 && steps < 50_000; steps++ {
		e := heap.Pop(&n.agenda).(event)
		n.now = e.at
		e.then()
	}
}

func (n *network) chance(p float64) bool { return p > 0 && n.rng.Float64() < p }

// transmit sends x as soon as the link of its host is free. arrive is called if
// it arrives.
func (n *network) transmit(x *transmission, arrive func()) {
	start := max(n.now, n.free[x.host])
	n.free[x.host] = start + spacing
	n.sent++
	lost := n.early
	lostLate := n.late
	if x.response {
		lost, lostLate = n.ackLoss/2, n.ackLoss/2
	}
	quiet := n.sent <= n.quiet
	toTap, toEnd := n.toTap, n.toEnd
	if x.host == 1 {
		toTap, toEnd = toEnd, toTap
	}
	if !quiet && !x.response && !x.again && n.chance(n.delayed) {
		toTap += spacing * int64(1+n.rng.IntN(4))
	}
	x.lost = !quiet && n.chance(lost)
	gone := !quiet && n.chance(lostLate)
	x.captured = !x.lost && (quiet || !n.chance(n.missed))
	n.after(start-n.now+toTap, func() {
		x.tapped = n.now
		n.wire = append(n.wire, x)
		if x.captured && (!quiet || n.lag > 0) && n.chance(n.twin) {
			twin := *x
			twin.copy, twin.tapped = true, n.now+n.lag
			if n.lag == 0 {
				twin.tapped += int64(100 + n.rng.IntN(800))
			}
			n.wire = append(n.wire, &twin)
		}
		if !x.lost && !gone {
			n.after(toEnd, arrive)
		}
	})
}

// onWire returns the frame of x in the transport of the scenario.
func (s *scenario) onWire(f frame) *frame {
	if s.xrc {
		f.op |= 0xa0
	}
	return &f
}

// frameOf returns the frame of a packet for the requests of machine m.
func (n *network) frameOf(host, machine int, op opcode.Opcode, psn int64) frame {
	return frame{reverse: host == 1, op: op, qp: n.qp[1-host], psn: uint32(int64(n.base[machine])+psn) & 0xffffff, pkey: 0xffff}
}
