package main

import (
	"fmt"

	"github.com/ibwire/ibwire/ext"
	"github.com/ibwire/ibwire/flow"
	"github.com/ibwire/ibwire/opcode"
)

// keyColumns are the columns of what a flow is.
func keyColumns[T any](of func(v T) *flow.Flow) columns[T] {
	word := func(name, help string, text func(k *flow.Key) string) column[T] {
		return textColumn(name, help, func(v T) string { return text(&of(v).Key) })
	}
	return columns[T]{
		word("encapsulation", "InfiniBand, RoCE or RRoCE (RoCE v2)", func(k *flow.Key) string { return k.Encapsulation.String() }),
		word("transport", "RC, UC, RD, UD, CNP, XRC, or Manufacturer", func(k *flow.Key) string { return k.Transport.String() }),
		word("src", "IP address, GID or LID of the sender", func(k *flow.Key) string { return k.Src.String() }),
		word("dst", "the same of the receiver", func(k *flow.Key) string { return k.Dst.String() }),
		optionalColumn("src_qp", "queue pair of the sender: of UD by the DETH, else by peer_id", hex24, func(v T) (int64, bool) { return sourceQP(of(v)) }),
		numberColumn("dest_qp", "queue pair of the receiver", hex24, func(v T) int64 { return int64(of(v).Key.DestQP) }),
	}
}

// sourceQP returns the queue pair that sends the packets of f, if it is known.
func sourceQP(f *flow.Flow) (int64, bool) {
	if f.Key.Transport == opcode.UD {
		return int64(f.Key.SrcQP), true
	}
	if peer, _ := f.Peer(); peer != nil {
		return int64(peer.Key.DestQP), true
	}
	return 0, false
}

// flowColumns are the columns of flows.
var flowColumns = func() (c columns[*flow.Flow]) {
	add := func(more ...column[*flow.Flow]) { c = append(c, more...) }
	count := func(name, help string, n func(f *flow.Flow) int64) { add(numberColumn(name, help, integer, n)) }
	psns := func(name, help string, n func(s *flow.PSNStats) int64) {
		count(name, help, func(f *flow.Flow) int64 { return n(&f.Requests) + n(&f.Responses) })
	}
	count("flow_id", "number of the flow, in the order of first packets", func(f *flow.Flow) int64 { return f.ID })
	add(keyColumns(func(f *flow.Flow) *flow.Flow { return f })...)
	add(optionalColumn("peer_id", "flow_id of the other direction", integer, func(f *flow.Flow) (int64, bool) {
		peer, _ := f.Peer()
		if peer == nil {
			return 0, false
		}
		return peer.ID, true
	}))
	add(textColumn("pairing", "how that was found: unpaired, uncertain, proven or given", func(f *flow.Flow) string {
		_, how := f.Peer()
		return how.String()
	}))
	count("first_packet", "number of the first packet, through all files", func(f *flow.Flow) int64 { return f.FirstPacket })
	count("last_packet", "number of the last packet", func(f *flow.Flow) int64 { return f.LastPacket })
	add(timeColumnOf("start_time", "time of the first packet", (*flow.Flow).Start))
	add(timeColumnOf("end_time", "time of the last packet", (*flow.Flow).End))
	add(optionalColumn("duration_s", "from the first packet to the last, seconds", seconds, func(f *flow.Flow) (int64, bool) {
		return elapsed(f.Start(), f.End())
	}))
	count("packets", "packets", func(f *flow.Flow) int64 { return f.Packets })
	count("bytes", "bytes of whole frames", func(f *flow.Flow) int64 { return f.Bytes })
	count("payload_bytes", "bytes behind the headers, without pads", func(f *flow.Flow) int64 { return f.Payload })
	add(optionalColumn("mtu_bytes", "path MTU", integer, func(f *flow.Flow) (int64, bool) { return int64(f.MTU()), f.MTU() > 0 }))
	count("requests", "requests whose PSN is checked", func(f *flow.Flow) int64 { return f.Requests.Packets })
	count("read_responses", "READ responses whose PSN is checked", func(f *flow.Flow) int64 { return f.Responses.Packets })
	count("unchecked", "packets whose PSN is not checked: ACKs, UD, RD, CNPs", func(f *flow.Flow) int64 { return f.Unchecked })
	count("cut", "packets that a header is missing from", func(f *flow.Flow) int64 { return f.Cut })

	psns("gaps", "gaps in the PSNs, of requests and READ responses, as all up to undecided", func(s *flow.PSNStats) int64 { return s.Gaps })
	psns("missing", "PSNs in those gaps", func(s *flow.PSNStats) int64 { return s.Missing })
	for _, v := range verdicts {
		psns(v.name, v.help, func(s *flow.PSNStats) int64 { return s.Verdicts[v.Verdict] })
	}
	psns("lost_behind", "packets lost between the capture and the receiver, at least", func(s *flow.PSNStats) int64 { return s.LostBehind })
	psns("out_of_order", "packets that came late", func(s *flow.PSNStats) int64 { return s.OutOfOrder })
	psns("duplicates", "packets that the capture has twice", func(s *flow.PSNStats) int64 { return s.Duplicates })
	psns("retransmissions", "packets sent again that had been seen", func(s *flow.PSNStats) int64 { return s.Retransmissions })
	for _, r := range causes {
		psns(r.name, "runs of packets sent again, "+r.help, func(s *flow.PSNStats) int64 { return s.Runs[r.Cause] })
	}
	psns("restarts", "jumps too far to be a gap", func(s *flow.PSNStats) int64 { return s.Restarts })
	psns("undecided", "gaps that may be the span of a READ", func(s *flow.PSNStats) int64 { return s.Undecided })

	count("acks", "ACKs sent, also as part of responses", func(f *flow.Flow) int64 { return f.ACKs })
	count("naks", "NAKs sent, without RNR NAKs", naks)
	for code, n := range nakNames {
		text := "reserved codes"
		if code < len(nakNames)-1 {
			text = ext.NakCode(code).String()
		}
		count(n, "of these, "+text, func(f *flow.Flow) int64 { return f.NAKs[code] })
	}
	count("rnr_naks", "RNR NAKs sent", func(f *flow.Flow) int64 { return f.RNRNAKs })
	count("reserved_aeths", "acknowledges with a reserved syndrome", func(f *flow.Flow) int64 { return f.ReservedAETHs })
	count("cnps", "CNPs that throttle this flow", func(f *flow.Flow) int64 { return f.CNPs })
	count("uncertain_cnps", "of these, those that may mean another flow", func(f *flow.Flow) int64 { return f.UncertainCNPs })
	count("ce", "packets with ECN Congestion Experienced", func(f *flow.Flow) int64 { return f.CE })
	count("fecn", "packets with FECN", func(f *flow.Flow) int64 { return f.FECN })
	count("becn", "packets with BECN, without CNPs", func(f *flow.Flow) int64 { return f.BECN })
	count("solicited_events", "packets with a solicited event", func(f *flow.Flow) int64 { return f.SE })
	count("migrations", "changes of the migration state", func(f *flow.Flow) int64 { return f.Migrations })
	count("pkey_changes", "changes of the P_Key", func(f *flow.Flow) int64 { return f.PKeyChanges })
	for s := flow.Complete; s <= flow.Evicted; s++ {
		count("messages_"+s.String(), "messages that are "+s.String(), func(f *flow.Flow) int64 { return f.Messages[s] })
	}
	count("message_bytes", "payload of messages, each PSN once", func(f *flow.Flow) int64 { return f.MessageBytes })
	for _, l := range latencies {
		add(latencyColumns(l.name, l.help, l.of)...)
	}
	return c
}()

