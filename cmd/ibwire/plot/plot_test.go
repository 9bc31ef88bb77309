package plot_test

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/cmd/ibwire/plot"
	"github.com/ibwire/ibwire/ext"
	"github.com/ibwire/ibwire/flow"
	"github.com/ibwire/ibwire/opcode"
)

// The text of the case says one gap, one NAK, and one run of packets sent again. A
// mark stands in the legend once, and in the picture as often as there are events.
func TestFlowOfCase(t *testing.T) {
	s := newScript(1)
	s.playCase(t, "psn_gap_go_back_n")
	svg := s.svg(t)
	d := read(t, svg)
	for _, want := range []string{
		"PSNs of flow 1 of 2", "first packet at 2023-11-14 22:13:20 UTC",
		"Flow 1: RRoCE 192.0.2.1 > 192.0.2.2 RC QP=0x000022", "answered by flow 2 (proven)",
		"requests (7)", "answers to QP=0x000011 (2)", "gap (1)", "retransmission (1)", "NAK (1)",
		"PSN", "time since the first packet (µs)", "500", "504",
	} {
		require.Contains(t, d.texts(), want)
	}
	require.Equal(t, 1, d.count("gap"))
	require.Equal(t, 1, d.count("retransmission"))
	require.Equal(t, 1, d.count("NAK"))
	require.Zero(t, d.count("RNR NAK"))
	require.Zero(t, d.count("CNP"))
	require.Equal(t, 7+2, d.count("dot")) // each packet
	require.NotContains(t, string(svg), "per second", "there was no congestion")
}

// A flow goes past the wrap of PSNs, and no NAK, CNP or mark is lost.
func TestMarksAndWrap(t *testing.T) {
	s := newScript(1)
	const rounds, first = 50, 0xffffff - 20
	for i := range uint32(rounds) {
		s.add(s.packet(t, opcode.RCWriteOnly, false, 0x22, first+i))
		ack := s.packet(t, opcode.RCAcknowledge, true, 0x11, first+i)
		ack.Ext.AETH.MSN = i + 1
		s.add(ack)
		if i%10 == 5 { // receiver not ready for the next one, which is sent, and again
			s.add(s.packet(t, opcode.RCWriteOnly, false, 0x22, first+i+1))
			rnr := s.packet(t, opcode.RCAcknowledge, true, 0x11, first+i+1)
			rnr.Ext.AETH.Syndrome, rnr.Ext.AETH.MSN = 0x2e, i+1
			s.add(rnr)
		}
	}
	d := read(t, s.svg(t))
	require.Contains(t, d.texts(), "RNR NAK (5)")
	require.Contains(t, d.texts(), "retransmission (5)")
	require.Equal(t, 5, d.count("RNR NAK"))
	require.Equal(t, 5, d.count("retransmission"))
	require.Subset(t, d.texts(), []string{"16777200", "0", "20"}, "PSNs begin anew")
	require.NotContains(t, d.texts(), "16777216")
	require.Contains(t, d.texts(), "requests (55)")
	require.Contains(t, d.texts(), "PSN")
}

// Where the same PSN comes again, PSNs are counted on.
func TestManyWraps(t *testing.T) {
	s := newScript(1)
	p := s.packet(t, opcode.RCWriteOnly, false, 0x22, 0)
	for i := range uint32(1001) {
		p.BTH.PSN = 40_000 * i & 0xffffff
		s.add(p)
	}
	texts := read(t, s.svg(t)).texts()
	require.Contains(t, texts, "PSN, unwrapped")
	require.Contains(t, texts, "40000000")
}

// CNPs are counted for the flow that they throttle, CE in the flow that has it.
func TestCongestion(t *testing.T) {
	s := newScript(0)
	for i := range uint32(40) {
		p := s.packet(t, opcode.RCWriteOnly, false, 0x22, i)
		if i%4 == 0 {
			p.IPv4.TOS |= 3
		}
		s.add(p)
		ack := s.packet(t, opcode.RCAcknowledge, true, 0x11, i)
		ack.Ext.AETH.MSN = i + 1
		s.add(ack)
		if i >= 33 {
			cnp := s.packet(t, opcode.RoCECNP, false, 0x11, 0)
			cnp.IPv4.SrcIP, cnp.IPv4.DstIP = ack.IPv4.SrcIP, ack.IPv4.DstIP
			s.add(cnp)
		}
	}
	d := read(t, s.svg(t))
	for _, want := range []string{
		"PSNs of the whole capture", "1 of 3 flows: all that have PSNs of their own, CNPs or CE",
		"CNP (7)", "CNPs that throttle the flow (7)", "packets of the flow with ECN CE (10)",
		"CNPs/s", "CE/s", "per second, mean of each 10 µs", "100000", // one in 10 µs
	} {
		require.Contains(t, d.texts(), want)
	}
	require.NotContains(t, d.texts(), "200000")
	require.Equal(t, 7, d.count("CNP"))
}

