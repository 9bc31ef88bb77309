package flow

import (
	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/ext"
	"github.com/ibwire/ibwire/opcode"
)

// maxCandidates is how many flows are tried to find the one that a response
// belongs to, those first that have sent last.
const maxCandidates = 256

// A group has what is between two addresses.
type group struct {
	flows int      // in the table
	loop  bool     // the addresses are the same: there is one side
	open  [2]*Flow // by side: connections whose peer is not known, the one that sent last first
	ud    [2]*Flow // the newest UD flow, which leads to those before
}

// A proof is what speaks for an uncertain pair.
type proof struct {
	matches uint8
	doubts  uint8 // responses in a row to what was not sent
	psn     uint32
	base    uint32 // MSN before the first message of the flow
}

// maxDoubts is how many responses in a row to what the capture does not have make
// a proven pair uncertain.
const maxDoubts = 3

// connected tells whether flows of t may be paired.
func connected(t opcode.Transport) bool {
	return t == opcode.RC || t == opcode.UC || t == opcode.XRC || t == opcode.RD
}

// join puts a new flow into its group.
func (t *Table) join(f *Flow, c compact) {
	e, forward := c.ends.unordered()
	g := t.groups[e]
	if g == nil {
		g = &group{loop: e.src == e.dst}
		t.groups[e] = g
	}
	g.flows++
	f.group = g
	if !forward {
		f.side = 1
	}
	if c.transport == opcode.UD {
		f.link(&g.ud[f.side])
		return
	}
	if !connected(c.transport) {
		return
	}
	f.link(&g.open[f.side])
	f.open = true
	if o, ok := t.given[c]; ok {
		if peer := t.flows[o]; peer != nil && peer != f {
			t.pair(f, peer, Given)
		}
	}
}

// leave takes a flow out of its group, and lets go of its peer.
func (t *Table) leave(f *Flow) {
	if f.peer != nil {
		t.unpair(f)
	}
	if f.open {
		f.unlink(&f.group.open[f.side])
		f.open = false
	}
	if f.Key.Transport == opcode.UD {
		f.unlink(&f.group.ud[f.side])
	}
	if f.group.flows--; f.group.flows == 0 {
		e, _ := f.Key.compact().ends.unordered()
		delete(t.groups, e)
	}
}

func (f *Flow) link(first **Flow) {
	f.ahead, f.behind = nil, *first
	if *first != nil {
		(*first).ahead = f
	}
	*first = f
}

func (f *Flow) unlink(first **Flow) {
	if f.ahead != nil {
		f.ahead.behind = f.behind
	} else {
		*first = f.behind
	}
	if f.behind != nil {
		f.behind.ahead = f.ahead
	}
	f.ahead, f.behind = nil, nil // or a flow that somebody keeps would keep all others
}

// other returns the side of the other direction.
func (f *Flow) other() uint8 {
	if f.group.loop {
		return f.side
	}
	return 1 - f.side
}

// front moves a flow that may be paired to the front of its list.
func (f *Flow) front() {
	if first := &f.group.open[f.side]; *first != f {
		f.unlink(first)
		f.link(first)
	}
}

// Pair tells that a and b are the two directions of a conversation. The flows
// need not be there yet. It overrules what the packets have shown.
func (t *Table) Pair(a, b Key) {
	ca, cb := a.compact(), b.compact()
	t.given[ca], t.given[cb] = cb, ca
	if f, g := t.flows[ca], t.flows[cb]; f != nil && g != nil && f != g {
		t.pair(f, g, Given)
	}
}

// Restart tells that a new connection begins: the next packet of the flow may
// have any PSN. What was open is ended.
func (t *Table) Restart(k Key) {
	f := t.Flow(k)
	if f == nil {
		return
	}
	t.settle(f, Unfinished)
	f.begin()
	f.mtu, f.guessedMTU, f.largest = 0, 0, 0
	f.hasAcked, f.hasMSN, f.naks, f.retry, f.ended = false, false, naks{}, span{}, 0
	if f.pairing == Uncertain || f.pairing == Proven {
		t.unpair(f)
	}
}

// pair makes f and g the two directions of a conversation.
func (t *Table) pair(f, g *Flow, how Pairing) {
	for _, h := range [...]*Flow{f, g} {
		if h.peer != nil {
			t.unpair(h)
		}
	}
	f.peer, g.peer = g, f
	for _, h := range [...]*Flow{f, g} {
		h.pairing, h.proof, h.tries, h.paired = how, proof{}, 0, t.number
		h.early = h.peer.answers
		if h.open {
			h.unlink(&h.group.open[h.side])
			h.open = false
		}
	}
	t.report(Event{Kind: PairingChange, Flow: f, Subject: g, Pairing: how})
}

// unpair takes f and its peer apart.
func (t *Table) unpair(f *Flow) {
	g := f.peer
	f.peer, g.peer = nil, nil
	for _, h := range [...]*Flow{f, g} {
		if h.pairing == Uncertain { // the responses may be those to another flow
			t.closeGaps(h, &h.responses)
		}
		h.pairing, h.proof = Unpaired, proof{}
		if connected(h.Key.Transport) && !h.open {
			h.link(&h.group.open[h.side])
			h.open = true
		}
	}
	t.report(Event{Kind: PairingChange, Flow: f})
}

