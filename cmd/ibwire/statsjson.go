package main

import (
	"encoding/json"
	"iter"
	"strings"
	"time"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/ext"
	"github.com/ibwire/ibwire/flow"
	"github.com/ibwire/ibwire/opcode"
)

// statsJSON is the object that stats writes.
type statsJSON struct {
	Files     int          `json:"files"`
	StartTime *json.Number `json:"start_time"` // nil where no packet has a time
	EndTime   *json.Number `json:"end_time"`
	Packets   countJSON    `json:"packets"`
	NoBTH     int64        `json:"packets_without_bth"`
	NoFlow    int64        `json:"packets_without_flow"`
	NoTime    int64        `json:"packets_without_time"`
	Backwards int64        `json:"packets_back_in_time"`

	Encapsulations []countJSON `json:"encapsulations"`
	Transports     []countJSON `json:"transports"`
	Opcodes        []countJSON `json:"opcodes"`

	Events      map[string]int64 `json:"events"`
	NAKs        map[string]int64 `json:"naks"`
	RNRNAKs     []rnrJSON        `json:"rnr_naks"`
	UnknownCNPs int64            `json:"unknown_cnps"`
	PSNs        map[string]int64 `json:"psns"`
	Messages    map[string]int64 `json:"messages"`

	Gaps            []gapJSON         `json:"gaps"`
	FlowCount       int64             `json:"flow_count"`
	EvictedFlows    int64             `json:"evicted_flows"`
	EvictedMessages int64             `json:"evicted_messages"`
	EvictedGaps     int64             `json:"evicted_gaps"`
	Flows           []json.RawMessage `json:"flows"`
	Capture         verdict           `json:"capture"`
}

// rnrJSON counts RNR NAKs with a timer.
type rnrJSON struct {
	Timer   int64 `json:"timer_us"`
	Packets int64 `json:"packets"`
}

// countJSON counts packets of a kind.
type countJSON struct {
	Opcode  *int   `json:"opcode,omitempty"`
	Name    string `json:"name,omitempty"`
	Packets int64  `json:"packets"`
	Bytes   int64  `json:"bytes"`
	Payload int64  `json:"payload_bytes"`
}

// gapJSON is one of the first gaps.
type gapJSON struct {
	Packet   int64            `json:"packet"`
	Flow     int64            `json:"flow_id"`
	Response bool             `json:"read_responses"`
	PSN      uint32           `json:"psn"`
	Last     uint32           `json:"last_psn"`
	Missing  uint32           `json:"missing"`
	Verdicts map[string]int64 `json:"verdicts"`
}

// appendJSON appends the summary as one object.
func (s *summary) appendJSON(dst []byte) []byte {
	t := s.table.Totals()
	v := statsJSON{
		Files: s.files, StartTime: epochNumber(s.first), EndTime: epochNumber(s.until),
		Packets: countOf("", &t.All), NoBTH: t.NoBTH, NoFlow: t.NoFlow, NoTime: t.NoTime, Backwards: t.Backwards,
		Encapsulations: []countJSON{}, Transports: []countJSON{}, Opcodes: []countJSON{},
		Events: map[string]int64{}, NAKs: map[string]int64{}, RNRNAKs: []rnrJSON{}, UnknownCNPs: t.UnknownCNPs, Messages: map[string]int64{},
		PSNs: s.psnsJSON(), Gaps: s.gapsJSON(), FlowCount: t.Flows,
		EvictedFlows: t.EvictedFlows, EvictedMessages: t.EvictedMessages, EvictedGaps: t.EvictedGaps,
		Flows: []json.RawMessage{}, Capture: s.verdict(),
	}
	for i := range t.Encapsulations {
		v.Encapsulations = appendCount(v.Encapsulations, countOf(ibwire.Encapsulation(i).String(), &t.Encapsulations[i]))
	}
	for i := range t.Transports {
		v.Transports = appendCount(v.Transports, countOf(opcode.Transport(i).String(), &t.Transports[i]))
	}
	for i := range t.Opcodes {
		c := countOf(opcode.Opcode(i).Info(), &t.Opcodes[i])
		c.Opcode = &i
		v.Opcodes = appendCount(v.Opcodes, c)
	}
	for i, n := range t.Events {
		v.Events[kindName(flow.EventKind(i))] = n
	}
	for i, n := range t.Messages {
		v.Messages[flow.Status(i).String()] = n
	}
	for i, n := range t.NAKs {
		name := "reserved"
		if c := ext.NakCode(i); c <= ext.InvalidRDRequest {
			name = snake(c.String())
		}
		v.NAKs[name] += n
	}
	for timer, n := range rnrTimers(t) {
		v.RNRNAKs = append(v.RNRNAKs, rnrJSON{timer.Microseconds(), n})
	}
	for _, f := range s.flows.best() {
		v.Flows = append(v.Flows, flowColumns.appendJSON(nil, f))
	}
	return append(appendJSON(dst, v), '\n')
}

// rnrTimers goes through the timers of the RNR NAKs that there were, the shortest
// first, with how many had it.
func rnrTimers(t *flow.Totals) iter.Seq2[time.Duration, int64] {
	return func(yield func(time.Duration, int64) bool) {
		for i := range t.RNRs {
			code := (i + 1) % len(t.RNRs) // 0 is the longest
			if n := t.RNRs[code]; n > 0 && !yield(ext.Syndrome(int(ext.RNRNak)<<5|code).RNRTimer(), n) {
				return
			}
		}
	}
}

// epochNumber returns a time in seconds since 1970, or nil of the zero Time.
func epochNumber(t time.Time) *json.Number {
	if t.IsZero() {
		return nil
	}
	n := json.Number(seconds.append(nil, t.UnixNano(), true))
	return &n
}

// snake returns a name in the manner of JSON keys.
func snake(name string) string {
	return strings.ReplaceAll(strings.ToLower(name), " ", "_")
}

func countOf(name string, c *flow.Count) countJSON {
	return countJSON{Name: name, Packets: c.Packets, Bytes: c.Bytes, Payload: c.Payload}
}

// appendCount appends a count that is not 0.
func appendCount(to []countJSON, c countJSON) []countJSON {
	if c.Packets == 0 {
		return to
	}
	return append(to, c)
}

// psnsJSON has the counts of PSNs of all flows under the names of their columns.
func (s *summary) psnsJSON() map[string]int64 {
	p := &s.psns
	m := map[string]int64{
		"checked": p.Packets, "unchecked": s.tally.unchecked, "gaps": p.Gaps, "missing": p.Missing,
		"lost_behind": p.LostBehind, "retransmissions": p.Retransmissions, "out_of_order": p.OutOfOrder,
		"duplicates": p.Duplicates, "restarts": p.Restarts, "undecided": p.Undecided,
	}
	for _, v := range verdicts {
		m[v.name] = p.Verdicts[v.Verdict]
	}
	for _, c := range causes {
		m[c.name] = p.Runs[c.Cause]
	}
	return m
}

// gapsJSON has the first gaps.
func (s *summary) gapsJSON() []gapJSON {
	gaps := []gapJSON{}
	for _, g := range s.gaps.gaps {
		one := gapJSON{g.Number, g.id, g.Response, g.PSN, g.Last, g.Count, map[string]int64{}}
		for _, v := range verdicts {
			one.Verdicts[v.name] = g.verdicts[v.Verdict]
		}
		gaps = append(gaps, one)
	}
	return gaps
}
