package plot

import (
	"cmp"
	"slices"

	"github.com/ibwire/ibwire/flow"
)

// A rank tells how much there is to see of a flow, what matters most first: how
// many gaps, runs of packets sent again, NAKs and CNPs there are, how many packets
// with CE, how many packets.
type rank [3]int64

// rankOf returns the rank of f. What answers it counts for it, as it is drawn.
func rankOf(f *flow.Flow) rank {
	answers, _ := f.Peer()
	if answers == nil {
		answers = f
	}
	events := f.Requests.Gaps + answers.Responses.Gaps + answers.RNRNAKs + f.CNPs
	for i := range f.Requests.Runs {
		events += f.Requests.Runs[i] + answers.Responses.Runs[i]
	}
	for _, n := range answers.NAKs {
		events += n
	}
	return rank{events, f.CE, f.Packets}
}

// compare compares as cmp.Compare does.
func (r rank) compare(o rank) int { return slices.Compare(r[:], o[:]) }

// above tells whether r is so far above o that a flow with it takes the place of
// one with o: twice, or flows that are alike would take it from each other again
// and again.
func (r rank) above(o rank) bool {
	for i := range r {
		if r[i] != o[i] {
			return r[i] > 2*o[i]
		}
	}
	return false
}

// track returns the track of f, or nil if it has none.
func (r *Recorder) track(f *flow.Flow) *track {
	switch t := r.tracks[f.ID]; {
	case t != nil:
		return t
	case r.only == f.ID:
		return r.add(f, oneBins, oneMarks)
	case r.only != 0:
		return nil
	case len(r.tracks) < maxTracks || r.makeRoom(rankOf(f)):
		return r.add(f, manyBins, manyMarks)
	}
	return nil
}

func (r *Recorder) add(f *flow.Flow, bins, marks int) *track {
	t := &track{flow: f, sent: series{limit: bins}, answered: series{limit: bins}}
	for i := range t.marks {
		t.marks[i].limit = marks
	}
	if r.crowded && f.Packets > 1 {
		t.late = r.now
	}
	r.tracks[f.ID] = t
	return t
}

// maxSpent is how many tracks may be looked at in vain before packets have paid for
// it, one for one.
const maxSpent = 64 * maxTracks

// makeRoom gives up the track of the lowest rank for a flow that is far above it.
func (r *Recorder) makeRoom(by rank) bool {
	r.crowded = true
	r.spent = max(r.spent-1, 0)
	if !by.above(r.low) || r.spent > maxSpent {
		return false
	}
	var lowest *track
	for _, t := range r.tracks {
		if a := rankOf(t.flow); lowest == nil || cmp.Or(a.compare(r.low), cmp.Compare(t.flow.ID, lowest.flow.ID)) < 0 {
			lowest, r.low = t, a
		}
	}
	if !by.above(r.low) {
		r.spent += len(r.tracks)
		return false
	}
	delete(r.tracks, lowest.flow.ID)
	r.others.addAll(&lowest.rates)
	return true
}

// drawn returns the tracks to draw, those of the highest rank first, and whether
// these are all that there were.
func (r *Recorder) drawn() (tracks []*track, all bool) {
	for _, t := range r.tracks {
		if t.begun || t.rates.cnp.total+t.rates.ce.total > 0 {
			tracks = append(tracks, t)
		}
	}
	slices.SortFunc(tracks, func(a, b *track) int {
		return cmp.Or(rankOf(b.flow).compare(rankOf(a.flow)), cmp.Compare(a.flow.ID, b.flow.ID))
	})
	if len(tracks) > drawnTracks {
		return tracks[:drawnTracks], false
	}
	return tracks, !r.crowded
}

// undrawn returns the congestion of all flows that are not drawn.
func (r *Recorder) undrawn(drawn []*track) *rates {
	sum := &rates{}
	sum.addAll(&r.others)
	for _, t := range r.tracks {
		if !slices.Contains(drawn, t) {
			sum.addAll(&t.rates)
		}
	}
	return sum
}
