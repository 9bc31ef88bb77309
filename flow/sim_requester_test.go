package flow_test

import (
	"github.com/ibwire/ibwire/flow"
	"github.com/ibwire/ibwire/opcode"
)

// Limits of a requester.
const (
	windowPSNs   = 40
	windowReads  = 6
	retryTimeout = 400_000 // nanoseconds
)

// A requester sends messages and sends again what is not answered, go-back-N.
type requester struct {
	n        *network
	host     int
	peer     *responder
	pipe     *responder
	messages []*message
	end      int64 // PSN behind the last message
	next     int64 // to be sent
	top      int64 // behind the highest that was sent
	una      int64 // the oldest that is not acknowledged
	episode  int
	waiting  bool // for the timer of an RNR NAK
	timer    int  // of the timeout, by number
	retries  int
	busy     bool // a call of send is on the agenda
}

// plan makes up n messages.
func (r *requester) plan(n int) {
	rng, s := r.n.rng, &r.n.scenario
	for i := range n {
		m := &message{op: s.kinds[rng.IntN(len(s.kinds))], psn: r.end, start: -1, acked: -1, firstReply: -1}
		packets := 1 + rng.IntN(s.longest)
		if i == 0 && s.quiet > 0 {
			m.op, packets = flow.Send, 3 // so that the path MTU is known
		}
		if s.short && m.op != flow.Read {
			packets = 1
		}
		m.bytes = (packets-1)*s.mtu + 1 + rng.IntN(s.mtu)
		m.packets, m.end = packets, r.end+int64(packets)
		switch m.op {
		case flow.Read:
			m.packets = 1
		case flow.CmpSwap, flow.FetchAdd:
			m.bytes, m.packets, m.end = 0, 1, r.end+1
		default:
			m.imm = rng.IntN(4) == 0
		}
		m.responded = m.psn
		r.messages = append(r.messages, m)
		r.end = m.end
	}
}

// at returns the message that PSN psn belongs to.
func (r *requester) at(psn int64) *message {
	for _, m := range r.messages {
		if psn < m.end {
			return m
		}
	}
	return nil
}

// send sends one packet, if it may, and comes again for the next.
func (r *requester) send() {
	if r.busy || r.waiting || r.next >= r.end || r.next-r.una >= windowPSNs || r.reads() >= windowReads {
		return
	}
	m := r.at(r.next)
	x := r.packet(m)
	if x.again {
		x.episode = r.episode
	}
	r.n.transmit(x, func() { r.pipe.receive(x, m) })
	r.next += x.span
	r.top = max(r.top, r.next)
	r.restartTimer()
	r.busy = true
	r.n.after(max(r.n.free[r.host]-r.n.now, 1), func() { r.busy = false; r.send() })
}

// reads returns how many READs and ATOMICs are under way.
func (r *requester) reads() (n int) {
	for _, m := range r.messages {
		if (m.op == flow.Read || m.op == flow.CmpSwap || m.op == flow.FetchAdd) && m.psn < r.next && m.end > r.una {
			n++
		}
	}
	return n
}

// packet returns the packet of m with PSN r.next.
func (r *requester) packet(m *message) *transmission {
	psn := r.next
	x := &transmission{host: r.host, machine: r.host, psn: psn, span: 1, again: psn < r.top}
	var o opcode.Opcode
	first, last := psn == m.psn, psn == m.end-1
	payload := r.n.mtu
	if last {
		payload = m.bytes - (int(m.end-m.psn)-1)*r.n.mtu
	}
	dma := uint32(m.bytes)
	switch m.op {
	case flow.Send:
		o = [...]opcode.Opcode{opcode.RCSendMiddle, opcode.RCSendFirst, opcode.RCSendLast, opcode.RCSendOnly}[place(first, last)]
		if m.imm && last {
			o++ // the opcode with immediate data
		}
	case flow.Write:
		o = [...]opcode.Opcode{opcode.RCWriteMiddle, opcode.RCWriteFirst, opcode.RCWriteLast, opcode.RCWriteOnly}[place(first, last)]
		if m.imm && last {
			o++
		}
	case flow.Read:
		o, payload, x.span = opcode.RCReadRequest, 0, m.end-psn
		dma -= uint32(int(psn-m.psn) * r.n.mtu)
	case flow.CmpSwap:
		o, payload = opcode.RCCmpSwap, 0
	case flow.FetchAdd:
		o, payload = opcode.RCFetchAdd, 0
	}
	x.f = r.n.frameOf(r.host, r.host, o, psn)
	x.f.payload, x.f.dma, x.f.imm = payload, dma, uint32(m.psn)
	return x
}

// place numbers a packet by whether it is the first and the last of a message.
func place(first, last bool) int {
	switch {
	case first && last:
		return 3
	case last:
		return 2
	case first:
		return 1
	}
	return 0
}

func (r *requester) restartTimer() {
	r.timer++
	number := r.timer
	r.n.after(retryTimeout, func() {
		if number == r.timer && r.una < r.top && !r.waiting && r.retries < 12 {
			r.retries++
			r.goBack(r.una)
		}
	})
}

// goBack sends again from psn on.
func (r *requester) goBack(psn int64) {
	r.episode++
	r.next = psn
	r.restartTimer()
	r.send()
}

// acknowledged notes that everything before psn has arrived, unless a READ or
// ATOMIC before it lacks its answer: that has then been lost. It returns false if
// so, and sends again.
func (r *requester) acknowledged(psn int64) bool {
	for _, m := range r.messages {
		if m.op != flow.Read && m.op != flow.CmpSwap && m.op != flow.FetchAdd || m.end <= r.una || m.psn >= psn {
			continue
		}
		if m.responded < min(m.end, psn) {
			r.una = max(r.una, m.responded)
			r.goBack(r.una)
			return false
		}
	}
	if psn > r.una {
		r.una, r.retries = psn, 0
		r.restartTimer()
	}
	return true
}

// receive takes a response.
func (r *requester) receive(x *transmission) {
	if x.psn >= r.top || x.psn < r.una-1 {
		return
	}
	switch x.f.op {
	case opcode.RCAcknowledge:
		r.syndrome(x)
	default:
		m := r.at(x.psn)
		if !r.acknowledged(x.psn) || m.responded != x.psn {
			return
		}
		m.responded = x.psn + 1
		r.acknowledged(x.psn + 1)
	}
	r.next = max(r.next, r.una)
	r.send()
}

func (r *requester) syndrome(x *transmission) {
	switch s := x.f.syndrome; {
	case s>>5 == 0:
		r.acknowledged(x.psn + 1)
	case s>>5 == 1:
		if r.acknowledged(x.psn) && r.una == x.psn && !r.waiting {
			r.waiting = true
			r.n.after(20_000, func() { r.waiting = false; r.goBack(r.una) })
		}
	case r.acknowledged(x.psn) && r.una == x.psn && !r.waiting:
		r.goBack(x.psn)
	}
}
