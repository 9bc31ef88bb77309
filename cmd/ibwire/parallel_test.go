package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/testdata"
)

// What is listed does not depend on how many processors there are: the same is
// said of every capture, of its half, and on standard error.
func TestParallelSaysTheSame(t *testing.T) {
	half := filepath.Join(t.TempDir(), "half")
	captures := append(testdata.Glob(t, "*.pcap"), testdata.Glob(t, "*.erf")...)
	for _, path := range captures {
		file := readFile(t, path)
		require.NoError(t, os.WriteFile(half, file[:len(file)/2], 0o600))
		for _, args := range []string{
			"check --info", "check -T json",
			"dissect -T fields -e frame.number -e frame.time_delta -e frame.time_relative -e infiniband.invariant.crc.status",
			"dissect -T csv -e frame.number -e infiniband.bth.psn -Y infiniband.aeth",
			"dissect --decap -T fields -e frame.number -e frame.len",
		} {
			args := append(strings.Fields(args), path, half)
			one, oneErr, oneStatus := onProcessors(t, 1, args)
			four, fourErr, fourStatus := onProcessors(t, 4, args)
			require.Equal(t, one, four, args)
			require.Equal(t, oneErr, fourErr, args)
			require.Equal(t, oneStatus, fourStatus, args)
		}
	}
}

// onProcessors runs ibwire on at most n processors.
func onProcessors(t *testing.T, n int, args []string) (out, errs string, status int) {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
	return command(t, nil, args...)
}
