package field_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/field"
	"github.com/ibwire/ibwire/opcode"
	"github.com/ibwire/ibwire/testdata"
)

// The texts in testdata/*.tsv are tshark's, see golden.sh.
func TestTextIsThatOfTshark(t *testing.T) {
	files, err := filepath.Glob("testdata/*.tsv")
	require.NoError(t, err)
	require.Len(t, files, 5)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		lines := slices.DeleteFunc(strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"), func(l string) bool { return l[0] == '#' })
		cols, err := field.NewColumns(strings.Split(lines[0], "\t")...)
		require.NoError(t, err, file)
		lines = lines[1:]
		require.NotEmpty(t, lines)
		name := strings.TrimSuffix(filepath.Base(file), ".tsv") + ".pcap"
		each(t, testdata.Path(t, name), func(f *field.Frame, _ error) {
			row := string(cols.AppendRow(nil, f, &field.Format{}))
			number, _, _ := strings.Cut(row, "\t")
			if len(lines) > 0 && strings.HasPrefix(lines[0], number+"\t") {
				require.Equal(t, lines[0], row, "%s, packet %d", name, f.Number)
				lines = lines[1:]
			}
		})
		require.Empty(t, lines, "lines of %s without a packet", file)
	}
}

// runTshark runs tshark on a file, with the dissectors that guess at payloads
// switched off, since they hide fields. Without tshark 4.0 the test is skipped,
// and with -short.
func runTshark(t *testing.T, path string, args ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("tshark takes seconds")
	}
	if version, err := exec.Command("tshark", "-v").Output(); err != nil || !bytes.Contains(version, []byte("TShark (Wireshark) 4.0.")) {
		t.Skip("needs tshark 4.0")
	}
	all := []string{"-n", "-r", path}
	for _, p := range []string{"tftp", "rpcordma", "smb_direct", "nvme-rdma", "lnet", "iser", "smc", "fcoib", "infiniband_sdp"} {
		all = append(all, "--disable-protocol", p)
	}
	var stderr bytes.Buffer
	cmd := exec.Command("tshark", append(all, args...)...)
	cmd.Env = append(os.Environ(), "TZ=UTC")
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, stderr.String())
	return string(out)
}

// tsharkFiles are captures that tshark can read and takes apart right, but for
// what differs says.
func tsharkFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	for _, name := range []string{"native.erf.pcap", "native-padded.erf", "rocev1.pcap", "rocev2-ipv4.pcap", "rocev2-ipv6.pcap", "erf-types.pcap", "ether.pcap"} {
		files = append(files, testdata.Path(t, name))
	}
	return append(files, "testdata/cooked.pcap", "testdata/cooked2.pcap", "testdata/ipv6ext.pcap")
}

// differs reports whether tshark differs in a packet in all that is behind the
// ERF record: in those headers of RD, XRC, CNP, FLUSH and ATOMIC WRITE that it
// does not know, link packets, first fragments, and others' packets.
func differs(f *field.Frame) bool {
	if !f.Has(ibwire.BTH) || f.Truncated {
		return true
	}
	switch o := f.BTH.OpCode; o.Transport() {
	case opcode.RC:
		return o == opcode.RCFlush || o == opcode.RCAtomicWrite
	case opcode.UC, opcode.UD:
		return false
	}
	return true
}

// noCRCs are packets where tshark finds no CRCs or other bytes: wlen is short,
// Ethernet has padding behind an acknowledge.
var noCRCs = map[string]bool{"erf-types.pcap 69": true, "ether.pcap 6": true}

// compared reports whether a field is compared with tshark. It has no text for
// those that are not its own; the payload goes to its other dissectors, pad
// included.
func compared(name string) bool {
	for _, prefix := range []string{
		"ibwire.", "data", "frame.protocols", "infiniband.payload", "infiniband.pad", "infiniband.trailer",
		"infiniband.xrceth", "infiniband.feth", "infiniband.cnp",
		"infiniband.bth.fecn", "infiniband.bth.becn", "infiniband.bth.reserved6", "ipv6.routing",
	} {
		if strings.HasPrefix(name, prefix) {
			return false
		}
	}
	return true
}

// Field for field the text is that of the tshark that is installed.
func TestTsharkFields(t *testing.T) {
	compareFields(t, tsharkFiles(t), "")
}

