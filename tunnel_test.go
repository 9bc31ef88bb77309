package ibwire_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/linktype"
	"github.com/ibwire/ibwire/lrh"
	"github.com/ibwire/ibwire/testdata"
)

// unhex returns the bytes of hexadecimal digits, which may have blanks.
func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	require.NoError(t, err)
	return b
}

// RoCE v2 in VXLAN, in ERSPAN, and in ERSPAN whose switch has cut it.
func TestMirrorTunnels(t *testing.T) {
	frames := testdata.Frames(t, testdata.Shared(t, "cases/mirror_tunnels.pcap")[0])
	require.Len(t, frames, 3)
	var p ibwire.Packet
	for i, c := range []struct {
		layers string
		inner  int // where the inner frame begins
		icrc   ibwire.CRC
		cut    bool
	}{
		{"Ethernet IPv4 UDP VXLAN BTH", 50, ibwire.CRC{Status: ibwire.Good, Value: 0x087ef23a, Expected: 0x087ef23a}, false},
		{"Ethernet IPv4 UDP GRE ERSPAN II BTH", 50, ibwire.CRC{Status: ibwire.Good, Value: 0x087ef23a, Expected: 0x087ef23a}, false},
		{"Ethernet IPv4 UDP GRE ERSPAN II BTH", 50, ibwire.CRC{}, true},
	} {
		require.NoError(t, p.Decode(linktype.Ethernet, frames[i].Data))
		require.Equal(t, c.layers, p.Layers().String())
		require.Equal(t, ibwire.Ethernet|ibwire.IPv4|ibwire.UDP|ibwire.BTH, p.Inside())
		require.Equal(t, ibwire.RoCEv2, p.Encapsulation())
		require.EqualValues(t, 4, p.BTH.OpCode)
		require.EqualValues(t, 100, p.BTH.PSN)
		require.Equal(t, "192.0.2.2", p.IPv4.DstIP.String(), "of the inner packet")
		require.Equal(t, c.icrc, p.ICRC())
		require.Equal(t, c.cut, p.Truncated)
		require.Equal(t, 32, p.PayloadLen, "by the length fields")

		link, inner, ok := p.Inner()
		require.True(t, ok)
		require.Equal(t, linktype.Ethernet, link)
		require.Equal(t, frames[i].Data[c.inner:], inner)

		packet := gopacket.NewPacket(frames[i].Data, layers.LayerTypeEthernet, gopacket.NoCopy)
		require.Equal(t, c.icrc, ibwire.ICRC(packet))
	}
}

// outerEthernet are the addresses in front of a tunnel.
const outerEthernet = "020000000002 020000000001 "

// over returns a frame of Ethernet with IP that carries what hex digits say, in
// front of inner.
func over(t testing.TB, protocol byte, header string, inner []byte) []byte {
	t.Helper()
	behind := append(unhex(t, header), inner...)
	ip := []byte{0x45, 0, 0, 0, 0, 1, 0, 0, 64, protocol, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2}
	n := len(ip) + len(behind)
	ip[2], ip[3] = byte(n>>8), byte(n)
	return append(append(unhex(t, outerEthernet+"0800"), ip...), behind...)
}

