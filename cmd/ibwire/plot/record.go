// Package plot draws what has become of flows over time: the PSNs of their
// packets, with what was sent again, refused or missing, and how often the network
// was congested.
package plot

import (
	"time"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/flow"
	"github.com/ibwire/ibwire/opcode"
)

// Limits of what is kept. Memory does not depend on the length of a capture.
const (
	maxTracks   = 1024 // flows of a whole capture
	drawnTracks = 6    // of those
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
	files   []string
	tracks  map[int64]*track
	pending []flow.Event
	others  rates // of flows that have no track
	unknown rate  // CNPs of which it is not known what they throttle
	flows   int64 // in the capture
	start   int64 // nanoseconds, of the first packet with a time
	now     int64 // since then
	read    bool  // there was a packet
	begun   bool  // one had a time

	from, to int64 // times of what is drawn
	drawing  bool  // there is something
	early    bool  // the packet at hand is from before that
	moved    int64 // packets that are drawn there since they were early

	crowded bool // a flow had no track, or lost it
	low     rank // no track had a lower one when they were searched last
	spent   int  // on searches in vain, in tracks
}

// New returns a Recorder of the flow with an ID, or of all flows if that is 0. The
// picture names the files of the capture.
func New(id int64, files ...string) *Recorder {
	return &Recorder{only: id, files: files, tracks: map[int64]*track{}}
}

// A track is the PSNs that a flow's requests take, and what answers them, and the
// congestion of the flow.
type track struct {
	flow           *flow.Flow
	late           int64 // time from which on it is kept, 0 if from the beginning
	sent, answered series
	marks          [numMarks]marks
	rates          rates

	last  int64    // PSN of the packet before, past the wrap
	begun bool     // there was one
	back  [8]point // the last steps back
	backs int
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
	r.read = true
	if f != nil {
		r.flows = max(r.flows, f.ID)
	}
	if at.IsZero() {
		r.pending = r.pending[:0]
		return
	}
	if !r.begun {
		r.start, r.begun = at.UnixNano(), true
	}
	r.now = at.UnixNano() - r.start
	if r.early = r.now < r.from; r.early { // times may go back
		r.now = r.from
	}
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
	if r.early {
		r.moved++
	}
	y := t.unwrap(p.BTH.PSN)
	if !t.begun {
		t.begun, t.last = true, y
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
		r.mark(r.refused(e), nakMark, e.PSN)
	case flow.RNRNAK:
		r.mark(r.refused(e), rnrMark, e.PSN)
	case flow.CongestionNotice:
		r.notice(e)
	case flow.CongestionMark:
		if rates := r.ratesOf(r.track(e.Flow)); rates != nil {
			rates.ce.add(r.now - r.from)
		}
	}
}

// refused returns the track with the PSN of a NAK: that of the flow which is
// refused, or of the one which refuses where no more is known.
func (r *Recorder) refused(e *flow.Event) *track {
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
	if e.Subject == nil {
		if r.only == 0 {
			r.draws()
			r.unknown.add(r.now - r.from)
		}
		return
	}
	t := r.track(e.Subject)
	if rates := r.ratesOf(t); rates != nil {
		rates.cnp.add(r.now - r.from)
	}
	if t != nil && t.begun {
		t.marks[cnpMark].add(point{r.now, t.last})
	}
}

// ratesOf returns where congestion is counted: with a track, or without one that of
// other flows, or nil if that is not drawn.
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
