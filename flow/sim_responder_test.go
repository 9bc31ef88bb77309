package flow_test

import (
	"github.com/ibwire/ibwire/flow"
	"github.com/ibwire/ibwire/opcode"
)

// A responder takes the requests of one host in order and answers them.
type responder struct {
	n        *network
	host     int
	machine  int
	peer     *requester
	expected int64
	msn      uint32
	naked    bool             // a NAK is out for the PSN expected
	aside    map[int64]func() // of a tolerant one: what has come too early
	answered map[int64]bool   // PSNs of which a READ response was sent
	refused  map[int64]int    // RNR NAKs by PSN
	unacked  int              // messages since the last ACK
}

// receive takes a request with PSN x.psn of message m.
func (r *responder) receive(x *transmission, m *message) {
	switch {
	case x.psn > r.expected && r.n.tolerant:
		if r.aside == nil {
			r.aside = map[int64]func(){}
		}
		r.aside[x.psn] = func() { r.receive(x, m) }
	case x.psn > r.expected:
		if !r.naked {
			r.naked = true
			r.acknowledge(r.expected, 0x60)
		}
	case x.psn < r.expected:
		r.again(x, m)
	default:
		r.take(x, m)
		if then := r.aside[r.expected]; then != nil {
			delete(r.aside, r.expected)
			then()
		}
	}
}

// again takes a request that has been taken before.
func (r *responder) again(x *transmission, m *message) {
	switch m.op {
	case flow.Read:
		r.expected = max(r.expected, m.end)
		r.respond(x.psn, m)
	case flow.CmpSwap, flow.FetchAdd:
		r.reply(opcode.RCAtomicAcknowledge, x.psn, 0, 0)
	default:
		r.acknowledge(r.expected-1, 0x1f)
	}
}

// take takes the request that is expected.
func (r *responder) take(x *transmission, m *message) {
	if m.op == flow.Send && x.psn == m.psn && r.refused[x.psn] < 3 && r.n.sent > r.n.quiet && r.n.chance(r.n.rnr) {
		if r.refused == nil {
			r.refused = map[int64]int{}
		}
		r.refused[x.psn]++
		r.naked = true // and says nothing until it comes again
		r.acknowledge(x.psn, 0x21)
		return
	}
	r.naked = false
	r.expected = x.psn + x.span
	if m.op != flow.Read && r.expected < m.end {
		return
	}
	r.msn++
	switch m.op {
	case flow.Read:
		r.respond(x.psn, m)
	case flow.CmpSwap, flow.FetchAdd:
		r.reply(opcode.RCAtomicAcknowledge, x.psn, 0, 0)
	default:
		r.unacked++
		if r.unacked >= 3 || r.n.rng.IntN(2) == 0 || m == r.peer.messages[len(r.peer.messages)-1] {
			r.acknowledge(r.expected-1, 0x1f)
		}
	}
}

func (r *responder) acknowledge(psn int64, syndrome byte) {
	r.unacked = 0
	r.reply(opcode.RCAcknowledge, psn, syndrome, 0)
}

// respond sends the responses to a READ from PSN psn on.
func (r *responder) respond(psn int64, m *message) {
	r.unacked = 0
	for p := psn; p < m.end; p++ {
		o := [...]opcode.Opcode{opcode.RCReadResponseMiddle, opcode.RCReadResponseFirst, opcode.RCReadResponseLast, opcode.RCReadResponseOnly}[place(p == psn, p == m.end-1)]
		payload := r.n.mtu
		if p == m.end-1 {
			payload = m.bytes - int(p-m.psn)*r.n.mtu
		}
		r.reply(o, p, 0, payload)
	}
}

// reply sends a response.
func (r *responder) reply(o opcode.Opcode, psn int64, syndrome byte, payload int) {
	x := &transmission{host: r.host, machine: r.machine, response: true, psn: psn, span: 1}
	if o != opcode.RCAcknowledge && o != opcode.RCAtomicAcknowledge {
		if r.answered == nil {
			r.answered = map[int64]bool{}
		}
		x.again = r.answered[psn]
		r.answered[psn] = true
	}
	x.f = r.n.frameOf(r.host, r.machine, o, psn)
	x.f.syndrome, x.f.msn, x.f.payload = syndrome, r.msn&0xffffff, payload
	r.n.transmit(x, func() { r.peer.receive(x) })
}