// What is drawn begins with the first packet of a flow, and is counted from that of
// the capture.
func TestTimeAxis(t *testing.T) {
	s := newScript(1)
	s.recorder.Packet(nil, &ibwire.Packet{}, s.at) // one that is not InfiniBand
	s.at = s.at.Add(5 * time.Second)
	s.playCase(t, "psn_gap_go_back_n")
	d := read(t, s.svg(t))
	require.Contains(t, d.texts(), "time since the first packet (s)")
	require.Contains(t, d.texts(), "5.00001")
	require.NotContains(t, d.texts(), "0")

	s = newScript(1)
	for range 5 { // where it is near to the first packet, the axis begins with that
		s.recorder.Packet(nil, &ibwire.Packet{}, s.at)
		s.at = s.at.Add(time.Microsecond)
	}
	s.playCase(t, "psn_gap_go_back_n") // 80 µs
	require.Contains(t, read(t, s.svg(t)).texts(), "0")
}

// Times may go back, as where files are given in another order: what is from before
// the first packet is drawn with it, and that is said.
func TestTimesBack(t *testing.T) {
	s := newScript(1)
	for i := range uint32(4) {
		s.add(s.packet(t, opcode.RCWriteOnly, false, 0x22, i))
		if i == 1 {
			s.at = s.at.Add(-time.Second)
		}
	}
	require.Contains(t, read(t, s.svg(t)).texts(), "first packet at 2023-11-14 22:13:20 UTC; 2 with earlier times stand at the left edge")
}

// One packet stands in the middle, and the axes have no place but its own.
func TestOnePacket(t *testing.T) {
	s := newScript(0)
	s.add(s.packet(t, opcode.RCWriteOnly, false, 0x22, 0))
	d := read(t, s.svg(t))
	require.Equal(t, 1, d.count("dot"))
	require.Equal(t, []string{
		"PSNs of the whole capture", "first packet at 2023-11-14 22:13:20 UTC", "all flows: 1",
		"Flow 1: RRoCE 192.0.2.1 > 192.0.2.2 RC QP=0x000022", "other direction not known",
		"time since the first packet (µs)", "0", "0", "PSN", "requests (1)", "no gaps, retransmissions, NAKs, CNPs",
	}, d.texts())
}

// The files are named, in a form that XML can hold.
func TestFileNames(t *testing.T) {
	long := strings.Repeat("ab", 100)
	for _, c := range []struct {
		files []string
		want  string
	}{
		{[]string{"/captures/a & b <c>.pcap"}, "a & b <c>.pcap, "},
		{[]string{"x/a.pcap", "b.pcap", "c.pcap"}, "a.pcap and 2 more, "},
		{[]string{"-"}, "standard input, "},
		{[]string{"\x01\xff\n\"'.pcap"}, "\ufffd\ufffd\ufffd\"'.pcap, "},
		{[]string{long}, long[:40] + "…" + long[:40] + ", "},
	} {
		s := newScript(1)
		s.recorder = plot.New(1, c.files...)
		s.table = flow.New(flow.OnEvent(s.recorder.Event))
		s.playCase(t, "psn_gap_go_back_n")
		require.Contains(t, read(t, s.svg(t)).texts(), c.want+"first packet at 2023-11-14 22:13:20 UTC")
	}
}

// Many marks stand beside each other, by kind, and not upon each other.
func TestManyMarks(t *testing.T) {
	s := newScript(1)
	for i := range uint32(40) {
		psn := 10 + 2*i
		s.exchange(t, 0x22, 0x11, psn, 2*i+1, false)
		s.add(s.packet(t, opcode.RCWriteOnly, false, 0x22, psn+2)) // the one before it is lost
		nak := s.packet(t, opcode.RCAcknowledge, true, 0x11, psn+1)
		nak.Ext.AETH.Syndrome, nak.Ext.AETH.MSN = 0x60, 2*i+1
		s.add(nak)
		s.exchange(t, 0x22, 0x11, psn+1, 2*i+2, false)
	}
	d := read(t, s.svg(t))
	require.Subset(t, d.texts(), []string{"gap (40)", "NAK (40)", "marks stand apart, by kind"})
	require.Equal(t, 40, d.count("gap"))
	require.Equal(t, 40, d.count("NAK"))
	for i, gap := range d.of("gap") {
		require.Greater(t, d.of("NAK")[i].y, gap.y+3, "of the same PSN")
	}
}

