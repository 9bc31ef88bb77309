package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/testdata"
)

// statsOf returns the object that stats writes.
func statsOf(t *testing.T, args ...string) (v statsJSON, flows []map[string]any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(good(t, append([]string{"stats", "-T", "json"}, args...)...)), &v))
	for _, f := range v.Flows {
		flows = append(flows, objects(t, string(f))...)
	}
	return v, flows
}

// The case as its text has it.
func TestStatsCase(t *testing.T) {
	v, flows := statsOf(t, goBackN(t))
	require.EqualValues(t, 9, v.Packets.Packets)
	require.EqualValues(t, 330+6*314+2*62, v.Packets.Bytes)
	require.Len(t, flows, 2)
	for name, want := range map[string]int64{
		"gaps": 1, "missing": 1, "lost": 1, "capture_missed": 0, "retransmissions": 2, "runs_nak": 1, "checked": 7, "unchecked": 2,
	} {
		require.Equal(t, want, v.PSNs[name], name)
	}
	require.EqualValues(t, 1, v.Events["nak"])
	require.EqualValues(t, 1, v.NAKs["psn_sequence_error"])
	require.EqualValues(t, 1, v.Messages["complete"])
	require.Equal(t, []gapJSON{{Packet: 3, Flow: 1, PSN: 502, Last: 502, Missing: 1,
		Verdicts: map[string]int64{"lost": 1, "capture_missed": 0, "reordered": 0, "unresolved": 0}}}, v.Gaps)
	require.Equal(t, "complete", v.Capture.Word)
	require.Equal(t, json.Number("1700000000.000000000"), *v.StartTime)
	require.Equal(t, json.Number("1700000000.000008000"), *v.EndTime)
}

// The example of the README is what the command writes of the case.
func TestStatsText(t *testing.T) {
	t.Setenv("TZ", "UTC")
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	require.NoError(t, err)
	_, example, found := strings.Cut(string(readme), "    ibwire stats capture.pcap\n\n")
	require.True(t, found)
	want := ""
	for line := range strings.Lines(example) {
		text, indented := strings.CutPrefix(line, "    ")
		if !indented && line != "\n" {
			break
		}
		want += text
	}
	zone := regexp.MustCompile(`(?m)^\d{4}-.*$`) // as tests may run anywhere
	require.Equal(t, zone.ReplaceAllString(strings.TrimRight(want, "\n"), ""), zone.ReplaceAllString(strings.TrimRight(good(t, "stats", goBackN(t)), "\n"), ""))
}

func TestStatsVerdicts(t *testing.T) {
	header, all := packetsOf(t, goBackN(t))
	for name, c := range map[string]struct {
		packets []int // of the case, from 1
		flags   []string
		want    string
	}{
		"all":                 {[]int{1, 2, 3, 4, 5, 6, 7, 8, 9}, nil, "complete: every PSN is there, or was sent again, or came late"},
		"nothing lost":        {[]int{1, 2}, nil, "complete: no PSN is missing"},
		"the end is not seen": {[]int{1, 2, 3, 4, 5}, nil, "cannot tell: it is not known what became of 1 missing PSN in 1 flow"},
		"acknowledged":        {[]int{1, 2, 5, 9}, nil, "incomplete: it misses 2 PSNs in 1 flow that the receiver has"},
		"acknowledges alone":  {[]int{4, 9}, nil, "cannot tell: no packet has a PSN that must follow another"},
		"no packets":          {nil, nil, "cannot tell: no packet is InfiniBand"},
		"of what -Y selects":  {[]int{1, 2, 3, 4, 5, 6, 7, 8, 9}, []string{"-Y", "infiniband.bth.psn < 503 && frame.number < 4"}, "complete: no PSN is missing; of what -Y selects"},
		"as far as -c goes":   {[]int{1, 2, 3, 4, 5, 6, 7, 8, 9}, []string{"-c", "2"}, "complete: no PSN is missing"},
	} {
		var some [][]byte
		for _, n := range c.packets {
			some = append(some, all[n-1])
		}
		out := lines(good(t, append(append([]string{"stats"}, c.flags...), fileOf(t, header, some...))...))
		require.Equal(t, "Capture: "+c.want, out[len(out)-1], name)
	}
}

// The table of flows is that of ibwire flows, the greatest first.
func TestStatsSortAndTop(t *testing.T) {
	path := testdata.Shared(t, "captures/infiniband-erf-01-31.pcap")[0]
	all := csvRows(t, good(t, "flows", path))
	require.Len(t, all, 13)
	for _, by := range []string{"packets", "bytes", "ack_median_us", "flow_id"} {
		rows := csvRows(t, good(t, "stats", "-T", "csv", "--sort", by, "--top", "5", path))
		require.Len(t, rows, 5)
		whole := csvRows(t, good(t, "stats", "-T", "csv", "--sort", by, "--top", "100", path))
		require.ElementsMatch(t, all, whole)
		require.Equal(t, whole[:5], rows)
		for i := range whole[1:] {
			a, _ := strconv.ParseFloat(whole[i][by], 64)
			b, _ := strconv.ParseFloat(whole[i+1][by], 64)
			if by == "flow_id" {
				require.Less(t, a, b)
			} else {
				require.GreaterOrEqual(t, a, b, by)
			}
		}
	}
	require.Contains(t, good(t, "stats", path), "\n  and 3 more; 'ibwire flows' lists all\n")
	require.NotContains(t, good(t, "stats", "--top", "13", path), " more\n")
}

