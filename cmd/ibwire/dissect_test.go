package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/testdata"
)

func compress(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(data)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

// Every packet of every capture has its line, its tree and its objects.
func TestDissectTestdata(t *testing.T) {
	for _, path := range append(testdata.Glob(t, "*.pcap"), testdata.Glob(t, "*.erf")...) {
		wants := testdata.Wants(t, path)
		if strings.HasSuffix(path, ".erf") {
			wants = slices.DeleteFunc(wants, isPad)
		}
		out := lines(good(t, "dissect", path))
		require.Len(t, out, len(wants), path)
		frames := strings.Split(strings.TrimSuffix(good(t, "dissect", "-V", path), "\n\n"), "\n\n")
		require.Len(t, frames, len(wants), path)
		objects := lines(good(t, "dissect", "-T", "ndjson", path))
		require.Len(t, objects, len(wants), path)
		var array []map[string]any
		require.NoError(t, json.Unmarshal([]byte(good(t, "dissect", "-T", "json", path)), &array), path)
		require.Len(t, array, len(wants), path)
		for i, w := range wants {
			if w.Truncated {
				require.Contains(t, out[i], "[truncated]", "%s, packet %d", path, i+1)
			}
			require.NotContains(t, out[i], "INCORRECT", "%s, packet %d", path, i+1)
			frame := frames[i] + "\n"
			if w.ICRC != "" {
				require.Contains(t, frame, "\n    Invariant CRC: 0x"+w.ICRC+" ", "%s, packet %d", path, i+1)
			}
			if w.VCRC != "" {
				require.Contains(t, frame, "\n    Variant CRC: 0x"+w.VCRC+" ", "%s, packet %d", path, i+1)
			}
			var object map[string]any
			require.NoError(t, json.Unmarshal([]byte(objects[i]), &object))
			require.Equal(t, array[i], object)
			require.EqualValues(t, i+1, object["frame.number"])
		}
	}
}

// isPad reports whether a record is padding, which in a file of records is no
// packet.
func isPad(w testdata.Want) bool {
	return fmt.Sprint(w.Fields["erf.types.type"]) == "48" && w.Fields["erf.types.ext_header"] == nil
}

// A CRC that is bad is marked behind what the packet is; one of which nobody can
// say that it is, is not. The packets are a SEND and what is made of it.
func TestDissectBadCRCs(t *testing.T) {
	header, _ := packets(t)
	const send = "00020002000800010440ffff00000123000000103031323334353637"
	for name, c := range map[string]struct{ wire, marks, status string }{
		"both right":      {send + "d7a387384a60", "", "1\t1"},
		"both bad":        {send + "010203040506", " [ICRC INCORRECT] [VCRC INCORRECT]", "0\t0"},
		"bad ICRC":        {send + "0102030404d6", " [ICRC INCORRECT]", "0\t1"},
		"bad VCRC":        {send + "d7a387380506", " [VCRC INCORRECT]", "1\t0"},
		"no VCRC":         {send + "01020304", " [ICRC INCORRECT]", "0\t3"},
		"cut":             {send, " [truncated]", "3\t3"},
		"PktLen too low":  {"00020002000700010440ffff000001230000001030313233343536375f78874e2926", "", "2\t2"},
		"raw, bad VCRC":   {"00000002000500010000123430313233343536370506", " [VCRC INCORRECT]", "\t0"},
		"bytes behind it": {send + "010203040506" + "ee", "", "2\t2"},
	} {
		data, err := hex.DecodeString(c.wire)
		require.NoError(t, err)
		n := byte(len(data))
		capture := slices.Concat(header, []byte{0, 0, 0, 0, 0, 0, 0, 0, n, 0, 0, 0, n, 0, 0, 0}, data)
		out, errs, status := command(t, bytes.NewReader(capture), "dissect", "-")
		require.Empty(t, errs, name)
		require.Equal(t, exitOK, status, name)
		require.Regexp(t, `(QP=0x000123|EtherType 0x1234)`+regexp.QuoteMeta(c.marks)+`\n$`, out, name)
		out, _, _ = command(t, bytes.NewReader(capture), strings.Fields("dissect -T fields -e infiniband.invariant.crc.status -e infiniband.variant.crc.status -")...)
		require.Equal(t, c.status+"\n", out, name)
	}
}

func TestDissectStandardInput(t *testing.T) {
	path := testdata.Path(t, "pads.pcap")
	want := good(t, "dissect", path)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, in := range []io.Reader{bytes.NewReader(data), iotest.OneByteReader(bytes.NewReader(data)), bytes.NewReader(compress(t, data))} {
		got, errs, status := command(t, in, "dissect", "-")
		require.Empty(t, errs)
		require.Equal(t, exitOK, status)
		require.Equal(t, want, got)
	}
	require.Equal(t, want, good(t, "dissect", "-r", path))
}

func TestDissectCountAndSkip(t *testing.T) {
	path := testdata.Path(t, "pads.pcap")
	all := lines(good(t, "dissect", path))
	require.Equal(t, all[:3], lines(good(t, "dissect", "-c", "3", path)))
	require.Equal(t, all[9:], lines(good(t, "dissect", "--skip", "9", path)))
	require.Equal(t, all[2:4], lines(good(t, "dissect", "--skip", "2", "-c", "2", path)))
	require.Equal(t, append(all[9:], all[:1]...), lines(good(t, "dissect", "--skip", "9", "-c", "3", path, path)))
	require.Empty(t, good(t, "dissect", "--skip", "99", path))
}

func TestDissectTimes(t *testing.T) {
	path := testdata.Path(t, "rocev1.pcap")
	t.Setenv("TZ", "UTC")
	// As tshark 4.0.17 has them for the second packet.
	for form, want := range map[string]string{"r": "  1.000001", "d": "  1.000001", "e": "1700000001.000001"} {
		line := lines(good(t, "dissect", "-t", form, "-c", "2", path))[1]
		require.True(t, strings.HasPrefix(line, "    2 "+want+" GID: fe80::fa5a:8a5e:20c7:ba33 → GID: fe80::a141:50a7:7832:cb29 RoCE 74 RC Send Middle QP=0x54a776"), line)
	}
	require.Regexp(t, `^    2 \d\d:\d\d:21\.000001 GID`, lines(good(t, "dissect", "-t", "a", "-c", "2", path))[1])
	require.Regexp(t, `^    2 2023-11-1[45] \d\d:\d\d:21\.000001 GID`, lines(good(t, "dissect", "-t", "ad", "-c", "2", path))[1])
}

func TestDissectFieldOptions(t *testing.T) {
	path := testdata.Path(t, "rocev1.pcap")
	run := func(options ...string) string {
		args := []string{"dissect", "-T", "fields", "-e", "frame.number", "-e", "infiniband.reserved", "-e", "infiniband.immdt", "--skip", "3", "-c", "1", path}
		for _, o := range options {
			args = append(args, "-E", o)
		}
		return good(t, args...)
	}
	// The fourth packet is a SEND Last with Immediate; tshark has both names twice.
	plain := run()
	require.Regexp(t, `^4\t[0-9a-f]{2}\t([0-9a-f]{8}),[0-9a-f]{8}\n$`, plain)
	require.Equal(t, "frame.number\tinfiniband.reserved\tinfiniband.immdt\n"+plain, run("header=y"))
	require.Equal(t, strings.ReplaceAll(plain, "\t", ";"), run("separator=;"))
	require.Equal(t, strings.ReplaceAll(plain, "\t", " "), run("separator=/s"))
	require.Equal(t, strings.ReplaceAll(plain, ",", "|"), run("aggregator=|"))
	first, _, _ := strings.Cut(plain, ",")
	require.Equal(t, first+"\n", run("occurrence=f"))
	require.Equal(t, first+"\n", run("occurrence=l"))
	require.Regexp(t, `^"4"\t"[0-9a-f]{2}"\t"[0-9a-f]{8},`, run("quote=d"))
	require.Regexp(t, `^'4'\t`, run("quote=s"))
}

func TestDissectCSV(t *testing.T) {
	out := good(t, "dissect", "-T", "csv", "-e", "frame.number", "-e", "infiniband.immdt", "-e", "infiniband.grh.sgid", testdata.Path(t, "rocev1.pcap"))
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 91)
	require.Equal(t, []string{"frame.number", "infiniband.immdt", "infiniband.grh.sgid"}, rows[0])
	require.Regexp(t, `^[0-9a-f]{8},[0-9a-f]{8}$`, rows[4][1])
}

