package flow

import "time"

// An Option changes what a Table does.
type Option func(*Table)

// OnEvent has f called for each event, as it is found. An event about a run of
// packets comes when the run has ended.
func OnEvent(f func(*Event)) Option { return func(t *Table) { t.onEvent = f } }

// OnMessage has f called for each message that has ended: in the order in which
// they end.
func OnMessage(f func(*Message)) Option { return func(t *Table) { t.onMessage = f } }

// OnFlow has f called for each flow that leaves the table, since it is evicted or
// the table is closed, when its counts are final.
func OnFlow(f func(*Flow)) Option { return func(t *Table) { t.onFlow = f } }

// MaxFlows sets how many flows the table holds, 100,000 by default, and at least
// 2. Where there are more, one that has had no packets for long is evicted.
func MaxFlows(n int) Option { return func(t *Table) { t.maxFlows = max(n, 2) } }

// MaxMessages sets how many messages may be open at a time in all flows, 100,000
// by default. Where there are more, the oldest is evicted, as is the first one of a
// flow that has more than 4096. Messages of a reliable transport stay open until
// they are acknowledged.
func MaxMessages(n int) Option { return func(t *Table) { t.maxMessages = max(n, 1) } }

// MaxGap sets how many PSNs a gap can have, 65,536 by default and at most 2^23-1.
// A jump that is greater, in either direction, is a restart of the flow.
func MaxGap(n int) Option { return func(t *Table) { t.maxGap = int32(min(max(n, 1), 1<<23-1)) } }

// CopyWindow sets how soon a packet must follow an equal one to be a duplicate and
// not a retransmission. By default that is one microsecond, and 8.192, which is the
// least that a requester waits for an acknowledge, where the other direction is
// known, so that a NAK would have been seen.
func CopyWindow(d time.Duration) Option {
	return func(t *Table) { t.copyWindow, t.quietWindow = int64(d), int64(d) }
}
