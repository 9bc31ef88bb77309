package main

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/flow"
	"github.com/ibwire/ibwire/lrh"
	"github.com/ibwire/ibwire/opcode"
)

// A queuePair is an end of a connection.
type queuePair struct {
	flow.Endpoint
	number uint32
}

// String returns q as --pair takes it.
func (q queuePair) String() string { return fmt.Sprintf("%v,%#x", q.Endpoint, q.number) }

// A givenPair is two queue pairs that --pair says are connected.
type givenPair struct {
	value string // of the flag
	ends  [2]queuePair
	seen  [2]bool // packets to them
}

// givenPairs are the values of --pair.
type givenPairs struct {
	pairs []*givenPair
	to    map[flow.Key]*bool // where it is noted that there is such a flow
}

// newGivenPairs reads values as "192.0.2.1,0x11=192.0.2.2,0x22", and tells t.
func newGivenPairs(t *flow.Table, values []string) (*givenPairs, error) {
	g := &givenPairs{to: map[flow.Key]*bool{}}
	partners := map[queuePair]queuePair{}
	for _, v := range values {
		one, other, _ := strings.Cut(v, "=")
		a, okA := parseQueuePair(one)
		b, okB := parseQueuePair(other)
		switch {
		case !okA || !okB || a.Addr.BitLen() != b.Addr.BitLen():
			return nil, fmt.Errorf("--pair %s: want two queue pairs, ADDRESS,QP=ADDRESS,QP, as 192.0.2.1,0x11=192.0.2.2,0x22", v)
		case a == b:
			return nil, fmt.Errorf("--pair %s: want two queue pairs; this is one", v)
		}
		for _, q := range [][2]queuePair{{a, b}, {b, a}} {
			if p, ok := partners[q[0]]; ok && p != q[1] {
				return nil, fmt.Errorf("--pair %s: %v is connected with %v by another --pair", v, q[0], p)
			}
		}
		if _, ok := partners[a]; !ok {
			partners[a], partners[b] = b, a
			g.add(t, &givenPair{value: v, ends: [2]queuePair{a, b}})
		}
	}
	return g, nil
}

// add adds a pair, with the flows that it may have.
func (g *givenPairs) add(t *flow.Table, p *givenPair) {
	g.pairs = append(g.pairs, p)
	a, b := p.ends[0], p.ends[1]
	for _, transport := range []opcode.Transport{opcode.RC, opcode.UC, opcode.XRC} {
		for _, e := range a.encapsulations() {
			toB := flow.Key{Encapsulation: e, Transport: transport, Src: a.Endpoint, Dst: b.Endpoint, DestQP: b.number}
			toA := flow.Key{Encapsulation: e, Transport: transport, Src: b.Endpoint, Dst: a.Endpoint, DestQP: a.number}
			t.Pair(toB, toA)
			g.to[toA], g.to[toB] = &p.seen[0], &p.seen[1]
		}
	}
}

// flow notes that there is a flow.
func (g *givenPairs) flow(k flow.Key) {
	if seen := g.to[k]; seen != nil {
		*seen = true
	}
}

// unused returns what is to be said of pairs that have had no effect.
func (g *givenPairs) unused() (warnings []string) {
	for _, p := range g.pairs {
		switch {
		case p.seen == [2]bool{}:
			warnings = append(warnings, fmt.Sprintf("--pair %s: no packets between these queue pairs", p.value))
		case !p.seen[0]:
			warnings = append(warnings, fmt.Sprintf("--pair %s: no packets from %v to %v", p.value, p.ends[1].Endpoint, p.ends[0]))
		case !p.seen[1]:
			warnings = append(warnings, fmt.Sprintf("--pair %s: no packets from %v to %v", p.value, p.ends[0].Endpoint, p.ends[1]))
		}
	}
	return warnings
}

// parseQueuePair reads an IP address, a GID or a LID, and behind a comma the
// number of a queue pair.
func parseQueuePair(s string) (q queuePair, ok bool) {
	address, number, _ := strings.Cut(s, ",")
	n, err := strconv.ParseUint(number, 0, 24)
	if err != nil {
		return q, false
	}
	q.number = uint32(n)
	if lid, err := strconv.ParseUint(address, 0, 16); err == nil {
		q.LID = lrh.LID(lid)
		return q, true
	}
	q.Addr, err = netip.ParseAddr(address)
	return q, err == nil && q.Addr.Zone() == ""
}

// encapsulations returns what carries packets between such addresses.
func (q *queuePair) encapsulations() []ibwire.Encapsulation {
	switch {
	case !q.Addr.IsValid():
		return []ibwire.Encapsulation{ibwire.Native}
	case q.Addr.Is4():
		return []ibwire.Encapsulation{ibwire.RoCEv2}
	}
	return []ibwire.Encapsulation{ibwire.Native, ibwire.RoCEv1, ibwire.RoCEv2}
}
