package main

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/testdata"
)

func TestMain(m *testing.M) {
	ibwire.Register()
	m.Run()
}

// command runs ibwire with standard input in.
func command(t *testing.T, in io.Reader, args ...string) (out, errs string, status int) {
	t.Helper()
	var o, e bytes.Buffer
	status = run(args, stdio{in: in, out: &o, err: &e})
	return o.String(), e.String(), status
}

// good runs ibwire and requires that nothing is wrong.
func good(t *testing.T, args ...string) string {
	t.Helper()
	out, errs, status := command(t, nil, args...)
	require.Empty(t, errs, args)
	require.Equal(t, exitOK, status, args)
	return out
}

func lines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		args      string
		status    int
		out, errs string
	}{
		{"", exitOK, "Usage: ibwire <command>", ""},
		{"--help", exitOK, "Usage: ibwire <command>", ""},
		{"help", exitOK, "Usage: ibwire <command>", ""},
		{"help dissect", exitOK, "Usage: ibwire dissect", ""},
		{"dissect -c 0 f", exitError, "", "-c 0: want 1 or more"},
		{"dissect --skip=-1 f", exitError, "", "--skip -1: want 0 or more"},
		{"dissect \x1b[31m", exitError, "", `ibwire: open \x1b[31m: no such file or directory` + "\n"},
		{"dissect --help", exitOK, "ibwire dissect -V -c 1 capture.pcap", ""},
		{"dissect --help", exitOK, "and 130 if", ""},
		{"check --help", exitOK, "and 130 if", ""},
		{"convert --help", exitOK, "and 130 if", ""},
		{"fields --help", exitOK, "ibwire fields aeth", ""},
		{"--version", exitOK, "ibwire ", ""},
		{"nonsense", exitError, "", "ibwire: unexpected argument nonsense; see ibwire --help\n"},
		{"dissect", exitError, "", "ibwire: dissect: no file is given; - is standard input\n"},
		{"dissect -q f", exitError, "", "unknown flag -q"},
		{"dissect -T xml f", exitError, "", "must be one of"},
		{"dissect -T fields f", exitError, "", "-T fields needs fields, each with -e"},
		{"dissect -T csv f", exitError, "", "-T csv needs fields, each with -e"},
		{"dissect -e frame.number f", exitError, "", "-e needs -T fields, csv, json or ndjson"},
		{"dissect -T json -V f", exitError, "", "-V and -x are for -T text"},
		{"dissect -T csv -e frame.number -E header=y f", exitError, "", "-E is for -T fields"},
		{"dissect -T fields -e infiniband.bth.opcod f", exitError, "", "infiniband.bth.opcode"},
		{"dissect -T fields -e frame.number -E header=maybe f", exitError, "", "-E header=maybe: want one of n, y"},
		{"dissect -T fields -e frame.number -E separator=ab f", exitError, "", "-E separator=ab: want one character"},
		{"dissect -T fields -e frame.number -E bom=y f", exitError, "", "-E bom=y: want separator="},
		{"dissect -d tcp.port==1 f", exitError, "", "-d tcp.port==1: want udp.port==N"},
		{"dissect -d udp.port==70000 f", exitError, "", "-d udp.port==70000: want udp.port==N"},
		{"dissect -d udp.port==5,http f", exitError, "", "want udp.port==N"},
		{"dissect --user-dlt 7 f", exitError, "", "--user-dlt 7: want a link type for private use, 147 to 162"},
		{"dissect --mirror-type 12 f", exitError, "", "--mirror-type 0xc: want an EtherType, 0x600 to 0xffff"},
		{"check --mirror-type 12 f", exitError, "", "--mirror-type 0xc: want an EtherType, 0x600 to 0xffff"},
		{"convert --mirror-type 12 f g", exitError, "", "--mirror-type 0xc: want an EtherType, 0x600 to 0xffff"},
		{"check --mtu 0 f", exitError, "", "ibwire: check: --mtu 0: want 256, 512, 1024, 2048 or 4096\n"},
		{"fields no.such.thing", exitError, "", "no field is called no.such.thing"},
		{"fields [", exitError, "", "fields: [: "},
	} {
		out, errs, status := command(t, nil, strings.Fields(c.args)...)
		require.Equal(t, c.status, status, c.args)
		require.Contains(t, out, c.out, c.args)
		require.Contains(t, errs, c.errs, c.args)
		if c.errs == "" {
			require.Empty(t, errs, c.args)
		}
	}
}

