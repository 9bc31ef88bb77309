package flow_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/flow"
	"github.com/ibwire/ibwire/opcode"
)

// How two flows come to be a conversation.
func TestPairing(t *testing.T) {
	for _, c := range []struct {
		name, packets string
		want          flow.Pairing
	}{
		{"nothing to go by", "A SO 1; A SO 2", flow.Unpaired},
		{"one ACK", "A SO 1; B ACK 1 msn=1", flow.Uncertain},
		{"the same ACK again", "A SO 1; B ACK 1 msn=1; B ACK 1 msn=1; B ACK 1 msn=1; B ACK 1 msn=1", flow.Uncertain},
		{"two that count as the requests do", "A SO 1; B ACK 1 msn=8; A SO 2; A SO 3; B ACK 3 msn=10", flow.Proven},
		{"two that do not", "A SO 1; B ACK 1 msn=8; A SO 2; A SO 3; B ACK 3 msn=9", flow.Uncertain},
		{"four that do not", "A SO 1; B ACK 1; A SO 2; B ACK 2; A SO 3; B ACK 3; A SO 4; B ACK 4", flow.Uncertain},
		{"two, among other flows", "A SO 1; A SO 1 qp=0x23; A SO 2; A SO 3; B ACK 2 msn=2; B ACK 3 msn=3", flow.Uncertain},
		{"four, among other flows", "A SO 1; A SO 1 qp=0x23; A SO 2; A SO 3; A SO 4; A SO 5; B ACK 2 msn=2; B ACK 3 msn=3; B ACK 4 msn=4; B ACK 5 msn=5", flow.Proven},
		{"an ACK of what was not sent in between", "A SO 1; B ACK 1 msn=1; B ACK 7 msn=7; A SO 2; B ACK 2 msn=2", flow.Uncertain},
		{"an ACK of what was not sent", "A SO 1; B ACK 7", flow.Unpaired},
		{"an ACK of what was acknowledged to another", "A SO 1; B ACK 1; B ACK 1 qp=0x12", flow.Uncertain},
		{"an ACK of what the capture has missed in between", "A SO 1; B ACK 1 msn=1; B ACK 3 msn=3; A SO 2; A SO 4; B ACK 4 msn=3", flow.Uncertain},
		{"two flows that it may be of", "A SO 1 qp=0x22; A SO 1 qp=0x23; B ACK 1", flow.Unpaired},
		{"two flows, and the PSNs tell", "A SO 1 qp=0x22; A SO 900 qp=0x23; B ACK 1", flow.Uncertain},
		{"two flows, and what is asked for tells", "A SO 1 qp=0x22; A RR 1 dma=9 qp=0x23; B RO 1", flow.Uncertain},
		{"a READ response without a READ", "A SO 1; B RO 1", flow.Unpaired},
		{"an ATOMIC acknowledge without an ATOMIC", "A SO 1; B AA 1", flow.Unpaired},
		{"another transport", "A SO 1 x; B ACK 1", flow.Unpaired},
		{"UC", "A SO 1 uc; B SO 1 uc", flow.Unpaired},
	} {
		t.Run(c.name, func(t *testing.T) {
			table, _ := play(t, c.packets)
			best := flow.Unpaired
			for pair := range table.Conversations() {
				best = max(best, pair.Pairing)
				require.Equal(t, pair.Pairing == flow.Unpaired, pair.B == nil)
			}
			require.Equal(t, c.want, best)
		})
	}
}

// A pair that was wrong is given up for one that fits.
func TestPairingIsCorrected(t *testing.T) {
	table, l := play(t, "A SO 1 qp=0x22; B ACK 1 qp=0x11; A SO 50 qp=0x23; B ACK 50 qp=0x11; A SO 51 qp=0x23; B ACK 51 qp=0x11 msn=1; A SO 52 qp=0x23; B ACK 52 qp=0x11 msn=2; A SO 53 qp=0x23; B ACK 53 qp=0x11 msn=3")
	require.Equal(t, []string{"2 A pairing uncertain", "4 B pairing unpaired", "4 A pairing uncertain", "10 A pairing proven"}, onlyPairing(l))
	peer, how := flowTo(t, table.Table, 0x11).Peer()
	require.EqualValues(t, 0x23, peer.Key.DestQP)
	require.Equal(t, flow.Proven, how)
}

func onlyPairing(l *log) (lines []string) {
	for _, e := range l.events {
		if strings.Contains(e, "pairing") {
			lines = append(lines, e)
		}
	}
	return lines
}

// A pair that is proven is doubted after three answers in a row to what was not
// sent, and not after two.
func TestPairingIsDoubted(t *testing.T) {
	const proven = "A SO 1; B ACK 1 msn=1; A SO 2; B ACK 2 msn=2"
	_, l := play(t, proven+"; B ACK 4; B ACK 5; A SO 6; B ACK 6; B ACK 8; B ACK 9")
	require.Equal(t, []string{"2 A pairing uncertain", "4 A pairing proven"}, onlyPairing(l))
	_, l = play(t, proven+"; B ACK 4; B ACK 5; B ACK 6")
	require.Equal(t, []string{"2 A pairing uncertain", "4 A pairing proven", "7 A pairing uncertain"}, onlyPairing(l))
}

// A host may speak to itself.
func TestPairingOfLoop(t *testing.T) {
	table := newTape()
	table.add(&frame{hostA: 1, hostB: 1, op: opcode.RCSendOnly, qp: 0x22, psn: 5}, 0)
	f := table.add(&frame{hostA: 1, hostB: 1, op: opcode.RCAcknowledge, qp: 0x11, psn: 5}, 10)
	peer, how := f.Peer()
	require.Equal(t, flow.Uncertain, how)
	require.EqualValues(t, 0x22, peer.Key.DestQP)
	require.NotNil(t, table.add(&frame{hostA: 1, hostB: 1, op: opcode.RoCECNP, qp: 0x11}, 20))
	require.EqualValues(t, 1, peer.CNPs)
}

