package flow_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/ext"
	"github.com/ibwire/ibwire/flow"
)

// Packets are 10 microseconds apart.
var messageCases = []struct {
	name, packets string
	want          []string
}{
	{"Only", "A SO 1; B ACK 1", []string{"SEND 1-1 1 packets 100 bytes complete 10µs"}},
	{"First, Middle, Last", "A SF 1; A SM 2; A SL 3 len=7; B ACK 3", []string{"SEND 1-3 3 packets 519 bytes complete 30µs"}},
	{"never acknowledged", "A SO 1; A SO 2", []string{"SEND 1-1 1 packets 100 bytes complete", "SEND 2-2 1 packets 100 bytes complete"}},
	{"an ACK closes all before it", "A SO 1; A WO 2; A SO 3; B ACK 3", []string{
		"SEND 1-1 1 packets 100 bytes complete 30µs", "RDMA WRITE 2-2 1 packets 100 bytes complete 20µs", "SEND 3-3 1 packets 100 bytes complete 10µs"}},
	{"an ACK in the middle closes nothing", "A SF 1; A SM 2; B ACK 2; A SL 3; B ACK 3", []string{"SEND 1-3 3 packets 612 bytes complete 40µs"}},
	{"bytes count once", "A SF 1; A SL 2; B NAK 1; A SF 1; A SL 2; B ACK 2", []string{"SEND 1-2 2 packets 356 bytes complete 50µs"}},
	{"a gap is filled", "A SF 1; A SL 4; A SM 3; A SM 2; B ACK 4", []string{"SEND 1-4 4 packets 868 bytes complete 40µs"}},
	{"a gap that holds the end of one and the beginning of another is filled", "A SF 1; A SL 4; A SL 2; A SF 3; B ACK 4", []string{
		"SEND 1-2 2 packets 356 bytes complete 40µs", "SEND 3-4 2 packets 356 bytes complete 30µs"}},
	{"acknowledged before its end is seen", "A SO 1; B ACK 1; A SF 2; B ACK 3; A SL 3; B ACK 3", []string{
		"SEND 1-1 1 packets 100 bytes complete 10µs", "SEND 2-3 2 packets 356 bytes complete 30µs"}},
	{"a First without a Last", "A SF 1; A SO 3; A SM 2; B ACK 3", []string{"SEND 1-2 2 packets 512 bytes broken", "SEND 3-3 1 packets 100 bytes complete 20µs"}},
	{"the middle is missed", "A SF 1; A SL 3; B ACK 3", []string{"SEND 1-1 1 packets 256 bytes broken", "SEND 3-3 1 packets 100 bytes broken 10µs"}},
	{"the capture begins in the middle", "A SM 1; A SL 2; A SO 3; B ACK 3", []string{
		"SEND 1-2 2 packets 356 bytes broken 30µs", "SEND 3-3 1 packets 100 bytes complete 10µs"}},
	{"the capture ends in the middle", "A SO 1; A SF 2; B ACK 1", []string{"SEND 1-1 1 packets 100 bytes complete 20µs", "SEND 2-2 1 packets 256 bytes unfinished"}},
	{"a restart ends what is open", "A SF 1; A SO 0x700000", []string{"SEND 1-1 1 packets 256 bytes unfinished", "SEND 7340032-7340032 1 packets 100 bytes complete"}},
	{"another operation in the middle", "A SF 1; A WL 2; B ACK 2", []string{"SEND 1-1 1 packets 256 bytes broken", "RDMA WRITE 2-2 1 packets 100 bytes broken 10µs"}},
	{"refused", "A SO 1; A WO 2; B NAK 2 code=2", []string{"SEND 1-1 1 packets 100 bytes complete 20µs", "RDMA WRITE 2-2 1 packets 100 bytes refused"}},
	{"READ", "A RR 1 dma=600; B RF 1; B RM 2; B RL 3 len=88", []string{"RDMA READ 1-3 1 packets 600 bytes complete 3 responses 30µs"}},
	{"READ of nothing", "A RR 1; B RO 1 len=0", []string{"RDMA READ 1-1 1 packets 0 bytes complete 1 responses 10µs"}},
	{"READ of unknown path MTU, with one response", "A RR 1 dma=600; B RO 1 len=600", []string{"RDMA READ 1-1 1 packets 600 bytes complete 1 responses 10µs"}},
	{"READ of unknown path MTU, the first response is missed", "A RR 1 dma=3000; B RL 3 len=952; A SO 4", []string{
		"RDMA READ 1-3 1 packets 952 bytes unfinished 1 responses", "SEND 4-4 1 packets 100 bytes complete"}},
	{"READ of unknown path MTU, and a PSN behind it that no MTU gives", "A RR 1 dma=2048; A SO 4; B RF 1 len=100", []string{
		"RDMA READ 1-1 1 packets 100 bytes unfinished 1 responses", "SEND 4-4 1 packets 100 bytes complete"}},
	{"READ, sent again from the middle", "A RR 1 dma=600; B RF 1; A RR 2 dma=344; B RF 2; B RL 3 len=88", []string{"RDMA READ 1-3 1 packets 600 bytes complete 3 responses 40µs"}},
	{"READ, a response is missed", "A RR 1 dma=600; B RF 1; B RL 3 len=88; A SO 4; B ACK 4", []string{
		"SEND 4-4 1 packets 100 bytes complete 10µs", "RDMA READ 1-3 1 packets 344 bytes broken 2 responses"}},
	{"READ without an answer", "A RR 1 dma=600", []string{"RDMA READ 1-1 1 packets 0 bytes unfinished 0 responses"}},
	{"ATOMIC", "A CS 1; A FA 2; B AA 1; B AA 2", []string{"CmpSwap 1-1 1 packets 0 bytes complete 20µs", "FetchAdd 2-2 1 packets 0 bytes complete 20µs"}},
	{"ATOMIC without its answer", "A CS 1; A SO 2; B ACK 2", []string{"SEND 2-2 1 packets 100 bytes complete 10µs", "CmpSwap 1-1 1 packets 0 bytes broken"}},
	{"FLUSH and ATOMIC WRITE are answered by READ responses", "A FL 1; A AW 2 len=8; B RO 1 len=0; B RO 2 len=0", []string{
		"FLUSH 1-1 1 packets 0 bytes complete 20µs", "ATOMIC WRITE 2-2 1 packets 8 bytes complete 20µs"}},
	{"UC", "A SF 1 uc; A SL 2 uc; A WO 3 uc", []string{"SEND 1-2 2 packets 356 bytes complete", "RDMA WRITE 3-3 1 packets 100 bytes complete"}},
	{"UC, a packet is lost", "A SF 1 uc; A SL 3 uc; A SO 4 uc", []string{"SEND 4-4 1 packets 100 bytes complete", "SEND 1-1 1 packets 256 bytes broken", "SEND 3-3 1 packets 100 bytes broken"}},
	{"UD", "A UD 1; A UD 7", []string{"SEND 1-1 1 packets 100 bytes complete", "SEND 7-7 1 packets 100 bytes complete"}},
}

