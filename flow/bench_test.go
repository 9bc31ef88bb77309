package flow_test

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/flow"
	"github.com/ibwire/ibwire/linktype"
	"github.com/ibwire/ibwire/opcode"
)

// traffic is packets of many conversations, decoded again and again: WRITEs of
// four packets that are acknowledged, and READs.
type traffic struct {
	table   *flow.Table
	packets []ibwire.Packet // of one conversation: the PSNs and addresses are changed
	psn     []uint32
	number  int64
	at      time.Time
	pause   time.Duration // between packets, in place of a microsecond
}

func newTraffic(tb testing.TB, conversations int, opts ...flow.Option) *traffic {
	tb.Helper()
	return newTrafficFrom(tb, 1, conversations, flow.New(opts...))
}

// newTrafficFrom is the traffic of which host sends the requests.
func newTrafficFrom(tb testing.TB, host byte, conversations int, table *flow.Table) *traffic {
	tb.Helper()
	t := &traffic{table: table, psn: make([]uint32, conversations), at: epoch}
	for _, f := range []frame{
		{op: opcode.RCWriteFirst, payload: 1024, dma: 4000},
		{op: opcode.RCWriteMiddle, psn: 1, payload: 1024},
		{op: opcode.RCWriteMiddle, psn: 2, payload: 1024},
		{op: opcode.RCWriteLast, psn: 3, payload: 928},
		{reverse: true, op: opcode.RCAcknowledge, psn: 3, syndrome: 0x1f, msn: 1},
		{op: opcode.RCReadRequest, psn: 4, dma: 2000},
		{reverse: true, op: opcode.RCReadResponseFirst, psn: 4, payload: 1024, syndrome: 0x1f, msn: 2},
		{reverse: true, op: opcode.RCReadResponseLast, psn: 5, payload: 976, syndrome: 0x1f, msn: 2},
	} {
		f.hostA, f.hostB = host, 3-host
		t.packets = append(t.packets, ibwire.Packet{})
		require.NoError(tb, t.packets[len(t.packets)-1].Decode(linktype.Ethernet, f.appendTo(nil)))
	}
	return t
}

// round gives the table one message and one READ of conversation i.
func (t *traffic) round(i int) {
	for k := range t.packets {
		p := &t.packets[k]
		psn, qp := p.BTH.PSN, uint32(i)
		p.BTH.PSN, p.BTH.DestQP = (psn+t.psn[i])&0xffffff, qp
		t.number++
		t.at = t.at.Add(max(t.pause, time.Microsecond))
		t.table.Add(p, t.number, t.at, 1100)
		p.BTH.PSN = psn
	}
	t.psn[i] = (t.psn[i] + 6) & 0xffffff
}

// start gives the table the first packet of a message that stays open.
func (t *traffic) start(i int) {
	p := &t.packets[0]
	p.BTH.PSN, p.BTH.DestQP = t.psn[i], uint32(i)
	t.number++
	t.table.Add(p, t.number, t.at, 1100)
	p.BTH.PSN = 0
}

// A packet of a flow that is known costs no allocation.
func TestAllocations(t *testing.T) {
	events := 0
	traffic := newTraffic(t, 100, flow.OnEvent(func(*flow.Event) { events++ }), flow.OnMessage(func(*flow.Message) { events++ }))
	for range 100 {
		for i := range 100 {
			traffic.round(i)
		}
	}
	require.Positive(t, events)
	i := 0
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		traffic.round(i % 100)
		i++
	}))
}

// 100,000 flows, each with open messages, gaps and three latencies of any length,
// are held in less than 256 MiB.
func TestMemory(t *testing.T) {
	const conversations = 50_000
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	table := flow.New()
	both := []*traffic{newTrafficFrom(t, 1, conversations, table), newTrafficFrom(t, 2, conversations, table)}
	rng := rand.New(rand.NewPCG(1, 1))
	for range exactSamples + 4 {
		for i := range conversations {
			for _, traffic := range both {
				traffic.pause = time.Duration(1000 << rng.IntN(20))
				if rng.IntN(4) == 0 {
					traffic.psn[i] = (traffic.psn[i] + 1) & 0xffffff // a gap
				}
				traffic.round(i)
			}
		}
	}
	for i := range conversations {
		both[0].start(i)
	}
	used := heap() - before
	t.Logf("%d MiB", used>>20)
	require.EqualValues(t, 2*conversations, table.Totals().Flows)
	require.Zero(t, table.Totals().EvictedFlows)
	require.Less(t, used, uint64(256<<20))
	left := int64(0)
	for f := range table.Flows() {
		require.EqualValues(t, exactSamples+4, f.Latency.ReadLast.Count())
		left += f.Latency.ReadLast.Uncounted()
	}
	require.Positive(t, left, "the room for latencies is not used up")
	runtime.KeepAlive(both)
}

// exactSamples is how many samples a Latency keeps as they are.
const exactSamples = 16

func benchmark(b *testing.B, conversations int) {
	traffic := newTraffic(b, conversations)
	for i := range conversations {
		traffic.round(i)
	}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		traffic.round(n % conversations)
		n++
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n*len(traffic.packets)), "ns/packet")
}

func BenchmarkAdd(b *testing.B)          { benchmark(b, 100) }
func BenchmarkAddManyFlows(b *testing.B) { benchmark(b, 50_000) }
