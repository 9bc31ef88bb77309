package flow

import (
	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/ext"
	"github.com/ibwire/ibwire/opcode"
)

// msnSlack is how far the MSN of a response may be behind that of one before it:
// some count a message when it comes, some when its answer is sent.
const msnSlack = 64

// renew looks whether the response p, of flow g, shows that the requests of f are
// those of a new connection, with PSNs near those of the old one: its messages are
// counted from the beginning.
func (t *Table) renew(g, f *Flow, p *ibwire.Packet) {
	a, psn := &p.Ext.AETH, p.BTH.PSN
	if !p.Ext.Present.Has(opcode.AETH) || a.Syndrome.Type() == ext.ReservedType || !f.requests.known {
		return
	}
	ahead := !f.hasAcked || diff(psn, f.ackedTo) > 0
	if f.hasMSN && f.hasAcked && (g.pairing >= Proven || g.group.flows == 2) {
		r := &f.requests.run
		switch {
		case ahead && (diff(a.MSN, f.msn) < -msnSlack || diff(a.MSN, f.msn) < 0 && a.MSN < f.ended):
			t.reconnect(f, psn)
		case !ahead && (diff(a.MSN, f.msn) > 0 || diff(a.MSN, f.msn) < -msnSlack) && p.BTH.OpCode.Operation() == opcode.Acknowledge && a.Syndrome.Type() == ext.Ack && r.on && r.has(psn):
			// A duplicate is acknowledged with the last PSN, and this is behind it, but
			// does not count as an ACK that was overtaken does.
			t.reconnect(f, r.first)
			ahead = true
		}
	}
	if ahead && diff(psn, f.requests.next) < 0 {
		f.msn, f.hasMSN = a.MSN, true
	}
}

// reconnect tells that the requests of f from PSN psn on are those of a new
// connection. Of a run these were the packets.
func (t *Table) reconnect(f *Flow, psn uint32) {
	s := &f.requests
	t.closeGaps(f, s)
	if r := &s.run; r.on && r.has(psn) {
		r.on = false
		for i := f.head; i != none; {
			next := t.records.at(i).next
			if !r.has(t.records.at(i).psn) {
				t.emit(i, t.statusOf(t.records.at(i), Unfinished))
			}
			i = next
		}
		s.begin(r.first, uint32(diff(r.next, r.first)))
		t.judgeFilled(f, s, Unresolved)
		f.hasAcked = false
	}
	f.naks, f.retry, f.ended = naks{}, span{}, 0
	if g := f.peer; g != nil {
		t.endRun(g, &g.responses)
		t.closeGaps(g, &g.responses)
		g.responses.known = false
	}
	f.Stats.Requests.Restarts++
	t.report(Event{Kind: Restart, Flow: f, PSN: psn, Last: psn})
}
