package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/check"
	"github.com/ibwire/ibwire/testdata"
)

// checked runs ibwire check and requires its exit status.
func checked(t *testing.T, status int, args ...string) string {
	t.Helper()
	out, errs, got := command(t, nil, append([]string{"check"}, args...)...)
	require.Empty(t, errs, args)
	require.Equal(t, status, got, args)
	return out
}

func TestCheckFindings(t *testing.T) {
	path := testdata.Path(t, "raw.pcap")
	require.Equal(t, path+`: packet 4: error: pktlen-short: PktLen is 3 words, 12 bytes, but a raw packet has at least 20
`+path+`: packet 6: error: lver: LVer is 2, not 0

      1  error    pktlen-short
      1  error    lver

packets: 6, InfiniBand: 6
VCRC: 6 good
`, checked(t, exitFindings, path))
	require.Equal(t, "packets: 6, InfiniBand: 6, no findings\nVCRC: 6 good\n", checked(t, exitOK, "--ignore", "lver,pktlen-short", path))
	require.Contains(t, checked(t, exitOK, "--only", "lrh-reserved", path), "1  info     lrh-reserved\n")
	require.Contains(t, checked(t, exitFindings, "--info", path), ": packet 6: info: lrh-reserved: ")
	require.Equal(t, "packets: 3, InfiniBand: 3, no findings\nVCRC: 3 good\n", checked(t, exitOK, "-c", "3", path))
	require.Equal(t, checked(t, exitFindings, "--ignore", "lver", "--ignore", "tver", path), checked(t, exitFindings, "--ignore=lver,tver", path))
}

func TestCheckMTU(t *testing.T) {
	path := testdata.Shared(t, "cases/psn_gap_go_back_n.pcap")[0] // payloads of 256 bytes
	checked(t, exitOK, "--mtu", "256", path)
	path = testdata.Shared(t, "captures/rocev2-huawei-send-001-070.pcap")[0]
	require.Contains(t, checked(t, exitFindings, "--mtu", "256", path), "36  warning  payload-mtu\n")
	checked(t, exitOK, "--mtu", "1024", path)
}

// A file that cannot be read counts more than findings.
func TestCheckUnreadable(t *testing.T) {
	data, err := os.ReadFile(testdata.Path(t, "raw.pcap"))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "cut.pcap")
	require.NoError(t, os.WriteFile(path, data[:len(data)-1], 0o600))
	out, errs, status := command(t, nil, "check", path)
	require.Equal(t, exitError, status)
	require.Contains(t, errs, path+": packet 6 at byte ")
	require.Contains(t, out, "packets: 5, InfiniBand: 5\n")

	out, errs, status = command(t, nil, "check", filepath.Join(t.TempDir(), "none"), testdata.Path(t, "raw.pcap"))
	require.Equal(t, exitError, status)
	require.Contains(t, errs, "no such file")
	require.Contains(t, out, "packets: 6, InfiniBand: 6\n")
}

// Each file is a capture of its own: what is said at its end is of its packets.
func TestCheckSeveralFiles(t *testing.T) {
	data, err := os.ReadFile(testdata.Path(t, "rocev2-ipv4.pcap"))
	require.NoError(t, err)
	data = data[:24+16+int(data[24+8])] // the first packet
	data[len(data)-1] ^= 1
	path := filepath.Join(t.TempDir(), "wrong.pcap")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	// Three wrong ICRCs, but no more than one in a capture.
	out := checked(t, exitFindings, "--only", "icrc", path, path, path)
	require.Equal(t, 3, strings.Count(out, path+": packet 1: error: icrc: ICRC is 0x"))
	require.Contains(t, out, "packets: 3, InfiniBand: 3\nICRC: 3 bad\n")
}

func TestCheckInputs(t *testing.T) {
	data, err := os.ReadFile(testdata.Path(t, "raw.pcap"))
	require.NoError(t, err)
	out, errs, status := command(t, bytes.NewReader(compress(t, data)), "check", "-")
	require.Equal(t, exitFindings, status)
	require.Empty(t, errs)
	require.Contains(t, out, "standard input: packet 6: error: lver: LVer is 2, not 0\n")

	data[23] = 149 // the low byte of the link type; the file is big-endian
	out, _, status = command(t, bytes.NewReader(data), "check", "-")
	require.Equal(t, exitOK, status)
	require.Equal(t, "packets: 6, InfiniBand: 0\n", out)
	_, _, status = command(t, bytes.NewReader(data), "check", "--user-dlt", "149", "-")
	require.Equal(t, exitFindings, status)

	path := testdata.Shared(t, "cases/port_nondefault.pcap")[0]
	require.NotContains(t, checked(t, exitFindings, path), "ICRC:")
	require.Contains(t, checked(t, exitFindings, "-d", "udp.port==14791", path), "ICRC: 1 good\n")
}

