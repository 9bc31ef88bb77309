package plot_test

import (
	"bytes"
	"encoding/xml"
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
	"github.com/ibwire/ibwire/linktype"
	"github.com/ibwire/ibwire/opcode"
	"github.com/ibwire/ibwire/testdata"
)

// A drawing is what is read back of a picture: its texts, and the shapes of each
// colour, as "stroke black" or "fill #e69f00".
type drawing struct {
	texts  []string
	shapes map[string]int
}

// read reads a picture, which must be well-formed.
func read(t *testing.T, svg []byte) drawing {
	t.Helper()
	d := drawing{shapes: map[string]int{}}
	dec := xml.NewDecoder(bytes.NewReader(svg))
	inText := false
	for {
		token, err := dec.Token()
		if err == io.EOF {
			return d
		}
		require.NoError(t, err)
		switch e := token.(type) {
		case xml.StartElement:
			inText = e.Name.Local == "text"
			if e.Name.Local == "path" {
				d.shapes[kind(e.Attr)]++
			}
		case xml.CharData:
			if inText {
				d.texts = append(d.texts, strings.TrimSpace(string(e)))
			}
		case xml.EndElement:
			inText = false
		}
	}
}

// kind tells by the path and its style what a shape is: a mark of the legend or
// the picture has its colour and its strokes.
func kind(attr []xml.Attr) string {
	var path, style string
	for _, a := range attr {
		switch a.Name.Local {
		case "d":
			path = a.Value
		case "style":
			style = a.Value
		}
	}
	switch filled := !strings.Contains(style, "fill:none"); {
	case filled && strings.Contains(strings.ToUpper(style), "#D55E00"):
		return "retransmission"
	case filled && strings.Contains(strings.ToUpper(style), "#E69F00"):
		return "CNP"
	case strings.Contains(path, "A"):
		return map[bool]string{true: "dot", false: "gap"}[filled]
	case strings.Count(path, "M") == 2:
		return map[bool]string{true: "RNR NAK", false: "NAK"}[strings.Contains(strings.ToUpper(style), "#CC79A7")]
	}
	return "other"
}

// A script gives a recorder what a table finds in packets.
type script struct {
	recorder *plot.Recorder
	table    *flow.Table
	number   int64
	at       time.Time
}

func newScript(id int64) *script {
	s := &script{recorder: plot.New(id), at: time.Unix(1700000000, 0)}
	s.table = flow.New(flow.OnEvent(s.recorder.Event))
	return s
}

func (s *script) add(p *ibwire.Packet) {
	s.number++
	s.recorder.Packet(s.table.Add(p, s.number, s.at, 100), p, s.at)
	s.at = s.at.Add(10 * time.Microsecond)
}

// svg returns the picture.
func (s *script) svg(t *testing.T) []byte {
	t.Helper()
	s.table.Close()
	var b bytes.Buffer
	require.NoError(t, s.recorder.WriteSVG(&b))
	return b.Bytes()
}

// playCase gives it a capture outside the module.
func (s *script) playCase(t *testing.T, name string) {
	t.Helper()
	for _, f := range testdata.Frames(t, testdata.Shared(t, "cases/"+name+".pcap")[0]) {
		var p ibwire.Packet
		require.NoError(t, p.Decode(linktype.Type(f.Link), f.Data))
		s.add(&p)
	}
}

// The text of the case says one gap, one NAK, and one run of packets sent again. A
// mark stands in the legend once, and in the picture as often as there are events.
func TestFlowOfCase(t *testing.T) {
	s := newScript(1)
	s.playCase(t, "psn_gap_go_back_n")
	svg := s.svg(t)
	d := read(t, svg)
	for _, want := range []string{
		"Flow 1: RRoCE 192.0.2.1 > 192.0.2.2 RC QP=0x000022", "answered by flow 2 (proven), queue pair 0x000011",
		"requests (7)", "answers (2)", "gap (1)", "retransmission (1)", "NAK (1)", "no RNR NAKs", "no CNPs",
		"PSN", "time since the first packet (µs)", "500", "504",
	} {
		require.Contains(t, d.texts, want)
	}
	require.Equal(t, 1+1, d.shapes["gap"])
	require.Equal(t, 1+1, d.shapes["retransmission"])
	require.Equal(t, 1+1, d.shapes["NAK"])
	require.Zero(t, d.shapes["RNR NAK"])
	require.Zero(t, d.shapes["CNP"])
	require.Equal(t, 7+2, d.shapes["dot"]) // each packet
	require.NotContains(t, string(svg), "packets per", "there was no congestion")
}

