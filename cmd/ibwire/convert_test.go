package main

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/testdata"
)

// converted runs ibwire convert and returns the file that it writes.
func converted(t *testing.T, in []byte, name string, flags ...string) (out []byte, errs string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	_, errs, status := command(t, bytes.NewReader(in), append([]string{"convert", "-", path}, flags...)...)
	require.Equal(t, exitOK, status, errs)
	out, err := os.ReadFile(path)
	require.NoError(t, err)
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".*"))
	require.NoError(t, err)
	require.Empty(t, left)
	return out, errs
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return b
}

// There and back, files are the same byte for byte, and nothing is lost.
func TestConvertThereAndBack(t *testing.T) {
	native := []string{"native.pcap", "opcodes-unassigned.pcap", "lengths.pcap", "pads.pcap"}
	inERF := []string{"native.erf.pcap", "erf-types.pcap", "cuts-native.erf.pcap"}
	raw := []string{"native-padded.erf", "erf-types-padded.erf"}
	ethernet := []string{"rocev1.pcap", "rocev2-ipv4.pcap", "rocev2-ipv6.pcap", "pads-roce.pcap", "ether.pcap", "cuts.pcap"}
	type step struct{ file, flags string }
	for _, c := range []struct {
		name  string
		files []string
		steps []step // "a" for the first file that has the resolution of the source
	}{
		{"pcap 197, raw ERF", native, []step{{"a.pcap", "--link-type erf"}, {"b.erf", ""}, {"c.pcap", "-F same --link-type infiniband"}}},
		{"raw ERF, pcap 197", raw, []step{{"a.pcap", ""}, {"b.erf", ""}}},
		{"pcap 247, pcap 197", native, []step{{"a.pcap", "--link-type 197"}, {"b.pcap", "-F same --link-type 247"}}},
		{"pcap 247, raw ERF", native, []step{{"a.erf", ""}, {"b.pcap", "-F same --link-type infiniband"}}},
		{"pcap 247, pcapng", native, []step{{"a.pcapng", ""}, {"b.pcap", ""}}},
		{"pcap 197, pcapng", inERF, []step{{"a.pcapng", ""}, {"b.pcap", ""}}},
		{"raw ERF, pcapng", raw, []step{{"a.pcapng", ""}, {"b.erf", ""}}},
		{"Ethernet, pcapng", ethernet, []step{{"a.pcapng", ""}, {"b.pcap", ""}}},
		{"Ethernet, raw ERF", ethernet, []step{{"a.erf", ""}, {"b.pcap", "-F same --link-type ethernet"}}},
		{"Ethernet, ERF in pcapng", ethernet, []step{{"a.pcapng", "--link-type erf"}, {"b.pcap", "-F same --link-type ethernet"}}},
	} {
		for _, name := range c.files {
			file := readFile(t, testdata.Path(t, name))
			same := "pcap"
			if file[0] == 0x4d {
				same = "nsecpcap"
			}
			out := file
			for i, s := range c.steps {
				var errs string
				flags := strings.Fields(strings.ReplaceAll(s.flags, "same", same))
				out, errs = converted(t, out, s.file, flags...)
				if name != "erf-types-padded.erf" { // it has PAD records
					require.Empty(t, errs, "%s, %s", c.name, name)
				}
				require.False(t, i == 0 && bytes.Equal(file, out), "%s, %s", c.name, name)
			}
			if name == "erf-types-padded.erf" {
				file = withoutPads(file)
			}
			require.Equal(t, file, out, "%s, %s", c.name, name)
		}
	}
}

// withoutPads returns a file of ERF records without those that are padding.
func withoutPads(file []byte) (out []byte) {
	for len(file) > 0 {
		n := int(file[10])<<8 + int(file[11])
		if file[8] != 48 {
			out = append(out, file[:n]...)
		}
		file = file[n:]
	}
	return out
}

// A real capture and what other programs made of it.
func TestConvertRealCapture(t *testing.T) {
	pcap := testdata.Shared(t, "captures/infiniband-erf-01-31.pcap")[0]
	raw := readFile(t, testdata.Shared(t, "captures/derived-infiniband-01-31.erf")[0])
	out, errs := converted(t, readFile(t, pcap), "a.erf")
	require.Empty(t, errs)
	require.Equal(t, raw, out)
	out, errs = converted(t, raw, "a.pcap", "-F", "pcap")
	require.Empty(t, errs)
	require.Equal(t, readFile(t, pcap), out)
	_, errs = converted(t, raw, "a.pcapng", "--link-type", "infiniband")
	require.Equal(t, "ibwire: 21 packets: pcapng of link type INFINIBAND does not hold the last digits of the time\n", errs)
}

