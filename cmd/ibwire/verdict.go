package main

import (
	"fmt"

	"github.com/ibwire/ibwire/flow"
)

// A verdict tells whether a capture is whole.
type verdict struct {
	Word   string `json:"verdict"`     // complete, incomplete or unknown
	Missed int64  `json:"missed_psns"` // a READ request may have many
	Flows  int64  `json:"missed_flows"`
	Reason string `json:"reason"`
}

// verdict says what the PSNs of all flows tell about the capture.
func (s *summary) verdict() verdict {
	t, v := &s.tally, verdict{Missed: s.psns.Verdicts[flow.CaptureMissed], Flows: s.tally.missed}
	unresolved := s.psns.Verdicts[flow.Unresolved]
	switch {
	case v.Missed > 0:
		v.Word = "incomplete"
		v.Reason = fmt.Sprintf("it misses %s in %s that the receiver has", number(v.Missed, "PSN"), number(v.Flows, "flow"))
	case s.table.Totals().EvictedFlows > 0:
		v.Word = "unknown"
		v.Reason = fmt.Sprintf("%s had to be given up, there were too many at a time, and what they missed is not known", number(s.table.Totals().EvictedFlows, "flow"))
	case s.infiniBand() == 0:
		v.Word, v.Reason = "unknown", "no packet is InfiniBand"
	case s.psns.Packets == 0:
		v.Word, v.Reason = "unknown", "no packet has a PSN that must follow another"
	case unresolved > 0:
		v.Word = "unknown"
		v.Reason = fmt.Sprintf("it is not known what became of %s in %s", number(unresolved, "missing PSN"), number(t.unresolved, "flow"))
	case t.restarted > 0:
		v.Word = "unknown"
		v.Reason = fmt.Sprintf("the PSNs of %s jump, to a new connection or over a part that is missing", number(t.restarted, "flow"))
	case t.undecided > 0:
		v.Word = "unknown"
		v.Reason = fmt.Sprintf("in %s a gap may be the span of a READ, since the path MTU is not known", number(t.undecided, "flow"))
	case s.psns.Missing > 0:
		v.Word, v.Reason = "complete", "every PSN is there, or was sent again, or came late"
	default:
		v.Word, v.Reason = "complete", "no PSN is missing"
	}
	if s.from.filter != nil {
		v.Reason += "; of what -Y selects"
	}
	if s.from.failed != nil {
		v.Reason += "; as far as it could be read"
	}
	return v
}

// String returns the verdict as a line.
func (v *verdict) String() string {
	word := v.Word
	if word == "unknown" {
		word = "cannot tell"
	}
	return "Capture: " + word + ": " + v.Reason
}
