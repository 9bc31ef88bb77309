package flow

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLatencyOfNothing(t *testing.T) {
	var l *Latency
	require.Zero(t, l.Count())
	require.Zero(t, l.Min()+l.Median()+l.P99()+l.Max())
	require.Zero(t, new(Latency).Median())
}

// Up to 16 samples quantiles are exact, and beyond at most 1/64 off, whatever the
// times are.
func TestLatencyQuantiles(t *testing.T) {
	rng, room := rand.New(rand.NewPCG(3, 4)), math.MaxInt
	draws := map[string]func() int64{
		"same":         func() int64 { return 8000 },
		"even":         func() int64 { return 1 + rng.Int64N(1000) },
		"microseconds": func() int64 { return 3000 + rng.Int64N(20_000) },
		"with timeouts": func() int64 {
			if rng.IntN(50) == 0 {
				return 67_000_000 + rng.Int64N(1000)
			}
			return 5000 + rng.Int64N(500)
		},
		"any":  func() int64 { return int64(math.Exp(rng.Float64() * 40)) },
		"zero": func() int64 { return 0 },
	}
	for name, draw := range draws {
		for _, n := range []int{1, 2, 15, 16, 17, 100, 10_000} {
			l := new(Latency)
			var all []int64
			for range n {
				v := draw()
				all = append(all, v)
				l.add(v, &room)
			}
			slices.Sort(all)
			require.EqualValues(t, n, l.Count())
			require.EqualValues(t, all[0], l.Min())
			require.EqualValues(t, all[n-1], l.Max())
			for _, q := range []float64{0, 0.01, 0.5, 0.9, 0.99, 1} {
				want := all[min(max(int(math.Ceil(q*float64(n)))-1, 0), n-1)]
				got := int64(l.Quantile(q))
				if n <= 16 {
					require.Equal(t, want, got, "%s, %d samples, quantile %g", name, n, q)
				}
				require.LessOrEqual(t, math.Abs(float64(got-want)), math.Max(float64(want)/64, 0.5), "%s, %d samples, quantile %g: want %d, got %d", name, n, q, want, got)
			}
		}
	}
}

// A Latency stays small however many samples there are.
func TestLatencyMemory(t *testing.T) {
	l := new(Latency)
	rng, room := rand.New(rand.NewPCG(5, 6)), math.MaxInt
	for range 100_000 {
		l.add(rng.Int64N(int64(time.Hour)), &room)
	}
	require.LessOrEqual(t, len(l.octaves), 63)
	require.Nil(t, l.exact)
	require.Zero(t, testing.AllocsPerRun(1000, func() { l.add(rng.Int64N(int64(time.Hour)), &room) }))
}

// Samples that find no room are counted as such, and the rest is right.
func TestLatencyWithoutRoom(t *testing.T) {
	l, room := new(Latency), 1
	for range 90 {
		l.add(1000, &room)
	}
	for range 10 {
		l.add(1_000_000, &room)
	}
	require.Zero(t, room)
	require.EqualValues(t, 100, l.Count())
	require.EqualValues(t, 10, l.Uncounted())
	require.EqualValues(t, 1_000_000, l.Max())
	require.InDelta(t, 1000, float64(l.P99()), 16)
	require.Equal(t, 1, l.room())
}
