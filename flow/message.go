package flow

import (
	"time"

	"github.com/ibwire/ibwire/ext"
	"github.com/ibwire/ibwire/opcode"
)

// An Operation is what a message does.
type Operation uint8

// Operations of messages.
const (
	NoOperation Operation = iota // none
	Send                         // SEND
	Write                        // RDMA WRITE
	Read                         // RDMA READ
	CmpSwap                      // CmpSwap
	FetchAdd                     // FetchAdd
	Flush                        // FLUSH
	AtomicWrite                  // ATOMIC WRITE
)

// operations has the Operation of each request by its low five bits.
var operations = [32]Operation{
	opcode.SendFirst: Send, opcode.SendMiddle: Send, opcode.SendLast: Send, opcode.SendLastImm: Send,
	opcode.SendOnly: Send, opcode.SendOnlyImm: Send, opcode.SendLastInv: Send, opcode.SendOnlyInv: Send,
	opcode.WriteFirst: Write, opcode.WriteMiddle: Write, opcode.WriteLast: Write, opcode.WriteLastImm: Write,
	opcode.WriteOnly: Write, opcode.WriteOnlyImm: Write, opcode.ReadRequest: Read,
	opcode.CmpSwap: CmpSwap, opcode.FetchAdd: FetchAdd, opcode.Flush: Flush, opcode.AtomicWrite: AtomicWrite,
}

// A Status tells how a message ended.
type Status uint8

// Statuses of messages.
const (
	Complete    Status = iota // complete
	Broken                    // broken
	Refused                   // refused
	Unfinished                // unfinished
	Evicted                   // evicted
	numStatuses = iota
)

// A Message is what one work request sends: First, Middles and Last, or an Only.
// A READ is joined to its responses. It is valid until the handler returns.
type Message struct {
	Flow      *Flow // that the requests belong to
	Pairing   Pairing
	Operation Operation
	Status    Status
	NAK       ext.NakCode // of a Refused one

	PSN, LastPSN uint32 // first and last PSN that were seen; of a READ the range that its responses take
	FirstPacket  int64  // number of its first packet
	LastPacket   int64  // number of its last packet that carried something new
	Packets      uint32 // requests, without those sent again
	Responses    uint32 // of a READ: responses, without those sent again

	Bytes  int64  // of payload, of a READ that of its responses, each PSN once
	Length uint32 // DMALen of the RETH: the bytes that the message should have

	HasRETH bool // VA, RKey and Length are known; of atomics VA and RKey
	VA      uint64
	RKey    uint32

	HasImm    bool
	Imm       uint32 // immediate data, read big-endian
	HasInvKey bool
	InvKey    uint32 // R_Key to invalidate

	Start time.Time // of the first packet
	End   time.Time // of the last packet that carried something new
	// Acked is the time of the packet that acknowledged the message: an ACK that
	// closes it, the last READ response, the ATOMIC acknowledge. It is the zero
	// Time if that was not seen.
	Acked time.Time
}

// Latency returns the time from the first packet of the message to the one that
// acknowledged it. ok is false if one of them has no time, or was not seen, or the
// times run backwards.
func (m *Message) Latency() (d time.Duration, ok bool) {
	if m.Start.IsZero() || m.Acked.IsZero() || m.Acked.Before(m.Start) {
		return 0, false
	}
	return m.Acked.Sub(m.Start), true
}

// A record is an open message, or a part of one: PSNs [psn, end) that were seen
// without a gap. Records are kept in one slice, and name each other by index.
type record struct {
	flow               *Flow
	prev, next         int32 // in the flow, by PSN
	older, newer       int32 // in the table, by age
	psn, end           uint32
	op                 Operation
	first, last        bool // begins with a First or Only, ends with a Last or Only
	counted            bool // in Flow.ended
	reach                   // of a READ
	hasRETH, imm, inv  bool
	nak                ext.NakCode
	packets, responses uint32
	bytes              int64
	va                 uint64
	rkey, length       uint32
	immData, invKey    uint32
	firstPacket        int64
	passed             int64 // number of the first packet that acknowledged what is behind it
	lastPacket         int64
	start, stop, acked int64 // nanoseconds
}

// whole tells whether all packets of the message were seen.
func (r *record) whole() bool { return r.first && r.last }

// answered tells whether r waits for responses of its own, not for any ACK.
func (r *record) answered() bool { return r.op == Read || r.op == CmpSwap || r.op == FetchAdd }
