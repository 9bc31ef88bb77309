package flow

import (
	"math"
	"math/bits"
	"slices"
	"time"
)

// exactSamples is how many samples a Latency keeps as they are. From then on it
// keeps their distribution.
const exactSamples = 16

// A Latency is the distribution of times. Up to 16 samples are kept as
// they are, and more of them as counts in intervals, 32 to each power of two, so
// that a quantile is at most 1/64 off. Min and Max are always exact. The intervals
// of all flows of a table have a bounded memory: a power of two that finds none
// left is not counted there (see Uncounted). A nil Latency has no samples.
//
// Histograms for general use, as DDSketch, are several times this size, and a
// table holds one for each flow.
type Latency struct {
	count    int64
	min, max int64 // nanoseconds
	exact    []int64
	base     uint8         // the power of two of octaves[0]
	octaves  []*[32]uint32 // counts of the intervals
	without  int64         // samples that are in none
}

// maxOctaves is how many powers of two the latencies of a table may count in.
const maxOctaves = 1 << 18

// add adds a sample of n nanoseconds. It takes from room when it needs another
// power of two.
func (l *Latency) add(n int64, room *int) {
	if l.count == 0 {
		l.min, l.max = n, n
	}
	l.count++
	l.min, l.max = min(l.min, n), max(l.max, n)
	switch {
	case l.count <= exactSamples:
		l.exact = append(l.exact, n)
	case l.exact != nil:
		for _, v := range l.exact {
			l.put(v, room)
		}
		l.exact = nil
		fallthrough
	default:
		l.put(n, room)
	}
}

// interval returns the power of two and the interval of it that n lies in.
func interval(n int64) (octave uint8, i int) {
	n = max(n, 1)
	octave = uint8(bits.Len64(uint64(n)) - 1)
	if octave < 5 {
		return octave, int(n<<(5-octave)) & 31
	}
	return octave, int(n>>(octave-5)) & 31
}

// put counts n in its interval.
func (l *Latency) put(n int64, room *int) {
	o, i := interval(n)
	if len(l.octaves) == 0 {
		l.base = o
	}
	if o < l.base {
		l.octaves = slices.Insert(l.octaves, 0, make([]*[32]uint32, l.base-o)...)
		l.base = o
	}
	if k := int(o - l.base); k >= len(l.octaves) {
		l.octaves = append(l.octaves, make([]*[32]uint32, k+1-len(l.octaves))...)
	}
	page := &l.octaves[o-l.base]
	if *page == nil {
		if *room <= 0 {
			l.without++
			return
		}
		*room--
		*page = new([32]uint32)
	}
	if (*page)[i] < math.MaxUint32 {
		(*page)[i]++
	}
}

// Count returns the number of samples.
func (l *Latency) Count() int64 {
	if l == nil {
		return 0
	}
	return l.count
}

// Uncounted returns how many samples the quantiles leave out, since there was no
// room for them.
func (l *Latency) Uncounted() int64 {
	if l == nil {
		return 0
	}
	return l.without
}

// room returns how many powers of two l has taken.
func (l *Latency) room() (n int) {
	if l == nil {
		return 0
	}
	for _, page := range l.octaves {
		if page != nil {
			n++
		}
	}
	return n
}

// Min returns the least sample, or 0 if there is none.
func (l *Latency) Min() time.Duration {
	if l == nil {
		return 0
	}
	return time.Duration(l.min)
}

// Max returns the greatest sample, or 0 if there is none.
func (l *Latency) Max() time.Duration {
	if l == nil {
		return 0
	}
	return time.Duration(l.max)
}

// Median returns Quantile(0.5).
func (l *Latency) Median() time.Duration { return l.Quantile(0.5) }

// P99 returns Quantile(0.99).
func (l *Latency) P99() time.Duration { return l.Quantile(0.99) }

// Quantile returns the least sample that at least q of the samples, from 0 to 1,
// do not exceed: with more than 16 samples up to 1/64 off. It is 0 if there is
// none.
func (l *Latency) Quantile(q float64) time.Duration {
	if l.Count() == 0 {
		return 0
	}
	n := l.count - l.without
	rank := min(max(int64(math.Ceil(q*float64(n))), 1), n)
	if l.exact != nil {
		s := slices.Clone(l.exact)
		slices.Sort(s)
		return time.Duration(s[rank-1])
	}
	for k, page := range l.octaves {
		if page == nil {
			continue
		}
		for i, n := range page {
			if rank -= int64(n); rank <= 0 {
				middle := math.Ldexp(float64(64+2*i+1)/64, k+int(l.base))
				return time.Duration(min(max(int64(middle), l.min), l.max))
			}
		}
	}
	return time.Duration(l.max)
}
