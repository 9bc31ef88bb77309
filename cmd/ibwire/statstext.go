package main

import (
	"fmt"
	"strconv"
	"time"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/ext"
	"github.com/ibwire/ibwire/flow"
	"github.com/ibwire/ibwire/opcode"
)

// appendText appends the summary as sections of numbers, each in front of what it
// counts.
func (s *summary) appendText(dst []byte) []byte {
	for _, section := range []func(dst []byte) []byte{s.textTotals, s.textPackets, s.textEvents, s.textPSNs, s.textMessages, s.textGaps, s.textFlows} {
		dst = section(dst)
	}
	v := s.verdict()
	return append(append(dst, v.String()...), '\n')
}

// decimal writes a number.
func decimal(n int64) string { return strconv.FormatInt(n, 10) }

// fixed writes a number with one digit behind the point.
func fixed(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) }

// textTotals appends how much there is, and of what time.
func (s *summary) textTotals(dst []byte) []byte {
	t := s.table.Totals()
	dst = append(dst, number(t.All.Packets, "packet")...)
	if s.files > 1 {
		dst = fmt.Appendf(dst, " in %d files", s.files)
	}
	dst = fmt.Appendf(dst, ", %s, InfiniBand: %d", number(t.All.Bytes, "byte"), s.infiniBand())
	if !s.first.IsZero() {
		const layout = "2006-01-02 15:04:05.999999999 MST"
		dst = fmt.Appendf(dst, "\n%s to %s, ", s.first.Format(layout), s.until.Format(layout))
		dst = append(seconds.append(dst, int64(s.until.Sub(s.first)), false), " s"...)
	}
	return append(dst, "\n\n"...)
}

// infiniBand returns how many packets are InfiniBand, RoCE or RRoCE.
func (s *summary) infiniBand() int64 {
	t := s.table.Totals()
	return t.All.Packets - t.Encapsulations[ibwire.NotInfiniBand].Packets
}

// textPackets appends how many packets of each kind there are.
func (s *summary) textPackets(dst []byte) []byte {
	t := s.table.Totals()
	if t.All.Packets == 0 {
		return dst
	}
	var g grid
	heading := []string{"packets", "%", "bytes", "payload", "encapsulation"}
	add := func(packets int64, bytes, payload, name string) {
		if packets == 0 {
			return
		}
		if heading != nil {
			g.add(heading...)
			heading = nil
		}
		g.add(decimal(packets), fixed(100*float64(packets)/float64(t.All.Packets)), bytes, payload, name)
	}
	row := func(c *flow.Count, name string) { add(c.Packets, decimal(c.Bytes), decimal(c.Payload), name) }
	for i := range t.Encapsulations {
		row(&t.Encapsulations[i], ibwire.Encapsulation(i).String())
	}
	heading = []string{"", "", "", "", "transport"}
	for i := range t.Transports {
		row(&t.Transports[i], opcode.Transport(i).String())
	}
	heading = []string{"", "", "", "", "opcode"}
	for i := range t.Opcodes {
		row(&t.Opcodes[i], opcode.Opcode(i).Info())
	}
	heading = []string{"", "", "", "", "of these"}
	add(t.NoFlow, "", "", "of a flow that cannot be told")
	add(t.NoTime, "", "", "without a time")
	add(t.Backwards, "", "", "with a time before that of the packet before")
	return append(g.append(append(dst, "Packets\n"...)), '\n')
}

// A count is a number with what it counts: a noun that gets an s, unless the
// number is 1, and what follows it.
type count struct {
	n          int64
	noun, rest string
}

