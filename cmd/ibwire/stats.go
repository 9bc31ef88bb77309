package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ibwire/ibwire/flow"
)

// stats counts packets, follows flows and tells what has become of the capture.
type stats struct {
	analysisFlags
	Format string `short:"T" enum:"text,json,csv" default:"text" placeholder:"FORMAT" help:"What to write: text (the default); json, an object; or csv, the table of flows alone."`
	Top    int    `default:"10" placeholder:"N" help:"How many flows to show, and gaps: 1 to 10000, 10 by default."`
	Sort   string `default:"packets" placeholder:"COLUMN" help:"The column of ibwire flows by which flows come first, greatest first: packets (the default), bytes, gaps, missing, capture_missed, retransmissions, naks, rnr_naks, cnps, ce, ack_median_us, read_last_p99_us, or any other that has numbers. flow_id is in the order of first packets."`
	Plot   string `placeholder:"FILE.svg" help:"Draw PSNs over time into this file, with gaps, retransmissions and NAKs, and CNPs and CE per second."`
	Flow   *int64 `placeholder:"ID" help:"With --plot, draw this flow alone; the table has the IDs."`
}

// Help is shown below the flags.
func (stats) Help() string {
	return `Examples:
  ibwire stats capture.pcap
  ibwire stats --sort retransmissions --top 20 capture.erf.gz
  ibwire stats -Y 'ip.addr == 192.0.2.1' -T json capture.pcap
  ibwire stats --plot flow1.svg --flow 1 capture.pcap

-T csv has the columns of 'ibwire flows', and so have the flows in JSON; 'ibwire
flows --help' says what they are. A flow is one direction, and NAKs are counted
where they are sent. In text, columns of the flows that say nothing of any of them
are left out, queue pairs stand behind addresses, as --pair takes them, times are
medians, and a peer with a question mark is not certain.

The object of -T json has these members, all of them always:

  files                 number of files
  start_time, end_time  of the earliest and the latest packet, or null
  packets               counts: packets, bytes, payload_bytes
  packets_without_bth   of other protocols, or cut before the BTH
  packets_without_flow  with a BTH, of a flow that cannot be told
  packets_without_time  without a time
  packets_back_in_time  with a time before that of the packet before
  encapsulations, transports, opcodes
                        arrays of such counts with name, opcodes with opcode
  events                counts by kind, as 'ibwire events' names them
  naks                  counts by code
  rnr_naks              array with timer_us and packets, of the timers that were
                        there
  unknown_cnps          CNPs whose flow is not known
  psns                  counts: checked, unchecked, and from gaps to undecided as
                        the columns of flows
  messages              counts by status
  gaps                  array of the first ones: packet, flow_id, read_responses,
                        psn, last_psn, missing, verdicts
  flow_count            how many there are
  evicted_flows, evicted_messages, evicted_gaps
                        how many were given up for lack of room
  flows                 array of the first ones, as --sort has them
  capture               verdict (complete, incomplete or unknown), missed_psns,
                        missed_flows, reason

The last line tells whether the capture is whole. It misses a packet that was
acknowledged and is not there. It is complete if every PSN is there, or was sent
again, or came late. Where neither is so of all flows, it cannot tell. -Y chooses
packets before all this, so a filter that takes a part of a flow makes gaps in it.

` + exitHelp
}

// Run runs the command.
func (c *stats) Run(std stdio) error {
	by := flowColumns.find(c.Sort)
	switch {
	case by == nil:
		return fmt.Errorf("stats: --sort %s: want a column with numbers; 'ibwire flows --help' lists them", c.Sort)
	case c.Flow != nil && (*c.Flow < 1 || c.Plot == ""):
		return fmt.Errorf("stats: --flow %d: want the number of a flow, 1 or more, and --plot", *c.Flow)
	case c.Plot == "-":
		return errors.New("stats: --plot -: want a file: the report goes to standard output")
	case c.Top < 1 || c.Top > maxTop:
		return fmt.Errorf("stats: --top %d: want 1 to %d; 'ibwire flows' writes all", c.Top, maxTop)
	}
	l := &listing{std: std, out: newOutput(std.out)}
	s := &summary{write: reports[c.Format], flows: topFlows{n: c.Top, by: by}, gaps: gapList{n: c.Top}}
	l.printer = s
	if err := c.apply("stats", l); err != nil {
		return err
	}
	var err error
	if s.analysis, err = newAnalysis(l, &c.analysisFlags, flow.OnFlow(s.flow), flow.OnEvent(s.event)); err != nil {
		return err
	}
	one := int64(0) // none: all
	if c.Flow != nil {
		one = *c.Flow
	}
	if s.picture, err = newPicture(c.Plot, one, std, c.Files); err != nil {
		return err
	}
	return l.files(c.Files)
}

// maxTop is how many flows may be shown. They are kept, with what belongs to them.
const maxTop = 10_000

// reports write a summary in the formats that there are.
var reports = map[string]func(s *summary, dst []byte) []byte{
	"text": (*summary).appendText, "json": (*summary).appendJSON, "csv": (*summary).appendCSV,
}

// A summary is the printer of stats.
type summary struct {
	analysis
	write   func(s *summary, dst []byte) []byte
	picture *picture

	flows topFlows
	gaps  gapList
	psns  flow.PSNStats // of all flows
	tally tally
	files int
	first time.Time // of packets
	until time.Time
}