// What is lost is said once, with the number of packets, which is counted by
// hand: see TestWriterLosses in package capture.
func TestConvertLosses(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.pcap")
	_, errs, status := command(t, nil, "convert", "--link-type", "ethernet", testdata.Path(t, "erf-types-padded.erf"), out)
	require.Equal(t, exitError, status)
	got := lines(errs)
	require.Equal(t, []string{
		"ibwire: 4 packets: pcap of link type ETHERNET does not hold ERF extension headers",
		"ibwire: 7 packets: pcap of link type ETHERNET does not hold the ERF color",
	}, got[:2])
	require.Contains(t, got, "ibwire: 4 packets left out: ERF records of type INFINIBAND_LINK hold no packets of link type ETHERNET")
	require.Contains(t, got, "ibwire: 5 packets left out: ERF records of type INFINIBAND hold no packets of link type ETHERNET")
	require.Equal(t, "ibwire: 1 PAD record without a packet left out", got[len(got)-1])
	require.Len(t, testdata.Frames(t, out), 9)
}

// Times that jump at the beginning make an ERF file that nobody takes for one.
func TestConvertUnknownERF(t *testing.T) {
	file := pcapOf(247, []byte("abcd"), []byte("efgh"))
	binary.LittleEndian.PutUint32(file[24+16+4:], 1e9-2)
	out := filepath.Join(t.TempDir(), "out.erf")
	_, errs, status := command(t, bytes.NewReader(file), "convert", "-", out)
	require.Equal(t, exitError, status)
	require.Equal(t, "ibwire: 1 packet: ERF does not hold times that jump so much at its beginning, and will not be taken for ERF\n", errs)
	_, errs, status = command(t, nil, "dissect", out)
	require.Equal(t, exitError, status)
	require.Contains(t, errs, "not a capture file")
}

// What describes sections and interfaces and is not kept is said once.
func TestConvertDescriptions(t *testing.T) {
	le := binary.LittleEndian
	block := func(typ uint32, body string) []byte {
		n := uint32(12 + len(body))
		b := le.AppendUint32(le.AppendUint32(nil, typ), n)
		return le.AppendUint32(append(b, body...), n)
	}
	section := block(0x0a0d0d0a, "\x4d\x3c\x2b\x1a\x01\x00\x00\x00"+strings.Repeat("\xff", 8)+"\x04\x00\x04\x00prog\x00\x00\x00\x00")
	iface := block(1, "\xf7\x00\x00\x00\x00\x00\x00\x00"+"\x02\x00\x03\x00ib0\x00\x00\x00\x00\x00")
	packet := block(6, strings.Repeat("\x00", 12)+"\x04\x00\x00\x00\x04\x00\x00\x00abcd")
	plain := section[:24:24] // without its options
	plain = le.AppendUint32(plain, 28)
	le.PutUint32(plain[4:], 28)
	file := func(section []byte) []byte { return slices.Concat(section, iface, packet, packet) }
	for _, name := range []string{"a.pcapng", "a.pcap", "a.erf"} {
		_, errs := converted(t, file(section), name)
		require.Regexp(t, "^ibwire: 2 packets: (pcapng|pcap|ERF) does not hold all that describes the interface or section\n$", errs)
	}
	got, errs := converted(t, file(plain), "a.pcapng")
	require.Empty(t, errs)
	require.Equal(t, file(plain), got)
}

func TestConvertSelection(t *testing.T) {
	in := readFile(t, testdata.Path(t, "native.pcap"))
	header, all := packets(t)
	for _, c := range []struct {
		flags    string
		from, to int
	}{
		{"", 0, 180},
		{"--first 1 --count 1", 0, 1},
		{"--first 100 -c 7", 99, 106},
		{"--first 180", 179, 180},
		{"--first 181", 180, 180},
		{"--count 500", 0, 180},
	} {
		out, errs := converted(t, in, "out.pcap", strings.Fields(c.flags)...)
		require.Empty(t, errs)
		require.Equal(t, append(header[:24:24], bytes.Join(all[c.from:c.to], nil)...), out, c.flags)
	}
}

// The format is that of -F, of the extension or of the source.
func TestConvertFormat(t *testing.T) {
	micro, nano := readFile(t, testdata.Path(t, "native.pcap")), readFile(t, testdata.Path(t, "pads.pcap"))
	for _, c := range []struct {
		in    []byte
		out   string
		flags string
		magic string
	}{
		{micro, "a.pcap", "", "\xd4\xc3\xb2\xa1"},
		{micro, "a.CAP", "", "\xd4\xc3\xb2\xa1"},
		{micro, "a", "", "\xd4\xc3\xb2\xa1"},
		{nano, "a.pcap", "", "\x4d\x3c\xb2\xa1"},
		{nano, "a.dat", "-F pcapng", "\x0a\x0d\x0d\x0a"},
		{micro, "a.pcap", "-F nsecpcap", "\x4d\x3c\xb2\xa1"},
		{nano, "a.pcapng", "", "\x0a\x0d\x0d\x0a"},
		{micro, "a.erf", "", "\x00\x00\x00\x00\x00\xf1\x53\x65"},
	} {
		out, errs := converted(t, c.in, c.out, strings.Fields(c.flags)...)
		require.Empty(t, errs)
		require.Equal(t, c.magic, string(out[:len(c.magic)]), c.out)
	}
	_, errs := converted(t, nano, "a.pcap", "-F", "pcap") // the third of 11 has whole microseconds
	require.Contains(t, errs, " packets: pcap does not hold the last digits of the time\n")
	out, errs, status := command(t, bytes.NewReader(micro), "convert", "-", "-")
	require.Equal(t, exitOK, status, errs)
	require.Equal(t, string(micro), out)
}

