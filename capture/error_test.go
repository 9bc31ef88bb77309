package capture_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/capture"
)

// An error says the file, the packet, the byte, what is there, what should be
// there, and what that means.
func TestErrorText(t *testing.T) {
	pcap := append(pcapHeader{order: le}.bytes(), pcapRecord(le, 0, 0, 3, counting(3))...)
	pcapng := slices.Concat(section(le), ifaceBlock(le, 1, 0), numbered(1))
	records := bytes.Repeat(erfRecord(erfAt, 8, counting(8), 0), 21)
	const unknown = "expected pcap, pcapng or ERF, plain or in gzip, bzip2, zstd or xz: not a capture file; "
	const convert = "if Wireshark opens it, convert it: editcap -F pcapng FILE OUT"
	const cut = "unexpected EOF; the file is cut off, or this length is wrong"
	const lost = "damaged file; the packets before are good, those behind cannot be found"
	for _, tt := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "found no bytes, " + unknown + "the file is empty"},
		{"short", []byte("ab"), "found bytes 61 62, " + unknown + convert},
		{"text", []byte("Hello world, this is text.\n"), "found bytes 48 65 6c 6c 6f 20 77 6f, " + unknown + convert},
		{"zeros", make([]byte, 100), "found bytes 00 00 00 00 00 00 00 00, " + unknown + convert},
		{"picture", []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x02\x00\x00\x00"),
			"found bytes 89 50 4e 47 0d 0a 1a 0a, " + unknown + convert},
		{"document", []byte("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n"), "found bytes 25 50 44 46 2d 31 2e 34, " + unknown + convert},
		{"compressed twice", compressBzip2(compressBzip2(pcap)), "found bytes 42 5a 68 39 31 41 59 26, " + unknown +
			"it is compressed twice: unpack it once"},
		{"gzip header cut", []byte("\x1f\x8b\x08\x00"), "found bytes 1f 8b 08 00, expected a whole gzip header: unexpected EOF"},
		{"pcap header cut", pcap[:20], "packet 1 at byte 0: found 20 bytes of the file header, expected 24: " + cut},
		{"pcap record header cut", pcap[:30], "packet 1 at byte 24: found 6 bytes of a record header, expected 16: " + cut},
		{"pcap record cut", pcap[:42], "packet 1 at byte 24: found 18 bytes of a record, expected 19: " + cut},
		{"pcap length", append(pcap[:43:43], u32s(le, 0, 0, 640034342, 0)...),
			"packet 2 at byte 43: found a packet of 640034342 bytes, expected at most 262144: " + lost},
		{"pcapng section cut", pcapng[:20], "packet 1 at byte 0: found 20 bytes of a section header, expected 28: " + cut},
		{"pcapng block header cut", pcapng[:50], "packet 1 at byte 48: found 2 bytes of a block header, expected 8: " + cut},
		{"pcapng block cut", pcapng[:60], "packet 1 at byte 48: found 12 bytes of a block, expected 36: " + cut},
		{"pcapng block length", append(pcapng, u32s(le, 6, 8, 8)...),
			"packet 2 at byte 84: found a block of 8 bytes, expected at least 12: " + lost},
		{"pcapng byte order", set(pcapng, 8, 1),
			"packet 1 at byte 0: found byte-order magic 01 00 00 00, expected 1a 2b 3c 4d or 4d 3c 2b 1a: damaged file; a file transfer in text mode does this"},
		{"pcapng version", set(pcapng, 12, 3<<16|2),
			"packet 1 at byte 0: found pcapng version 2.3, expected 1.x: not a capture file; a newer Wireshark may be able to convert it"},
		{"ERF record header cut", records[:24+9], "packet 2 at byte 24: found 9 bytes of an ERF record header, expected 16: " + cut + "; the packets before are good"},
		{"ERF record cut", records[:24+20], "packet 2 at byte 24: found 20 bytes of an ERF record, expected 24: " + cut + "; the packets before are good"},
		{"ERF record length", set(records, 20*24+8, 0x0f001515), "packet 21 at byte 480: found an ERF record of 15 bytes, expected at least 16: " + lost},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := readBytes(t, tt.data)
			require.EqualError(t, err, "capture: "+tt.want)

			path := filepath.Join(t.TempDir(), "file")
			require.NoError(t, os.WriteFile(path, tt.data, 0o600))
			r, err := capture.Open(path)
			if err == nil {
				_, err = readAll(r)
			}
			require.EqualError(t, err, "capture: "+path+": "+tt.want)
		})
	}
}

// The error of a compression is passed on and the compression named.
func TestDecompressionErrorText(t *testing.T) {
	pcap := append(pcapHeader{order: le}.bytes(), pcapRecord(le, 0, 0, 3, counting(3))...)
	damage := map[string]int{"gzip": -8, "zstd": -1, "xz": -1, "bzip2": 10} // byte of a checksum or the last magic number
	for _, c := range compressions[1:] {
		t.Run(c.name, func(t *testing.T) {
			data := c.compress(t, pcap)
			i := damage[c.name]
			if i < 0 {
				i += len(data)
			}
			data[i] ^= 0x40
			_, _, err := readBytes(t, data)
			var e *capture.Error
			require.ErrorAs(t, err, &e)
			require.Contains(t, err.Error(), "; see whether "+c.name+" itself unpacks it")
		})
	}
}
