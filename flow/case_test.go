package flow_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/ext"
	"github.com/ibwire/ibwire/flow"
	"github.com/ibwire/ibwire/linktype"
	"github.com/ibwire/ibwire/testdata"
)

// A log has what a table has reported.
type log struct {
	events   []string
	messages []flow.Message
}

func (l *log) options() []flow.Option {
	return []flow.Option{
		flow.OnEvent(func(e *flow.Event) { l.events = append(l.events, describe(e)) }),
		flow.OnMessage(func(m *flow.Message) { l.messages = append(l.messages, *m) }),
	}
}

// describe writes an event in one line: the number of the packet, the host that
// sent the flow, and what it is.
func describe(e *flow.Event) string {
	src := e.Flow.Key.Src.Addr.AsSlice()
	s := fmt.Sprintf("%d %c ", e.Number, "?AB"[min(int(src[len(src)-1]), 2)])
	if e.Response && e.Kind <= flow.Restart {
		s += "response "
	}
	s += e.Kind.String()
	switch e.Kind {
	case flow.Gap:
		s += fmt.Sprintf(" %d-%d (%d)", e.PSN, e.Last, e.Count)
	case flow.GapClosed:
		s += fmt.Sprintf(" %d-%d (%d) %v", e.PSN, e.Last, e.Count, e.Verdict)
	case flow.OutOfOrder:
		s += fmt.Sprintf(" %d-%d (%d)", e.PSN, e.Last, e.Count)
	case flow.Retransmission:
		s += fmt.Sprintf(" %d-%d (%d, %d seen) %v", e.PSN, e.Last, e.Count, e.Repeats, e.Cause)
	case flow.NAK:
		s += fmt.Sprintf(" %d %v", e.PSN, e.Code)
	case flow.RNRNAK:
		s += fmt.Sprintf(" %d %v", e.PSN, e.Timer)
	case flow.PairingChange:
		s += " " + e.Pairing.String()
	case flow.PKeyChange, flow.MigrationChange:
		s += fmt.Sprintf(" %#x-%#x", e.Old, e.New)
	case flow.CongestionNotice:
		s += " " + e.Pairing.String()
	default:
		s += fmt.Sprintf(" %d", e.PSN)
	}
	return s
}

// runCase gives a capture outside the module to a table.
func runCase(t *testing.T, name string) (*flow.Table, *log) {
	t.Helper()
	l := &log{}
	table := flow.New(l.options()...)
	var p ibwire.Packet
	for i, f := range testdata.Frames(t, testdata.Shared(t, "cases/"+name+".pcap")[0]) {
		require.NoError(t, p.Decode(linktype.Type(f.Link), f.Data))
		require.NotNil(t, table.Add(&p, int64(f.N), epoch.Add(time.Duration(i)*time.Microsecond), len(f.Data)))
	}
	table.Close()
	return table, l
}

// flowTo returns the flow to queue pair qp.
func flowTo(t *testing.T, table *flow.Table, qp uint32) *flow.Flow {
	t.Helper()
	for f := range table.Flows() {
		if f.Key.DestQP == qp {
			return f
		}
	}
	require.Fail(t, "no such flow")
	return nil
}

// All numbers are those of the text of the case.
func TestCaseGoBackN(t *testing.T) {
	table, l := runCase(t, "psn_gap_go_back_n")
	require.Equal(t, []string{
		"3 A gap 502-502 (1)",
		"4 A pairing uncertain",
		"4 B NAK 502 PSN Sequence Error",
		"8 A retransmission 502-504 (3, 2 seen) PSN sequence error",
		"8 A gap closed 502-502 (1) lost by the network",
		"9 A pairing proven",
	}, l.events)

	a, b := flowTo(t, table, 0x22), flowTo(t, table, 0x11)
	require.Equal(t, "RRoCE 192.0.2.1 > 192.0.2.2 RC QP=0x000022", a.Key.String())
	require.EqualValues(t, 1, a.Requests.Gaps)
	require.EqualValues(t, 1, a.Requests.Missing)
	require.EqualValues(t, 2, a.Requests.Retransmissions)
	require.EqualValues(t, 5, a.Requests.Packets-a.Requests.Retransmissions) // unique PSNs
	require.Zero(t, a.Requests.OutOfOrder+a.Requests.Duplicates)
	require.EqualValues(t, 1, b.NAKs[ext.PSNSequenceError])
	require.EqualValues(t, 1, b.ACKs)
	require.Equal(t, 256, a.MTU())

	require.Len(t, l.messages, 1)
	m := l.messages[0]
	require.Equal(t, flow.Write, m.Operation)
	require.Equal(t, flow.Complete, m.Status)
	require.EqualValues(t, 5, m.Packets)
	require.EqualValues(t, 1280, m.Bytes)
	require.EqualValues(t, 1280, m.Length)
	require.EqualValues(t, 0x1000, m.VA)
	require.EqualValues(t, 7, m.RKey)
	require.Equal(t, 8*time.Microsecond, m.Acked.Sub(m.Start))
	require.Equal(t, 8*time.Microsecond, a.Latency.ACK.Median())
	require.EqualValues(t, 1, a.Latency.ACK.Count())
}

