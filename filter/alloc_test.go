//go:build !race

package filter_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Nothing is allocated for a packet, by none of the filters of the list.
// With the race detector, package regexp allocates.
func TestNoAllocations(t *testing.T) {
	frames := samples(t)
	for _, l := range list(t) {
		f := compiled(t, l.text)
		require.Zero(t, testing.AllocsPerRun(2, func() {
			for _, frame := range frames {
				f.Match(frame)
			}
		}), l.text)
	}
}