// match looks whether the response p, of flow g, answers an open request of g's
// peer. Where the peer is not certain, it looks for one that fits.
func (t *Table) match(g *Flow, p *ibwire.Packet) (ok bool) {
	f := g.peer
	switch {
	case g.pairing == Given:
		return false
	case f != nil && f.requests.ahead(t, p.BTH.PSN): // it answers what the capture has missed, or another flow
		doubts := g.proof.doubts + 1
		g.proof = proof{doubts: doubts}
		if g.pairing == Proven && doubts >= maxDoubts {
			t.rate(g, Uncertain)
		}
	case g.pairing == Proven:
		if diff(p.BTH.PSN, f.ackedTo) > 0 {
			g.proof.doubts = 0
		}
		return false
	case f != nil: // an answer that comes again proves nothing
		return t.fits(f, p)
	}
	if g.pairing == Proven {
		return false
	}
	if g.tries++; g.tries > 16 && g.tries&(g.tries-1) != 0 {
		return false
	}
	if f := t.candidate(g, p); f != nil {
		t.pair(f, g, Uncertain)
		return true
	}
	return false
}

// candidate returns the one flow that the response p, of flow g, fits, or nil if
// there is none or more than one.
func (t *Table) candidate(g *Flow, p *ibwire.Packet) (one *Flow) {
	n := 0
	for f := g.group.open[g.other()]; f != nil && n < maxCandidates; f = f.behind {
		n++
		if f.Key.Transport != g.Key.Transport || f == g || !t.fits(f, p) {
			continue
		}
		if one != nil {
			return nil
		}
		one = f
	}
	return one
}

// fits tells whether the response p may answer an open request of f.
func (t *Table) fits(f *Flow, p *ibwire.Packet) bool {
	s, psn := &f.requests, p.BTH.PSN
	if !s.known {
		return false
	}
	d := diff(psn, s.next)
	if i := t.openRead(f, s.next); d >= 0 && (i == none || t.records.at(i).bounded) || d < -int32(s.span) || f.hasAcked && diff(psn, f.ackedTo) <= 0 {
		return false
	}
	switch p.BTH.OpCode.Operation() {
	case opcode.Acknowledge:
		return d < 0
	case opcode.AtomicAcknowledge:
		i := t.find(f, psn, maxCandidates)
		return i != none && (t.records.at(i).op == CmpSwap || t.records.at(i).op == FetchAdd)
	}
	i := t.find(f, psn, maxCandidates)
	if i == none {
		return false
	}
	switch t.records.at(i).op {
	case Read, Flush, AtomicWrite: // which READ responses answer
		return true
	}
	return false
}

// confirm takes a response that fits an uncertain pair. The pair is proven by a
// few in a row that count messages (MSN) as the requests do: by two if there are
// no other flows between the addresses, else by four. One that counts otherwise is
// the first of a new row.
func (t *Table) confirm(g *Flow, p *ibwire.Packet) {
	pr := &g.proof
	if !p.Ext.Present.Has(opcode.AETH) || p.Ext.AETH.Syndrome.Type() == ext.ReservedType || pr.matches > 0 && pr.psn == p.BTH.PSN {
		return
	}
	base := (p.Ext.AETH.MSN - g.peer.ended) & psnMask
	if base != pr.base {
		pr.matches = 0
	}
	pr.base, pr.psn = base, p.BTH.PSN
	need := uint8(4)
	if g.group.flows == 2 {
		need = 2
	}
	if pr.matches++; pr.matches >= need {
		pr.doubts = 0
		t.rate(g, Proven)
	}
}

// rate says how sure the pair of g is.
func (t *Table) rate(g *Flow, how Pairing) {
	f := g.peer
	f.pairing, g.pairing = how, how
	t.report(Event{Kind: PairingChange, Flow: f, Subject: g, Pairing: how})
}

// ahead tells whether PSN psn is none that was sent before.
func (s *stream) ahead(t *Table, psn uint32) bool {
	d := diff(psn, s.next)
	return !s.known || !s.loose && d >= 0 || d < -t.maxGap
}

// cnp takes a congestion notification. It goes to the queue pair whose packets
// are to be throttled: that of the other direction's flow.
func (t *Table) cnp(f *Flow) {
	t.totals.CNPs++
	throttled, how := t.throttled(f)
	if throttled == nil {
		t.totals.UnknownCNPs++
	} else {
		throttled.Stats.CNPs++
		if how < Proven {
			throttled.UncertainCNPs++
		}
	}
	t.report(Event{Kind: CongestionNotice, Flow: f, Subject: throttled, Pairing: how})
}

// throttled returns the flow that the CNPs of f throttle, and how surely.
func (t *Table) throttled(f *Flow) (*Flow, Pairing) {
	c := f.Key.compact()
	for _, c.transport = range [...]opcode.Transport{opcode.RC, opcode.XRC, opcode.UC, opcode.RD} {
		if g := t.flows[c]; g != nil && g.peer != nil {
			return g.peer, g.pairing
		}
	}
	n, other := 0, f.other()
	for h := f.group.ud[other]; h != nil && n < maxCandidates; h = h.behind {
		if n++; h.Key.SrcQP == f.Key.DestQP {
			return h, Proven
		}
	}
	if only := f.group.open[other]; only != nil && only.behind == nil && f.group.ud[other] == nil {
		return only, Uncertain
	}
	return nil, Unpaired
}
