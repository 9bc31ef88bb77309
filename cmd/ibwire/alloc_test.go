package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// To list fields allocates for the first packets, and however many follow,
// nothing: neither from a pipe, nor from a file, which is read by several
// goroutines.
func TestFieldsAllocateNothing(t *testing.T) {
	header, all := packets(t)
	args := []string{"dissect", "-T", "fields", "-e", "frame.number", "-e", "frame.time_relative", "-e", "infiniband.lrh.slid",
		"-e", "infiniband.grh.sgid", "-e", "infiniband.bth.opcode", "-e", "infiniband.bth.psn", "-e", "infiniband.invariant.crc"}
	allocations := func(times int, file bool) int {
		data := append(header[:24:24], bytes.Repeat(bytes.Join(all, nil), times)...)
		path := "-"
		if file {
			path = filepath.Join(t.TempDir(), "native.pcap")
			require.NoError(t, os.WriteFile(path, data, 0o600))
		}
		var before, after runtime.MemStats // testing.AllocsPerRun would keep to one processor
		runtime.ReadMemStats(&before)
		require.Equal(t, exitOK, run(append(args, path), stdio{in: bytes.NewReader(data), out: io.Discard, err: io.Discard}))
		runtime.ReadMemStats(&after)
		return int(after.Mallocs - before.Mallocs)
	}
	for _, file := range []bool{false, true} {
		allocations(1, file) // what is made once in a program
		few, many := allocations(300, file), allocations(1000, file)
		require.Less(t, many-few, 1000, "for 126,000 packets more, which is for batches; from a file: %t", file)
	}
}