// verdicts are the Verdicts with the names of their columns.
var verdicts = []struct {
	flow.Verdict
	name, help string
}{
	{flow.Lost, "lost", "missing PSNs lost before the capture: they were sent again"},
	{flow.CaptureMissed, "capture_missed", "missing PSNs that the capture has missed: they were acknowledged"},
	{flow.Reordered, "reordered", "missing PSNs that came late"},
	{flow.Unresolved, "unresolved", "missing PSNs of which nothing tells where they are"},
}

// causes are the Causes with the names of their columns.
var causes = []struct {
	flow.Cause
	name, help string
}{
	{flow.SequenceNAK, "runs_nak", "after a NAK of a PSN sequence error"},
	{flow.ReceiverNAK, "runs_rnr", "after an RNR NAK"},
	{flow.Timeout, "runs_timeout", "after a timeout"},
	{flow.ReadRetry, "runs_read_retry", "since a READ was asked for again"},
	{flow.UnknownCause, "runs_unknown", "for an unknown cause"},
}

// nakNames are the columns of NAKs by their codes; the last one is for all that
// are reserved.
var nakNames = [6]string{"nak_psn_sequence_error", "nak_invalid_request", "nak_remote_access_error", "nak_remote_operational_error", "nak_invalid_rd_request", "nak_reserved"}

// nakName returns the name of a NAK code.
func nakName(c ext.NakCode) string {
	if c > ext.InvalidRDRequest {
		return fmt.Sprintf("reserved code %d", uint8(c))
	}
	return c.String()
}

// naks returns how many NAKs of any code f has sent.
func naks(f *flow.Flow) (n int64) {
	for _, k := range f.NAKs {
		n += k
	}
	return n
}

// latencies are the distributions of a flow with the names of their columns.
var latencies = []struct {
	name, help string
	of         func(f *flow.Flow) *flow.Latency
}{
	{"ack", "request to ACK", func(f *flow.Flow) *flow.Latency { return f.Latency.ACK }},
	{"read_first", "READ request to its first response", func(f *flow.Flow) *flow.Latency { return f.Latency.ReadFirst }},
	{"read_last", "READ request to its last response", func(f *flow.Flow) *flow.Latency { return f.Latency.ReadLast }},
	{"atomic", "ATOMIC request to its acknowledge", func(f *flow.Flow) *flow.Latency { return f.Latency.Atomic }},
}

// latencyColumns are the columns of a distribution.
func latencyColumns(name, help string, of func(f *flow.Flow) *flow.Latency) []column[*flow.Flow] {
	q := func(part, what string, value func(l *flow.Latency) int64) column[*flow.Flow] {
		return optionalColumn(name+"_"+part+"_us", help+", "+what+", microseconds", microseconds, func(f *flow.Flow) (int64, bool) {
			l := of(f)
			if l == nil {
				return 0, false
			}
			return value(l), true
		})
	}
	return []column[*flow.Flow]{
		numberColumn(name+"_samples", help+", number of times", integer, func(f *flow.Flow) int64 { return of(f).Count() }),
		q("min", "least", func(l *flow.Latency) int64 { return int64(l.Min()) }),
		q("median", "median", func(l *flow.Latency) int64 { return int64(l.Median()) }),
		q("p99", "99 % are no more", func(l *flow.Latency) int64 { return int64(l.P99()) }),
		q("max", "greatest", func(l *flow.Latency) int64 { return int64(l.Max()) }),
	}
}
