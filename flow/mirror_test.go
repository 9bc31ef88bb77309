package flow_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/flow"
	"github.com/ibwire/ibwire/linktype"
	"github.com/ibwire/ibwire/opcode"
)

// The first packet is no copy of none at all, whatever its time.
func TestFirstPacketIsNoCopy(t *testing.T) {
	table := newTape()
	require.NoError(t, table.p.Decode(linktype.Ethernet, (&frame{op: opcode.RCSendFirst, payload: 256}).appendTo(nil)))
	f := table.Add(&table.p, 1, time.Unix(0, 1), 300)
	require.EqualValues(t, 1, f.Requests.Packets)
	require.Zero(t, f.Requests.Duplicates)
}

// A mirror of two ports has every packet twice, the second time after as many
// others as pass in the meantime. Nothing was sent again.
func TestMirrorOfTwoPorts(t *testing.T) {
	for seed := range uint64(200) {
		s := scenario{
			mtu: 1024, messages: [2]int{12, 7}, longest: 4, kinds: []flow.Operation{flow.Send, flow.Write},
			toTap: 2000, toEnd: 2000, twin: 1, lag: 150 + int64(seed)*40,
		}
		n := newNetwork(s, seed)
		n.run()
		table, both := findings(n, sortByTap(n.wire), true)
		total := table.Totals()
		require.Empty(t, both[0].requests, "lag %d", s.lag)
		require.Zero(t, total.Events[flow.Retransmission]+total.Events[flow.OutOfOrder]+total.Events[flow.Gap]+total.Events[flow.Restart], "lag %d", s.lag)
		requests, copies := int64(0), int64(0)
		for f := range table.Flows() {
			requests += f.Requests.Packets
			copies += f.Requests.Duplicates
		}
		require.Equal(t, requests, 2*copies, "lag %d", s.lag)
		for _, m := range n.machines {
			for _, message := range m.messages {
				got := both[m.requester.host].complete[message.psn]
				require.EqualValues(t, message.bytes, got.Bytes)
			}
		}
	}
}

// What is sent again after a NAK is told from the copies of a mirror, which go on.
func TestMirrorOfLossyPorts(t *testing.T) {
	for seed := range uint64(100) {
		s := scenario{
			mtu: 1024, messages: [2]int{60, 0}, longest: 4, kinds: []flow.Operation{flow.Send, flow.Write},
			toTap: 2000, toEnd: 2000, twin: 1, lag: 3500, late: 0.01, quiet: 40,
		}
		n := newNetwork(s, seed)
		n.run()
		table, _ := findings(n, sortByTap(n.wire), true)
		again := int64(0)
		for _, x := range n.wire {
			if x.again && !x.copy && !x.response {
				again++
			}
		}
		require.Equal(t, again, table.side(0).Requests.Retransmissions, "seed %d", seed)
	}
}
