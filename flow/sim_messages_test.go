package flow_test

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ibwire/ibwire/flow"
)

// whole tells whether the capture has every packet of m, before an acknowledge
// has shown that it never will, and the time of the first packet and the index of
// the last one that was needed.
func (t *truth) whole(wire []*transmission, m *message) (start int64, last int, ok bool) {
	missing := map[int64]bool{}
	for p := m.psn; p < m.end; p++ {
		missing[p] = t.requests.verdicts[p] != flow.CaptureMissed
		if !missing[p] {
			return 0, 0, false
		}
	}
	start = -1
	for i, x := range wire {
		if x.machine != t.machine || x.response || !x.captured || x.psn < m.psn || x.psn >= m.end {
			continue
		}
		if start < 0 {
			start = x.tapped
		}
		for p := x.psn; p < x.psn+x.span; p++ {
			delete(missing, p)
		}
		if len(missing) == 0 {
			return start, i, true
		}
	}
	return 0, 0, false
}

// closedAt returns when the capture shows that m has arrived, after index last,
// or -1.
func (t *truth) closedAt(m *message, last int) int64 {
	for _, r := range t.replies {
		if r.index > last && (r.psn > m.end-1 || r.psn == m.end-1 && r.included) {
			return r.at
		}
	}
	return -1
}

// answered tells whether the capture has the request of the READ or ATOMIC m, from
// its first PSN on, and every answer to it, and when the last one came.
func (t *truth) answered(wire []*transmission, m *message) (start, done int64, ok, unclear bool) {
	i, seen := t.reads[m]
	if !seen {
		return 0, 0, false, false
	}
	if wire[i].psn != m.psn {
		return 0, 0, false, true
	}
	for p := m.psn; p < m.end; p++ {
		at, seen := t.answers[p]
		if !seen {
			return 0, 0, false, false
		}
		if at < wire[i].tapped {
			return 0, 0, false, true
		}
		done = max(done, at)
	}
	return wire[i].tapped, done, true, false
}

// compareMessages returns what differs between the messages.
func (c *compared) compareMessages(n *network, tr *truth, wire []*transmission, f *found) string {
	if f.twice {
		return "a message is complete more than once"
	}
	left := maps.Clone(f.complete)
	for _, m := range n.machines[tr.machine].messages {
		got, is := left[m.psn]
		delete(left, m.psn)
		var want flow.Message
		var unclear, ok bool
		var start, done int64
		if m.op == flow.Read || m.op == flow.CmpSwap || m.op == flow.FetchAdd {
			start, done, ok, unclear = tr.answered(wire, m)
			unclear = unclear || tr.responses.undecidable
		} else {
			var last int
			if start, last, ok = tr.whole(wire, m); ok {
				done = tr.closedAt(m, last)
			}
		}
		if unclear {
			if i, seen := tr.reads[m]; seen {
				delete(left, wire[i].psn) // what the capture has of it may be whole
			}
			continue
		}
		if ok != is {
			return fmt.Sprintf("message at PSN %d (%v): complete is %v, got %v", m.psn, m.op, ok, is)
		}
		if !ok {
			continue
		}
		c.messages++
		want.Operation, want.Bytes, want.Packets = m.op, int64(m.bytes), uint32(m.packets)
		want.LastPSN = uint32(int64(n.base[tr.machine])+m.end-1) & 0xffffff
		want.Start = epoch.Add(time.Duration(start))
		if done >= 0 {
			want.Acked = epoch.Add(time.Duration(done))
		}
		if d := messageDiffers(m, want, got); d != "" {
			return fmt.Sprintf("message at PSN %d (%v): %s", m.psn, m.op, d)
		}
	}
	if len(left) > 0 {
		return fmt.Sprintf("messages that nobody sent: %d", slices.Sorted(maps.Keys(left)))
	}
	return ""
}

func messageDiffers(m *message, want, got flow.Message) string {
	type facts struct {
		Op            flow.Operation
		Bytes         int64
		Packets, Last uint32
		Start, Acked  string
		Imm           bool
		ImmData       uint32
	}
	of := func(m flow.Message) facts {
		return facts{m.Operation, m.Bytes, m.Packets, m.LastPSN, m.Start.Sub(epoch).String(), m.Acked.Sub(epoch).String(), m.HasImm, m.Imm}
	}
	w, g := of(want), of(got)
	if m.imm {
		w.Imm, w.ImmData = true, uint32(m.psn)
	}
	if w != g {
		return fmt.Sprintf("want %+v, got %+v", w, g)
	}
	return ""
}