// A tally counts what flows have to say about the capture.
type tally struct {
	unchecked                      int64 // packets
	missed, unresolved, restarted, // flows
	undecided int64
}

func (s *summary) begin(dst []byte) []byte { return dst }

func (s *summary) file(dst []byte, _ string) []byte {
	s.files++
	s.nextFile()
	return dst
}

func (s *summary) packet(dst []byte, p *packet, _ error) []byte {
	f := s.add(p)
	if s.picture != nil {
		s.picture.Packet(f, p.Packet, p.Time)
	}
	if !p.Time.IsZero() {
		if s.first.IsZero() || p.Time.Before(s.first) {
			s.first = p.Time
		}
		if p.Time.After(s.until) {
			s.until = p.Time
		}
	}
	return dst
}

// flow takes the counts of a flow when they are final.
func (s *summary) flow(f *flow.Flow) {
	sum(&s.psns, &f.Requests)
	sum(&s.psns, &f.Responses)
	s.tally.unchecked += f.Unchecked
	one := func(n *int64, what func(p *flow.PSNStats) int64) {
		if what(&f.Requests)+what(&f.Responses) > 0 {
			*n++
		}
	}
	one(&s.tally.missed, func(p *flow.PSNStats) int64 { return p.Verdicts[flow.CaptureMissed] })
	one(&s.tally.unresolved, func(p *flow.PSNStats) int64 { return p.Verdicts[flow.Unresolved] })
	one(&s.tally.restarted, func(p *flow.PSNStats) int64 { return p.Restarts })
	one(&s.tally.undecided, func(p *flow.PSNStats) int64 { return p.Undecided })
	s.flows.add(f)
}

// sum adds the counts of from to those of to.
func sum(to, from *flow.PSNStats) {
	for _, n := range []struct{ to, from *int64 }{
		{&to.Packets, &from.Packets}, {&to.Gaps, &from.Gaps}, {&to.Missing, &from.Missing},
		{&to.LostBehind, &from.LostBehind}, {&to.OutOfOrder, &from.OutOfOrder}, {&to.Duplicates, &from.Duplicates},
		{&to.Retransmissions, &from.Retransmissions}, {&to.Restarts, &from.Restarts}, {&to.Undecided, &from.Undecided},
	} {
		*n.to += *n.from
	}
	for i, n := range from.Verdicts {
		to.Verdicts[i] += n
	}
	for i, n := range from.Runs {
		to.Runs[i] += n
	}
}

func (s *summary) event(e *flow.Event) {
	if s.picture != nil {
		s.picture.Event(e)
	}
	switch e.Kind {
	case flow.Gap:
		s.gaps.open(e)
	case flow.GapClosed:
		s.gaps.close(e)
	}
}

func (s *summary) end(dst []byte) []byte {
	s.table.Close()
	dst = s.finish(s.write(s, dst))
	if err := s.picture.finish(); err != nil {
		s.from.say(err.Error())
		s.from.failed = errReported
		return s.from.out.buf
	}
	return dst
}

// appendCSV appends the table of flows.
func (s *summary) appendCSV(dst []byte) []byte {
	dst = flowColumns.appendHeader(dst)
	for _, f := range s.flows.best() {
		dst = flowColumns.appendCSV(dst, f)
	}
	return dst
}

// topFlows are the n flows that are greatest by a column.
type topFlows struct {
	n     int
	by    *column[*flow.Flow]
	flows []*flow.Flow // these, and some that have come since
}

func (t *topFlows) add(f *flow.Flow) {
	if t.flows = append(t.flows, f); len(t.flows) >= 2*t.n+1000 {
		t.best()
	}
}

// best returns the flows, greatest first. Of equals the first one comes first.
func (t *topFlows) best() []*flow.Flow {
	slices.SortStableFunc(t.flows, func(a, b *flow.Flow) int {
		if t.by.name != flowColumns[0].name { // flow_id is sorted by below
			x, hasX := t.by.number(a)
			y, hasY := t.by.number(b)
			switch {
			case hasX != hasY && hasX:
				return -1
			case hasX != hasY:
				return 1
			case x != y:
				return cmp.Compare(y, x)
			}
		}
		return cmp.Compare(a.ID, b.ID)
	})
	for i := t.n; i < len(t.flows); i++ {
		t.flows[i] = nil
	}
	t.flows = t.flows[:min(t.n, len(t.flows))]
	return t.flows
}

// A gapList has the first gaps of a capture.
type gapList struct {
	n    int
	gaps []*gap
	rest int64
}

// A gap is PSNs that were missing.
type gap struct {
	flow.Event
	id       int64    // of its flow
	verdicts [4]int64 // PSNs by flow.Verdict
}

// maxGaps is how many gaps a list has.
const maxGaps = 100

func (g *gapList) open(e *flow.Event) {
	if len(g.gaps) >= min(g.n, maxGaps) {
		g.rest++
		return
	}
	g.gaps = append(g.gaps, &gap{Event: *e, id: e.Flow.ID})
}

// close notes what has become of a gap, or of a part of it.
func (g *gapList) close(e *flow.Event) {
	for _, one := range g.gaps {
		const psns = 1<<24 - 1
		if one.id == e.Flow.ID && one.Response == e.Response && (e.PSN-one.PSN)&psns <= (one.Last-one.PSN)&psns {
			one.verdicts[e.Verdict] += int64(e.Count)
			return
		}
	}
}
