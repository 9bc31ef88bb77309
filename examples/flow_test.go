package examples_test

import (
	"bufio"
	"encoding/binary"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/testdata"
)

const (
	aToB = "RRoCE 192.0.2.1 > 192.0.2.2 RC QP=0x000022"
	bToA = "RRoCE 192.0.2.2 > 192.0.2.1 RC QP=0x000011"
)

// The capture is a case whose text says that PSN 502 is missing at packet 3, that
// packet 4 is a NAK for it, and that packet 6 brings it; all is acknowledged at
// packet 9, 8 microseconds after the first one.
func goBackN(t *testing.T) string { return testdata.Shared(t, "cases/psn_gap_go_back_n.pcap")[0] }

func TestPSNGaps(t *testing.T) {
	require.Equal(t, "packet 3: "+aToB+": requests: PSN 502 to 502 are missing\n"+
		"packet 8: "+aToB+": requests: PSN 502 to 502: lost by the network\n"+
		"1 gaps; the capture has missed 0 PSNs\n", goRun(t, "./psngaps", goBackN(t)))
}

func TestTopTalkers(t *testing.T) {
	// 330 + 6 * 314 bytes in 7 microseconds, and 2 * 62 in 5.
	want := "    2214 bytes  94.7 % 2530.286 Mbit/s  " + aToB + "\n"
	require.Equal(t, want, goRun(t, "./toptalkers", goBackN(t), "1"))
	require.Equal(t, want+"     124 bytes   5.3 %  198.400 Mbit/s  "+bToA+"\n", goRun(t, "./toptalkers", goBackN(t), "5"))
}

func TestLatency(t *testing.T) {
	all := aToB + ": request to ACK: 1, median 8µs, 99 % 8µs, longest 8µs\n"
	require.Equal(t, all, goRun(t, "./latency", goBackN(t), "8us"))
	require.Equal(t, "packet 1: RDMA WRITE of 1280 bytes to 192.0.2.2 waits 8µs for its answer\n"+all, goRun(t, "./latency", goBackN(t), "7us"))
}

// The NAK is written while the pipe is open and nothing more comes.
func TestNAKWatch(t *testing.T) {
	data, err := os.ReadFile(goBackN(t))
	require.NoError(t, err)
	c := exec.CommandContext(t.Context(), "go", "run", "./nakwatch")
	in, err := c.StdinPipe()
	require.NoError(t, err)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	_, err = in.Write(data[:24+4*16+330+2*314+62]) // four packets
	require.NoError(t, err)
	r := bufio.NewReader(out)
	line, err := r.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "22:13:20.000003 packet 4: NAK, PSN Sequence Error, PSN 502, from 192.0.2.2, refuses "+aToB+" (uncertain)\n", line)
	require.NoError(t, in.Close())
	rest, err := io.ReadAll(r)
	require.NoError(t, err)
	require.Empty(t, rest)
	require.NoError(t, c.Wait())
}

// Behind the case there are two CNPs to the queue pair of A, the second one in
// another second, and a packet with CE between others.
func TestCNPRate(t *testing.T) {
	file, err := os.ReadFile(goBackN(t))
	require.NoError(t, err)
	add := func(second uint32, frame []byte) {
		header := make([]byte, 16)
		for i, v := range []uint32{1700000000 + second, 500, uint32(len(frame)), uint32(len(frame))} {
			binary.LittleEndian.PutUint32(header[4*i:], v)
		}
		file = append(append(file, header...), frame...)
	}
	cnp := testdata.Frames(t, testdata.Shared(t, "cases/cnp_0x81.pcap")[0])[0].Data
	copy(cnp[26:], []byte{192, 0, 2, 2, 192, 0, 2, 1}) // B to A, behind 14 bytes of Ethernet and 12 of IP
	copy(cnp[14+20+8+5:], []byte{0, 0, 0x11})          // DestQP
	add(0, cnp)
	add(1, testdata.Frames(t, testdata.Shared(t, "cases/rocev2_ipv6.pcap")[0])[1].Data)
	add(2, cnp)
	path := filepath.Join(t.TempDir(), "a.pcap")
	require.NoError(t, os.WriteFile(path, file, 0o600))
	require.Equal(t, "time,flow,cnps,ce\n"+
		"2023-11-14T22:13:20Z,"+aToB+",1,0\n"+
		"2023-11-14T22:13:21Z,RRoCE 2001:db8::1 > 2001:db8::2 RC QP=0x000011,0,1\n"+
		"2023-11-14T22:13:22Z,"+aToB+",1,0\n", goRun(t, "./cnprate", path, "1s"))
}
