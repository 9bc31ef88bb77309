package flow_test

import (
	"math/rand/v2"
	"net/netip"
	"runtime"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/flow"
	"github.com/ibwire/ibwire/linktype"
	"github.com/ibwire/ibwire/opcode"
	"github.com/ibwire/ibwire/testdata"
)

// Each encapsulation has its kind of addresses, and a flow is found again by its
// key.
func TestKeys(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{"native.pcap", "InfiniBand "}, {"rocev1.pcap", "RoCE "}, {"rocev2-ipv4.pcap", "RRoCE "}, {"rocev2-ipv6.pcap", "RRoCE "},
	} {
		table, p, n, none := flow.New(), ibwire.Packet{}, int64(0), int64(0)
		for i, f := range testdata.Frames(t, testdata.Path(t, c.file)) {
			_ = p.Decode(linktype.Type(f.Link), f.Data)
			got := table.Add(&p, int64(i+1), epoch, len(f.Data))
			if got == nil {
				none++
				continue
			}
			n++
			require.Same(t, got, table.Flow(got.Key))
			require.Equal(t, p.BTH.DestQP, got.Key.DestQP)
			require.Equal(t, p.BTH.OpCode.Transport(), got.Key.Transport)
			require.Contains(t, got.Key.String(), c.want)
			if p.Inside()&ibwire.GRH != 0 {
				require.Equal(t, p.GRH.SGID, got.Key.Src.Addr)
				require.Equal(t, p.GRH.DGID, got.Key.Dst.Addr)
			} else if p.Has(ibwire.LRH) {
				require.Equal(t, flow.Endpoint{LID: p.LRH.SLID}, got.Key.Src)
				require.Equal(t, flow.Endpoint{LID: p.LRH.DLID}, got.Key.Dst)
				require.Equal(t, strconv.Itoa(int(p.LRH.SLID)), got.Key.Src.String())
			} else if p.Has(ibwire.IPv4) {
				require.Equal(t, netip.AddrFrom4([4]byte(p.IPv4.SrcIP)), got.Key.Src.Addr)
			} else {
				require.Equal(t, netip.AddrFrom16([16]byte(p.IPv6.DstIP)), got.Key.Dst.Addr)
			}
		}
		require.Positive(t, n, c.file)
		total, packets := table.Totals(), int64(0)
		require.Equal(t, n+none, total.All.Packets)
		require.Equal(t, none, total.NoBTH+total.NoFlow)
		for f := range table.Flows() {
			packets += f.Packets
		}
		require.Equal(t, n, packets)
	}
}

func TestTotals(t *testing.T) {
	table, _ := play(t, "A SO 1; A SO 2; A UD 1 src=7; B ACK 2; A UD 2 src=8; A UD 3 cut")
	total := table.Totals()
	require.EqualValues(t, 6, total.All.Packets)
	require.EqualValues(t, 500, total.All.Payload) // with that of the packet that is cut
	require.Equal(t, total.All, total.Encapsulations[ibwire.RoCEv2])
	require.EqualValues(t, 3, total.Transports[opcode.RC].Packets)
	require.EqualValues(t, 3, total.Transports[opcode.UD].Packets)
	require.EqualValues(t, 2, total.Opcodes[opcode.RCSendOnly].Packets)
	require.EqualValues(t, 200, total.Opcodes[opcode.RCSendOnly].Payload)
	require.EqualValues(t, 1, total.NoFlow)
	require.EqualValues(t, 4, total.Flows)
	require.EqualValues(t, 4, total.Messages[flow.Complete])

	require.Nil(t, table.Add(&ibwire.Packet{}, 7, time.Time{}, 60))
	require.EqualValues(t, 1, total.NoBTH)
	require.EqualValues(t, 1, total.NoTime)
}

// Times that are missing or run backwards are counted, and give no latency.
func TestTimes(t *testing.T) {
	table, l := play(t, "A SO 1 @10; B ACK 1 @5; A SO 2 @20; B ACK 2 @30")
	require.EqualValues(t, 1, table.Totals().Backwards)
	require.EqualValues(t, 1, table.only(t, 1).Latency.ACK.Count())
	require.Equal(t, []string{"SEND 1-1 1 packets 100 bytes complete", "SEND 2-2 1 packets 100 bytes complete 10µs"}, messagesOf(l))

	bare := newTape()
	f := frame{op: opcode.RCSendOnly, qp: 0x22}
	require.NoError(t, bare.p.Decode(linktype.Ethernet, f.appendTo(nil)))
	got := bare.Add(&bare.p, 1, time.Time{}, 0)
	require.True(t, got.Start().IsZero())
	require.True(t, got.End().IsZero())
}

// Flows that have had no packets for long are evicted, and everything about them
// is told before.
func TestEvictedFlows(t *testing.T) {
	var left []uint32
	table := newTape(flow.MaxFlows(4), flow.OnFlow(func(f *flow.Flow) { left = append(left, f.Key.DestQP) }))
	add := func(qp, psn uint32) { table.add(&frame{op: opcode.RCSendOnly, qp: qp, psn: psn}, 0) }
	for qp := range uint32(4) {
		add(qp, 0)
	}
	add(4, 0) // all have had packets: the first one goes
	require.Equal(t, []uint32{0}, left)
	add(1, 1)
	add(2, 1)
	add(5, 0)
	require.Equal(t, []uint32{0, 3}, left)
	require.EqualValues(t, 2, table.Totals().EvictedFlows)
	require.EqualValues(t, 2, table.Totals().Messages[flow.Complete])
	add(0, 9) // is a new flow
	f := flowTo(t, table.Table, 0)
	require.EqualValues(t, 1, f.Packets)
	require.Zero(t, f.Requests.Gaps)
	table.Close()
	require.Len(t, left, 7)
	ids := []int64{}
	for f := range table.Flows() {
		ids = append(ids, f.ID)
	}
	require.True(t, slices.IsSorted(ids))
	require.Len(t, ids, 4)
}