func TestMessages(t *testing.T) {
	for _, c := range messageCases {
		t.Run(c.name, func(t *testing.T) {
			_, l := play(t, c.packets)
			require.Equal(t, c.want, messagesOf(l))
		})
	}
}

// A message has what the headers of its packets say.
func TestMessageHeaders(t *testing.T) {
	_, l := play(t, "A WF 1 dma=356; A WL 2; A SLI 3; A SLV 4; A CS 5; B NAK 5 code=3")
	require.Len(t, l.messages, 4)
	w := l.messages[0]
	require.True(t, w.HasRETH)
	require.EqualValues(t, 0x1000, w.VA)
	require.EqualValues(t, 7, w.RKey)
	require.EqualValues(t, 356, w.Length)
	require.EqualValues(t, 1, w.FirstPacket)
	require.EqualValues(t, 2, w.LastPacket)
	require.Equal(t, 10*time.Microsecond, w.End.Sub(w.Start))
	require.False(t, w.HasImm)
	require.True(t, l.messages[1].HasImm)
	require.True(t, l.messages[2].HasInvKey)
	cs := l.messages[3]
	require.Equal(t, flow.Refused, cs.Status)
	require.Equal(t, ext.RemoteOperationalError, cs.NAK)
	require.EqualValues(t, 0x2000, cs.VA)
	require.EqualValues(t, 9, cs.RKey)
}

// Latencies are of the requester's flow, each kind for itself.
func TestLatencies(t *testing.T) {
	table, _ := play(t, "A SO 1; B ACK 1; A RR 2 dma=356; B RF 2 @50; B RL 3 @70; A FA 4 @100; B AA 4 @104")
	l := table.only(t, 1).Latency
	for _, c := range []struct {
		got  *flow.Latency
		want time.Duration
	}{{l.ACK, 10 * time.Microsecond}, {l.ReadFirst, 20 * time.Microsecond}, {l.ReadLast, 40 * time.Microsecond}, {l.Atomic, 4 * time.Microsecond}} {
		require.EqualValues(t, 1, c.got.Count())
		require.Equal(t, []time.Duration{c.want, c.want, c.want, c.want}, []time.Duration{c.got.Min(), c.got.Median(), c.got.P99(), c.got.Max()})
	}
	require.Equal(t, flow.Latencies{}, table.only(t, 2).Latency)
}