func TestCheckJSON(t *testing.T) {
	path := testdata.Path(t, "raw.pcap")
	var got struct {
		Findings []map[string]any
		Summary  []map[string]any
		Counts   map[string]any
	}
	out := checked(t, exitFindings, "-T", "json", path)
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	require.Len(t, lines(out), 5, "a line for each finding")
	require.Equal(t, []map[string]any{
		{"file": path, "packet": 4., "severity": "error", "code": "pktlen-short", "text": "PktLen is 3 words, 12 bytes, but a raw packet has at least 20", "count": 1.},
		{"file": path, "packet": 6., "severity": "error", "code": "lver", "text": "LVer is 2, not 0", "count": 1.},
	}, got.Findings)
	require.Equal(t, []map[string]any{
		{"code": "pktlen-short", "severity": "error", "count": 1.}, {"code": "lver", "severity": "error", "count": 1.},
	}, got.Summary)
	none := map[string]any{"good": 0., "bad": 0., "unverified": 0., "absent": 0.}
	require.Equal(t, map[string]any{
		"packets": 6., "infiniband": 6., "icrc": none, "vcrc": map[string]any{"good": 6., "bad": 0., "unverified": 0., "absent": 0.},
	}, got.Counts)

	got.Findings = nil
	require.NoError(t, json.Unmarshal([]byte(checked(t, exitOK, "-T", "json", "-c", "3", path)), &got))
	require.NotNil(t, got.Findings)
	require.Empty(t, got.Findings)
}

// -Y chooses the packets that are checked; -c counts all.
func TestCheckFilter(t *testing.T) {
	path := testdata.Path(t, "raw.pcap")
	require.Equal(t, path+": packet 6: error: lver: LVer is 2, not 0\n\n      1  error    lver\n\npackets: 2, InfiniBand: 2\nVCRC: 2 good\n",
		checked(t, exitFindings, "-Y", "frame.number >= 5", path))
	require.Equal(t, "packets: 1, InfiniBand: 1, no findings\nVCRC: 1 good\n", checked(t, exitOK, "-Y", "frame.number >= 5", "-c", "5", path))
	require.Equal(t, "packets: 0, InfiniBand: 0\n", checked(t, exitOK, "-Y", "infiniband.bth", path))
}

func TestCheckList(t *testing.T) {
	list := lines(checked(t, exitOK, "--list"))
	require.Len(t, list, len(check.Rules()))
	for i, r := range check.Rules() {
		require.Regexp(t, "^"+r.Code+" +"+r.Severity.String()+" +", list[i])
		require.Contains(t, list[i], r.Text)
	}
}

func TestCheckUsage(t *testing.T) {
	for args, want := range map[string]string{
		"check":                        "ibwire: check: no file is given; - is standard input\n",
		"check --mtu 1500 f":           "ibwire: check: --mtu 1500: want 256, 512, 1024, 2048 or 4096\n",
		"check -Y infiniband.bt f":     "ibwire: filter: column 1: ",
		"check -c 0 f":                 "ibwire: check: -c 0: want 1 or more\n",
		"check --only icrs f":          "ibwire: check: no rule has the code \"icrs\"; is it icrc?; 'ibwire check --list' lists them\n",
		"check --ignore lver,no-way f": "no rule has the code \"no-way\"",
		"check -d tcp.port==1 f":       "ibwire: -d tcp.port==1: want udp.port==N",
		"check --user-dlt 7 f":         "ibwire: --user-dlt 7: want a link type for private use",
	} {
		out, errs, status := command(t, nil, strings.Fields(args)...)
		require.Equal(t, exitError, status, args)
		require.Empty(t, out, args)
		require.Contains(t, errs, want, args)
	}
	require.Contains(t, good(t, "help", "check"), "The exit status is 0 if nothing is found, 1 if there are findings")
}

// The example of the README is what the command writes.
func TestCheckREADME(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	require.NoError(t, err)
	_, section, _ := strings.Cut(string(readme), "    ibwire check testdata/raw.pcap\n")
	section, _, _ = strings.Cut(section, "\nThe exit status is ")
	_, section, found := strings.Cut(section, "\n    testdata/")
	require.True(t, found)
	want := strings.ReplaceAll("testdata/"+section, "\n    ", "\n")
	path := testdata.Path(t, "raw.pcap")
	require.Equal(t, want, strings.ReplaceAll(checked(t, exitFindings, path), path, "testdata/raw.pcap"))
}