// What the caller says holds, before the flows are there and afterwards.
func TestPairingGiven(t *testing.T) {
	scratch, _ := play(t, "A SO 1; A SO 1 qp=0x23; B ACK 1")
	a, other, b := flowTo(t, scratch.Table, 0x22).Key, flowTo(t, scratch.Table, 0x23).Key, flowTo(t, scratch.Table, 0x11).Key

	before := newTape()
	before.Pair(a, b)
	before.add(&frame{op: opcode.RCSendOnly, qp: 0x22}, 0)
	before.add(&frame{op: opcode.RCAcknowledge, qp: 0x11, reverse: true}, 0)
	peer, how := before.Flow(a).Peer()
	require.Equal(t, b, peer.Key)
	require.Equal(t, flow.Given, how)

	scratch.Pair(other, b)
	peer, how = scratch.Flow(b).Peer()
	require.Equal(t, other, peer.Key)
	require.Equal(t, flow.Given, how)
	scratch.Pair(a, b)
	peer, _ = scratch.Flow(b).Peer()
	require.Equal(t, a, peer.Key)
	_, how = scratch.Flow(other).Peer()
	require.Equal(t, flow.Unpaired, how)
}

// manyAtOnce is the capture of many conversations between the same hosts. If
// halves, it has of some of them no more than one direction. If same, all begin at
// the same PSN.
func manyAtOnce(seed uint64, same, halves bool) []*transmission {
	rng := rand.New(rand.NewPCG(seed, 2))
	var wire []*transmission
	for i := range 2 + rng.IntN(8) {
		s := scenarioOf(seed*100 + uint64(i))
		s.messages, s.missed, s.toTap, s.toEnd = [2]int{8, 4}, 0, 2000, 3000
		switch {
		case same:
			s.base = [2]uint32{}
		case halves: // PSNs that are near each other could not be told apart
			s.base = [2]uint32{rng.Uint32() & 0xffffff, rng.Uint32() & 0xffffff}
		}
		n := newNetwork(s, seed*1000+uint64(i))
		n.qp = [2]uint32{uint32(0x100 + i), uint32(0x200 + i)}
		n.run()
		only := rng.IntN(4) // host whose packets alone are captured
		for _, x := range n.wire {
			x.captured = x.captured && (!halves || only > 1 || x.host == only)
		}
		wire = append(wire, n.wire...)
	}
	return sortByTap(wire)
}

// Of many conversations between the same hosts no pair that is proven is wrong,
// and nearly all are proven, whatever PSNs they begin at. Those of which the capture
// has only one direction never are.
func TestPairingOfMany(t *testing.T) {
	proven, unsure, alone := 0, 0, 0
	for seed := range uint64(400) {
		same, halves := seed%4 == 0, seed%2 == 1
		table, sides := newTape(), map[uint32]int{}
		for _, x := range manyAtOnce(seed, same, halves) {
			if !x.captured {
				continue
			}
			if f := table.add(&x.f, x.tapped); f.Packets == 1 {
				sides[f.Key.DestQP&0xff]++
			}
		}
		table.Close()
		for c := range table.Conversations() {
			switch both := sides[c.A.Key.DestQP&0xff] == 2; {
			case c.Pairing == flow.Proven:
				proven++
				require.True(t, both, "seed %d: %v", seed, c.A.Key)
				require.EqualValues(t, 0x300, c.A.Key.DestQP^c.B.Key.DestQP, "seed %d", seed)
			case both:
				unsure++
			default:
				alone++
			}
		}
	}
	t.Logf("%d proven, %d not sure, %d alone", proven, unsure, alone)
	require.Greater(t, proven, 10*unsure)
	require.Greater(t, alone, 100)
}

// Flows of CNPs throttle the flow of the other direction.
func TestCongestionNotices(t *testing.T) {
	for _, c := range []struct{ name, packets, want string }{
		{"of a pair", "A SO 1; B ACK 1 msn=1; A SO 2; B ACK 2 msn=2; B CNP 0", "0x22 proven"},
		{"of an uncertain pair", "A SO 1; B ACK 1; B CNP 0", "0x22 uncertain"},
		{"nothing but one flow", "A SO 1; B CNP 0", "0x22 uncertain"},
		{"two flows that it may be", "A SO 1; A SO 1 qp=0x23; B CNP 0", "unpaired"},
		{"another queue pair", "A SO 1; B ACK 1; B CNP 0 qp=0x12", "unpaired"},
		{"the same direction", "B SO 1; B CNP 0", "unpaired"},
		{"UD", "A UD 1 qp=0x30 src=0x11; A UD 1 qp=0x31 src=0x12; B CNP 0 qp=0x12", "0x31 proven"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			table, _ := play(t, c.packets, flow.OnEvent(func(e *flow.Event) {
				if e.Kind == flow.CongestionNotice {
					s := e.Pairing.String()
					if e.Subject != nil {
						s = fmt.Sprintf("%#x %s", e.Subject.Key.DestQP, s)
						require.EqualValues(t, 1, e.Subject.CNPs)
						require.Equal(t, e.Pairing < flow.Proven, e.Subject.UncertainCNPs == 1)
					}
					got = append(got, s)
				}
			}))
			require.Equal(t, []string{c.want}, got)
			require.EqualValues(t, 1, table.Totals().CNPs)
			require.Equal(t, slices.Contains(got, "unpaired"), table.Totals().UnknownCNPs == 1)
		})
	}
}