// textCounts appends counts below a title. Those that are 0 are left out.
func textCounts(dst []byte, title string, counts []count) []byte {
	var g grid
	for _, c := range counts {
		if c.n > 1 && c.noun != "" {
			c.noun += "s"
		}
		if c.n > 0 {
			g.add(decimal(c.n), c.noun+c.rest)
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
		counts = append(counts, count{n, "NAK", ": " + nakName(ext.NakCode(code))})
	}
	for timer, n := range rnrTimers(t) {
		const millisecond = float64(time.Millisecond)
		counts = append(counts, count{n, "RNR NAK", fmt.Sprintf(": timer %.2f ms", float64(timer)/millisecond)})
	}
	counts = append(counts,
		count{t.CNPs, "CNP", ""},
		count{t.UnknownCNPs, "", "  whose flow is not known"},
		count{t.Events[flow.CongestionMark], "packet", " with ECN CE"},
		count{t.Events[flow.FECNMark], "packet", " with FECN"},
		count{t.Events[flow.BECNMark], "packet", " with BECN, without CNPs"},
		count{t.Events[flow.SolicitedEvent], "packet", " with a solicited event"},
		count{t.Events[flow.MigrationChange], "change", " of the migration state"},
		count{t.Events[flow.PKeyChange], "change", " of the P_Key"},
	)
	return textCounts(dst, "Events", counts)
}

// textPSNs appends what has become of PSNs.
func (s *summary) textPSNs(dst []byte) []byte {
	p, runs := &s.psns, int64(0)
	for _, n := range p.Runs {
		runs += n
	}
	counts := []count{
		{p.Packets, "packet", " whose PSN is checked"},
		{s.tally.unchecked, "packet", " whose PSN is not checked: ACKs, UD, RD, CNPs"},
		{p.Gaps, "gap", ""},
		{p.Missing, "missing PSN", ""},
		{p.Verdicts[flow.Lost], "", "  lost by the network before the capture: sent again"},
		{p.Verdicts[flow.CaptureMissed], "", "  missed by the capture: acknowledged, or answered"},
		{p.Verdicts[flow.Reordered], "", "  reordered: came late"},
		{p.Verdicts[flow.Unresolved], "", "  unresolved"},
		{p.LostBehind, "packet", " lost between the capture and the receiver, at least"},
		{runs, "run", " of packets sent again"},
	}
	for _, c := range causes {
		counts = append(counts, count{p.Runs[c.Cause], "", "  " + c.help})
	}
	return textCounts(dst, "PSNs", append(counts,
		count{p.Retransmissions, "packet", " sent again that had been seen"},
		count{p.OutOfOrder, "packet", " out of order"},
		count{p.Duplicates, "packet", " that the capture has twice"},
		count{p.Restarts, "jump", " too far to be a gap"},
		count{p.Undecided, "gap", " that may be the span of a READ"},
		count{s.table.Totals().EvictedGaps, "gap", " given up for lack of room"},
	))
}

// textMessages appends how messages have ended.
func (s *summary) textMessages(dst []byte) []byte {
	n := &s.table.Totals().Messages
	return textCounts(dst, "Messages", []count{
		{n[flow.Complete], "", "complete"},
		{n[flow.Broken], "", "broken: a part is not in the capture"},
		{n[flow.Refused], "", "refused with a NAK"},
		{n[flow.Unfinished], "", "unfinished when the capture, or the connection, ended"},
		{n[flow.Evicted], "", "evicted: given up for lack of room"},
	})
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
			switch n := one.verdicts[v]; {
			case n == int64(one.Count): // of all
				what += v.String()
			case n > 0:
				what += fmt.Sprintf("%s%d %v", sep, n, v)
				sep = ", "
			}
		}
		g.add(decimal(one.Number), decimal(one.id), decimal(int64(one.PSN)), decimal(int64(one.Last)), decimal(int64(one.Count)), what)
	}
	dst = g.append(append(dst, "Gaps\n"...))
	if s.gaps.rest > 0 {
		dst = fmt.Appendf(dst, "  and %d more; 'ibwire events --kind gap,gap_closed' lists all\n", s.gaps.rest)
	}
	return append(dst, '\n')
}
