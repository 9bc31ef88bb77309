package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/testdata"
)

// A pair that the user gives is taken for true.
func TestPair(t *testing.T) {
	for _, flag := range []string{"192.0.2.1,0x11=192.0.2.2,0x22", "192.0.2.2,34=192.0.2.1,17"} {
		rows := csvRows(t, good(t, "flows", "--pair", flag, "-c", "4", goBackN(t)))
		require.Equal(t, "given", rows[0]["pairing"])
		require.Equal(t, "0x000011", rows[0]["src_qp"])
	}
	// The first conversation of the capture, by LIDs.
	native := testdata.Shared(t, "captures/infiniband-erf-01-31.pcap")[0]
	rows := csvRows(t, good(t, "flows", "--pair", "4,0x870408=1,0xfc0407", native))
	given := 0
	for _, r := range rows {
		if r["pairing"] == "given" {
			given++
			require.Contains(t, []string{"0x870408", "0xfc0407"}, r["dest_qp"])
		}
	}
	require.Equal(t, 2, given)
}

// A pair that is not in the capture is told of, with what else was read.
func TestPairUnused(t *testing.T) {
	const pair = "192.0.2.1,0x11=192.0.2.2,0x22"
	for args, want := range map[string]string{
		"--pair " + pair: "",
		"--pair " + pair + " --pair 192.0.2.2,34=192.0.2.1,17": "",
		"--pair 192.0.2.1,0x11=192.0.2.2,0x23":                 "ibwire: --pair 192.0.2.1,0x11=192.0.2.2,0x23: no packets from 192.0.2.1 to 192.0.2.2,0x23\n",
		"--pair 192.0.2.1,0x12=192.0.2.2,0x22":                 "ibwire: --pair 192.0.2.1,0x12=192.0.2.2,0x22: no packets from 192.0.2.2 to 192.0.2.1,0x12\n",
		"--pair 192.0.2.1,0x12=192.0.2.2,0x23 --pair " + pair:  "ibwire: --pair 192.0.2.1,0x12=192.0.2.2,0x23: no packets between these queue pairs\n",
		"--pair 1,0x11=2,0x22":                                 "ibwire: --pair 1,0x11=2,0x22: no packets between these queue pairs\n",
		"--pair " + pair + " -Y infiniband.aeth":               "ibwire: --pair " + pair + ": no packets from 192.0.2.1 to 192.0.2.2,0x22\n",
	} {
		for _, name := range analyses {
			args := append([]string{name, goBackN(t)}, strings.Fields(args)...)
			out, errs, status := command(t, nil, args...)
			require.Equal(t, exitOK, status, args)
			require.Equal(t, want, errs, args)
			require.NotEmpty(t, out, args)
			require.Equal(t, 1, strings.Count(out, lines(out)[0]), "written once: %v", args)
		}
	}
}
