package main

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/testdata"
)

// The list shows the innermost packet. The lines, but for what is in brackets, are
// those of tshark 4.0.17.
func TestDissectTunnels(t *testing.T) {
	out := lines(good(t, "dissect", testdata.Path(t, "tunnels.pcap")))
	blanks := regexp.MustCompile(` +`)
	for n, want := range map[int]string{
		1:  "10.147.79.11 → 10.73.162.198 RRoCE 116 RC Send Only QP=0xddaf26",
		2:  "GID: fe80::f109:475f:2551:2930 → GID: fe80::b107:8eec:5c12:765e RoCE 128 RC Send Only QP=0x297c3c",
		3:  "fe80::1349:7d3b:1b57:3f3a → fe80::422f:65d0:74b:9fb3 RRoCE 160 RC Send Only QP=0x3d1062",
		6:  "fe80::a15b:f8c0:caee:4237 → fe80::5497:c92b:a0fa:c9ed RRoCE 114 RC Send Only QP=0x623c7f",
		8:  "GID: fe80::efe2:1311:4913:432c → GID: fe80::f038:f0e1:bb0a:7d86 RoCE 128 RC Send Only QP=0xf26be6",
		10: "10.8.87.56 → 10.112.80.30 RRoCE 104 RC Send Only QP=0xad2c32",
		14: "10.184.108.68 → 10.5.192.107 RRoCE 106 RC Send Only QP=0xb8cd4e [truncated]",
		17: "10.169.39.193 → 10.35.3.45 RRoCE 120 RC Send Only QP=0xf25fb5",
		26: "GID: fe80::f35e:1e7d:6c11:ac9f → GID: fe80::4284:5a6f:2acf:f289 RoCE 144 RC Send Only QP=0x801a42",
		29: "fe80::1343:ed6e:3cde:3bb5 → fe80::4260:18f3:c01e:e52c RRoCE 94 RC Send Only QP=0xf19ddd",
		31: "10.86.90.73 → 10.245.231.46 RRoCE 166 RC Send Only QP=0x0b55af",
		33: "02:00:b6:5e:83:61 → 02:00:db:50:0a:02 ARP 92 ",
		34: "10.134.207.146 → 10.34.175.67 UDP 97 40000 → 40001 Len=5",
		36: "10.182.152.70 → 10.141.230.50 GRE 128 [ibwire: GRE needs 16 bytes, have 10: unexpected EOF] [truncated]",
		40: "02:00:b4:ca:4a:c0 → 02:00:30:13:c3:1e MPLS 94 [ibwire: MPLS needs 4 bytes, have 2: unexpected EOF] [truncated]",
	} {
		line := blanks.ReplaceAllString(out[n-1][len("    1   0.000000 "):], " ")
		require.Equal(t, want, strings.TrimPrefix(line, " "), n)
	}
}

// Both are shown, the mirror and what is inside.
func TestDissectMirrorTree(t *testing.T) {
	tree := good(t, "dissect", "-V", "-c", "2", "--skip", "1", testdata.Path(t, "mirror.pcap"))
	tree, _, _ = strings.Cut(tree, "\nFrame 3")
	at := 0
	for _, line := range []string{
		"    [Protocols in frame: infiniband:infiniband:data]\nInfiniBand\n    Local Route Header\n", "    RWH - Raw Header\n",
		"        Ethertype: Unknown (0x1123)\n    Mirror Header\n        Prefix: 0x939764e7\nInfiniBand\n    Local Route Header\n",
		"    Global Route Header\n", "    Base Transport Header\n",
		"    Invariant CRC: 0x1acfcd27 [correct]\n    [Invariant CRC Status: Good]\n",
	} {
		i := strings.Index(tree[at:], line)
		require.GreaterOrEqual(t, i, 0, "%s\nin %s", line, tree[at:])
		at += i + len(line)
	}
}

// With --decap, packets are as if they had been captured without a tunnel; those
// without one stay as they are.
func TestDissectDecap(t *testing.T) {
	frames := testdata.Frames(t, testdata.Path(t, "rocev1.pcap"))
	one, two := frames[0].Data, frames[1].Data
	inside, without := pcapOf(1, inVXLAN(one), two, inVXLAN(inVXLAN(two))), pcapOf(1, one, two, two)
	for _, args := range [][]string{nil, {"-V"}, {"-x"}, {"-T", "ndjson"}, {"-T", "fields", "-e", "frame.len", "-e", "eth.src"}} {
		want, _, _ := command(t, bytes.NewReader(without), append([]string{"dissect", "-"}, args...)...)
		out, errs, status := command(t, bytes.NewReader(inside), append([]string{"dissect", "--decap", "-"}, args...)...)
		require.Empty(t, errs)
		require.Equal(t, exitOK, status)
		require.Equal(t, want, out)
	}
}

// Number and time are those of the packet outside, the lengths those of the one
// inside, also where the capture has cut both.
func TestDissectDecapMirror(t *testing.T) {
	for _, name := range []string{"mirror.pcap", "mirror.erf.pcap"} {
		path := testdata.Path(t, name)
		wants := testdata.Wants(t, path)
		outer := lines(good(t, "dissect", "-T", "ndjson", path))
		inner := lines(good(t, "dissect", "--decap", "-T", "ndjson", path))
		require.Len(t, inner, len(wants))
		for i, w := range wants {
			var out, in map[string]any
			require.NoError(t, json.Unmarshal([]byte(outer[i]), &out))
			require.NoError(t, json.Unmarshal([]byte(inner[i]), &in))
			for _, name := range []string{"frame.number", "frame.time_epoch", "frame.time_relative", "infiniband.bth.psn", "infiniband.payload"} {
				require.Equal(t, out[name], in[name], w.What)
			}
			mirrors := slices.Index(w.Layers, "Mirror")
			if mirrors < 0 || !slices.Contains(w.Layers[mirrors:], "LRH") {
				require.Equal(t, out, in, w.What)
				continue
			}
			require.NotContains(t, in, "infiniband.mirror.prefix", w.What)
			require.NotContains(t, in, "erf.types", w.What)
		}
		lengths := lines(good(t, "dissect", "--decap", "-T", "fields", "-e", "frame.len", "-e", "frame.cap_len", path))
		require.Equal(t, "48\t48", lengths[0], "8 LRH, 12 BTH, 16 RETH, 8 payload and pad, 4 ICRC")
		require.Equal(t, "52\t52", lengths[2], "and VCRC, and two bytes to a whole word")
		require.Equal(t, "48\t48", lengths[5], "in a mirror in a mirror")
	}
	// The packet outside has 70 bytes, of which 62 were captured.
	cut := good(t, "dissect", "--decap", "-T", "fields", "-e", "frame.len", "-e", "frame.cap_len", "--skip", "15", "-c", "1", testdata.Path(t, "mirror.pcap"))
	require.Equal(t, "54\t46\n", cut)
}

// The mirrors of a switch that was told another EtherType.
func TestMirrorType(t *testing.T) {
	path := testdata.Path(t, "mirror.pcap")
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	const etherType = 24 + 16 + 10 // of the first packet
	data[etherType], data[etherType+1] = 0x77, 0x88
	run := func(args ...string) string {
		out, errs, _ := command(t, bytes.NewReader(data), append([]string{"dissect", "-c", "1", "-"}, args...)...)
		require.Empty(t, errs)
		return out
	}
	require.Contains(t, run(), " EtherType 0x7788")
	require.Equal(t, good(t, "dissect", "-c", "1", path), run("--mirror-type", "0x7788"))
}