// packet returns a decoded packet of RoCE v2 between two hosts, without its wire
// form.
func (s *script) packet(t *testing.T, o opcode.Opcode, reverse bool, qp, psn uint32) *ibwire.Packet {
	t.Helper()
	var p ibwire.Packet
	name := map[bool]int{false: 0, true: 3}[reverse] // a WRITE, or an acknowledge
	f := testdata.Frames(t, testdata.Shared(t, "cases/psn_gap_go_back_n.pcap")[0])[name]
	if o == opcode.RoCECNP {
		f = testdata.Frames(t, testdata.Shared(t, "cases/cnp_0x81.pcap")[0])[0]
	}
	require.NoError(t, p.Decode(linktype.Type(f.Link), f.Data))
	p.BTH.OpCode, p.BTH.DestQP, p.BTH.PSN = o, qp, psn&0xffffff
	if reverse {
		p.Ext.AETH.Syndrome = 0x1f
	}
	return &p
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
	require.Contains(t, d.texts, "RNR NAK (5)")
	require.Contains(t, d.texts, "retransmission (5)")
	require.Equal(t, 5+1, d.shapes["RNR NAK"])
	require.Equal(t, 5+1, d.shapes["retransmission"])
	require.Contains(t, d.texts, "16777200")
	require.Contains(t, d.texts, "16777240", "past the wrap")
	require.Contains(t, d.texts, "requests (55)")
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
		"CNPs to flow 1 (7)", "CE in flow 1 (10)", "CNP (7)", "flow 1: RC 0x000022 (40)", "packets per 10 µs",
		"PSNs of the whole capture", "1 of 1 flows with PSNs: those with the most packets", "PSNs since the first of the flow",
	} {
		require.Contains(t, d.texts, want)
	}
	require.Equal(t, 7+1, d.shapes["CNP"])
}

// What is drawn begins with the first packet of a flow, and is counted from that of
// the capture.
func TestTimeAxis(t *testing.T) {
	s := newScript(1)
	s.recorder.Packet(nil, &ibwire.Packet{}, s.at) // one that is not InfiniBand
	s.at = s.at.Add(5 * time.Second)
	s.playCase(t, "psn_gap_go_back_n")
	d := read(t, s.svg(t))
	require.Contains(t, d.texts, "time since the first packet (s)")
	require.Contains(t, d.texts, "5.00001")
	require.NotContains(t, d.texts, "0")
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
	require.Contains(t, d.texts, "requests (100000)")
	require.Contains(t, d.texts, "gap (99999, every 256th drawn)")
	require.Equal(t, (99999+255)/256+1, d.shapes["gap"])
	require.Less(t, len(svg), 300_000)
	require.Contains(t, d.texts, "time since the first packet (ms)")
}

func TestErrors(t *testing.T) {
	for id, want := range map[int64]string{
		2: "flow 2 has no PSNs of its own: it answers flow 1",
		3: "there is no flow 3; 'ibwire flows' has their numbers",
	} {
		s := newScript(id)
		s.playCase(t, "psn_gap_go_back_n")
		require.EqualError(t, s.recorder.WriteSVG(io.Discard), want)
	}
	require.EqualError(t, plot.New(0).WriteSVG(io.Discard), "no packet has a time")
	s := newScript(0)
	s.playCase(t, "cnp_0x81")
	require.EqualError(t, s.recorder.WriteSVG(io.Discard), "there are no PSNs to draw")
	require.Error(t, func() error {
		s := newScript(1)
		s.playCase(t, "psn_gap_go_back_n")
		return s.recorder.WriteSVG(failing{})
	}())
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
	require.Equal(t, read(t, want), read(t, svg))
	require.Less(t, len(svg), 100_000)
}
