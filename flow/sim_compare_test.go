package flow_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/ext"
	"github.com/ibwire/ibwire/flow"
)

// found is what a table has found out about the requests of a host.
type found struct {
	requests, responses map[int64]flow.Verdict
	complete            map[int64]flow.Message // by their first PSN
	twice               bool                   // a message was complete more than once
}

// findings gives the capture to a table.
func findings(n *network, wire []*transmission, given bool) (*tape, [2]*found) {
	var both [2]*found
	for i := range both {
		both[i] = &found{map[int64]flow.Verdict{}, map[int64]flow.Verdict{}, map[int64]flow.Message{}, false}
	}
	host := func(f *flow.Flow) int { a := f.Key.Src.Addr.As4(); return int(a[3]) - 1 }
	t := newTape(flow.OnEvent(func(e *flow.Event) {
		if e.Kind != flow.GapClosed {
			return
		}
		machine := host(e.Flow)
		verdicts := both[machine].requests
		if e.Response {
			machine = 1 - machine
			verdicts = both[machine].responses
		}
		for i := range e.Count {
			verdicts[int64((e.PSN+i-n.base[machine])&0xffffff)] = e.Verdict
		}
	}), flow.OnMessage(func(m *flow.Message) {
		if m.Status == flow.Complete {
			machine := host(m.Flow)
			psn := int64((m.PSN - n.base[machine]) & 0xffffff)
			_, both[machine].twice = both[machine].complete[psn]
			both[machine].complete[psn] = *m
		}
	}))
	if given {
		t.pairUp(n)
	}
	for _, x := range wire {
		if x.captured {
			t.add(n.onWire(x.f), x.tapped)
		}
	}
	t.Close()
	return t, both
}

// pairUp tells the table which flows are a conversation.
func (t *tape) pairUp(n *network) {
	var keys [2]flow.Key
	for host := range keys {
		keys[host] = newTape().add(n.onWire(n.frameOf(host, host, 0, 0)), 0).Key
	}
	t.Pair(keys[0], keys[1])
}

// side returns the flow of packets from a host.
func (t *tape) side(host int) *flow.Flow {
	for f := range t.Flows() {
		if src := f.Key.Src.Addr.As4(); int(src[3]) == host+1 {
			return f
		}
	}
	return nil
}

// compared counts what was compared, so that a rule that makes everything
// undecidable is seen.
type compared struct {
	scenarios, verdicts, undecidable, messages, exact int
	by                                                [4]int
}

// compareVerdicts returns what differs between two sets of verdicts.
func (c *compared) verdictsDiffer(want, got map[int64]flow.Verdict) string {
	for _, p := range slices.Sorted(maps.Keys(want)) {
		g, ok := got[p]
		switch {
		case !ok:
			return fmt.Sprintf("PSN %d: want %d, got no verdict", p, want[p])
		case want[p] == undecidable:
			c.undecidable++
		case g != want[p]:
			return fmt.Sprintf("PSN %d: want %v, got %v", p, want[p], g)
		default:
			c.verdicts++
			c.by[g]++
		}
	}
	for _, p := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[p]; !ok {
			return fmt.Sprintf("PSN %d: was not missing, got %v", p, got[p])
		}
	}
	return ""
}

// compare returns what differs between the truth and what was found.
func (c *compared) compare(n *network, wire []*transmission, tr *truth, t *tape, f *found) string {
	c.scenarios++
	if d := c.verdictsDiffer(tr.requests.verdicts, f.requests); d != "" {
		return "requests: " + d
	}
	requester, responder := t.side(tr.machine), t.side(1-tr.machine)
	if requester == nil || responder == nil {
		return ""
	}
	got, want := requester.Requests, &tr.requests
	if got.Restarts != 0 {
		return "a restart"
	}
	if d := counts("requests", []int64{want.packets, want.repeats, want.duplicates}, []int64{got.Packets, got.Retransmissions, got.Duplicates}); d != "" {
		return d
	}
	if d := counts("NAKs and RNR NAKs", []int64{tr.nakCount, tr.rnrCount}, []int64{responder.NAKs[ext.PSNSequenceError], responder.RNRNAKs}); d != "" {
		return d
	}
	if !slices.Contains(slices.Collect(maps.Values(want.verdicts)), undecidable) {
		if d := counts("late requests", []int64{want.lateOnes}, []int64{got.OutOfOrder}); d != "" {
			return d
		}
	}
	if n.missed == 0 && n.delayed == 0 {
		if d := c.compareRuns(tr, got); d != "" {
			return d
		}
	}
	if !tr.responses.undecidable {
		if d := c.verdictsDiffer(tr.responses.verdicts, f.responses); d != "" {
			return "responses: " + d
		}
		got, want := responder.Responses, &tr.responses
		if d := counts("responses", []int64{want.packets, want.repeats, want.duplicates}, []int64{got.Packets, got.Retransmissions, got.Duplicates}); d != "" {
			return d
		}
	}
	return c.compareMessages(n, tr, wire, f)
}

