package plot_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/opcode"
)

// exchange sends a WRITE to a queue pair, and its ACK to another one.
func (s *script) exchange(t *testing.T, qp, answerQP, psn, msn uint32, ce bool) {
	t.Helper()
	p := s.packet(t, opcode.RCWriteOnly, false, qp, psn)
	if ce {
		p.IPv4.TOS |= 3
	}
	s.add(p)
	ack := s.packet(t, opcode.RCAcknowledge, true, answerQP, psn)
	ack.Ext.AETH.MSN = msn
	s.add(ack)
}

// congested plays two flows, 1 and 3, both of which have CE and are throttled by
// CNPs. Flow 1 has a gap, flow 3 is refused twice.
func (s *script) congested(t *testing.T) {
	t.Helper()
	for i := range uint32(20) {
		s.exchange(t, 0x22, 0x11, 100+i+i/10, i+1, i%5 == 0)
		s.exchange(t, 0x44, 0x33, 5000+i, i+1, i%4 == 0)
	}
	for _, qp := range []uint32{0x11, 0x33, 0x33} {
		cnp := s.packet(t, opcode.RoCECNP, false, qp, 0)
		cnp.IPv4.SrcIP, cnp.IPv4.DstIP = cnp.IPv4.DstIP, cnp.IPv4.SrcIP
		s.add(cnp)
	}
	for range 2 {
		s.add(s.packet(t, opcode.RCWriteOnly, false, 0x44, 5020))
		rnr := s.packet(t, opcode.RCAcknowledge, true, 0x33, 5020)
		rnr.Ext.AETH.Syndrome, rnr.Ext.AETH.MSN = 0x2e, 20
		s.add(rnr)
	}
}

// A flow has one name, and one colour in all its panels, that no other one has.
func TestColours(t *testing.T) {
	s := newScript(0)
	s.congested(t)
	d := read(t, s.svg(t))
	require.ElementsMatch(t, []string{"Flow 1", "Flow 3"}, d.names())
	of := map[string]string{}
	for _, name := range d.names() {
		part := d.flow(t, name)
		require.Len(t, part.colours("line"), 2*3, "requests, CNPs, CE, with their legends")
		require.Len(t, part.colours("area"), 1+2*2, "the name, CNPs and CE with their legends")
		require.GreaterOrEqual(t, len(part.colours("dot")), 20)
		of[name] = part.colours("line")[0]
		for _, what := range []string{"line", "area", "dot"} {
			for _, c := range part.colours(what) {
				require.Equal(t, of[name], c, "%s of %s", what, name)
			}
		}
	}
	require.NotEqual(t, of["Flow 1"], of["Flow 3"])
}

// Marks stand in the panel of their flow, and nowhere else.
func TestMarksOfEachFlow(t *testing.T) {
	s := newScript(0)
	s.congested(t)
	d := read(t, s.svg(t))
	for name, want := range map[string]map[string]int{
		"Flow 1": {"gap": 1, "retransmission": 0, "NAK": 0, "RNR NAK": 0, "CNP": 1},
		"Flow 3": {"gap": 0, "retransmission": 1, "NAK": 0, "RNR NAK": 2, "CNP": 2},
	} {
		part := d.flow(t, name)
		for what, n := range want {
			require.Equal(t, n, part.count(what), "%s of %s", what, name)
			legend := fmt.Sprintf("%s (%d)", what, n)
			if n > 0 {
				require.Contains(t, part.texts(), legend)
			} else {
				require.NotContains(t, strings.Join(part.texts(), "\n"), "\n"+what+" (")
			}
		}
	}
	require.Subset(t, d.flow(t, "Flow 1").texts(), []string{
		"answered by flow 2 (proven)", "answers to QP=0x000011 (20)", "CNPs that throttle the flow (1)", "packets of the flow with ECN CE (4)",
	})
	require.Subset(t, d.flow(t, "Flow 3").texts(), []string{
		"answered by flow 4 (proven)", "answers to QP=0x000033 (22)", "CNPs that throttle the flow (2)", "packets of the flow with ECN CE (5)",
	})
}

// Rates of all flows have the same scale: twice as many CE at a time stand twice
// as high.
func TestScale(t *testing.T) {
	s := newScript(0)
	for i := range uint32(40) { // in 100 µs each
		s.exchange(t, 0x22, 0x11, 100+2*i, 2*i+1, true)
		s.exchange(t, 0x22, 0x11, 101+2*i, 2*i+2, true)
		s.exchange(t, 0x44, 0x33, 5000+i, i+1, true)
		s.at = s.at.Add(40 * time.Microsecond)
	}
	d := read(t, s.svg(t))
	require.Contains(t, d.texts(), "20000")
	heights := map[string]float64{}
	for _, name := range []string{"Flow 1", "Flow 3"} {
		for _, a := range d.flow(t, name).shapes {
			if a.what == "area" && a.x > 40 && a.x < legendX {
				heights[name] = a.high - a.y
			}
		}
	}
	require.Positive(t, heights["Flow 3"])
	require.InDelta(t, 2, heights["Flow 1"]/heights["Flow 3"], 0.01)
}

