package plot

import (
	"cmp"
	"slices"
)

// A point is a PSN at a time, in nanoseconds.
type point struct{ t, y int64 }

// A series is the points of a line. Where there are too many, it keeps the first,
// the lowest, the highest and the last one of every so many: at the width of a
// picture this looks as all of them do.
type series struct {
	limit int // of bins
	bins  []bin
	per   int // points in a bin that is full
	n     int // points in the last one
	total int64
}

type bin struct{ first, low, high, last point }

func (s *series) add(p point) {
	s.total++
	if s.per == 0 {
		s.per = 1
	}
	if len(s.bins) > 0 && s.n < s.per {
		s.bins[len(s.bins)-1].join(&bin{p, p, p, p})
		s.n++
		return
	}
	if len(s.bins) == s.limit {
		s.merge()
		s.add(p)
		s.total--
		return
	}
	s.bins = append(s.bins, bin{p, p, p, p})
	s.n = 1
}

// merge makes half as many bins of twice the points. All of them are full, and
// their number is even.
func (s *series) merge() {
	for i := range len(s.bins) / 2 {
		s.bins[i] = s.bins[2*i]
		s.bins[i].join(&s.bins[2*i+1])
	}
	s.bins = s.bins[:len(s.bins)/2]
	s.n = 2 * s.per
	s.per *= 2
}

// join adds the points of a later bin.
func (b *bin) join(o *bin) {
	if o.low.y < b.low.y {
		b.low = o.low
	}
	if o.high.y > b.high.y {
		b.high = o.high
	}
	b.last = o.last
}

// points returns the points of the line.
func (s *series) points() []point {
	var points []point
	for i := range s.bins {
		b := &s.bins[i]
		inner := []point{b.low, b.high}
		slices.SortStableFunc(inner, func(x, y point) int { return cmp.Compare(x.t, y.t) })
		points = append(points, b.first)
		points = append(points, inner...)
		points = append(points, b.last)
	}
	return slices.Compact(points)
}

// marks are the places of events of a kind. Where there are too many, every second
// one is left out, and so on.
type marks struct {
	limit  int
	points []point
	every  int64 // one of so many is kept
	total  int64
}

func (m *marks) add(p point) {
	m.every = max(m.every, 1)
	if m.total%m.every == 0 {
		if len(m.points) == m.limit {
			for i := range m.limit / 2 {
				m.points[i] = m.points[2*i]
			}
			m.points = m.points[:m.limit/2]
			m.every *= 2
		}
		if m.total%m.every == 0 {
			m.points = append(m.points, p)
		}
	}
	m.total++
}

// rates are how many packets told of congestion, over time.
type rates struct{ cnp, ce rate }

func (r *rates) addAll(o *rates) {
	r.cnp.addAll(&o.cnp)
	r.ce.addAll(&o.ce)
}

// A rate is how many packets there were in each interval. The intervals become
// longer as the capture does: 1, 2, 10, 20, 100 microseconds and so on.
type rate struct {
	steps  int // how often they became longer
	counts []int64
	total  int64
}

// intervals is the most that a rate has.
const intervals = 100

// step returns how many intervals become one at the next step.
func step(steps int) int { return 2 + 3*(steps%2) }

// width returns the length of an interval in nanoseconds.
func width(steps int) int64 {
	w := int64(1000)
	for i := range steps {
		w *= int64(step(i))
	}
	return w
}

// stepsFor returns how often intervals become longer until they reach up to t.
func stepsFor(t int64) (steps int) {
	for width(steps)*intervals <= t {
		steps++
	}
	return steps
}

func (r *rate) add(t int64) {
	r.total++
	r.widen(stepsFor(t))
	i := int(t / width(r.steps))
	if i >= len(r.counts) {
		r.counts = append(r.counts, make([]int64, i+1-len(r.counts))...)
	}
	r.counts[i]++
}

// widen makes intervals longer, up to a number of steps.
func (r *rate) widen(steps int) {
	for ; r.steps < steps; r.steps++ {
		k := step(r.steps)
		for i, n := range r.counts {
			if i%k == 0 {
				r.counts[i/k] = n
			} else {
				r.counts[i/k] += n
			}
		}
		r.counts = r.counts[:(len(r.counts)+k-1)/k]
	}
}

// addAll adds the counts of o, whose intervals become as long as those of r, or
// those of r as long as its own.
func (r *rate) addAll(o *rate) {
	r.widen(o.steps)
	o.widen(r.steps)
	r.total += o.total
	if n := len(o.counts) - len(r.counts); n > 0 {
		r.counts = append(r.counts, make([]int64, n)...)
	}
	for i, n := range o.counts {
		r.counts[i] += n
	}
}
