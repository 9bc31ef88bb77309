package examples_test

import (
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The packets were put together by another program too, with CRCs and checksums
// of its own.
const (
	builtMessage = "0b30ffff0000001180000064" + "00000000000010000000000700000005" + "0000002a" + // BTH, RETH, ImmDt
		"68656c6c6f" + "000000" // payload, pad
	builtGRH  = "60000000002c1b40" + "fe800000000000000000000000000001" + "fe800000000000000000000000000002"
	builtMACs = "020000000002020000000001"
	builtIPv4 = "4500004800000000" + "4011f6a1" + "c0000201c0000202" + "c00012b70034a077" // with UDP
)

func TestBuild(t *testing.T) {
	want := "0000000000f15365150400480000003600020002000d0001" + builtMessage + "f76b32e5" + "467e" + // ERF, LRH; ICRC, VCRC
		"0000" + // ERF records are padded to 8 bytes
		"0000000000f15365150400700000005e0003000200170001" + builtGRH + builtMessage + "2231f24f" + "0b77" + "0000"
	require.Equal(t, want, hex.EncodeToString([]byte(goRun(t, "./build"))))
}

func TestBuildRoCE(t *testing.T) {
	want := "d4c3b2a1020004000000000000000000ffff000001000000" + // pcap
		"00f15365000000006200000062000000" + builtMACs + "8915" + builtGRH + builtMessage + "2231f24f" +
		"00f15365000000005600000056000000" + builtMACs + "0800" + builtIPv4 + builtMessage + "6645c25f"
	require.Equal(t, want, hex.EncodeToString([]byte(goRun(t, "./build", "roce"))))
}

// Wireshark takes the packets for what they are.
func TestBuildForWireshark(t *testing.T) {
	tshark, err := exec.LookPath("tshark")
	if err != nil {
		t.Skip("needs tshark")
	}
	const message = "11|0x000011|100|1|3|0x0000000000001000|5|0000002a|"
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"built.erf", nil, "0x02|13|||||" + message + "0xf76b32e5|0x467e|\n" + "0x03|23|44||||" + message + "0x2231f24f|0x0b77|\n"},
		{"built.pcap", []string{"roce"}, "||44||||" + message + "0x2231f24f||\n" + "|||72|1|1|" + message + "0x6645c25f||\n"},
	} {
		file := filepath.Join(t.TempDir(), c.name)
		require.NoError(t, os.WriteFile(file, []byte(goRun(t, "./build", c.args...)), 0o600))
		args := []string{"-r", file, "--disable-heuristic", "rpcrdma_infiniband", "-o", "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE",
			"-T", "fields", "-E", "separator=|", "-E", "occurrence=f"}
		for field := range strings.FieldsSeq("lrh.lnh lrh.pktlen grh.paylen .ip.len .ip.checksum.status .udp.checksum.status " +
			"bth.opcode bth.destqp bth.psn bth.a bth.padcnt reth.va reth.dmalen immdt invariant.crc variant.crc ._ws.malformed") {
			if name, other := strings.CutPrefix(field, "."); other {
				args = append(args, "-e", name)
			} else {
				args = append(args, "-e", "infiniband."+field)
			}
		}
		out, err := exec.Command(tshark, args...).Output()
		require.NoError(t, err)
		require.Equal(t, c.want, string(out))
	}
}
