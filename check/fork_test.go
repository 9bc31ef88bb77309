package check_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/check"
)

// runForks is run with the packets dealt out to two forks in turn, some each time.
func runForks(t *testing.T, deal func() int, frames ...frame) (found []string, counts check.Counts) {
	t.Helper()
	c, err := check.New(check.Options{})
	require.NoError(t, err)
	forks := []*check.Checker{c.Fork(), c.Fork()}
	var findings []check.Finding
	for i := 0; i < len(frames); {
		fork := forks[0]
		forks[0], forks[1] = forks[1], forks[0]
		for range min(deal(), len(frames)-i) {
			in := frames[i].input()
			i++
			in.Number = int64(i)
			findings = fork.Append(findings, in)
		}
		findings = c.Merge(findings, fork)
	}
	for _, f := range c.End(findings) {
		found = append(found, fmt.Sprintf("%d %s: %s", f.Packet, f.Code, f.Text))
	}
	return found, c.Counts()
}

// Forks find what one Checker finds, however the packets are dealt out, if in
// another order.
func TestForks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	kinds := []frame{wrong, wrong, wrong, right, backwards(right), backwards(wrong), send, send.with(20, "ff"), send.with(0, "f1")}
	deals := map[string]func() int{
		"one each":    func() int { return 1 },
		"two each":    func() int { return 2 },
		"all to one":  func() int { return 1000 },
		"as it comes": func() int { return r.IntN(5) },
	}
	for range 300 {
		frames := make([]frame, r.IntN(12))
		for i := range frames {
			frames[i] = kinds[r.IntN(len(kinds))]
		}
		want, wantCounts := run(t, check.Options{}, frames...)
		slices.Sort(want)
		for name, deal := range deals {
			got, gotCounts := runForks(t, deal, frames...)
			slices.Sort(got)
			require.Equal(t, want, got, name)
			require.Equal(t, wantCounts, gotCounts, name)
		}
	}
}

// What is kept stays bounded, and nothing is lost, when many wrong ICRCs of one
// direction are in many forks.
func TestForksOfManyWrong(t *testing.T) {
	frames := slices.Repeat([]frame{wrong}, 1000)
	found, _ := runForks(t, func() int { return 150 }, frames...)
	require.Equal(t, []string{"1 icrc-direction: all 1000 ICRCs from 10.0.0.1 to 10.0.0.2 are wrong: likely captured at the sender, before the adapter filled them in"}, found)
	found, _ = runForks(t, func() int { return 150 }, append(frames, right)...)
	// The last fork has 100 wrong ones and the right one. Of the others 256 were kept.
	require.Len(t, found, 100+256+1)
	require.Equal(t, "900 icrc: 644 more ICRCs from 10.0.0.1 to 10.0.0.2 are wrong, the last one in this packet", found[356])
}
