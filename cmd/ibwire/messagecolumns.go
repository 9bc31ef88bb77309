package main

import (
	"time"

	"github.com/ibwire/ibwire/flow"
)

// messageColumns are the columns of messages.
var messageColumns = func() (c columns[*flow.Message]) {
	add := func(more ...column[*flow.Message]) { c = append(c, more...) }
	count := func(name, help string, n func(m *flow.Message) int64) { add(numberColumn(name, help, integer, n)) }
	word := func(name, help string, text func(m *flow.Message) string) { add(textColumn(name, help, text)) }
	some := func(name, help string, k kind, n func(m *flow.Message) (int64, bool)) {
		add(optionalColumn(name, help, k, n))
	}
	count("flow_id", "flow of the requests, as in ibwire flows", func(m *flow.Message) int64 { return m.Flow.ID })
	add(keyColumns(func(m *flow.Message) *flow.Flow { return m.Flow })...)
	word("pairing", "how the other direction was found", func(m *flow.Message) string { return m.Pairing.String() })
	word("operation", "SEND, RDMA WRITE, RDMA READ, CmpSwap, FetchAdd, FLUSH or ATOMIC WRITE", func(m *flow.Message) string { return m.Operation.String() })
	word("status", "complete, broken, refused, unfinished or evicted", func(m *flow.Message) string { return m.Status.String() })
	word("nak", "of a refused one: the code of the NAK", func(m *flow.Message) string {
		if m.Status != flow.Refused {
			return ""
		}
		return nakName(m.NAK)
	})
	count("psn", "first PSN that was seen", func(m *flow.Message) int64 { return int64(m.PSN) })
	count("last_psn", "last PSN that was seen; of a READ, of its responses", func(m *flow.Message) int64 { return int64(m.LastPSN) })
	count("first_packet", "number of the first packet, through all files", func(m *flow.Message) int64 { return m.FirstPacket })
	count("last_packet", "number of the last packet with something new", func(m *flow.Message) int64 { return m.LastPacket })
	count("packets", "request packets, without those sent again", func(m *flow.Message) int64 { return int64(m.Packets) })
	count("responses", "READ responses, without those sent again", func(m *flow.Message) int64 { return int64(m.Responses) })
	count("bytes", "payload that was seen, each PSN once", func(m *flow.Message) int64 { return m.Bytes })
	some("length", "DMA length of the RETH", integer, func(m *flow.Message) (int64, bool) { return int64(m.Length), hasLength(m) })
	some("va", "virtual address", hex64, func(m *flow.Message) (int64, bool) { return int64(m.VA), m.HasRETH })
	some("r_key", "R_Key", hex32, func(m *flow.Message) (int64, bool) { return int64(m.RKey), m.HasRETH })
	some("imm", "immediate data", hex32, func(m *flow.Message) (int64, bool) { return int64(m.Imm), m.HasImm })
	some("inv_key", "R_Key to invalidate", hex32, func(m *flow.Message) (int64, bool) { return int64(m.InvKey), m.HasInvKey })
	add(timeColumnOf("start_time", "time of the first packet", func(m *flow.Message) time.Time { return m.Start }))
	add(timeColumnOf("end_time", "time of the last packet with something new", func(m *flow.Message) time.Time { return m.End }))
	add(timeColumnOf("ack_time", "time of the packet that acknowledged it", func(m *flow.Message) time.Time { return m.Acked }))
	some("duration_us", "first to last packet, microseconds", microseconds, func(m *flow.Message) (int64, bool) { return elapsed(m.Start, m.End) })
	some("latency_us", "first packet to acknowledge, microseconds", microseconds, func(m *flow.Message) (int64, bool) { return elapsed(m.Start, m.Acked) })
	return c
}()

// hasLength tells whether the RETH of m has said its length; atomics have none.
func hasLength(m *flow.Message) bool {
	return m.HasRETH && m.Operation != flow.CmpSwap && m.Operation != flow.FetchAdd
}
