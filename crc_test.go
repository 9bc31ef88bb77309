package ibwire_test

import (
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"slices"
	"testing"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/bth"
	"github.com/ibwire/ibwire/erf"
	"github.com/ibwire/ibwire/linktype"
	"github.com/ibwire/ibwire/lrh"
	"github.com/ibwire/ibwire/testdata"
	"github.com/ibwire/ibwire/testdata/paths"
)

// Short names, for the tables.
const (
	good, bad          = ibwire.Good, ibwire.Bad
	absent, unverified = ibwire.NotPresent, ibwire.Unverified
)

// The packets are made by another program, with CRCs that are right unless the
// name says that they are not.
func TestStatuses(t *testing.T) {
	const ib, eth = linktype.InfiniBand, linktype.Ethernet
	for _, c := range []struct {
		name       string
		link       linktype.Type
		packet     string
		icrc, vcrc ibwire.Status
	}{
		{"RD SEND", ib, "00020002000b00014440ffff0000012300000010000000778001000000000045303132333435363731af3fde3c62", good, good},
		{"PadCnt 3", ib, "00020002000800010470ffff00000123000000104142434445000000328335fb2285", good, good},
		{"native CNP", ib, "00020002000a00018040ffff4000012300000010000000000000000000000000000000008d9e5b59a87d", good, good},
		{"bad CRCs", ib, "00020002000800010440ffff00000123000000103031323334353637010203040506", bad, bad},
		{"bad ICRC alone", ib, "00020002000800010440ffff00000123000000103031323334353637010203040000", bad, bad},
		{"bad VCRC alone", ib, "00020002000800010440ffff00000123000000103031323334353637d7a387380506", good, bad},
		{"without VCRC", ib, "00020002000800010440ffff00000123000000103031323334353637d7a38738", good, absent},
		{"without VCRC, bad ICRC", ib, "00020002000800010440ffff0000012300000010303132333435363701020304", bad, absent},
		{"without any CRC", ib, "00020002000800010440ffff00000123000000103031323334353637", absent, absent},
		{"6 bytes behind", ib, "00020002000800010440ffff00000123000000103031323334353637d7a387384a60eeeeeeeeeeee", good, good},
		{"bad CRCs, bytes behind", ib, "00020002000800010440ffff00000123000000103031323334353637010203040506eeee", unverified, unverified},
		{"PktLen too small", ib, "00020002000700010440ffff000001230000001030313233343536375f78874e2926", unverified, unverified},
		{"PktLen too big", ib, "00020002000900010440ffff000001230000001030313233343536370349f4a3033d", absent, absent},
		{"Acknowledge with 4 bytes too many", ib, "00020002000800011140ffff00000123000000101f0000059999999964a6c8cde2d3", good, good},
		{"raw packet", ib, "0000000200050001000012343031323334353637d839", absent, good},
		{"raw packet, bad VCRC", ib, "0000000200050001000012343031323334353637d838", absent, bad},
		{"GRH of another transport", ib, "00030002001200016123456700183a40fe800000000000000002c90300001111fe800000000000000002c903000022220440ffff0000012300000010303132333435363704055c644b20", absent, good},
		{"RoCE v1, frame check sequence", eth, "0002c90000020002c900000189156123456700141b40fe800000000000000002c90300001111fe800000000000000002c903000022221140ffff00000123000000101f0000059651ad6ddeadbeef", good, absent},
		{"RoCE v1, bad ICRC", eth, "0002c90000020002c900000189156123456700141b40fe800000000000000002c90300001111fe800000000000000002c903000022221140ffff00000123000000101f0000059651ad6c", bad, absent},
		{"RoCE v2, CNP", eth, "0002c90000020002c9000001080045c2003c12344000401113b90a0000010a000002c00012b7002800008140ffff400001230000001000000000000000000000000000000000346a13e5", good, absent},
		{"RoCE v2, CNP, bad ICRC", eth, "0002c90000020002c9000001080045c2003c12344000401113b90a0000010a000002c00012b7002800008140ffff400001230000001000000000000000000000000000000000346a13e4", bad, absent},
		{"source port 4791", eth, "0002c90000020002c900000108004502003012344000401114850a0000010a00000212b70009001c00001140ffff00000123000000101f000005e4e6c4bf", good, absent},
		{"nothing", eth, "", absent, absent},
	} {
		t.Run(c.name, func(t *testing.T) {
			data, err := hex.DecodeString(c.packet)
			require.NoError(t, err)
			var p ibwire.Packet
			require.Equal(t, c.packet == "", p.Decode(c.link, data) != nil)
			for range 2 { // computed once, and kept
				require.Equal(t, c.icrc.String(), p.ICRC().Status.String(), "ICRC")
				require.Equal(t, c.vcrc.String(), p.VCRC().Status.String(), "VCRC")
			}
			require.Equal(t, c.icrc != absent, p.ICRC().Present())
			if c.icrc == absent {
				require.Equal(t, ibwire.CRC{}, p.ICRC())
			}
		})
	}
	var p ibwire.Packet
	data, _ := hex.DecodeString("00020002000800010440ffff00000123000000103031323334353637010203040506")
	require.NoError(t, p.Decode(ib, data))
	require.Equal(t, ibwire.CRC{Status: bad, Value: 0x01020304, Expected: 0xd7a38738}, p.ICRC())
	require.Equal(t, uint32(0x0506), p.VCRC().Value)
	require.NotEqual(t, uint32(0x4a60), p.VCRC().Expected, "it covers the ICRC, which is bad")
}

