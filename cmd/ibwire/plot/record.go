// Package plot draws what has become of flows over time: the PSNs of their
// packets, with what was sent again, refused or missing, and how often the network
// was congested.
package plot

import (
	"cmp"
	"slices"
	"time"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/flow"
	"github.com/ibwire/ibwire/opcode"
)

// Limits of what is kept. Memory does not depend on the length of a capture.
const (
	maxTracks   = 1024 // flows of a whole capture
	drawnTracks = 6    // of those, with their PSNs
	drawnRates  = 4    // of those, with their CNPs and CE
	oneBins     = 1000 // of the PSNs of a flow that is drawn alone
	manyBins    = 250  // of the PSNs of one of many flows
	oneMarks    = 400  // of each kind
	manyMarks   = 100
)

// A Recorder keeps what is drawn of a capture. For each packet it is given the
// events that flow.Table.Add reports, and then the packet.
type Recorder struct {
	only    int64 // ID of the flow to draw, 0 for all of them
	flow    *flow.Flow
	tracks  map[int64]*track
	pending []flow.Event
	others  rates // of flows that have no track
	start   int64 // nanoseconds, of the first packet with a time
	now     int64 // since then
	begun   bool

	from, to int64 // times of what is drawn
	drawing  bool  // there is something
}

// New returns a Recorder of the flow with an ID, or of all flows if that is 0.
func New(id int64) *Recorder { return &Recorder{only: id, tracks: map[int64]*track{}} }

// A track is the PSNs that a flow's requests take, and what answers them.
type track struct {
	flow           *flow.Flow
	sent, answered series
	marks          [numMarks]marks
	rates          rates

	last, origin int64    // PSNs, past the wrap; of the packet before, and of the first one
	begun        bool     // there was one
	back         [8]point // the last steps back
	backs        int
}

// A mark is what is marked among the PSNs.
type mark uint8

const (
	gapMark mark = iota
	retransmissionMark
	nakMark
	rnrMark
	cnpMark
	numMarks = iota
)

// track returns the track of f, or nil if it has none.
func (r *Recorder) track(f *flow.Flow) *track {
	switch t := r.tracks[f.ID]; {
	case t != nil:
		return t
	case r.only == f.ID:
		return r.add(f, oneBins, oneMarks)
	case r.only == 0 && len(r.tracks) < maxTracks:
		return r.add(f, manyBins, manyMarks)
	}
	return nil
}

func (r *Recorder) add(f *flow.Flow, bins, marks int) *track {
	t := &track{flow: f, sent: series{limit: bins}, answered: series{limit: bins}}
	for i := range t.marks {
		t.marks[i].limit = marks
	}
	r.tracks[f.ID] = t
	return t
}

// space returns the track that a PSN of f belongs to: that of the flow whose
// request is answered, where it is known.
func (r *Recorder) space(f *flow.Flow, response bool) *track {
	if response {
		if peer, _ := f.Peer(); peer != nil {
			f = peer
		}
	}
	return r.track(f)
}

// Event takes an event. It is drawn with the packet that comes next.
func (r *Recorder) Event(e *flow.Event) {
	switch e.Kind {
	case flow.Gap, flow.Retransmission, flow.NAK, flow.RNRNAK, flow.CongestionNotice, flow.CongestionMark:
		r.pending = append(r.pending, *e)
	}
}

// Packet takes a packet of f, which may be nil. One without a time is left out.
func (r *Recorder) Packet(f *flow.Flow, p *ibwire.Packet, at time.Time) {
	if at.IsZero() {
		r.pending = r.pending[:0]
		return
	}
	if !r.begun {
		r.start, r.begun = at.UnixNano(), true
	}
	r.now = max(at.UnixNano()-r.start, r.from) // times may go back
	if f != nil {
		if f.ID == r.only {
			r.flow = f
		}
		r.packet(f, p)
	}
	r.flush()
}

// flush marks the events that wait for their packet, or for the end.
func (r *Recorder) flush() {
	for i := range r.pending {
		r.event(&r.pending[i])
	}
	r.pending = r.pending[:0]
}

