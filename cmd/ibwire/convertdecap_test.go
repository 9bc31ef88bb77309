package main

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/testdata"
)

// pcapOf returns a pcap file of the given link type, with a packet a second.
func pcapOf(link byte, packets ...[]byte) []byte {
	file := []byte{0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, link, 0, 0, 0}
	for i, p := range packets {
		for _, n := range []int{1e9 + i, 0, len(p), len(p)} {
			file = binary.LittleEndian.AppendUint32(file, uint32(n))
		}
		file = append(file, p...)
	}
	return file
}

// inVXLAN puts an Ethernet frame in a tunnel.
func inVXLAN(frame []byte) []byte {
	udp := 8 + 8 + len(frame)
	out := append(make([]byte, 12), 8, 0)
	ip := append([]byte{0x45, 0}, binary.BigEndian.AppendUint16(nil, uint16(20+udp))...)
	ip = append(ip, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2)
	ports := []byte{0x30, 0x39, 0x12, 0xb5, byte(udp >> 8), byte(udp), 0, 0}
	vxlan := []byte{8, 0, 0, 0, 0, 0, 42, 0}
	return slices.Concat(out, ip, ports, vxlan, frame)
}

func TestConvertDecapTunnel(t *testing.T) {
	frames := testdata.Frames(t, testdata.Path(t, "rocev1.pcap"))
	one, two := frames[0].Data, frames[1].Data
	want := pcapOf(1, one, two, two)
	got, errs := converted(t, pcapOf(1, inVXLAN(one), two, inVXLAN(inVXLAN(two))), "a.pcap", "--decap")
	require.Empty(t, errs)
	require.Equal(t, want, got)
}

// A packet in the port mirror of a switch, which has 16 bytes before it and a
// VCRC behind it, as ibdump strips them.
func TestConvertDecapMirror(t *testing.T) {
	inner := testdata.Frames(t, testdata.Path(t, "native.pcap"))[0].Data
	inner = inner[:len(inner)-2] // whole words, to the ICRC
	words := (16 + len(inner)) / 4
	mirror := slices.Concat([]byte{0, 0, 0, 5, 0, byte(words), 0, 6, 0, 0, 0x11, 0x23, 0, 0, 0, 0}, inner, []byte{0xab, 0xcd})
	record := func(flags byte, packet []byte) []byte {
		n := byte(16 + len(packet))
		return append([]byte{0, 0, 0, 0, 0, 0xca, 0x9a, 0x3b, 21, flags, 0, n, 0, 3, 0, byte(len(packet))}, packet...)
	}
	got, errs := converted(t, pcapOf(197, record(4, mirror)), "a.pcap", "--decap")
	require.Empty(t, errs)
	require.Equal(t, pcapOf(197, record(5, inner)), got)
	got, errs = converted(t, pcapOf(247, mirror), "a.pcap", "--decap")
	require.Empty(t, errs)
	require.Equal(t, pcapOf(247, inner), got)
	_, errs = converted(t, pcapOf(197, record(0x14, mirror), record(4, inner)), "a.pcap", "--decap")
	require.Equal(t, "ibwire: 1 packet: pcap does not hold ERF flags\n", errs)

	// Records that are taken off lose no interface that they never had, and new
	// ones have the flags of new ones.
	const lossCounter = "ibwire: 1 packet: pcap of link type INFINIBAND does not hold the ERF loss counter\n"
	got, errs = converted(t, pcapOf(197, record(4, mirror)), "a.pcap", "--decap", "--link-type", "infiniband", "-F", "pcap")
	require.Equal(t, lossCounter, errs)
	require.Equal(t, pcapOf(247, inner)[20:], got[20:]) // behind the snap length
	_, errs = converted(t, pcapOf(197, record(5, mirror)), "a.pcap", "--decap", "--link-type", "infiniband")
	require.ElementsMatch(t, lines(lossCounter+"ibwire: 1 packet: pcap of link type INFINIBAND does not hold the interface\n"), lines(errs))
	got, errs = converted(t, pcapOf(247, mirror), "a.pcap", "--decap", "--link-type", "erf")
	require.Empty(t, errs)
	want := record(4, inner)
	want[13] = 0 // no loss counter
	require.Equal(t, want, got[40:])

	cut := record(4, mirror)
	cut = cut[:len(cut)-10]
	got, errs = converted(t, pcapOf(197, cut), "a.pcap", "--decap")
	require.Empty(t, errs)
	want = record(5, inner)
	want[11] -= 8 // of the ten bytes, two were the VCRC
	require.Equal(t, want[:12], got[40:52])
	require.True(t, bytes.HasSuffix(got, inner[:len(inner)-8]))
}

// -Y selects packets by what is written of them, and -c counts all.
func TestConvertFilter(t *testing.T) {
	frames := testdata.Frames(t, testdata.Path(t, "rocev1.pcap"))
	one, two := frames[0].Data, frames[1].Data
	in := [][]byte{one, inVXLAN(two), one}
	for _, c := range []struct {
		flags    []string
		packets  [][]byte
		from, to int // of those, what is selected
	}{
		{[]string{"-Y", "udp"}, in, 1, 2},
		{[]string{"-Y", "not udp", "--first", "2"}, in, 2, 3},
		{[]string{"-Y", "not udp", "--decap"}, [][]byte{one, two, one}, 0, 3},
		{[]string{"-Y", "frame.number > 1", "-c", "2"}, in, 1, 2},
		{[]string{"-Y", "frame.number > 3"}, in, 3, 3},
	} {
		got, errs := converted(t, pcapOf(1, in...), "a.pcap", c.flags...)
		require.Empty(t, errs)
		before, upTo := pcapOf(1, c.packets[:c.from]...), pcapOf(1, c.packets[:c.to]...)
		require.Equal(t, append(before[:24:24], upTo[len(before):]...), got, c.flags)
	}
}