// What the texts beside the awkward captures say: each ICRC in them is valid, and
// so is the VCRC of each native packet. The numbers are packets without and with
// one; the others lead to no InfiniBand, or are cut.
func TestStatusesOfAwkwardPackets(t *testing.T) {
	icrcs := map[string][2]int{
		"aeth_syndromes": {14, 0}, "bth_cut_short": {0, 0}, "cnp_0x81": {1, 0}, "erf_ext_headers": {1, 1}, "erf_mixed_types": {2, 2},
		"erf_time_vs_pcap_time": {2, 2}, "flush_atomic_write": {2, 0}, "grh_mapped_gid": {1, 0}, "iba_sample_icrc": {1, 1},
		"linktype_197_same_packet": {1, 1}, "pad_count": {4, 0}, "pcap_caplen_oddities": {3, 3}, "pcapng_mixed_links": {3, 2},
		"port_nondefault": {1, 0}, "psn_gap_go_back_n": {9, 0}, "responses_and_atomics": {7, 0}, "rocev2_ipv6": {2, 0},
		"send_invalidate_short": {2, 0}, "ud_imm": {2, 0}, "vlan_qinq": {2, 0}, "zero_len_write_imm": {1, 0},
	}
	p := ibwire.Packet{Ports: []uint16{14791}}
	for name, want := range icrcs {
		var got [2]int
		for _, f := range testdata.Frames(t, testdata.Shared(t, "cases/"+name+".pcap")[0]) {
			_ = p.Decode(linkOf(f), f.Data)
			for i, c := range []ibwire.CRC{p.ICRC(), p.VCRC()} {
				if c.Present() {
					require.Equal(t, good, c.Status, "%s, packet %d", name, f.N)
					got[i]++
				}
			}
		}
		require.Equal(t, want, got, name)
	}
}

// Where length fields are wrong, nobody can say that a CRC is. Elsewhere in these
// files every CRC is right.
func TestStatusesOfWrongLengths(t *testing.T) {
	rightICRC := []int{1, 14, 28, 29, 31, 35, 36, 37}      // of lengths.pcap
	wrongPktLen := []int{4, 9, 10, 11, 12, 13, 24, 25, 26} // that leaves a VCRC
	var p ibwire.Packet
	for _, path := range append(testdata.Glob(t, "*.pcap"), testdata.Glob(t, "*.erf")...) {
		wants := testdata.Wants(t, path)
		for i, f := range testdata.Frames(t, path) {
			_ = p.Decode(linkOf(f), f.Data)
			icrc, vcrc := good, good
			if name(path) == "lengths.pcap" {
				if !slices.Contains(rightICRC, f.N) {
					icrc = unverified
				}
				if slices.Contains(wrongPktLen, f.N) {
					vcrc = unverified
				}
			}
			if wants[i].ICRC == "" {
				icrc = absent
			}
			if wants[i].VCRC == "" {
				vcrc = absent
			}
			require.Equal(t, icrc, p.ICRC().Status, "%s, frame %d: %s", f.File, f.N, wants[i].What)
			require.Equal(t, vcrc, p.VCRC().Status, "%s, frame %d: %s", f.File, f.N, wants[i].What)
		}
	}
}

// A packet that is cut has no CRC that is bad, at whatever length. (One cut to
// what its wrong length says is as good as whole.)
func TestCutIsNeverBad(t *testing.T) {
	var p ibwire.Packet
	walk := func(t *testing.T, path string) {
		for _, f := range testdata.Frames(t, path) {
			for n := range len(f.Data) {
				_ = p.Decode(linkOf(f), f.Data[:n:n])
				if p.ICRC().Status == bad || p.VCRC().Status == bad {
					t.Fatalf("%s, frame %d, %d bytes: ICRC %v, VCRC %v", f.File, f.N, n, p.ICRC(), p.VCRC())
				}
			}
		}
	}
	for _, path := range slices.Concat(testdata.Glob(t, "*.pcap"), testdata.Glob(t, "*.erf")) {
		if name(path) != "lengths.pcap" {
			walk(t, path)
		}
	}
	t.Run("real", func(t *testing.T) {
		for _, pattern := range []string{"*infiniband*", "roce*", "hex*"} {
			for _, path := range testdata.Shared(t, "captures/"+pattern) {
				walk(t, path)
			}
		}
	})
}

