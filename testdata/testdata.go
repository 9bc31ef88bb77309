// Package testdata gives the tests of this module their captures: the ones in
// this folder, which the program in gen writes, and the ones of a folder
// outside the module, where it is present.
package testdata

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/gopacket/layers"
	"github.com/google/gopacket/pcapgo"
	"github.com/stretchr/testify/require"
)

// root returns the folder of the module, from anywhere inside it.
func root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	require.NoError(t, err)
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		require.NotEqual(t, dir, parent, "no go.mod above the test's folder")
		dir = parent
	}
}

// Path returns the path of a file of this folder.
func Path(t testing.TB, name string) string {
	t.Helper()
	return filepath.Join(root(t), "testdata", name)
}

// Glob returns the paths of the files of this folder that match pattern.
func Glob(t testing.TB, pattern string) []string {
	t.Helper()
	return glob(t, Path(t, pattern))
}

// Shared returns the paths of the files that match pattern in the folder of
// captures that are not the module's own. That is $IBWIRE_SHARED or, without
// it, the folder shared beside the module's. Where there is no such folder the
// test is skipped.
func Shared(t testing.TB, pattern string) []string {
	t.Helper()
	dir := os.Getenv("IBWIRE_SHARED")
	if dir == "" {
		dir = filepath.Join(root(t), "..", "shared")
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("needs the captures outside the module, and %s is not there", dir)
	}
	return glob(t, filepath.Join(dir, pattern))
}

func glob(t testing.TB, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.NotEmpty(t, paths, "no file is %s", pattern)
	return paths
}

// A Frame is a packet as a capture file holds it.
type Frame struct {
	File string
	N    int // from 1
	Link layers.LinkType
	Data []byte
}

// Frames reads the frames of a pcap, pcapng or ERF file, which may be
// compressed with gzip. What is behind a damaged record is left out.
func Frames(t testing.TB, path string) []Frame {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(bytes.NewReader(data))
		require.NoError(t, err)
		data, err = io.ReadAll(z)
		require.NoError(t, err)
	}
	var frames []Frame
	add := func(link layers.LinkType, data []byte) {
		frames = append(frames, Frame{filepath.Base(path), len(frames) + 1, link, data})
	}
	switch {
	case strings.Contains(filepath.Base(path), ".erf") && !strings.Contains(path, ".pcap"):
		erf(data, add)
	case bytes.HasPrefix(data, []byte{0x0a, 0x0d, 0x0d, 0x0a}):
		pcapng(data, add)
	default:
		pcap(data, add)
	}
	return frames
}

func erf(data []byte, add func(layers.LinkType, []byte)) {
	for len(data) >= 16 {
		n := int(binary.BigEndian.Uint16(data[10:]))
		if n < 16 || n > len(data) {
			return
		}
		add(197, data[:n:n])
		data = data[n:]
	}
}

// pcap is a loop of its own, since pcapgo refuses what capture files in the
// field hold: records longer than the snap length or the packet's length.
func pcap(data []byte, add func(layers.LinkType, []byte)) {
	if len(data) < 24 {
		return
	}
	var order binary.ByteOrder = binary.LittleEndian
	if data[0] == 0xa1 {
		order = binary.BigEndian
	}
	if m := order.Uint32(data); m != 0xa1b2c3d4 && m != 0xa1b23c4d {
		return
	}
	link := layers.LinkType(order.Uint32(data[20:]))
	for data = data[24:]; len(data) >= 16; {
		n := order.Uint32(data[8:])
		if uint64(n) > uint64(len(data)-16) {
			return
		}
		add(link, data[16:16+n:16+n])
		data = data[16+n:]
	}
}

func pcapng(data []byte, add func(layers.LinkType, []byte)) {
	r, err := pcapgo.NewNgReader(bytes.NewReader(data), pcapgo.NgReaderOptions{WantMixedLinkType: true})
	for err == nil {
		packet, ci, readErr := r.ReadPacketData()
		if err = readErr; err == nil && len(ci.AncillaryData) > 0 {
			add(ci.AncillaryData[0].(layers.LinkType), packet)
		}
	}
}

// A Want is what a frame of this folder must decode to: a line of the file
// NAME.want.jsonl beside NAME. README.md says what each field means.
type Want struct {
	N          int            `json:"n"`
	What       string         `json:"what"`
	Layers     []string       `json:"layers"`
	Fields     map[string]any `json:"fields"` // json.Number, string or a list of them
	Payload    string         `json:"payload"`
	Pad        string         `json:"pad"`
	ICRC       string         `json:"icrc"`
	VCRC       string         `json:"vcrc"`
	Trailer    string         `json:"trailer"`
	ERFTrailer string         `json:"erf_trailer"`
	Truncated  bool           `json:"truncated"`
	Error      string         `json:"error"`
}

// Wants reads what the frames of a file of this folder must decode to.
func Wants(t testing.TB, path string) []Want {
	t.Helper()
	f, err := os.Open(strings.TrimSuffix(path, ".pcap") + ".want.jsonl")
	require.NoError(t, err)
	defer f.Close()
	d := json.NewDecoder(f)
	d.UseNumber()
	d.DisallowUnknownFields()
	var wants []Want
	for {
		var w Want
		if err := d.Decode(&w); errors.Is(err, io.EOF) {
			return wants
		} else {
			require.NoError(t, err, path)
		}
		wants = append(wants, w)
	}
}
