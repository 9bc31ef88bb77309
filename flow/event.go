package flow

import (
	"time"

	"github.com/ibwire/ibwire/ext"
)

//go:generate go tool -modfile=../tools.mod stringer -linecomment -type=EventKind,Verdict,Cause,Pairing,Operation,Status -output=string.go

// An EventKind tells what an Event is about.
type EventKind uint8

// Kinds of events. Those about PSNs are defined in the package documentation.
const (
	Gap              EventKind = iota // gap
	GapClosed                         // gap closed
	OutOfOrder                        // out of order
	Duplicate                         // duplicate
	Retransmission                    // retransmission
	Restart                           // restart
	NAK                               // NAK
	RNRNAK                            // RNR NAK
	CongestionNotice                  // CNP
	CongestionMark                    // ECN CE
	FECNMark                          // FECN
	BECNMark                          // BECN
	SolicitedEvent                    // solicited event
	MigrationChange                   // migration state change
	PKeyChange                        // P_Key change
	PairingChange                     // pairing
	numEventKinds    = iota
)

// An Event is something that happened in a flow. It is valid until the handler
// returns.
type Event struct {
	Kind   EventKind
	Number int64     // of the packet that showed it, as given to Add
	Time   time.Time // of that packet; the zero Time if it has none
	Flow   *Flow     // that the packet belongs to; of GapClosed the one with the gap

	// Response tells that the PSNs are those of responses, not of requests. A NAK
	// has that of a request.
	Response bool
	// PSN is the PSN of the packet, and of the kinds Gap to Restart the first one
	// that is concerned: the first that is missing, came late or was sent again.
	PSN uint32
	// Last is the last one of those PSNs.
	Last uint32
	// Count is the number of missing PSNs of Gap and GapClosed, and the number of
	// packets of OutOfOrder and Retransmission: the length of the run.
	Count uint32
	// Repeats is how many packets of a Retransmission had been seen before.
	Repeats uint32

	Verdict Verdict       // of GapClosed
	Cause   Cause         // of Retransmission
	Code    ext.NakCode   // of NAK
	Timer   time.Duration // of RNRNAK: how long the requester is to wait
	MSN     uint32        // of NAK and RNRNAK: messages completed, 24 bits

	// Subject is the flow that the event is about, where it is not Flow: the one
	// whose packets a NAK or RNRNAK refuses, and the one that a CNP throttles. It
	// is nil if it is not known. Pairing tells how far it can be trusted; with
	// PairingChange it is the flow that Flow is paired with now.
	Subject *Flow
	Pairing Pairing

	Old, New uint16 // of PKeyChange and MigrationChange (0 or 1)
}

// A Verdict tells why PSNs were missing.
type Verdict uint8

// Verdicts about the PSNs of a gap.
const (
	Unresolved    Verdict = iota // unresolved
	Lost                         // lost by the network
	CaptureMissed                // missed by the capture
	Reordered                    // reordered
	numVerdicts   = iota
)

// A Cause tells why packets were sent again.
type Cause uint8

// Causes of retransmissions.
const (
	UnknownCause Cause = iota // unknown
	SequenceNAK               // PSN sequence error
	ReceiverNAK               // receiver not ready
	Timeout                   // timeout
	ReadRetry                 // READ retried
	numCauses    = iota
)

// asked tells whether the other side has asked for it.
func (c Cause) asked() bool { return c == SequenceNAK || c == ReceiverNAK || c == ReadRetry }

// A Pairing tells how the two flows of a conversation were found.
type Pairing uint8

// Pairings, the surer the greater.
const (
	Unpaired  Pairing = iota // unpaired
	Uncertain                // uncertain
	Proven                   // proven
	Given                    // given
)