// Of a flow that only answers, congestion is drawn, where there is some.
func TestCongestionOfAnswers(t *testing.T) {
	for _, id := range []int64{0, 2} {
		s := newScript(id)
		for i := range uint32(10) {
			s.add(s.packet(t, opcode.RCWriteOnly, false, 0x22, i))
			ack := s.packet(t, opcode.RCAcknowledge, true, 0x11, i)
			ack.Ext.AETH.MSN = i + 1
			ack.IPv4.TOS |= 3
			s.add(ack)
		}
		part := read(t, s.svg(t)).flow(t, "Flow 2")
		require.Subset(t, part.texts(), []string{"answers flow 1 (proven)", "packets of the flow with ECN CE (10)"})
		require.Zero(t, part.count("dot"), "it has no PSNs of its own")
	}
}

// CNPs to nobody knows whom are of no flow.
func TestUnknownFlows(t *testing.T) {
	s := newScript(0)
	s.playCase(t, "cnp_0x81")
	d := read(t, s.svg(t))
	require.Equal(t, []string{"Unknown flows"}, d.names())
	require.Contains(t, d.texts(), "CNPs that throttle unknown flows (1)")
	require.Contains(t, d.texts(), "no flow has PSNs, or is known to be throttled")
}

// The flows with the most to see are drawn, and what is not is said.
func TestChoice(t *testing.T) {
	s := newScript(0)
	p := s.packet(t, opcode.RCWriteOnly, false, 0, 0)
	tos := p.IPv4.TOS
	for round := range uint32(30) {
		for id := uint32(1); id <= 10; id++ {
			step := uint32(1)
			switch {
			case id == 3 && round < 3, id == 7 && round < 2:
				step = 2 // with a gap before each but the first
			case id == 3 || id == 7 || round > 15+id:
				continue
			}
			p.BTH.DestQP, p.BTH.PSN, p.IPv4.TOS = id, round*step, tos
			if id == 2 && round < 4 || id < 7 && round == 0 {
				p.IPv4.TOS |= 3
			}
			s.add(p)
		}
	}
	d := read(t, s.svg(t))
	require.Equal(t, []string{"Flow 3", "Flow 7", "Flow 2", "Flow 6", "Flow 5", "Flow 4", "Other flows"}, d.names())
	require.Contains(t, d.texts(), "6 of 10 flows: those with the most gaps, retransmissions, NAKs and CNPs, then the most CE, then the most packets")
	require.Contains(t, d.flow(t, "Other flows").texts(), "packets of other flows with ECN CE (1)")
}

// Of many flows some are kept. One that comes late is among them from when on
// there is something to see, and no CE is lost. Memory is bounded.
func TestManyFlows(t *testing.T) {
	const flows, late = 3000, 2500
	s := newScript(0)
	p := s.packet(t, opcode.RCWriteOnly, false, 0, 0)
	send := func(qp, psn uint32) {
		p.BTH.DestQP, p.BTH.PSN = qp, psn
		s.add(p)
	}
	p.IPv4.TOS |= 3
	for round := range uint32(2) {
		for qp := range uint32(flows) {
			send(qp+1, round)
		}
	}
	send(late, 5) // 60 ms after the first packet
	send(late, 6)
	require.Equal(t, 1024, s.recorder.Tracks())
	p.BTH.DestQP, p.BTH.PSN = late+1, 2
	f := s.table.Add(p, s.number, s.at, 100)
	require.Zero(t, testing.AllocsPerRun(1000, func() { s.recorder.Packet(f, &ibwire.Packet{BTH: p.BTH}, s.at) }))

	d := read(t, s.svg(t))
	require.Equal(t, fmt.Sprintf("Flow %d", late), d.names()[0])
	require.Contains(t, strings.Join(d.texts(), "\n"), "\n6 of 3000 flows: those")
	part := d.flow(t, d.names()[0]).texts()
	require.Subset(t, part, []string{"gap (1)", "requests (2)", "not kept before 60 ms"})
	require.NotContains(t, strings.Join(d.flow(t, d.names()[1]).texts(), "\n"), "not kept")
	sum := 0
	for _, text := range d.texts() {
		if _, n, ok := strings.Cut(text, "with ECN CE ("); ok {
			one, err := strconv.Atoi(strings.TrimSuffix(n, ")"))
			require.NoError(t, err)
			sum += one
		}
	}
	require.Equal(t, 2*flows+2+1, sum, "packets")
}

// Flows that are alike do not take the place from each other.
func TestFlowsAlike(t *testing.T) {
	const flows = 2000
	s := newScript(0)
	p := s.packet(t, opcode.RCWriteOnly, false, 0, 0)
	for round := range uint32(50) {
		for i := range uint32(flows) {
			p.BTH.DestQP, p.BTH.PSN = i+1, round
			if round%2 == 1 { // the others are ahead
				p.BTH.DestQP = flows - i
			}
			s.add(p)
		}
	}
	d := read(t, s.svg(t))
	require.Equal(t, []string{"Flow 1", "Flow 2", "Flow 3", "Flow 4", "Flow 5", "Flow 6"}, d.names())
	for _, name := range d.names() {
		require.Contains(t, d.flow(t, name).texts(), "requests (50)", "all of it")
	}
}
