package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/testdata"
)

func TestMain(m *testing.M) {
	ibwire.Register()
	m.Run()
}

// ibwireOut runs the command with standard input in.
func ibwireOut(t *testing.T, in io.Reader, args ...string) (out, err string, status int) {
	t.Helper()
	var o, e bytes.Buffer
	status = run(args, stdio{in, &o, &e})
	return o.String(), e.String(), status
}

func lines(s string) []string { return strings.Split(strings.TrimSuffix(s, "\n"), "\n") }

// The list of a real capture, as tshark has it where payloads are left alone.
func TestDissectRealCapture(t *testing.T) {
	for _, file := range []string{"infiniband-erf-01-31.pcap", "derived-infiniband-01-31.erf", "derived-infiniband-01-31-lt247.pcap"} {
		out, errs, status := ibwireOut(t, nil, "dissect", testdata.Shared(t, "captures/"+file)[0])
		require.Empty(t, errs)
		require.Equal(t, exitOK, status)
		require.Len(t, lines(out), 31)
		require.Equal(t, 17, strings.Count(out, "UD Send Only QP="))
		require.Equal(t, 7, strings.Count(out, "RC Send Only QP="))
		require.Equal(t, 7, strings.Count(out, "RC Acknowledge QP="))
		require.Regexp(t, `^ +1 +0\.000000000 +LID: 65535 → LID: 65535 +InfiniBand +290 UD Send Only QP=0x000000$`, lines(out)[0])
		require.Regexp(t, `^ +11 +9\.18074\d+ +LID: 1 → LID: 4 +InfiniBand +30 RC Acknowledge QP=0x870408$`, lines(out)[10])
	}
}

func TestDissectRoCECapture(t *testing.T) {
	out, _, status := ibwireOut(t, nil, "dissect", testdata.Shared(t, "captures/rocev2-huawei-send-001-070.pcap")[0])
	require.Equal(t, exitOK, status)
	require.Len(t, lines(out), 70)
	require.Equal(t, 56, strings.Count(out, " RRoCE "))
	for text, n := range map[string]int{"RC Send First": 18, "RC Send Last Immediate": 18, "RC Send Only Immediate": 1, "RC Acknowledge": 19} {
		require.Equal(t, n, strings.Count(out, text), text)
	}
}

// Every packet of every capture has its line, and in the tree each layer of it
// has its own.
func TestDissectTestdata(t *testing.T) {
	for _, path := range append(testdata.Glob(t, "*.pcap"), testdata.Glob(t, "*.erf")...) {
		wants := testdata.Wants(t, path)
		out, errs, status := ibwireOut(t, nil, "dissect", path)
		require.Empty(t, errs, path)
		require.Equal(t, exitOK, status)
		require.Len(t, lines(out), len(wants), path)
		for i, line := range lines(out) {
			if wants[i].Truncated {
				require.Contains(t, line, "[truncated]", path)
			}
		}
		tree, _, _ := ibwireOut(t, nil, "dissect", "-V", path)
		frames := strings.Split(strings.TrimSuffix(tree, "\n\n"), "\n\n")
		require.Len(t, frames, len(wants), path)
		for i, frame := range frames {
			frame += "\n"
			for _, l := range wants[i].Layers {
				require.Contains(t, frame, "\n"+l+" (", "%s, packet %d", path, i+1)
			}
			if w := wants[i]; w.ICRC != "" && w.What != "IPv6 with hop-by-hop options" {
				require.Contains(t, frame, "\n    ICRC: 0x"+w.ICRC+"\n")
			}
			if w := wants[i]; w.VCRC != "" {
				require.Contains(t, frame, "\n    VCRC: 0x"+w.VCRC+"\n")
			}
		}
	}
}

func TestDissectStandardInput(t *testing.T) {
	path := testdata.Path(t, "pads.pcap")
	want, _, _ := ibwireOut(t, nil, "dissect", path)
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	got, errs, status := ibwireOut(t, iotest.OneByteReader(f), "dissect", "-")
	require.Empty(t, errs)
	require.Equal(t, exitOK, status)
	require.Equal(t, want, got)
}

// What cannot be read is said, with the file, the packet and the place, behind
// all that could be read; the files after it are read all the same.
func TestDissectErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, data, 0o600))
		return path
	}
	pcap, err := os.ReadFile(testdata.Path(t, "native.pcap"))
	require.NoError(t, err)
	record, err := os.ReadFile(testdata.Path(t, "native-padded.erf"))
	require.NoError(t, err)
	second := 24 + 16 + int(pcap[24+8]) // where the second packet of the pcap file begins
	for _, c := range []struct {
		name    string
		path    string
		lines   int
		message string
	}{
		{"no such file", filepath.Join(dir, "none"), 0, "none: no such file or directory"},
		{"a folder", dir, 0, "is a directory"},
		{"empty", write("empty", nil), 0, "0 bytes are no capture"},
		{"text", write("text", []byte("this is a letter, and no capture at all")), 0, "text: neither a pcap nor an ERF file: it begins with 74686973"},
		{"pcap header cut", write("head", pcap[:20]), 0, "head: pcap file header: "},
		{"pcap cut in a record header", write("cut1", pcap[:second+3]), 1, fmt.Sprintf("cut1: packet 2 at byte %d: ", second)},
		{"pcap cut in a packet", write("cut2", pcap[:second+30]), 1, fmt.Sprintf("cut2: packet 2 at byte %d: ", second)},
		{"ERF cut", write("cut3", record[:16+8]), 0, "cut3: erf: record 1 at byte 0: need "},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, errs, status := ibwireOut(t, nil, "dissect", c.path, testdata.Path(t, "pads.pcap"))
			require.Equal(t, exitError, status)
			require.Contains(t, errs, "ibwire: "+filepath.Dir(dir))
			require.Contains(t, errs, c.message)
			require.Len(t, lines(errs), 1)
			require.Len(t, lines(out), c.lines+11, "and the 11 packets of the file after it")
		})
	}
}

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		args      string
		status    int
		out, errs string
	}{
		{"", exitError, "", "usage:"},
		{"help", exitOK, "ibwire dissect [-V] FILE...", ""},
		{"--help", exitOK, "usage:", ""},
		{"nonsense", exitError, "", `there is no command "nonsense"`},
		{"dissect", exitError, "", "usage: ibwire dissect"},
		{"dissect -h", exitOK, "", "usage: ibwire dissect"},
		{"dissect -x f", exitError, "", "flag provided but not defined: -x"},
	} {
		out, errs, status := ibwireOut(t, nil, strings.Fields(c.args)...)
		require.Equal(t, c.status, status, c.args)
		require.Contains(t, out, c.out)
		require.Contains(t, errs, c.errs)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestWriteError(t *testing.T) {
	var errs bytes.Buffer
	status := run([]string{"dissect", testdata.Path(t, "native.pcap")}, stdio{nil, brokenPipe{}, &errs})
	require.Equal(t, exitError, status)
	require.Contains(t, errs.String(), io.ErrClosedPipe.Error())
}