// Of many packets as many are drawn as can be seen, and the extremes are.
func TestManyPackets(t *testing.T) {
	s := newScript(1)
	p := s.packet(t, opcode.RCWriteOnly, false, 0x22, 0)
	for i := range uint32(100_000) {
		p.BTH.PSN = 2 * i & 0xffffff // a gap before each
		s.add(p)
	}
	svg := s.svg(t)
	d := read(t, svg)
	require.Contains(t, d.texts(), "requests (100000)")
	require.Contains(t, d.texts(), "gap (99999, every 256th drawn)")
	require.Equal(t, (99999+255)/256, d.count("gap"))
	require.Less(t, len(svg), 300_000)
	require.Contains(t, d.texts(), "time since the first packet (ms)")
}

func TestErrors(t *testing.T) {
	for id, want := range map[int64]string{
		2: "flow 2 has no PSNs of its own, no CNPs and no CE: it answers flow 1",
		3: "there is no flow 3; 'ibwire flows' has their numbers",
	} {
		s := newScript(id)
		s.playCase(t, "psn_gap_go_back_n")
		require.EqualError(t, s.recorder.WriteSVG(io.Discard), want)
	}
	require.EqualError(t, plot.New(0).WriteSVG(io.Discard), "there are no packets")
	noTime := plot.New(0)
	noTime.Packet(nil, &ibwire.Packet{}, time.Time{})
	require.EqualError(t, noTime.WriteSVG(io.Discard), "no packet has a time")
	other := plot.New(0)
	other.Packet(nil, &ibwire.Packet{}, time.Unix(1, 0))
	require.EqualError(t, other.WriteSVG(io.Discard), "there is nothing to draw: no PSNs, no CNPs and no CE")
	s := newScript(1)
	s.playCase(t, "cnp_0x81")
	require.EqualError(t, s.recorder.WriteSVG(io.Discard), "flow 1 has no PSNs, no CNPs that throttle it, and no CE")
	s = newScript(1)
	s.playCase(t, "psn_gap_go_back_n")
	require.EqualError(t, s.recorder.WriteSVG(failing{}), "no room")
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, fmt.Errorf("no room") }

var update = flag.Bool("update", false, "write example.svg anew")

// The picture that the README shows: the network loses a packet now and then and is
// congested for a while, and the receiver is not ready twice.
func TestExample(t *testing.T) {
	s := newScript(1)
	write, ack, cnp := s.packet(t, opcode.RCWriteOnly, false, 0x22, 0), s.packet(t, opcode.RCAcknowledge, true, 0x11, 0), s.packet(t, opcode.RoCECNP, false, 0x11, 0)
	cnp.IPv4.SrcIP, cnp.IPv4.DstIP = ack.IPv4.SrcIP, ack.IPv4.DstIP
	expected := uint32(0xfffe80)
	answer := func(syndrome ext.Syndrome, psn uint32) {
		ack.BTH.PSN, ack.Ext.AETH.Syndrome, ack.Ext.AETH.MSN = psn&0xffffff, syndrome, expected-0xfffe80
		s.add(ack)
	}
	for psn, sent := expected, 0; sent < 900; sent, psn = sent+1, psn+1 {
		congested := sent > 380 && sent < 560
		write.IPv4.TOS = 2
		if congested && sent%3 == 0 {
			write.IPv4.TOS = 3
		}
		write.BTH.PSN = psn & 0xffffff
		if sent%150 == 70 {
			continue // lost
		}
		s.add(write)
		if congested {
			s.at = s.at.Add(15 * time.Microsecond)
		}
		switch {
		case psn == expected:
			expected++
			if psn%4 == 3 {
				answer(0x1f, psn)
			}
			if congested && sent%9 == 0 {
				s.add(cnp)
			}
		case psn == expected+1:
			answer(0x60, expected)
		case psn > expected+20: // the NAK has reached the sender
			psn = expected - 1
		}
		if sent == 300 || sent == 700 {
			answer(0x28, psn+1)
			s.at = s.at.Add(640 * time.Microsecond)
		}
	}
	svg := s.svg(t)
	if *update {
		require.NoError(t, os.WriteFile("example.svg", svg, 0o666))
	}
	want, err := os.ReadFile("example.svg")
	require.NoError(t, err)
	a, b := read(t, want), read(t, svg)
	require.Equal(t, a.texts(), b.texts())
	for _, what := range []string{"line", "area", "dot", "gap", "retransmission", "NAK", "RNR NAK", "CNP"} {
		require.Equal(t, a.count(what), b.count(what), what)
	}
	require.Less(t, len(svg), 100_000)
}
