package main

import (
	"fmt"
	"strconv"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/ext"
	"github.com/ibwire/ibwire/flow"
	"github.com/ibwire/ibwire/opcode"
)

// appendText appends the summary as sections of numbers, each in front of what it
// counts.
func (s *summary) appendText(dst []byte) []byte {
	for _, section := range []func(dst []byte) []byte{s.textPackets, s.textEvents, s.textPSNs, s.textGaps, s.textFlows} {
		dst = section(dst)
	}
	v := s.verdict()
	return append(append(dst, v.String()...), '\n')
}

// decimal writes a number.
func decimal(n int64) string { return strconv.FormatInt(n, 10) }

// textPackets appends how many packets of each kind there are.
func (s *summary) textPackets(dst []byte) []byte {
	t := s.table.Totals()
	dst = append(dst, number(t.All.Packets, "packet")...)
	if s.files > 1 {
		dst = fmt.Appendf(dst, " in %d files", s.files)
	}
	dst = fmt.Appendf(dst, ", %s, InfiniBand: %d", number(t.All.Bytes, "byte"), t.All.Packets-t.Encapsulations[ibwire.NotInfiniBand].Packets)
	if !s.first.IsZero() {
		const layout = "2006-01-02 15:04:05.999999999 MST"
		dst = fmt.Appendf(dst, "\n%s to %s, ", s.first.Format(layout), s.until.Format(layout))
		dst = append(seconds.append(dst, int64(s.until.Sub(s.first)), false), " s"...)
	}
	dst = append(dst, "\n\n"...)
	if t.All.Packets == 0 {
		return dst
	}
	var g grid
	row := func(c *flow.Count, name string) {
		if c.Packets > 0 {
			g.add(decimal(c.Packets), strconv.FormatFloat(100*float64(c.Packets)/float64(t.All.Packets), 'f', 1, 64), decimal(c.Bytes), decimal(c.Payload), name)
		}
	}
	g.add("packets", "%", "bytes", "payload", "encapsulation")
	for i := range t.Encapsulations {
		row(&t.Encapsulations[i], ibwire.Encapsulation(i).String())
	}
	g.add("", "", "", "", "transport")
	for i := range t.Transports {
		row(&t.Transports[i], opcode.Transport(i).String())
	}
	g.add("", "", "", "", "opcode")
	for i := range t.Opcodes {
		row(&t.Opcodes[i], opcode.Opcode(i).Info())
	}
	return append(g.append(append(dst, "Packets\n"...)), '\n')
}

// A count is a number with what it counts.
type count struct {
	n    int64
	text string
}

// textCounts appends counts below a title. Those that are 0 are left out.
func textCounts(dst []byte, title string, counts []count) []byte {
	var g grid
	for _, c := range counts {
		if c.n > 0 {
			g.add(decimal(c.n), c.text)
		}
	}
	if g == nil {
		return append(append(dst, title...), ": none\n\n"...)
	}
	return append(g.append(append(append(dst, title...), '\n')), '\n')
}

// textEvents appends how often each kind of event was there. Those of PSNs have a
// section of their own.
func (s *summary) textEvents(dst []byte) []byte {
	t := s.table.Totals()
	var counts []count
	for code, n := range t.NAKs {
		counts = append(counts, count{n, "NAK, " + ext.NakCode(code).String()})
	}
	counts = append(counts, count{t.Events[flow.RNRNAK], flow.RNRNAK.String()})
	for k := flow.CongestionNotice; k < flow.PairingChange; k++ {
		counts = append(counts, count{t.Events[k], k.String()})
	}
	return textCounts(dst, "Events", counts)
}

// textPSNs appends what has become of PSNs and messages.
func (s *summary) textPSNs(dst []byte) []byte {
	p, t := &s.psns, s.table.Totals()
	counts := []count{
		{p.Packets, "packets whose PSN must follow another"},
		{s.tally.unchecked, "packets whose PSN need not: ACKs, UD, RD, CNPs"},
		{p.Gaps, "gaps"},
		{p.Missing, "PSNs missing in them"},
		{p.Verdicts[flow.Lost], "  lost by the network before the capture: sent again"},
		{p.Verdicts[flow.CaptureMissed], "  missed by the capture: acknowledged, or answered"},
		{p.Verdicts[flow.Reordered], "  reordered: came late"},
		{p.Verdicts[flow.Unresolved], "  unresolved"},
		{p.LostBehind, "packets lost behind the capture, at least: a NAK asked for them"},
		{p.Retransmissions, "packets sent again that had been seen"},
	}
	for _, c := range causes {
		counts = append(counts, count{p.Runs[c.Cause], "  runs " + c.help})
	}
	counts = append(counts, count{p.OutOfOrder, "packets out of order"}, count{p.Duplicates, "packets that the capture has twice"},
		count{p.Restarts, "jumps too far to be a gap"}, count{p.Undecided, "gaps that may be the span of a READ"})
	dst = textCounts(dst, "PSNs", counts)

	counts = nil
	for i, n := range t.Messages {
		counts = append(counts, count{n, flow.Status(i).String()})
	}
	return textCounts(dst, "Messages", counts)
}

// textGaps appends the first gaps.
func (s *summary) textGaps(dst []byte) []byte {
	if len(s.gaps.gaps) == 0 {
		return dst
	}
	g := grid{{"packet", "flow", "PSN", "to", "missing", "verdict"}}
	for _, one := range s.gaps.gaps {
		what, sep := "", ""
		if one.Response {
			what = "READ responses: "
		}
		for _, v := range []flow.Verdict{flow.Lost, flow.CaptureMissed, flow.Reordered, flow.Unresolved} {
			if n := one.verdicts[v]; n > 0 {
				what += fmt.Sprintf("%s%d %v", sep, n, v)
				sep = ", "
			}
		}
		g.add(decimal(one.Number), decimal(one.id), decimal(int64(one.PSN)), decimal(int64(one.Last)), decimal(int64(one.Count)), what)
	}
	dst = g.append(append(dst, "Gaps\n"...))
	if s.gaps.rest > 0 {
		dst = fmt.Appendf(dst, "  and %d more\n", s.gaps.rest)
	}
	return append(dst, '\n')
}

// textFlows appends the table of flows.
func (s *summary) textFlows(dst []byte) []byte {
	flows, all := s.flows.best(), s.table.Totals().Flows
	if len(flows) == 0 {
		return dst
	}
	g := grid{{"flow", "peer", "packets", "bytes", "gaps", "missing", "resent", "NAKs", "RNRs", "CNPs", "CE", "ACK µs", "key"}}
	for _, f := range flows {
		peer, ack := "", ""
		if p, _ := f.Peer(); p != nil {
			peer = decimal(p.ID)
		}
		if f.Latency.ACK != nil {
			ack = strconv.FormatFloat(float64(f.Latency.ACK.Median())/1e3, 'f', 1, 64)
		}
		q, r := &f.Requests, &f.Responses
		g.add(decimal(f.ID), peer, decimal(f.Packets), decimal(f.Bytes), decimal(q.Gaps+r.Gaps), decimal(q.Missing+r.Missing),
			decimal(q.Retransmissions+r.Retransmissions), decimal(naks(f)), decimal(f.RNRNAKs), decimal(f.CNPs), decimal(f.CE), ack, f.Key.String())
	}
	dst = g.append(append(dst, "Flows\n"...))
	if rest := all - int64(len(flows)); rest > 0 {
		dst = fmt.Appendf(dst, "  and %d more\n", rest)
	}
	return append(dst, '\n')
}