// Fragments have no ICRC: the first one ends in the middle of the packet.
func TestFragmentHasNoICRC(t *testing.T) {
	var p ibwire.Packet
	for _, f := range testdata.Frames(t, testdata.Path(t, "rocev2-ipv4.pcap")) {
		for _, b := range [][]byte{{0x20, 0}, {0x20, 1}, {0, 1}} { // of flags and offset
			copy(f.Data[14+6:], b)
			require.NoError(t, p.Decode(linktype.Ethernet, f.Data))
			require.Equal(t, ibwire.CRC{}, p.ICRC())
		}
	}
	for _, f := range testdata.Frames(t, testdata.Path(t, "rocev2-ipv6.pcap")) {
		const ip, size = 14, 40
		data := slices.Insert(f.Data, ip+size, 17, 0, 0, 1, 0, 0, 0, 1)
		data[ip+6] = 44
		binary.BigEndian.PutUint16(data[ip+4:], binary.BigEndian.Uint16(data[ip+4:])+8)
		require.NoError(t, p.Decode(linktype.Ethernet, data))
		require.True(t, p.Has(ibwire.IPv6Ext|ibwire.BTH))
		require.Equal(t, ibwire.CRC{}, p.ICRC())
	}
}

// It is not settled how the ICRC covers extension headers of IPv6.
func TestExtensionHeadersOfIPv6(t *testing.T) {
	f := testdata.Frames(t, testdata.Path(t, "ether.pcap"))[10]
	var p ibwire.Packet
	require.NoError(t, p.Decode(linktype.Ethernet, f.Data))
	require.True(t, p.Has(ibwire.IPv6Ext))
	require.Equal(t, good, p.ICRC().Status)
	f.Data[len(f.Data)-1]++
	require.NoError(t, p.Decode(linktype.Ethernet, f.Data))
	require.Equal(t, unverified, p.ICRC().Status)
}

// What stands behind a frame of RoCE, padding or a frame check sequence, is no
// ICRC.
func TestFrameCheckSequence(t *testing.T) {
	var p ibwire.Packet
	for _, name := range []string{"rocev1.pcap", "rocev2-ipv4.pcap", "rocev2-ipv6.pcap"} {
		for _, f := range testdata.Frames(t, testdata.Path(t, name)) {
			for _, padding := range []int{0, 1, 46} {
				data := slices.Concat(f.Data, make([]byte, padding))
				data = binary.LittleEndian.AppendUint32(data, crc32.ChecksumIEEE(data))
				require.NoError(t, p.Decode(linktype.Ethernet, data))
				require.Equal(t, good, p.ICRC().Status)
				require.Len(t, p.Trailer, padding+4)
			}
		}
	}
}

// The verdicts on gopacket's packets, of the real captures.
func TestCRCsOfGopacket(t *testing.T) {
	for file, want := range map[string][2]int{"infiniband-erf-01-31.pcap": {31, 31}, "rocev2-huawei-send-001-070.pcap": {56, 0}} {
		var got [2]int
		for _, f := range testdata.Frames(t, testdata.Shared(t, "captures/"+file)[0]) {
			first, _ := firstLayer(f)
			p := gopacket.NewPacket(f.Data, first, gopacket.NoCopy)
			for i, c := range []ibwire.CRC{ibwire.ICRC(p), ibwire.VCRC(p)} {
				if c.Present() {
					require.Equal(t, good, c.Status)
					got[i]++
				}
			}
			require.NoError(t, paths.Error(p))
		}
		require.Equal(t, want, got)
	}
}

func TestCRCsAllocateNothing(t *testing.T) {
	var p ibwire.Packet
	n := 0
	for _, path := range testdata.Glob(t, "*.pcap") {
		for _, f := range testdata.Frames(t, path) {
			link := linkOf(f)
			if p.Decode(link, f.Data) != nil {
				continue // an error costs its text
			}
			require.Zero(t, testing.AllocsPerRun(1, func() {
				_ = p.Decode(link, f.Data)
				if p.ICRC().Present() {
					n++
				}
				p.VCRC()
			}), "%s, frame %d", f.File, f.N)
		}
	}
	require.Greater(t, n, 500)
}

