// Package flow finds the flows of a capture: what was lost, sent again, missed
// by the capture, refused, and how long answers took. It takes packets one after
// the other, in bounded memory, and allocates nothing for a packet of a flow that
// it knows.
//
//	t := flow.New(flow.OnMessage(func(m *flow.Message) { ... }))
//	for ... {
//		_ = p.Decode(rec.LinkType, rec.Data)
//		t.Add(&p, rec.Number, rec.Time, rec.Length)
//	}
//	t.Close()
//	for f := range t.Flows() {
//		fmt.Println(f.Key, f.Packets, f.Requests.Gaps, f.Requests.Retransmissions)
//	}
//
// Lengths are taken from the length fields, so a capture that holds no more than
// headers is as good as a whole one.
//
// # Flows
//
// A flow is one direction: encapsulation, source, destination, transport,
// destination queue pair, and for UD the source queue pair. Two flows are a
// conversation. A BTH has no source queue pair, so which two is found out:
//
//   - Given: the caller says so, with Table.Pair. It may know from the connection
//     management or from the hosts.
//   - Proven: responses in a row have matched, at different PSNs, and have counted
//     messages (MSN) as the requests do: two if there are no other flows between the
//     addresses, else four.
//     Three in a row to requests that were not seen undo it.
//   - Uncertain: a response has matched. An ACK
//     matches if its PSN is among those that were sent and not yet acknowledged, a
//     READ response or ATOMIC acknowledge if such a request is open there, and in
//     either case if that is so of no other flow between the same addresses.
//   - Unpaired: nothing has matched. Flows of UC are never paired by themselves.
//
// What follows needs a pair where it speaks of ACKs and NAKs, and takes an
// uncertain one for true; Flow.Peer tells.
//
// # PSNs
//
// The PSNs of requests are followed for RC, XRC and UC, those of READ responses
// for RC and XRC, in the flow of the responder. They count modulo 2^24. Those of
// acknowledges, UD and CNPs do not follow each other. Those of RD belong to its EE
// contexts, and the same opcodes may be of Dynamically Connected: they are not
// checked. Stats.Unchecked counts all these packets.
//
// A request takes one PSN, a READ request as many as its responses: DMALen by
// path MTU, rounded up. The path MTU is the payload of First and Middle packets of
// either direction, and not less than any payload. Until one of these is seen, the
// PSN of the next request tells, if it fits a path MTU that there is; if it fits
// none, that is counted as Undecided and not as a gap. When the path MTU is seen, or
// the last response, what was decided before is put right.
//
//   - Gap: a packet is ahead of the PSN that is expected. The PSNs between are
//     missing. It counts once, Missing counts its PSNs: a READ request that is
//     missing counts as many as it takes.
//   - Duplicate: a packet equal to one of the last seven of its flow, in PSN, opcode,
//     AETH and IP Identification, that came so soon behind it that nobody can have
//     asked for it: the capture, or a mirror of two ports, has it twice. How soon
//     that is says CopyWindow. Of a flow that has most packets twice, the first equal
//     one in that time is always a copy. If the other direction is not known, and copies lag by
//     more than that, they are known by the new packets between them; the first ones
//     look like a retransmission if they come together. Copies of ACKs and NAKs are counted here and nowhere else, those
//     of UD and CNPs are not found. For UC, which sends nothing again, any PSN that
//     was seen before is a duplicate.
//   - Run: packets behind the PSN expected, each further on than the one before it.
//     It ends where they have come up to that PSN, or the sender goes on with new
//     packets, or goes back again.
//   - Retransmission: a run that repeats a packet that was seen, or that begins
//     where a NAK or RNR NAK asked. Retransmissions counts its packets that had been
//     seen before; the event has its first PSN and its length. Its Cause is the NAK
//     (SequenceNAK), the RNR NAK (ReceiverNAK: nothing was lost), else Timeout, if
//     the other direction is known: also where the requester found by itself that a
//     response was lost. A run that begins behind the PSN of a NAK was
//     caused by it, too: what it asks for is lost again. For READ responses the cause
//     is ReadRetry if the requester has asked again. Two runs that follow each other
//     without a step back look like one.
//   - OutOfOrder: a run that is none: packets that fill a gap, late.
//   - Restart: a jump of more than MaxGap in either direction, which is a new
//     connection or a part of the capture that is missing. It is no gap, and what
//     was open is ended. A new connection with a PSN near the old one is known by its
//     first ACK: the MSN begins anew, or it is behind what was acknowledged. Until
//     then it looks like a gap, which is Unresolved in the end, or a run, of which
//     messages may be lost. Table.Restart tells of it in time.
//
// Packets from before the first one of the capture are not missing if they never
// come, and are no retransmission of their own if they do.
//
// # Who has lost it
//
// Each PSN that was missing gets a Verdict in the end:
//
//   - Lost: a retransmission has brought it. The network lost it between the sender
//     and the capture. (If the capture has missed the first packet, and it was sent
//     again for another reason, it looks the same.)
//   - CaptureMissed: it was acknowledged and had not come. The receiver has it, so
//     the capture has missed it. Of READ responses, and the acknowledge of an ATOMIC:
//     they never came, later requests were acknowledged, and the requester went on to
//     send new ones.
//   - Reordered: it came late, in its own time.
//   - Unresolved: none of this was seen before the capture, the flow or the table's
//     patience came to an end. So a gap at the end of a capture is not judged.
//
// What is lost between the capture and the receiver leaves no gap: LostBehind
// counts the retransmissions that a NAK of a PSN sequence error asked for though
// nothing was missing.
//
// Of READ responses, where the request is known, every PSN is expected, also if
// none of them has come; an ATOMIC acknowledge that never came counts with them.
// Where the request is not known, a response that lacks its beginning or its end counts as one missing
// PSN, which is the least that it can be.
//
// # Messages
//
// A message is First, Middles and Last, or an Only; a READ is joined to its
// responses, an ATOMIC to its acknowledge. Packets that come late or again are put
// where they belong, and bytes count once. UD messages are packets; RD has none.
//
//   - Complete: all packets were seen. Of RC and XRC it is reported when it is
//     acknowledged, and if it never is, at the end, with Acked the zero Time.
//   - Broken: a packet is not in the capture, and will not come: what is behind it
//     was acknowledged, or the flow has ended. So is a message that began before the
//     capture, and a part of a UC message when eight others are open.
//   - Refused: a NAK other than a PSN sequence error was sent for it.
//   - Unfinished: the capture ended, or the flow restarted.
//   - Evicted: given up for lack of room.
//
// # Latency
//
// The times run from the first packet of a message, also if it was sent again, to
// the packet that closes it: an ACK, or any other response, closes all messages
// whose last PSN is not behind its own. See Latencies and Latency.
//
// # Congestion
//
// CNPs are flows of their own. A CNP goes to the queue pair that sends too much, so
// the flow that it throttles is the peer of the flow to that queue pair. For UD it
// is a flow with this source queue pair. If there is no pair, and only one flow
// between the addresses that may be meant, it is that one, Uncertain; if there are
// more, none.
//
// # Memory
//
// A table holds at most MaxFlows flows and MaxMessages open messages. A flow has at
// most 4096 open messages, and a sequence of PSNs 64 open gaps, a table 131,072.
// Latencies share 262,144 powers of two. With the defaults that is less than 256
// MiB. What is evicted or left out is counted.
package flow