func TestDissectBytes(t *testing.T) {
	out := good(t, "dissect", "-x", "-c", "1", testdata.Path(t, "native.erf.pcap"))
	data := testdata.Frames(t, testdata.Path(t, "native.erf.pcap"))[0].Data[16:]
	require.Equal(t, fmt.Sprintf("0000  % x   ", data[:16]), lines(out)[2][:6+48+2])
	require.Len(t, lines(out)[2], 6+48+2+16)
	require.Equal(t, "0010  "+fmt.Sprintf("%-48s", fmt.Sprintf("% x", data[16:]))+"  ", lines(out)[3][:6+48+2])
}

func TestDissectDecodeAs(t *testing.T) {
	path := testdata.Shared(t, "cases/port_nondefault.pcap")[0]
	require.Contains(t, lines(good(t, "dissect", path))[0], " UDP 90 49153 → 14791 Len=48")
	for _, d := range []string{"udp.port==14791", "udp.port==14791,infiniband"} {
		require.Contains(t, lines(good(t, "dissect", "-d", d, path))[0], " RRoCE 90 RC Send Only QP=0x000011")
	}
	require.Contains(t, lines(good(t, "dissect", path))[1], " UDP 52 5 → 4791 Len=10 [bth: need 12 bytes, have 10: unexpected EOF] [truncated]")
}