// Where PktLen and PayLen contradict each other, nobody knows where a CRC is.
func TestVCRCOfContradiction(t *testing.T) {
	const right = "0003000100120002 6000000000181b00 fe800000000000000000000000000001 fe800000000000000000000000000001" +
		"0400ffff0000007700000000 3132333435363738 b166bf9f 39d8"
	var p ibwire.Packet
	require.NoError(t, p.Decode(linktype.InfiniBand, unhex(t, right)))
	require.Equal(t, ibwire.Good, p.ICRC().Status)
	for _, c := range []struct {
		what   string
		at     int
		add    byte
		behind string
	}{
		{"PktLen a word too large", 5, 1, "00000000"},
		{"PayLen 4 too large", 13, 4, ""},
		{"PayLen 4 too small", 13, 0xfc, ""},
	} {
		data := unhex(t, right+c.behind)
		data[c.at] += c.add
		require.NoError(t, p.Decode(linktype.InfiniBand, data), c.what)
		require.NotEqual(t, ibwire.Bad, p.VCRC().Status, c.what)
		require.NotEqual(t, ibwire.Bad, p.ICRC().Status, c.what)
	}
}

// What only comes from the port of RoCE v2 may be somebody else's.
func TestSourcePortAlone(t *testing.T) {
	data := append(unhex(t, "4500003c12344000401100000a0000010a000002 12b79c4000280000"), "just some text to port 40000...."...)
	var p ibwire.Packet
	require.NoError(t, p.Decode(linktype.IPv4, data))
	require.True(t, p.HasICRC())
	require.Equal(t, ibwire.Unverified, p.ICRC().Status)
	require.Equal(t, ibwire.Unverified, ibwire.ICRC(gopacket.NewPacket(data, layers.LayerTypeIPv4, gopacket.NoCopy)).Status)
	p.Ports = []uint16{40000}
	require.NoError(t, p.Decode(linktype.IPv4, data))
	require.Equal(t, ibwire.Bad, p.ICRC().Status)
}

// Of a packet in the payload of another one it is the ICRC of the inner one.
func TestICRCOfPacketInPayload(t *testing.T) {
	require.NoError(t, bth.RegisterQP(0x77, layers.LayerTypeIPv4))
	defer func() { require.NoError(t, bth.RegisterQP(0x77, gopacket.LayerTypePayload)) }()
	data := unhex(t, "0002000100130002 040000000000007700000000 4500003400000000401100000a0000010a000002 c35012b700200000"+
		"043000000000000500000000 68656c6c6f000000 9aa47959 43bf4200 da58")
	packet := gopacket.NewPacket(data, lrh.LayerTypeLRH, gopacket.NoCopy)
	require.Equal(t, ibwire.CRC{Status: ibwire.Good, Value: 0x9aa47959, Expected: 0x9aa47959}, ibwire.ICRC(packet))
}

// In a record that does not hold all of its packet, padding may stand where the
// CRCs would be.
func TestCRCsOfCutRecord(t *testing.T) {
	packet := unhex(t, "00020002000800010440ffff00000123000000103031323334353637d7a387384a60")
	record := func(flags, rlen, wlen int, packet []byte) []byte {
		b := append(make([]byte, 8), 21, byte(flags), 0, byte(rlen), 0, 0, 0, byte(wlen))
		return append(b, packet...)
	}
	cut := append(slices.Clone(packet[:30]), 0, 0)
	for _, c := range []struct {
		name       string
		data       []byte
		icrc, vcrc ibwire.Status
	}{
		{"whole", record(4, 50, 34, packet), ibwire.Good, ibwire.Good},
		{"whole, and the flag", record(12, 50, 34, packet), ibwire.Good, ibwire.Good},
		{"padded, as rlen tells", record(4, 48, 34, cut), ibwire.Unverified, ibwire.NotPresent},
		{"padded, as the flag tells", record(12, 56, 34, append(cut, 0, 0, 0, 0, 0, 0)), ibwire.Unverified, ibwire.Unverified},
		{"not cut, and wrong", record(4, 50, 34, append(slices.Clone(cut), 0, 0)), ibwire.Bad, ibwire.Bad},
	} {
		var p ibwire.Packet
		require.NoError(t, p.Decode(linktype.ERF, c.data), c.name)
		require.Equal(t, c.icrc, p.ICRC().Status, c.name)
		require.Equal(t, c.vcrc, p.VCRC().Status, c.name)
		of := gopacket.NewPacket(c.data, erf.LayerTypeERF, gopacket.NoCopy)
		require.Equal(t, c.icrc, ibwire.ICRC(of).Status, c.name)
		require.Equal(t, c.vcrc, ibwire.VCRC(of).Status, c.name)
	}
}