func TestConvertUserDLT(t *testing.T) {
	native := readFile(t, testdata.Path(t, "native.pcap"))
	user := bytes.Clone(native)
	user[20] = 147
	out, errs := converted(t, user, "a.pcap", "--user-dlt", "147")
	require.Empty(t, errs)
	require.Equal(t, native, out)
	out, _ = converted(t, user, "a.pcap")
	require.Equal(t, user, out)
}

func TestConvertUsage(t *testing.T) {
	for args, want := range map[string]string{
		"convert --first 0 a b":                "--first 0: want 1 or more",
		"convert -c 0 a b":                     "-c 0: want 1 or more",
		"convert -F xml a b":                   "-F xml: want pcap, nsecpcap, pcapng or erf",
		"convert --link-type 113 a b":          "--link-type 113: want erf, infiniband, ethernet, ipv4 or ipv6",
		"convert --link-type ethernet a b.erf": "an ERF file holds no packets but in ERF records",
		"convert a b.pcap.gz":                  "b.pcap.gz: files are not written compressed",
		"convert --user-dlt 1 a b":             "--user-dlt 1: want a link type",
		"convert a":                            `expected "<out>"`,
		"convert nowhere b.pcap":               "ibwire: open nowhere: no such file or directory",
	} {
		_, errs, status := command(t, nil, strings.Fields(args)...)
		require.Equal(t, exitError, status, args)
		require.Contains(t, errs, want, args)
	}
	require.NoFileExists(t, "b.pcap")
	require.Contains(t, good(t, "help", "convert"), "The exit status is 2 if")
}

// tshark reads every file that is written, packet for packet, but those of link
// type 247, which it does not know, and ERF files that are reported.
func TestConvertForTshark(t *testing.T) {
	tshark, err := exec.LookPath("tshark")
	if err != nil {
		t.Skip("needs tshark")
	}
	out := t.TempDir()
	run := func(in, name string, flags ...string) {
		path := filepath.Join(out, name)
		_, errs, _ := command(t, nil, append([]string{"convert", in, path}, flags...)...)
		if data, err := os.ReadFile(path); err != nil || len(data) == 0 || strings.Contains(errs, "not be taken for ERF") {
			return
		}
		list := exec.CommandContext(soon(t), tshark, "-n", "-r", path, "-T", "fields", "-e", "frame.number")
		var stderr bytes.Buffer
		list.Stderr = &stderr
		got, err := list.Output()
		require.NoError(t, err, "%s to %s: %s", in, name, stderr.String())
		numbers, _, _ := command(t, nil, "dissect", "-T", "fields", "-e", "frame.number", path)
		require.Equal(t, numbers, string(got), "%s to %s", in, name)
		require.NoError(t, os.Remove(path))
	}
	for _, in := range append(testdata.Glob(t, "*.pcap"), testdata.Glob(t, "*.erf")...) {
		run(in, "a.erf")
	}
	for _, name := range []string{"native.pcap", "pads.pcap", "native-padded.erf"} {
		run(testdata.Path(t, name), "a.pcapng", "--link-type", "erf")
		run(testdata.Path(t, name), "a.pcap", "--link-type", "erf")
	}
	for _, name := range []string{"rocev1.pcap", "erf-types.pcap", "ether.pcap"} {
		in := testdata.Path(t, name)
		run(in, "a.pcapng")
		run(in, "a.pcap", "-F", "nsecpcap")
		run(in, "b.pcapng", "--link-type", "ethernet")
		run(in, "b.pcap", "--link-type", "ethernet", "--first", "3", "--count", "5")
	}
}

// What goes to a pipe fails as it must.
func TestConvertPipe(t *testing.T) {
	_, errs, status := command(t, strings.NewReader("no capture at all"), "convert", "-", "-")
	require.Equal(t, exitError, status)
	require.Contains(t, errs, "not a capture file")
	status = run([]string{"convert", testdata.Path(t, "native.pcap"), "-"}, stdio{out: brokenWriter{io.ErrShortWrite}, err: io.Discard})
	require.Equal(t, exitError, status)
}