func TestDissectUserLinkType(t *testing.T) {
	data, err := os.ReadFile(testdata.Path(t, "native.pcap"))
	require.NoError(t, err)
	want, _, _ := command(t, bytes.NewReader(data), "dissect", "-")
	data[20] = 149 // the low byte of the link type
	out, errs, status := command(t, bytes.NewReader(data), "dissect", "-c", "1", "-")
	require.Equal(t, exitOK, status)
	require.Empty(t, errs)
	require.Contains(t, out, " USER2 ")
	require.Contains(t, out, " Link type 149")
	out, _, _ = command(t, bytes.NewReader(data), "dissect", "--user-dlt", "149", "-")
	require.Equal(t, want, out)
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
		{"a folder", dir, 0, dir + ": is a directory"},
		{"text", write("text", []byte("this is a letter, and no capture at all")), 0, "text: "},
		{"pcap header cut", write("head", pcap[:20]), 0, "head: "},
		{"pcap cut in a record header", write("cut1", pcap[:second+3]), 1, fmt.Sprintf("cut1: packet 2 at byte %d: ", second)},
		{"pcap cut in a packet", write("cut2", pcap[:second+30]), 1, fmt.Sprintf("cut2: packet 2 at byte %d: ", second)},
		{"ERF cut", write("cut3", record[:60]), 1, "cut3: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, errs, status := command(t, nil, "dissect", c.path, testdata.Path(t, "pads.pcap"))
			require.Equal(t, exitError, status)
			require.True(t, strings.HasPrefix(errs, "ibwire: "), errs)
			require.Contains(t, errs, c.message)
			require.Len(t, lines(errs), 1)
			require.Len(t, lines(out), c.lines+11, "and the 11 packets of the file after it")
		})
	}
}

type brokenWriter struct{ err error }

func (b brokenWriter) Write([]byte) (int, error) { return 0, b.err }

func TestDissectWriteError(t *testing.T) {
	var errs bytes.Buffer
	status := run([]string{"dissect", testdata.Path(t, "native.pcap")}, stdio{out: brokenWriter{io.ErrShortWrite}, err: &errs})
	require.Equal(t, exitError, status)
	require.Equal(t, "ibwire: writing the output: short write\n", errs.String())
}

// The recipes of the README are commands that work.
func TestRecipes(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	require.NoError(t, err)
	_, recipes, _ := strings.Cut(string(readme), "## Recipes\n")
	recipes, _, _ = strings.Cut(recipes, "\n## ")
	capture, err := os.ReadFile(testdata.Path(t, "rocev2-ipv4.pcap"))
	require.NoError(t, err)
	n := 0
	for line := range strings.Lines(recipes) {
		_, recipe, found := strings.Cut(line, "    ")
		if !found {
			continue
		}
		n++
		recipe = strings.TrimPrefix(strings.TrimSpace(recipe), "ibdump -w - | ")
		recipe, _, _ = strings.Cut(recipe, " | ")
		recipe, isRecipe := strings.CutPrefix(recipe, "ibwire ")
		require.True(t, isRecipe, line)
		recipe = strings.Replace(recipe, "capture.pcap", "-", 1)
		out, errs, status := command(t, bytes.NewReader(capture), arguments(recipe)...)
		require.Equal(t, exitOK, status, line)
		require.Empty(t, errs, line)
		if !strings.Contains(recipe, "-Y") { // there may be no such packet
			require.NotEmpty(t, out, line)
		}
	}
	require.Equal(t, 17, n)
}

// arguments splits a command line as a shell does, where blanks may be in single
// quotes.
func arguments(line string) (args []string) {
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			args = append(args, part)
		} else {
			args = append(args, strings.Fields(part)...)
		}
	}
	return args
}