// Numbers that cannot be are told so by the command, those that are none by the
// flag.
func TestNumbers(t *testing.T) {
	for args, want := range map[string]string{
		"dissect -c -1 f":                    "ibwire: dissect: -c -1: want 1 or more\n",
		"flows -c-1 f":                       "ibwire: flows: -c -1: want 1 or more\n",
		"dissect --skip -1 f":                "ibwire: dissect: --skip -1: want 0 or more\n",
		"dissect --user-dlt -1 f":            "ibwire: --user-dlt -1: want a link type for private use, 147 to 162\n",
		"dissect --user-dlt 65683 f":         "ibwire: --user-dlt 65683: want a link type for private use, 147 to 162\n",
		"dissect --user-dlt 147,x f":         "ibwire: --user-dlt: want a whole number, not \"x\"; see ibwire --help\n",
		"check --mirror-type -1 f":           "ibwire: --mirror-type -0x1: want an EtherType, 0x600 to 0xffff\n",
		"check --mirror-type 0x10000 f":      "ibwire: --mirror-type 0x10000: want an EtherType, 0x600 to 0xffff\n",
		"check --mtu -1 f":                   "ibwire: check: --mtu -1: want 256, 512, 1024, 2048 or 4096\n",
		"convert --first -1 f g":             "ibwire: convert: --first -1: want 1 or more\n",
		"stats --top -1 f":                   "ibwire: stats: --top -1: want 1 to 10000; 'ibwire flows' writes all\n",
		"stats --top --sort f":               "ibwire: --top: want a whole number, not \"--sort\"; see ibwire --help\n",
		"stats --top 1.5 f":                  "ibwire: --top: want a whole number, not \"1.5\"; see ibwire --help\n",
		"stats --top 99999999999999999999 f": "ibwire: --top: 99999999999999999999 is out of range; see ibwire --help\n",
		"stats f --top":                      "ibwire: --top: want a whole number; see ibwire --help\n",
		"stats --plot a.svg --flow -1 f":     "ibwire: stats: --flow -1: want the number of a flow, 1 or more, and --plot\n",
		"messages --count 0 f":               "ibwire: messages: -c 0: want 1 or more\n",
	} {
		out, errs, status := command(t, nil, strings.Fields(args)...)
		require.Equal(t, exitError, status, args)
		require.Empty(t, out, args)
		require.Equal(t, want, errs, args)
	}
}

func TestFields(t *testing.T) {
	all := lines(good(t, "fields"))
	require.Greater(t, len(all), 150)
	require.Regexp(t, `^frame +protocol +Frame$`, all[0])
	some := lines(good(t, "fields", "infiniband.bth.*"))
	require.Len(t, some, 13)
	require.Contains(t, some, "infiniband.bth.opcode     uint8    Opcode")
	require.Contains(t, good(t, "fields", "queue key"), "infiniband.deth.q_key")
}

// The list of a real capture, as tshark has it where payloads are left alone.
func TestDissectRealCapture(t *testing.T) {
	for _, file := range []string{"infiniband-erf-01-31.pcap", "derived-infiniband-01-31.erf", "derived-infiniband-01-31-lt247.pcap"} {
		out := good(t, "dissect", testdata.Shared(t, "captures/"+file)[0])
		require.Len(t, lines(out), 31)
		require.Equal(t, 17, strings.Count(out, "UD Send Only QP="))
		require.Equal(t, 7, strings.Count(out, "RC Send Only QP="))
		require.Equal(t, 7, strings.Count(out, "RC Acknowledge QP="))
		require.Regexp(t, `^    1 +0\.000000(000)?   LID: 65535 → LID: 65535   InfiniBand 290 UD Send Only QP=0x000000$`, lines(out)[0])
		require.Regexp(t, `^   11 +9\.18074\d+       LID: 1 → LID: 4       InfiniBand 30 RC Acknowledge QP=0x870408$`, lines(out)[10])
	}
}

func TestDissectRoCECapture(t *testing.T) {
	out := good(t, "dissect", testdata.Shared(t, "captures/rocev2-huawei-send-001-070.pcap")[0])
	require.Len(t, lines(out), 70)
	require.Equal(t, 56, strings.Count(out, " RRoCE "))
	for text, n := range map[string]int{"RC Send First": 18, "RC Send Last Immediate": 18, "RC Send Only Immediate": 1, "RC Acknowledge": 19, " TCP ": 10} {
		require.Equal(t, n, strings.Count(out, text), text)
	}
	require.Equal(t, "   15  16.291871 192.168.70.4 → 192.168.70.6 RRoCE 206 RC Send Only Immediate QP=0x000048", lines(out)[14])
}

// Every file that is here can be read, or is an error that says why; never is
// there a panic, and never no end. The halves of files are cut off in the middle.
func TestDissectEveryOutsideFile(t *testing.T) {
	for _, path := range append(testdata.Shared(t, "captures/*"), testdata.Shared(t, "cases/*")...) {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, part := range [][]byte{data, data[:len(data)/2]} {
			for _, in := range [][]byte{part, compress(t, part)} {
				for _, args := range [][]string{{"-V"}, {"-T", "ndjson"}} {
					out, errs, status := command(t, bytes.NewReader(in), append([]string{"dissect", "-"}, args...)...)
					require.Contains(t, []int{exitOK, exitError}, status, path)
					if status == exitError {
						require.Contains(t, errs, "ibwire: standard input: ", path)
					}
					require.NotContains(t, out, "%!", path)
				}
			}
		}
	}
}
