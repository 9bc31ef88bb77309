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

// addPairs tells t of the pairs that --pair gives, as "192.0.2.1,0x11=192.0.2.2,0x22".
func addPairs(t *flow.Table, values []string) error {
	for _, v := range values {
		one, other, _ := strings.Cut(v, "=")
		a, okA := parseQueuePair(one)
		b, okB := parseQueuePair(other)
		if !okA || !okB || a.Addr.BitLen() != b.Addr.BitLen() {
			return fmt.Errorf("--pair %s: want two queue pairs, ADDRESS,QP=ADDRESS,QP, as 192.0.2.1,0x11=192.0.2.2,0x22", v)
		}
		for _, transport := range []opcode.Transport{opcode.RC, opcode.UC, opcode.XRC} {
			for _, e := range a.encapsulations() {
				key := func(from, to queuePair) flow.Key {
					return flow.Key{Encapsulation: e, Transport: transport, Src: from.Endpoint, Dst: to.Endpoint, DestQP: to.number}
				}
				t.Pair(key(a, b), key(b, a))
			}
		}
	}
	return nil
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