// Every tunnel, with the frame inside it found and its ICRC verified.
func TestTunnels(t *testing.T) {
	roce := testdata.Frames(t, testdata.Path(t, "rocev2-ipv4.pcap"))[0].Data
	ip := roce[14:]
	udp := func(port string) string { return "c000" + port + "0000 0000" }
	var p ibwire.Packet
	for _, c := range []struct {
		name   string
		data   []byte
		layers string
		link   linktype.Type
	}{
		{"ERSPAN I", over(t, 47, "0000 88be", roce), "Ethernet IPv4 UDP GRE BTH", linktype.Ethernet},
		{"ERSPAN II", over(t, 47, "1000 88be 00000001 10010001 00000002", roce), "Ethernet IPv4 UDP GRE ERSPAN II BTH", linktype.Ethernet},
		{"ERSPAN III", over(t, 47, "1000 22eb 00000001 20010001 00000002 00030000", roce), "Ethernet IPv4 UDP GRE ERSPAN III BTH", linktype.Ethernet},
		{"ERSPAN III with a sub-header", over(t, 47, "1000 22eb 00000001 20010001 00000002 00030001 0102030405060708", roce), "Ethernet IPv4 UDP GRE ERSPAN III BTH", linktype.Ethernet},
		{"ERSPAN III of IP", over(t, 47, "1000 22eb 00000001 20010001 00000002 00030800", ip), "Ethernet IPv4 UDP GRE ERSPAN III BTH", linktype.IPv4},
		{"GRE of Ethernet, with checksum, key and sequence number", over(t, 47, "b000 6558 00000000 00000001 00000002", roce), "Ethernet IPv4 UDP GRE BTH", linktype.Ethernet},
		{"GRE of IP", over(t, 47, "0000 0800", ip), "Ethernet IPv4 UDP GRE BTH", linktype.IPv4},
		{"GRE with a route", over(t, 47, "4000 0800 00000000 00010004 0a000001 00000000", ip), "Ethernet IPv4 UDP GRE BTH", linktype.IPv4},
		{"MPLS in IP", over(t, 137, "00010140", ip), "Ethernet IPv4 UDP MPLS BTH", linktype.IPv4},
		{"two MPLS labels", append(unhex(t, outerEthernet+"8847 00010040 00020140"), ip...), "Ethernet IPv4 UDP MPLS BTH", linktype.IPv4},
		{"VXLAN", over(t, 17, udp("12b5")+"08000000 00000100", roce), "Ethernet IPv4 UDP VXLAN BTH", linktype.Ethernet},
		{"Geneve with options", over(t, 17, udp("17c1")+"0200 6558 00000100 0000010100000000", roce), "Ethernet IPv4 UDP Geneve BTH", linktype.Ethernet},
		{"IPv4 in IPv4", over(t, 4, "", ip), "Ethernet IPv4 UDP BTH", linktype.IPv4},
		{"VXLAN in GRE", over(t, 47, "0000 6558", over(t, 17, udp("12b5")+"08000000 00000100", roce)), "Ethernet IPv4 UDP GRE VXLAN BTH", linktype.Ethernet},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.NoError(t, p.Decode(linktype.Ethernet, c.data))
			require.Equal(t, c.layers, p.Layers().String())
			require.Equal(t, ibwire.RoCEv2, p.Encapsulation())
			require.Equal(t, ibwire.Good, p.ICRC().Status)
			link, inner, ok := p.Inner()
			require.True(t, ok)
			require.Equal(t, c.link, link)
			if link == linktype.IPv4 {
				require.Equal(t, ip, inner)
			} else {
				require.Equal(t, roce, inner)
			}
			require.Zero(t, testing.AllocsPerRun(10, func() { _ = p.Decode(linktype.Ethernet, c.data) }))
		})
	}
}

// sample is the sample packet of the specification, without its VCRC.
const sample = "7012375c000e17d20a2024870087b1b3000dec2a01710a1c015d400238f27a050000000ebb884d85fd5cfba4728bc0690ed400009625b75a"

// mirror returns a raw packet with a mirror header in front of inner, and a VCRC.
func mirror(t testing.TB, etherType string, inner string) []byte {
	t.Helper()
	b := unhex(t, "0000000500000007 0000"+etherType+"deadbeef"+inner)
	words := (len(b) + 3) / 4
	b[4], b[5] = byte(words>>8), byte(words)
	b = append(b, make([]byte, words*4-len(b))...)
	return append(b, 0x12, 0x34)
}

func TestPortMirror(t *testing.T) {
	var p ibwire.Packet
	good := ibwire.CRC{Status: ibwire.Good, Value: 0x9625b75a, Expected: 0x9625b75a}
	for _, c := range []struct {
		name       string
		data       []byte
		icrc, vcrc ibwire.CRC
		trailer    string
		cut        bool
	}{
		{"no VCRC of its own", mirror(t, "1123", sample), good, ibwire.CRC{}, "1234", false},
		{"with its VCRC, and padding", mirror(t, "1123", sample+"45fa"), good,
			ibwire.CRC{Status: ibwire.Good, Value: 0x45fa, Expected: 0x45fa}, "00001234", false},
		{"cut by the switch", mirror(t, "1123", sample[:80]), ibwire.CRC{}, ibwire.CRC{}, "1234", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.NoError(t, p.Decode(linktype.InfiniBand, c.data))
			require.Equal(t, "LRH RWH Mirror BTH RETH", p.Layers().String())
			require.Equal(t, ibwire.LRH|ibwire.BTH|ibwire.RETH, p.Inside())
			require.EqualValues(t, 0xdeadbeef, p.Mirror.Prefix)
			require.EqualValues(t, 0x375c, p.LRH.DLID, "of the inner packet")
			require.Equal(t, 16, p.Offset(ibwire.LRH))
			require.Equal(t, ibwire.Native, p.Encapsulation())
			require.Equal(t, c.icrc, p.ICRC())
			require.Equal(t, c.vcrc, p.VCRC())
			require.Equal(t, c.cut, p.Truncated)
			require.Equal(t, c.trailer, hex.EncodeToString(p.Trailer))

			link, inner, ok := p.Inner()
			require.True(t, ok)
			require.Equal(t, linktype.InfiniBand, link)
			require.Equal(t, c.data[16:len(c.data)-2], inner, "without the VCRC of the mirror")

			packet := gopacket.NewPacket(c.data, lrh.LayerTypeLRH, gopacket.NoCopy)
			require.Equal(t, "LRH RWH Mirror LRH BTH RETH Payload", names(packet))
			require.Equal(t, c.icrc, ibwire.ICRC(packet))
			require.Equal(t, c.vcrc, ibwire.VCRC(packet))
		})
	}
}