// The same for InfiniBand in captures of real traffic, whose payloads tshark
// takes apart too.
func TestTsharkFieldsOfSharedCaptures(t *testing.T) {
	files := testdata.Shared(t, "captures/infiniband-erf-01-31.pcap")
	compareFields(t, append(files, testdata.Shared(t, "captures/rocev2-huawei-send-001-070.pcap")...), "infiniband.")
}

// compareFields compares the fields whose names begin with prefix.
func compareFields(t *testing.T, files []string, prefix string) {
	t.Helper()
	args := []string{"-T", "fields", "-E", "separator=|"}
	var cols field.Columns
	for fd := range field.All() {
		if !compared(fd.Name) || !strings.HasPrefix(fd.Name, prefix) || slices.ContainsFunc(cols, func(c *field.Column) bool { return c.Name == fd.Name }) {
			continue
		}
		c, err := field.NewColumn(fd.Name)
		require.NoError(t, err)
		cols, args = append(cols, c), append(args, "-e", fd.Name)
	}
	texts := 0
	for _, file := range files {
		lines := strings.Split(runTshark(t, file, args...), "\n")
		each(t, file, func(f *field.Frame, _ error) {
			packet := packetOf(file, f)
			want := strings.Split(lines[f.Number-1], "|")
			got := strings.Split(string(cols.AppendRow(nil, f, &field.Format{Separator: '|'})), "|")
			require.Len(t, got, len(want), packet)
			for i, c := range cols {
				outer := strings.HasPrefix(c.Name, "frame.") || strings.HasPrefix(c.Name, "erf.")
				crc := strings.HasSuffix(c.Name, ".crc")
				ipoib := strings.HasPrefix(c.Name, "infiniband.rwh") && f.Has(ibwire.BTH) // in the payload
				if !outer && differs(f) || ipoib || c.Name == "frame" || crc && noCRCs[packet] {
					continue
				}
				if c.Name == "infiniband.reserved" { // management datagrams have it too
					require.True(t, strings.HasPrefix(want[i], got[i]), "%s, %s: %s instead of %s", packet, c.Name, got[i], want[i])
					continue
				}
				require.Equal(t, want[i], got[i], "%s, %s", packet, c.Name)
				if got[i] != "" {
					texts++
				}
			}
		})
	}
	t.Log(texts, "texts compared")
}

// The lines of a tree are tshark's, in the same order. It has more of them:
// about the interface, and what it finds out by itself.
func TestTsharkTree(t *testing.T) {
	lines := 0
	for _, file := range tsharkFiles(t) {
		trees := trees(runTshark(t, file, "-V"))
		each(t, file, func(f *field.Frame, _ error) {
			if differs(f) || noCRCs[packetOf(file, f)] {
				return
			}
			rest := trees[f.Number-1]
			for v := range f.Values() {
				if v.Field.Alias || !compared(v.Field.Name) || v.Field.Name == "frame" || generated[v.Field.Name] {
					continue
				}
				line := ourNotes.ReplaceAllString(string(v.AppendLabel(nil)), "")
				i := slices.Index(rest, line)
				require.GreaterOrEqual(t, i, 0, "%s: %q is not in\n%s", packetOf(file, f), line, strings.Join(rest, "\n"))
				rest = rest[i+1:]
				lines++
			}
		})
	}
	t.Log(lines, "lines compared")
}

// trees splits the output of tshark -V into packets, and these into lines
// without indentation.
func trees(text string) (trees [][]string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(strayBlanks.Replace(line))
		if strings.HasPrefix(line, "Frame ") && strings.Contains(line, " on wire (") {
			trees = append(trees, nil)
		}
		trees[len(trees)-1] = append(trees[len(trees)-1], line)
	}
	return trees
}

// strayBlanks are behind two names of ERF types.
var strayBlanks = strings.NewReplacer(" )", ")", "  (", " (")

// ourNotes are additions to lines of tshark's, and generated lines that tshark
// has in another order or with a heading.
var (
	ourNotes  = regexp.MustCompile(` \((\d+ credits|no credit limit)\)`)
	generated = map[string]bool{"erf.hostid": true, "erf.sourceid": true, "erf.anchor.hostid": true, "erf.anchor.anchorid": true, "erf.ehdr.chan.vcid": true}
)

// packetOf names a packet as the keys of noCRCs do.
func packetOf(file string, f *field.Frame) string {
	return fmt.Sprintf("%s %d", filepath.Base(file), f.Number)
}
