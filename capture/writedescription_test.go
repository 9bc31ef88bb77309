package capture_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/capture"
	"github.com/ibwire/ibwire/linktype"
)

// What a pcapng file says of its sections and interfaces and the file that is
// written does not is a loss of their packets, of which here are two.
func TestWriterDescriptionLosses(t *testing.T) {
	for _, o := range orders {
		text := []byte("some text")
		header := func(options ...[]byte) []byte {
			return block(o, 0x0a0d0d0a, u32s(o, 0x1a2b3c4d), u16s(o, 1, 0), bytes.Repeat([]byte{0xff}, 8), bytes.Join(options, nil))
		}
		end := option(o, 0, nil)
		iface := func(options ...[]byte) []byte { return ifaceBlock(o, 247, 0, append(options, end)...) }
		for _, c := range []struct {
			name           string
			section, iface []byte
			pcapng, other  int // packets of which something is lost
		}{
			{"nothing", section(o), ifaceBlock(o, 247, 0), 0, 0},
			{"an end of options", header(end), iface(), 0, 0},
			{"comment of the section", header(option(o, 1, text), end), iface(), 2, 2},
			{"hardware, OS, application", header(option(o, 2, text), option(o, 3, text), option(o, 4, text), end), iface(), 2, 2},
			{"no end of options", header(option(o, 4, text)), iface(), 2, 2},
			{"comment", section(o), iface(option(o, 1, text)), 2, 2},
			{"name", section(o), iface(option(o, 2, text)), 0, 2},
			{"description", section(o), iface(option(o, 3, text)), 0, 2},
			{"long name", section(o), iface(option(o, 2, bytes.Repeat(text, 30))), 2, 2},
			{"long description", section(o), iface(option(o, 3, bytes.Repeat(text, 30))), 2, 2},
			{"address", section(o), iface(option(o, 6, counting(6))), 2, 2},
			{"speed", section(o), iface(option(o, 8, counting(8))), 2, 2},
			{"filter", section(o), iface(option(o, 11, append([]byte{0}, text...))), 2, 2},
			{"OS", section(o), iface(option(o, 12, text)), 2, 2},
			{"hardware", section(o), iface(option(o, 15, text)), 2, 2},
			{"resolution and offset of times", section(o), iface(option(o, 9, []byte{9}), option(o, 14, make([]byte, 8))), 0, 0},
			{"everything", header(option(o, 1, text), end), iface(option(o, 2, text), option(o, 12, text)), 2, 2},
		} {
			packet := enhanced(o, 0, 1<<40, 4, counting(4))
			file := slices.Concat(c.section, c.iface, packet, packet)
			for format, want := range map[capture.Format]int{
				capture.FormatPcapng: c.pcapng, capture.FormatPcap: c.other, capture.FormatERF: c.other,
			} {
				_, lost, notHeld := rewrite(t, file, format)
				require.Zero(t, notHeld, c.name)
				require.Equal(t, want, lost[capture.LossDescription], "%s, %s", c.name, format)
			}
		}
	}
}

// A section has its own description, and each interface.
func TestWriterDescriptionLossesOfOne(t *testing.T) {
	packet := func(id uint32) []byte { return enhanced(le, id, 1<<40, 4, counting(4)) }
	filter := ifaceBlock(le, 247, 0, option(le, 11, []byte("\x00udp")))
	comment := block(le, 0x0a0d0d0a, u32s(le, 0x1a2b3c4d), u16s(le, 1, 0), bytes.Repeat([]byte{0xff}, 8), option(le, 1, []byte("text")))
	file := slices.Concat(section(le), ifaceBlock(le, 247, 0), filter, packet(0), packet(1), packet(0),
		comment, ifaceBlock(le, 247, 0), packet(0), section(le), ifaceBlock(le, 247, 0), packet(0))
	_, lost, _ := rewrite(t, file, capture.FormatPcapng)
	require.Equal(t, losses{capture.LossDescription: 2}, lost)
}

// The names that ports of ERF records get in pcapng are not lost while the
// records are there, which say the same.
func TestWriterPortNames(t *testing.T) {
	record := erfRecord(erfAt, 30, packets[0], 2) // of port B
	file, lost, _ := rewrite(t, record, capture.FormatPcapng)
	require.Empty(t, lost)
	_, ifaces := describe(t, file)
	require.Equal(t, "Port B", ifaces[0].Name)
	for _, f := range []capture.Format{capture.FormatERF, capture.FormatPcap, capture.FormatPcapng} {
		_, lost, _ = rewrite(t, file, f)
		require.Empty(t, lost, f)
	}
	_, lost, _ = rewrite(t, file, capture.FormatPcap, capture.As(linktype.InfiniBand))
	require.Equal(t, 1, lost[capture.LossInterface])
	other := bytes.Replace(file, []byte("Port B"), []byte("Port C"), 1)
	_, lost, _ = rewrite(t, other, capture.FormatERF)
	require.Equal(t, losses{capture.LossDescription: 1}, lost)
}
