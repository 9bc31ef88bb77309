package main

import (
	"fmt"
	"slices"

	"github.com/ibwire/ibwire/flow"
)

// textFlows appends the table of flows, without columns that say nothing of any of
// them.
func (s *summary) textFlows(dst []byte) []byte {
	flows, all := s.flows.best(), s.table.Totals().Flows
	if len(flows) == 0 {
		return dst
	}
	g := make(grid, 1+len(flows))
	for _, c := range flowTable {
		cells := []string{c.heading}
		for _, f := range flows {
			cells = append(cells, c.text(f))
		}
		if !slices.ContainsFunc(cells[1:], func(s string) bool { return s != "" && s != "0" }) {
			continue
		}
		for i, cell := range cells {
			g[i] = append(g[i], cell)
		}
	}
	mixed := slices.ContainsFunc(flows, func(f *flow.Flow) bool { return f.Key.Encapsulation != flows[0].Key.Encapsulation })
	g[0] = append(g[0], "from > to")
	for i, f := range flows {
		where := ends(f)
		if mixed {
			where = f.Key.Encapsulation.String() + " " + where
		}
		g[i+1] = append(g[i+1], where)
	}
	dst = g.append(append(dst, "Flows\n"...))
	if rest := all - int64(len(flows)); rest > 0 {
		dst = fmt.Appendf(dst, "  and %d more; 'ibwire flows' lists all\n", rest)
	}
	if slices.ContainsFunc(flows, isUncertain) {
		dst = append(dst, "  ? this peer is not certain\n"...)
	}
	return append(dst, '\n')
}

// ends returns where the packets of a flow go, with queue pairs as --pair takes
// them: "RC 192.0.2.1,0x11 > 192.0.2.2,0x22".
func ends(f *flow.Flow) string {
	from := f.Key.Src.String()
	if qp, ok := sourceQP(f); ok {
		from = queuePair{f.Key.Src, uint32(qp)}.String()
	}
	return fmt.Sprintf("%v %s > %v", f.Key.Transport, from, queuePair{f.Key.Dst, f.Key.DestQP})
}

// flowTable are the columns of numbers in the table of flows.
var flowTable = []struct {
	heading string
	text    func(f *flow.Flow) string
}{
	{"flow", func(f *flow.Flow) string { return decimal(f.ID) }},
	{"peer", peerText},
	{"packets", func(f *flow.Flow) string { return decimal(f.Packets) }},
	{"bytes", func(f *flow.Flow) string { return decimal(f.Bytes) }},
	{"gaps", func(f *flow.Flow) string { return decimal(f.Requests.Gaps + f.Responses.Gaps) }},
	{"missing", func(f *flow.Flow) string { return decimal(f.Requests.Missing + f.Responses.Missing) }},
	{"resent", func(f *flow.Flow) string { return decimal(f.Requests.Retransmissions + f.Responses.Retransmissions) }},
	{"NAKs", func(f *flow.Flow) string { return decimal(naks(f)) }},
	{"RNRs", func(f *flow.Flow) string { return decimal(f.RNRNAKs) }},
	{"CNPs", func(f *flow.Flow) string { return decimal(f.CNPs) }},
	{"CE", func(f *flow.Flow) string { return decimal(f.CE) }},
	{"ACK µs", func(f *flow.Flow) string { return median(f.Latency.ACK) }},
	{"READ µs", func(f *flow.Flow) string { return median(f.Latency.ReadLast) }},
	{"ATOMIC µs", func(f *flow.Flow) string { return median(f.Latency.Atomic) }},
}

// peerText returns the ID of the other direction, with a question mark if it is
// not certain.
func peerText(f *flow.Flow) string {
	switch peer, _ := f.Peer(); {
	case peer == nil:
		return ""
	case isUncertain(f):
		return decimal(peer.ID) + "?"
	default:
		return decimal(peer.ID)
	}
}

func isUncertain(f *flow.Flow) bool {
	_, how := f.Peer()
	return how == flow.Uncertain
}

// median returns the median in microseconds.
func median(l *flow.Latency) string {
	if l == nil {
		return ""
	}
	return fixed(float64(l.Median()) / 1e3)
}
