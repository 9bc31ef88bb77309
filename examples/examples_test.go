// Package examples_test runs the examples and compares what they print.
package examples_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/testdata"
)

// goRun runs a program and returns its standard output.
func goRun(t *testing.T, program string, args ...string) string {
	t.Helper()
	return goRunWith(t, nil, program, args...)
}

// goRunWith is goRun with standard input.
func goRunWith(t *testing.T, in io.Reader, program string, args ...string) string {
	t.Helper()
	c := exec.Command("go", append([]string{"run", program}, args...)...)
	c.Stdin = in
	var errs strings.Builder
	c.Stderr = &errs
	out, err := c.Output()
	require.NoError(t, err, errs.String())
	require.Empty(t, errs.String())
	return string(out)
}

func TestList(t *testing.T) {
	require.Equal(t, `QP 0x6d3a89 PSN  5835344 RC Send Only, 4 bytes
QP 0x3a7e31 PSN 11288707 RC Send Only, 3 bytes
QP 0xadb3f7 PSN  1397418 RC Send Only, 2 bytes
QP 0xd4e44c PSN 15509089 RC Send Only, 1 bytes
QP 0xebd959 PSN 16569624 RC Send Only, 5 bytes
QP 0x2d993e PSN 16006503 RC RDMA Write Only, 5 bytes
QP 0x5c9c82 PSN 15660748 RC Send Only, 0 bytes
QP 0x19b296 PSN  2277029 RC Send Only, 0 bytes
QP 0x6a141d PSN  5673165 RC Acknowledge, 0 bytes
QP 0xffa656 PSN  1054360 RC Acknowledge, 4 bytes
QP 0x18b566 PSN 13469435 RC Acknowledge, 2 bytes
`, goRun(t, "./list", testdata.Path(t, "pads.pcap")))
}

func TestCount(t *testing.T) {
	require.Equal(t, `0x18b566    1 RC Acknowledge
0x19b296    1 RC Send Only
0x2d993e    1 RC RDMA Write Only
0x3a7e31    1 RC Send Only
0x5c9c82    1 RC Send Only
0x6a141d    1 RC Acknowledge
0x6d3a89    1 RC Send Only
0xadb3f7    1 RC Send Only
0xd4e44c    1 RC Send Only
0xebd959    1 RC Send Only
0xffa656    1 RC Acknowledge
`, goRun(t, "./count", testdata.Path(t, "pads.pcap")))
}

func TestFlat(t *testing.T) {
	f, err := os.Open(testdata.Path(t, "pads.pcap"))
	require.NoError(t, err)
	defer f.Close()
	require.Equal(t, `    7 packets      15 bytes  RC Send Only
    1 packets       5 bytes  RC RDMA Write Only
    3 packets       6 bytes  RC Acknowledge
    0 packets with a header that is cut
`, goRunWith(t, f, "./flat"))
}

func TestCSV(t *testing.T) {
	require.Equal(t, `frame.number,infiniband.bth.opcode,infiniband.bth.psn,infiniband.payload.length,infiniband.pad
1,4,5835344,4,
2,4,11288707,3,00
3,4,1397418,2,0000
4,4,15509089,1,000000
5,4,16569624,5,010203
6,10,16006503,5,000000
7,4,15660748,0,
8,4,2277029,0,
9,17,5673165,0,
10,17,1054360,4,
11,17,13469435,2,6364
`, goRun(t, "./csv", testdata.Path(t, "pads.pcap"), "frame.number", "infiniband.bth.opcode", "infiniband.bth.psn", "infiniband.payload.length", "infiniband.pad"))
}

func TestLRHCheck(t *testing.T) {
	require.Empty(t, goRun(t, "./lrhcheck", testdata.Path(t, "pads.pcap")))
	require.Equal(t, `packet 2: PktLen says 36 bytes, 34 are there
packet 3: PktLen says 8188 bytes, 34 are there
packet 4: 4 bytes are behind the packet that PktLen does not count
packet 5: PktLen says 0 bytes, 34 are there
packet 6: PktLen says 4 bytes, 34 are there
packet 7: PktLen says 16 bytes, 34 are there
packet 8: PktLen says 20 bytes, 34 are there
packet 9: 8 bytes are behind the packet that PktLen does not count
`, strings.Join(strings.SplitAfter(goRun(t, "./lrhcheck", testdata.Path(t, "lengths.pcap")), "\n")[:8], ""))
}

// The program in the README runs as it stands.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "README.md"))
	require.NoError(t, err)
	_, program, found := strings.Cut(string(readme), "    package main\n")
	require.True(t, found)
	program, _, found = strings.Cut(program, "\n    }\n\n")
	require.True(t, found)
	file := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(file, []byte("package main\n"+strings.ReplaceAll(program, "\n    ", "\n")+"\n}\n"), 0o600))
	require.Equal(t, "Reliable Connection (RC) - Acknowledge 291 16 true\n", goRun(t, file))
}