// The acknowledges of the case are of the syndromes that its text lists; a NAK is
// none but types 01 and 11.
func TestCaseSyndromes(t *testing.T) {
	table, l := runCase(t, "aeth_syndromes")
	require.Equal(t, []string{
		"4 A RNR NAK 103 655.36ms", "5 A RNR NAK 104 10µs", "6 A RNR NAK 105 491.52ms",
		"7 A NAK 106 PSN Sequence Error", "8 A NAK 107 Invalid Request", "9 A NAK 108 Remote Access Error",
		"10 A NAK 109 Remote Operational Error", "11 A NAK 110 Invalid RD Request", "12 A NAK 111 NakCode(5)",
	}, l.events)
	f := flowTo(t, table, 0x11)
	require.Equal(t, [6]int64{1, 1, 1, 1, 1, 1}, f.NAKs)
	require.EqualValues(t, 3, f.RNRNAKs)
	require.EqualValues(t, 4, f.ACKs)
	require.EqualValues(t, 1, f.ReservedAETHs)
	require.EqualValues(t, 14, f.Unchecked)
	require.EqualValues(t, 1, table.Totals().RNRs[31])
	require.EqualValues(t, 1, table.Totals().NAKs[5])
}

// The responses have a flow and PSNs of their own, the requests others.
func TestCaseResponses(t *testing.T) {
	table, l := runCase(t, "responses_and_atomics")
	require.Empty(t, l.events)
	responses, requests := flowTo(t, table, 0x11), flowTo(t, table, 0x22)
	require.EqualValues(t, 4, responses.Responses.Packets)
	require.Zero(t, responses.Requests.Packets)
	require.EqualValues(t, 4, responses.ACKs) // a Middle has no AETH
	require.EqualValues(t, 256+256+20+20, responses.Payload)
	require.Equal(t, 256, responses.MTU())
	require.EqualValues(t, 2, requests.Requests.Packets)
	require.Equal(t, []string{"CmpSwap 105-105 1 packets 0 bytes unfinished", "FetchAdd 106-106 1 packets 0 bytes unfinished"}, messagesOf(l))
}

func TestCaseCNP(t *testing.T) {
	table, l := runCase(t, "cnp_0x81")
	require.Equal(t, []string{"1 A CNP unpaired"}, l.events)
	require.Equal(t, "RRoCE 192.0.2.1 > 192.0.2.2 CNP QP=0x0000d2", flowTo(t, table, 0xd2).Key.String())
	require.EqualValues(t, 1, table.Totals().UnknownCNPs)
}

func TestCaseCongestionExperienced(t *testing.T) {
	table, l := runCase(t, "rocev2_ipv6") // the same packet again behind a router, which marks it
	require.Equal(t, []string{"2 A ECN CE 100", "2 A duplicate 100"}, l.events)
	f := flowTo(t, table, 0x11)
	require.EqualValues(t, 1, f.CE)
	require.Equal(t, "RRoCE 2001:db8::1 > 2001:db8::2 RC QP=0x000011", f.Key.String())
}

func TestCaseUD(t *testing.T) {
	table, l := runCase(t, "ud_imm")
	f := flowTo(t, table, 0x11)
	require.Equal(t, "RRoCE 192.0.2.1 > 192.0.2.2 UD QP=0x000011 SrcQP=0x000022", f.Key.String())
	require.Len(t, l.messages, 2)
	require.True(t, l.messages[1].HasImm)
	require.EqualValues(t, 0x2a, l.messages[1].Imm)
}

func TestCaseWriteWithImmediate(t *testing.T) {
	_, l := runCase(t, "zero_len_write_imm")
	require.Equal(t, []string{"RDMA WRITE 100-100 1 packets 0 bytes complete"}, messagesOf(l))
	require.EqualValues(t, 0x2a, l.messages[0].Imm)
	require.EqualValues(t, 7, l.messages[0].RKey)
}

func TestCaseFlush(t *testing.T) {
	_, l := runCase(t, "flush_atomic_write")
	require.Equal(t, []string{"FLUSH 100-100 1 packets 0 bytes complete", "ATOMIC WRITE 101-101 1 packets 8 bytes complete"}, messagesOf(l))
	require.EqualValues(t, 4096, l.messages[0].Length)
}

// A capture of a real adapter: 18 SENDs of two packets, of 1024 bytes each, and one
// of one packet, which the other host has sent; all but the last are acknowledged.
func TestRealCapture(t *testing.T) {
	path := testdata.Shared(t, "captures/rocev2-huawei-send-001-070.pcap")[0]
	l := &log{}
	table, p := flow.New(l.options()...), ibwire.Packet{}
	for _, f := range testdata.Frames(t, path) {
		_ = p.Decode(linktype.Type(f.Link), f.Data)
		table.Add(&p, int64(f.N), epoch.Add(time.Duration(f.N)*time.Microsecond), len(f.Data))
	}
	table.Close()
	require.Len(t, l.events, 2)
	a := flowTo(t, table, 0x45)
	require.EqualValues(t, 36, a.Requests.Packets)
	require.Zero(t, a.Requests.Gaps+a.Requests.Retransmissions+a.Requests.OutOfOrder)
	require.Equal(t, 1024, a.MTU())
	require.EqualValues(t, 18, a.Messages[flow.Complete])
	require.EqualValues(t, 18*2048, a.MessageBytes)
	require.EqualValues(t, 17, a.Latency.ACK.Count())
	b, how := a.Peer()
	require.Equal(t, flow.Proven, how)
	require.EqualValues(t, 18, b.ACKs)
	require.EqualValues(t, 141, b.MessageBytes)
}