// compareRuns compares how often the requester went back, and why.
func (c *compared) compareRuns(tr *truth, got flow.PSNStats) string {
	var want flow.PSNStats
	counted := map[*episode]bool{}
	for _, e := range tr.episodes {
		if counted[e] {
			continue
		}
		counted[e] = true
		switch {
		case !e.behind:
		case e.asked && e.rnr:
			want.Runs[flow.ReceiverNAK]++
		case e.asked:
			want.Runs[flow.SequenceNAK]++
			if !e.filled {
				want.LostBehind++
			}
		case e.mute && e.repeat:
			want.Runs[flow.UnknownCause]++
		case e.repeat:
			want.Runs[flow.Timeout]++
		}
	}
	c.exact++
	if !tr.given { // whether a pair has been found by then is not known here
		want.Runs[flow.Timeout] += want.Runs[flow.UnknownCause]
		got.Runs[flow.Timeout] += got.Runs[flow.UnknownCause]
		want.Runs[flow.UnknownCause], got.Runs[flow.UnknownCause] = 0, 0
	}
	if d := counts("runs", want.Runs[:], got.Runs[:]); d != "" {
		return d
	}
	return counts("lost behind the tap", []int64{want.LostBehind}, []int64{got.LostBehind})
}

func counts(what string, want, got []int64) string {
	if slices.Equal(want, got) {
		return ""
	}
	return fmt.Sprintf("%s: want %d, got %d", what, want, got)
}

// scenarioOf makes up a scenario.
func scenarioOf(seed uint64) scenario {
	rng := rand.New(rand.NewPCG(seed, 1))
	s := scenario{
		mtu: []int{256, 1024, 4096}[rng.IntN(3)], messages: [2]int{3 + rng.IntN(12), 0}, longest: 1 + rng.IntN(6),
		toTap: int64(1500 + rng.IntN(8000)), toEnd: int64(1500 + rng.IntN(8000)), quiet: 6,
		kinds: []flow.Operation{flow.Send, flow.Write, flow.Read, flow.CmpSwap, flow.FetchAdd, flow.Send, flow.Write},
	}
	s.xrc = rng.IntN(5) == 0
	if rng.IntN(2) == 0 {
		s.messages[1] = 1 + rng.IntN(8)
	}
	for i := range s.base {
		s.base[i] = rng.Uint32() & 0xffffff
		if rng.IntN(2) == 0 {
			s.base[i] = uint32(0x1000000 - 1 - rng.IntN(30)) // the PSNs wrap
		}
	}
	s.short = rng.IntN(4) == 0
	some := func() float64 { return []float64{0.01, 0.03, 0.08}[rng.IntN(3)] }
	switch rng.IntN(11) {
	case 0: // nothing goes wrong
		s.quiet = 0
	case 1:
		s.early = some()
	case 2:
		s.late = some()
	case 3:
		s.ackLoss = some()
	case 4:
		s.rnr = 0.2
	case 5:
		s.missed = some()
	case 6:
		s.delayed, s.tolerant = some()*3, true
	case 7:
		s.twin = 0.2
		s.early, s.late = some(), some()
	case 8:
		s.delayed = some()
	case 9:
		s.early, s.late, s.ackLoss, s.rnr = some(), some(), some(), 0.1
	default:
		s.early, s.late, s.ackLoss, s.rnr, s.missed = some(), some(), some(), 0.1, some()
	}
	return s
}

// What a table says of a capture is what the network knows, wherever the capture
// can tell.
func TestSimulation(t *testing.T) {
	seeds := uint64(10_000)
	if testing.Short() {
		seeds = 1_000
	}
	var c compared
	failed := 0
	for seed := range seeds {
		s := scenarioOf(seed)
		n := newNetwork(s, seed)
		n.run()
		wire := sortByTap(n.wire)
		given := seed%2 == 0 || s.missed > 0
		table, both := findings(n, wire, given)
		for m := range both {
			tr := judge(n, wire, m)
			tr.given = given
			if d := c.compare(n, wire, tr, table, both[m]); d != "" {
				failed++
				if failed <= 12 {
					t.Errorf("seed %d, requests of host %d: %s", seed, m, d)
				}
			}
		}
	}
	require.Zero(t, failed)
	t.Logf("%+v", c)
	require.Greater(t, c.messages, int(seeds)*5)
	require.Less(t, c.undecidable*10, c.verdicts, "too much is not compared")
	for v := range c.by {
		require.Positive(t, c.by[v], "no %v was compared", flow.Verdict(v))
	}
}