// draws notes that there is something to draw.
func (r *Recorder) draws() {
	if !r.drawing {
		r.drawing, r.from = true, r.now
	}
	r.to = max(r.to, r.now)
}

func (r *Recorder) packet(f *flow.Flow, p *ibwire.Packet) {
	o := p.BTH.OpCode
	if o.Transport() == opcode.CNP || !o.Assigned() {
		return
	}
	t := r.space(f, o.IsResponse())
	if t == nil {
		return
	}
	r.draws()
	y := t.unwrap(p.BTH.PSN)
	if !t.begun {
		t.begun, t.origin, t.last = true, y, y
	}
	at := point{r.now, y}
	if o.IsResponse() {
		t.answered.add(at)
		if t.sent.total > 0 {
			return // an ACK tells nothing of the next PSN
		}
	} else {
		t.sent.add(at)
	}
	if y <= t.last {
		t.back[t.backs%len(t.back)] = at
		t.backs++
	}
	t.last = y
}

// unwrap returns a PSN as one that does not begin anew at 2^24: the one that is
// nearest to that of the packet before.
func (t *track) unwrap(psn uint32) int64 {
	if !t.begun {
		return int64(psn)
	}
	return t.last + int64(int32((psn-uint32(t.last))<<8)>>8)
}

// event marks an event.
func (r *Recorder) event(e *flow.Event) {
	switch e.Kind {
	case flow.Gap:
		r.mark(r.space(e.Flow, e.Response), gapMark, e.PSN)
	case flow.Retransmission:
		if t := r.space(e.Flow, e.Response); t != nil {
			t.marks[retransmissionMark].add(t.stepBack(e.PSN, r.now))
		}
	case flow.NAK:
		r.mark(r.subject(e), nakMark, e.PSN)
	case flow.RNRNAK:
		r.mark(r.subject(e), rnrMark, e.PSN)
	case flow.CongestionNotice:
		r.notice(e)
	case flow.CongestionMark:
		if rates := r.ratesOf(r.track(e.Flow)); rates != nil {
			rates.ce.add(r.now - r.from)
		}
	}
}

// subject returns the track that a NAK or CNP is about.
func (r *Recorder) subject(e *flow.Event) *track {
	if e.Subject != nil {
		return r.track(e.Subject)
	}
	return r.track(e.Flow)
}

func (r *Recorder) mark(t *track, m mark, psn uint32) {
	if t != nil {
		t.marks[m].add(point{r.now, t.unwrap(psn)})
	}
}

// notice marks a CNP where the flow is that it throttles.
func (r *Recorder) notice(e *flow.Event) {
	t := r.subject(e)
	if rates := r.ratesOf(t); rates != nil {
		rates.cnp.add(r.now - r.from)
	}
	if t != nil && t.begun {
		t.marks[cnpMark].add(point{r.now, t.last})
	}
}

// ratesOf returns where the congestion of a flow is counted, or nil if it is not
// drawn.
func (r *Recorder) ratesOf(t *track) *rates {
	switch {
	case t == nil && r.only != 0:
		return nil
	case t == nil:
		r.draws()
		return &r.others
	}
	r.draws()
	return &t.rates
}

// stepBack returns the packet that went back to a PSN, where a run of packets that
// are sent again begins. The event about it comes when the run has ended.
func (t *track) stepBack(psn uint32, now int64) point {
	for i := t.backs - 1; i >= max(t.backs-len(t.back), 0); i-- {
		if p := t.back[i%len(t.back)]; uint32(p.y)&0xffffff == psn {
			return p
		}
	}
	return point{now, t.unwrap(psn)}
}

// drawn returns the tracks to draw: those with the most packets.
func (r *Recorder) drawn() []*track {
	var tracks []*track
	for _, t := range r.tracks {
		if t.begun {
			tracks = append(tracks, t)
		}
	}
	slices.SortFunc(tracks, func(a, b *track) int {
		return cmp.Or(cmp.Compare(b.sent.total+b.answered.total, a.sent.total+a.answered.total), cmp.Compare(a.flow.ID, b.flow.ID))
	})
	return tracks[:min(len(tracks), drawnTracks)]
}