// names returns the layer types of a packet.
func names(packet gopacket.Packet) string {
	var all []string
	for _, l := range packet.Layers() {
		all = append(all, l.LayerType().String())
	}
	return strings.Join(all, " ")
}

// What follows another EtherType is no mirrored packet until somebody says so.
func TestRegisterMirror(t *testing.T) {
	var p ibwire.Packet
	data := mirror(t, "4321", sample)
	require.NoError(t, p.Decode(linktype.InfiniBand, data))
	require.Equal(t, "LRH RWH", p.Layers().String())
	_, _, ok := p.Inner()
	require.False(t, ok)
	lrh.RegisterMirror(0x4321)
	require.NoError(t, p.Decode(linktype.InfiniBand, data))
	require.Equal(t, "LRH RWH Mirror BTH RETH", p.Layers().String())
	require.Equal(t, ibwire.Good, p.ICRC().Status)
}

// An inner header that is cut leaves the outer one of its kind as it is.
func TestCutInside(t *testing.T) {
	var p ibwire.Packet
	err := p.Decode(linktype.InfiniBand, mirror(t, "1123", sample[:8]))
	require.ErrorContains(t, err, "lrh: need 8 bytes, have 4")
	require.Equal(t, "LRH RWH Mirror", p.Layers().String())
	require.EqualValues(t, 5, p.LRH.DLID)
	require.Equal(t, "7012375c", hex.EncodeToString(p.Cut))
	_, _, ok := p.Inner()
	require.False(t, ok)
}

// What is inside is a packet, not a header of one more tunnel.
func TestInnerInFrontOfUnknown(t *testing.T) {
	var p ibwire.Packet
	for _, labels := range []string{"00010140", "00010040 00020140"} {
		inner := unhex(t, outerEthernet+"8847"+labels+"ffffffff")
		require.NoError(t, p.Decode(linktype.Ethernet, over(t, 17, "c000 12b5 0000 0000 0800000000000100", inner)))
		require.Equal(t, ibwire.Ethernet|ibwire.MPLS, p.Inside())
		link, data, ok := p.Inner()
		require.True(t, ok)
		require.Equal(t, linktype.Ethernet, link)
		require.Equal(t, inner, data)
	}
}

// A VCRC is that of the innermost packet, and RoCE has none; the one of the raw
// packet around it is a trailer.
func TestRoCEInRaw(t *testing.T) {
	roce := testdata.Frames(t, testdata.Path(t, "rocev1.pcap"))[0].Data
	ip := over(t, 17, "c000 12b5 0000 0000 0800000000000100", roce)[14:]
	data := append(unhex(t, "0000 0005 0000 0007 0000 0800"), ip...)
	data = append(data, make([]byte, -len(data)&3)...)
	data[4], data[5] = byte(len(data)/4>>8), byte(len(data)/4)
	data = append(data, 0x12, 0x34)
	var p ibwire.Packet
	require.NoError(t, p.Decode(linktype.InfiniBand, data))
	require.Equal(t, ibwire.RoCEv1, p.Encapsulation())
	require.Equal(t, ibwire.Good, p.ICRC().Status)
	require.False(t, p.HasVCRC())
	require.Equal(t, ibwire.CRC{}, p.VCRC())
	require.Equal(t, "1234", hex.EncodeToString(p.Trailer[len(p.Trailer)-2:]))
	packet := gopacket.NewPacket(data, lrh.LayerTypeLRH, gopacket.NoCopy)
	require.Equal(t, ibwire.CRC{}, ibwire.VCRC(packet))
	require.Equal(t, ibwire.Good, ibwire.ICRC(packet).Status)
}

// The headers behind an inner IPv4 header are its own, whatever is outside.
func TestIPv4InIPv6(t *testing.T) {
	inner := unhex(t, "4500001c 00010000 403c0000 c0000201 c0000202 1100000000000000") // protocol 60
	data := append(unhex(t, "60000000 0020 2f 40 20010db8000000000000000000000001 20010db8000000000000000000000002 0000 0800"), inner...)
	var p ibwire.Packet
	require.NoError(t, p.Decode(linktype.IPv6, data))
	require.Equal(t, "IPv4 IPv6 GRE", p.Layers().String())
	require.Equal(t, inner[20:], p.Payload)
}
