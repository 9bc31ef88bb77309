package main

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// untimed is a pcapng file of four packets at no time, 1 s, no time, 3 s.
func untimed() []byte {
	block := func(kind uint32, words ...uint32) []byte {
		n := uint32(12 + 4*len(words))
		b := binary.LittleEndian.AppendUint32(nil, kind)
		for _, w := range append(append([]uint32{n}, words...), n) {
			b = binary.LittleEndian.AppendUint32(b, w)
		}
		return b
	}
	simple := block(3, 4, 0)
	return bytes.Join([][]byte{
		block(0x0a0d0d0a, 0x1a2b3c4d, 1, 0xffffffff, 0xffffffff), block(1, 147, 0),
		simple, block(6, 0, 0, 1e6, 4, 4, 0), simple, block(6, 0, 0, 3e6, 4, 4, 0),
	}, nil)
}

// As tshark 4.0.17 has it: a packet without a time has none in any form, and for
// the others it was in 1970.
func TestDissectPacketsWithoutTime(t *testing.T) {
	for form, want := range map[string]string{"r": " 1.000000  3.000000", "d": " 1.000000  3.000000", "e": " 1.000000  3.000000"} {
		out, errs, status := command(t, bytes.NewReader(untimed()), "dissect", "-t", form, "-")
		require.Zero(t, status, errs)
		var times []string
		for _, line := range lines(out) {
			times = append(times, strings.TrimSpace(line[5:16]))
		}
		require.Equal(t, want, strings.Join(times, " "), form)
	}
	out, errs, status := command(t, bytes.NewReader(untimed()), "dissect", "-T", "fields", "-e", "frame.number",
		"-e", "frame.time_epoch", "-e", "frame.time_relative", "-e", "frame.time_delta", "-")
	require.Zero(t, status, errs)
	require.Equal(t, "1\t\t\t\n2\t1.000000000\t1.000000000\t1.000000000\n3\t\t\t\n4\t3.000000000\t3.000000000\t3.000000000\n", out)
}
