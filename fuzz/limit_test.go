package fuzz_test

import (
	"fmt"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Limits of what an input of some bytes may cost, in all ways to decode it. They
// are far above what it does cost, and far below what a length in a packet could
// ask for.
const (
	maxTime   = 20 * time.Second
	maxMemory = 1 << 20 // bytes
	perByte   = 2000    // bytes more for each byte of the input
)

// limit runs do, which decodes n bytes, and requires that it ends and does not
// take much memory. A panic stops what hangs, and the fuzz engine keeps the
// input.
func limit(t *testing.T, n int, do func()) {
	hangs := time.AfterFunc(maxTime, func() { panic(fmt.Sprintf("%d bytes took more than %v", n, maxTime)) })
	defer hangs.Stop()
	before := allocated()
	do()
	if took := allocated() - before; took > uint64(maxMemory+perByte*n) {
		require.Fail(t, "too much memory", "%d bytes for %d of input", took, n)
	}
}

// allocated returns how many bytes were allocated up to now, to some kilobytes.
func allocated() uint64 {
	s := [...]metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s[:])
	return s[0].Value.Uint64()
}