// A flow that somebody keeps when it is evicted does not keep others.
func TestEvictedFlowsAreFree(t *testing.T) {
	var kept *flow.Flow
	var freed atomic.Int64
	table := newTape(flow.MaxFlows(4), flow.OnFlow(func(f *flow.Flow) {
		if kept == nil {
			kept = f
			return
		}
		runtime.AddCleanup(f, func(int) { freed.Add(1) }, 0)
	}))
	for qp := range uint32(1000) {
		table.add(&frame{op: opcode.RCSendOnly, qp: qp}, 0)
	}
	require.Eventually(t, func() bool {
		runtime.GC()
		return freed.Load() > 900
	}, 10*time.Second, time.Millisecond)
	runtime.KeepAlive(kept)
}

// The oldest open message goes where there is no room.
func TestEvictedMessages(t *testing.T) {
	table, l := play(t, "A SF 1; A SM 2; A SL 3; B SF 70; A SF 4; A SL 5", flow.MaxMessages(2))
	require.EqualValues(t, 1, table.Totals().EvictedMessages)
	require.Equal(t, []string{
		"SEND 1-3 3 packets 612 bytes complete", "SEND 4-5 2 packets 356 bytes complete", "SEND 70-70 1 packets 256 bytes unfinished"}, messagesOf(l))

	table, l = play(t, "A SF 1; B SF 70; A SM 2", flow.MaxMessages(1))
	require.EqualValues(t, 2, table.Totals().EvictedMessages)
	require.Equal(t, []string{"SEND 1-1 1 packets 256 bytes evicted", "SEND 70-70 1 packets 256 bytes evicted", "SEND 2-2 1 packets 256 bytes broken"}, messagesOf(l))
}

// One flow does not take the room of all.
func TestEvictedMessagesOfFlow(t *testing.T) {
	table := newTape()
	for psn := range uint32(5000) {
		table.add(&frame{op: opcode.RCSendOnly, psn: psn}, 0)
	}
	require.EqualValues(t, 5000-4096, table.Totals().EvictedMessages)
	require.EqualValues(t, 5000-4096, table.Totals().Messages[flow.Complete])
}

// A flow keeps a bounded number of gaps.
func TestEvictedGaps(t *testing.T) {
	table := newTape()
	for i := range uint32(100) {
		table.add(&frame{op: opcode.RCSendOnly, psn: 2 * i}, int64(i))
	}
	f := table.only(t, 1)
	require.EqualValues(t, 99, f.Requests.Gaps)
	require.EqualValues(t, 99-64, f.Requests.Verdicts[flow.Unresolved])
	require.EqualValues(t, 99-64, table.Totals().EvictedGaps)
	table.Close()
	require.EqualValues(t, 99, f.Requests.Verdicts[flow.Unresolved])
}

// After Restart any PSN is right.
func TestRestart(t *testing.T) {
	l := &log{}
	table := newTape(l.options()...)
	f := table.add(&frame{op: opcode.RCSendFirst, psn: 100, payload: 256}, 0)
	table.Restart(f.Key)
	table.add(&frame{op: opcode.RCSendOnly, psn: 90}, 0)
	table.add(&frame{op: opcode.RCSendOnly, psn: 91}, 0)
	table.Restart(flow.Key{})
	require.Empty(t, l.events)
	require.Equal(t, []string{"SEND 100-100 1 packets 256 bytes unfinished"}, messagesOf(l))
}

// Whatever the packets are, what is counted adds up.
func TestAnyPackets(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 9))
		opened, closed, messages := int64(0), int64(0), int64(0)
		table := newTape(flow.MaxFlows(2+rng.IntN(6)), flow.MaxMessages(1+rng.IntN(20)), flow.MaxGap(1+rng.IntN(300)),
			flow.OnEvent(func(e *flow.Event) {
				switch e.Kind {
				case flow.Gap:
					opened += int64(e.Count)
				case flow.GapClosed:
					closed += int64(e.Count)
				}
			}), flow.OnMessage(func(*flow.Message) { messages++ }))
		spread := 1 + rng.IntN(400)
		for range 2000 {
			f := frame{reverse: rng.IntN(2) == 0, op: opcode.Opcode(rng.IntN(0x20)), qp: uint32(rng.IntN(3)), payload: rng.IntN(2) * 256,
				psn: uint32(rng.IntN(spread)-spread/2) & 0xffffff, dma: uint32(rng.IntN(5000)), syndrome: byte(rng.IntN(256)), msn: uint32(rng.IntN(4))}
			switch rng.IntN(20) {
			case 0:
				f.op, f.psn = opcode.Opcode(rng.IntN(256)), rng.Uint32()&0xffffff
			case 1:
				f.op |= 0x20
			case 2:
				f.cut = 1 + rng.IntN(12)
			case 3:
				f.dma = rng.Uint32()
			}
			table.add(&f, rng.Int64N(1_000_000))
		}
		table.Close()
		total := table.Totals()
		require.Equal(t, opened, closed, "seed %d", seed)
		verdicts, ended := int64(0), int64(0)
		for _, n := range total.Verdicts {
			verdicts += n
		}
		for _, n := range total.Messages {
			ended += n
		}
		require.Equal(t, opened, verdicts)
		require.Equal(t, messages, ended)
	}
}