// -Y writes the packets that the filter selects; --skip and -c count all of them.
func TestDissectFilter(t *testing.T) {
	path := testdata.Path(t, "rocev2-ipv4.pcap")
	number := func(args ...string) []string {
		return lines(good(t, append([]string{"dissect", "-T", "fields", "-e", "frame.number", path}, args...)...))
	}
	const filter = "infiniband.aeth or infiniband.reth"
	selected := number("-Y", filter)
	require.Equal(t, []string{"7", "11", "12"}, selected[:3]) // as in tshark
	require.Equal(t, []string{"7", "11", "12"}, number("-Y", filter, "-c", "12"))
	require.Equal(t, []string{"11", "12"}, number("--display-filter", filter, "--skip", "7", "-c", "5"))
	require.Empty(t, number("-Y", filter, "-c", "6"))
	require.Len(t, number("-Y", ""), 90)
	require.Len(t, number("-Y", "not ("+filter+")"), 90-len(selected))
	// The time since the packet before is that since any packet, as in tshark.
	require.Equal(t, []string{"1.000001000"}, lines(good(t, "dissect", "-Y", "frame.number == 5", "-T", "fields", "-e", "frame.time_delta", path)))
	require.Contains(t, good(t, "dissect", "-V", "-Y", "frame.number == 5", path), "Frame 5: ")
	require.Equal(t, "[\n]\n", good(t, "dissect", "-T", "json", "-Y", "frame.number > 90", path))
}

func TestDissectFilterErrors(t *testing.T) {
	_, errs, status := command(t, nil, "dissect", "-Y", "ip &&\n\tinfiniband.bth.destq == 0x12", "f")
	require.Equal(t, exitError, status)
	require.Equal(t, `ibwire: filter: column 8: no field is named "infiniband.bth.destq"; is it infiniband.bth.destqp or infiniband.bth.se or infiniband.bth.fecn?`+
		"\n  \\tinfiniband.bth.destq == 0x12\n  \\t^~~~~~~~~~~~~~~~~~~~\n", errs)
}

// What is inside a tunnel is what a filter goes by where it alone is shown.
func TestDissectFilterDecap(t *testing.T) {
	path := testdata.Path(t, "tunnels.pcap")
	outer := good(t, "dissect", "-Y", "vxlan", path)
	require.NotEmpty(t, outer)
	require.Empty(t, good(t, "dissect", "--decap", "-Y", "vxlan", path))
}

// block returns a block of a pcapng file.
func block(kind uint32, body []byte) []byte {
	le := binary.LittleEndian
	n := uint32(12 + len(body))
	return le.AppendUint32(append(le.AppendUint32(le.AppendUint32(nil, kind), n), body...), n)
}

// pcapng returns a pcapng file of one interface of Ethernet, and blocks.
func pcapng(blocks ...[]byte) io.Reader {
	section := block(0x0a0d0d0a, []byte{0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255})
	ethernet := block(1, []byte{1, 0, 0, 0, 0, 0, 0, 0})
	return bytes.NewReader(append(append(section, ethernet...), bytes.Join(blocks, nil)...))
}

// A simple packet block has no time: none is made up, and none of the other
// packets' goes by it.
func TestDissectPacketsWithoutTime(t *testing.T) {
	simple := block(3, make([]byte, 4+16))
	simple[8] = 16
	enhanced := func(second byte) []byte {
		b := make([]byte, 20+16)
		binary.LittleEndian.PutUint32(b[8:], uint32(second)*1e6)
		b[12], b[16] = 16, 16
		return block(6, b)
	}
	run := func(args ...string) string {
		in := pcapng(simple, enhanced(2), simple, enhanced(5))
		out, errs, status := command(t, in, append([]string{"dissect", "-"}, args...)...)
		require.Empty(t, errs)
		require.Equal(t, exitOK, status)
		return out
	}
	const times = "-T fields -e frame.time_epoch -e frame.time_delta -e frame.time_relative"
	require.Equal(t, "\t\t\n2.000000000\t0.000000000\t0.000000000\n\t\t\n5.000000000\t3.000000000\t3.000000000\n", run(strings.Fields(times)...))
	for form, want := range map[string][]string{
		"r": {"          ", "  0.000000", "          ", "  3.000000"},
		"d": {"          ", "  0.000000", "          ", "  3.000000"},
		"e": {"          ", "  2.000000", "          ", "  5.000000"},
	} {
		for i, line := range lines(run("-t", form)) {
			require.Equal(t, want[i], line[6:16], form)
		}
	}
	require.NotContains(t, lines(run("-T", "ndjson"))[0], "frame.time")
}

// Blocks that are skipped are warnings, the first ones written out, and make the
// exit status that of a file that could not be read.
func TestDissectWarnings(t *testing.T) {
	stray := block(6, []byte{9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	out, errs, status := command(t, pcapng(bytes.Repeat(stray, 30)), "dissect", "-")
	require.Empty(t, out)
	require.Equal(t, exitError, status)
	require.Len(t, lines(errs), maxWarnings+1)
	require.Contains(t, lines(errs)[0], "ibwire: standard input: packet 1 at byte 48: ")
	require.Equal(t, "ibwire: standard input: 10 more warnings", lines(errs)[maxWarnings])
}