// The best of many flows are those of all.
func TestTopFlows(t *testing.T) {
	v, flows := statsOf(t, "--top", "1", "--sort", "bytes", testdata.Shared(t, "captures/rocev2-huawei-send-001-070.pcap")[0], goBackN(t))
	require.Len(t, flows, 1)
	require.EqualValues(t, 4, v.FlowCount)
	require.Equal(t, json.Number("39086"), flows[0]["bytes"])
	require.Equal(t, 2, v.Files)
}

// stats counts what the generator says that it has written.
func TestStatsOfGenerator(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 for the generator")
	}
	generator := testdata.Shared(t, "bench/ibgen.py")[0]
	for _, profile := range []string{"small", "large"} {
		out := filepath.Join(t.TempDir(), "g")
		line, err := exec.Command(python, generator, "--profile", profile, "--count", "20000", "--seed", "7", "--out", out).Output()
		require.NoError(t, err)
		var want struct {
			Packets int64
			Opcodes map[string]int64
		}
		require.NoError(t, json.Unmarshal(line, &want))
		require.EqualValues(t, 20000, want.Packets)
		for _, ext := range []string{".erf.pcap", ".erf", ".roce.pcap"} {
			v, _ := statsOf(t, out+ext)
			got := map[string]int64{}
			for _, c := range v.Opcodes {
				got[fmt.Sprintf("0x%02x", *c.Opcode)] = c.Packets
			}
			if ext == ".roce.pcap" && got["0x81"] > 0 { // where the generator counts CNPs as native ones
				got["0x80"] += got["0x81"]
				delete(got, "0x81")
			}
			require.Equal(t, want.Opcodes, got, ext)
			require.Equal(t, want.Packets, v.Packets.Packets)
		}
	}
}

// The picture is written beside the text, as a whole or not at all.
func TestStatsPlot(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.svg")
	require.Equal(t, good(t, "stats", goBackN(t)), good(t, "stats", "--plot", path, "--flow", "1", goBackN(t)))
	svg := string(readFile(t, path))
	require.Contains(t, svg, ">Flow 1: RRoCE 192.0.2.1 &gt; 192.0.2.2 RC QP=0x000022<")
	require.Contains(t, svg, ">NAK (1)<")
	good(t, "stats", "--plot", path, goBackN(t))
	require.Contains(t, string(readFile(t, path)), ">PSNs of the whole capture<")

	none := filepath.Join(t.TempDir(), "none.svg")
	out, errs, status := command(t, nil, "stats", "--plot", none, "--flow", "7", goBackN(t))
	require.Equal(t, exitError, status)
	require.Contains(t, out, "Capture: complete")
	require.Equal(t, "ibwire: stats: --plot "+none+": there is no flow 7; 'ibwire flows' has their numbers\n", errs)
	require.NoFileExists(t, none)
	_, errs, status = command(t, nil, "stats", "--plot", filepath.Join(path, "b.svg"), goBackN(t))
	require.Equal(t, exitError, status)
	require.Contains(t, errs, "not a directory")
	capture := filepath.Join(t.TempDir(), "a.pcap")
	require.NoError(t, os.WriteFile(capture, readFile(t, goBackN(t)), 0o600))
	_, errs, status = command(t, nil, "stats", "--plot", capture, capture)
	require.Equal(t, exitError, status)
	require.Contains(t, errs, "is the file that is read")
	require.Equal(t, readFile(t, goBackN(t)), readFile(t, capture))

	left, err := os.ReadDir(filepath.Dir(none))
	require.NoError(t, err)
	require.Empty(t, left)
}

// Every capture has its summary, in each form.
func TestStatsEveryOutsideFile(t *testing.T) {
	for _, path := range append(testdata.Shared(t, "captures/*.pcap*"), testdata.Shared(t, "cases/*.pcap")...) {
		for _, format := range []string{"text", "json", "csv"} {
			out, errs, status := command(t, nil, "stats", "-T", format, path)
			require.Contains(t, []int{exitOK, exitError}, status, path)
			require.False(t, status == exitError && errs == "", path) // there may be warnings
			require.NotContains(t, out, "%!", path)
			if format == "json" && out != "" {
				require.True(t, json.Valid([]byte(out)), path)
			}
		}
	}
}
