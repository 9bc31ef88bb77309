package main

import (
	"slices"
	"strings"
	"time"

	"github.com/ibwire/ibwire/flow"
)

// eventColumns are the columns of events.
var eventColumns = func() (c columns[*flow.Event]) {
	add := func(more ...column[*flow.Event]) { c = append(c, more...) }
	// some is a column of some kinds of events alone.
	some := func(name, help string, k kind, n func(e *flow.Event) int64, kinds ...flow.EventKind) {
		add(optionalColumn(name, help, k, func(e *flow.Event) (int64, bool) { return n(e), slices.Contains(kinds, e.Kind) }))
	}
	word := func(name, help string, text func(e *flow.Event) string, kinds ...flow.EventKind) {
		add(textColumn(name, help, func(e *flow.Event) string {
			if !slices.Contains(kinds, e.Kind) {
				return ""
			}
			return text(e)
		}))
	}
	runs := []flow.EventKind{flow.Gap, flow.GapClosed, flow.OutOfOrder, flow.Duplicate, flow.Retransmission}
	sequences := append(slices.Clone(runs), flow.Restart)

	add(numberColumn("packet", "number of the packet that showed it, through all files", integer, func(e *flow.Event) int64 { return e.Number }))
	add(timeColumnOf("time", "time of that packet", func(e *flow.Event) time.Time { return e.Time }))
	add(numberColumn("flow_id", "flow that the packet, or the gap, belongs to, as in ibwire flows", integer, func(e *flow.Event) int64 { return e.Flow.ID }))
	add(textColumn("kind", "one of the kinds", func(e *flow.Event) string { return kindName(e.Kind) }))
	some("read_responses", "of gap to restart: whether the PSNs are those of READ responses; 1 or 0 in CSV, true or false in JSON", boolean, readResponses, sequences...)
	add(optionalColumn("psn", "first PSN that is meant; else the PSN of the packet", integer, func(e *flow.Event) (int64, bool) {
		return int64(e.PSN), e.Kind != flow.CongestionNotice && e.Kind != flow.PairingChange
	}))
	some("last_psn", "of gap to restart: last PSN that is meant", integer, func(e *flow.Event) int64 { return int64(e.Last) }, sequences...)
	some("count", "of gap and gap_closed: PSNs; of out_of_order, duplicate and retransmission: packets, which is the length of the run", integer, func(e *flow.Event) int64 { return int64(e.Count) }, runs...)
	some("repeats", "of retransmission: packets that had been seen before", integer, func(e *flow.Event) int64 { return int64(e.Repeats) }, flow.Retransmission)
	word("verdict", "of gap_closed: lost (by the network, before the capture), capture_missed, reordered or unresolved", verdictName, flow.GapClosed)
	word("cause", "of retransmission: nak (a PSN sequence error), rnr, timeout, read_retry or unknown", causeName, flow.Retransmission)
	word("nak", "of nak: its code, as in ibwire messages", func(e *flow.Event) string { return nakName(e.Code) }, flow.NAK)
	some("rnr_timer_us", "of rnr_nak: how long the requester is to wait, microseconds", integer, func(e *flow.Event) int64 { return e.Timer.Microseconds() }, flow.RNRNAK)
	some("msn", "of nak and rnr_nak: messages that the responder has completed", integer, func(e *flow.Event) int64 { return int64(e.MSN) }, flow.NAK, flow.RNRNAK)
	add(optionalColumn("subject_id", "flow that it is about, where it is another: refused by a NAK, throttled by a CNP, the peer of pairing", integer, subjectID))
	word("pairing", "of nak, rnr_nak, cnp and pairing: how that flow was found: unpaired, uncertain, proven or given", func(e *flow.Event) string { return e.Pairing.String() },
		flow.NAK, flow.RNRNAK, flow.CongestionNotice, flow.PairingChange)
	some("old", "of p_key_change and migration_state_change: what it was before", hex16, func(e *flow.Event) int64 { return int64(e.Old) }, flow.PKeyChange, flow.MigrationChange)
	some("new", "what it is now", hex16, func(e *flow.Event) int64 { return int64(e.New) }, flow.PKeyChange, flow.MigrationChange)
	add(keyColumns(func(e *flow.Event) *flow.Flow { return e.Flow })...)
	return c
}()

func readResponses(e *flow.Event) int64 {
	if e.Response {
		return 1
	}
	return 0
}

func subjectID(e *flow.Event) (int64, bool) {
	if e.Subject == nil {
		return 0, false
	}
	return e.Subject.ID, true
}

// verdictName returns the verdict as the columns of flows have it.
func verdictName(e *flow.Event) string {
	for _, v := range verdicts {
		if v.Verdict == e.Verdict {
			return v.name
		}
	}
	return ""
}

// causeName returns the cause as the columns of flows have it.
func causeName(e *flow.Event) string {
	for _, c := range causes {
		if c.Cause == e.Cause {
			return strings.TrimPrefix(c.name, "runs_")
		}
	}
	return ""
}
