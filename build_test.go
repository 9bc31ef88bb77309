package ibwire_test

import (
	"encoding/hex"
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/bth"
	"github.com/ibwire/ibwire/erf"
	"github.com/ibwire/ibwire/ext"
	"github.com/ibwire/ibwire/grh"
	"github.com/ibwire/ibwire/linktype"
	"github.com/ibwire/ibwire/lrh"
	"github.com/ibwire/ibwire/opcode"
)

// all is a packet by its layers, from the outside in.
type all = []gopacket.SerializableLayer

// build serializes layers with lengths and checksums.
func build(t *testing.T, packet all) []byte {
	t.Helper()
	buf := gopacket.NewSerializeBuffer()
	require.NoError(t, gopacket.SerializeLayers(buf, computed, packet...))
	return buf.Bytes()
}

// local and send begin the native packets of another program.
func local() *lrh.LRH { return &lrh.LRH{LNH: lrh.LNHLocal, DLID: 2, SLID: 1} }

func send(o opcode.Opcode) *bth.BTH {
	return &bth.BTH{OpCode: o, MigReq: true, PKey: 0xffff, DestQP: 0x123, PSN: 0x10}
}

var (
	eightBytes = gopacket.Payload("01234567")
	sgid       = netip.MustParseAddr("fe80::2:c903:0:1111")
	dgid       = netip.MustParseAddr("fe80::2:c903:0:2222")
)

// with returns v, changed.
func with[T any](v *T, change func(*T)) *T {
	change(v)
	return v
}

// The packets were put together by other programs, with CRCs of their own; the
// first is the sample packet of the specification.
func TestBuildNative(t *testing.T) {
	for _, c := range []struct {
		name   string
		packet all
		want   string
	}{
		{"IBTA sample", all{
			&lrh.LRH{VL: 7, SL: 1, LNH: lrh.LNHLocal, DLID: 0x375c, SLID: 0x17d2},
			&bth.BTH{OpCode: opcode.RCWriteOnly, PKey: 0x2487, DestQP: 0x87b1b3, PSN: 0x0dec2a},
			&ext.RETH{VA: 0x01710a1c015d4002, RKey: 0x38f27a05, DMALen: 14},
			gopacket.Payload("\xbb\x88\x4d\x85\xfd\x5c\xfb\xa4\x72\x8b\xc0\x69\x0e\xd4"),
		}, "7012375c000e17d20a2024870087b1b3000dec2a01710a1c015d400238f27a050000000ebb884d85fd5cfba4728bc0690ed400009625b75a45fa"},
		{"RD SEND", all{local(), send(opcode.RDSendOnly), &ext.RDETH{EEContext: 0x77}, &ext.DETH{QKey: 0x80010000, SrcQP: 0x45}, eightBytes},
			"00020002000b00014440ffff0000012300000010000000778001000000000045303132333435363731af3fde3c62"},
		{"RD Acknowledge", all{local(), send(opcode.RDAcknowledge), &ext.RDETH{EEContext: 0x77}, &ext.AETH{Syndrome: 0x1f, MSN: 5}},
			"00020002000800015140ffff0000012300000010000000771f000005fe1273bd71dd"},
		{"XRC SEND", all{local(), send(opcode.XRCSendOnly), &ext.XRCETH{XRCSRQ: 0x99}, eightBytes},
			"0002000200090001a440ffff00000123000000100000009930313233343536372151c752a852"},
		{"ATOMIC WRITE", all{local(), send(opcode.RCAtomicWrite), &ext.RETH{VA: 0x1122334455667788, RKey: 0xaabbccdd, DMALen: 8}, eightBytes},
			"00020002000c00011d40ffff00000123000000101122334455667788aabbccdd00000008303132333435363787b2cfe330c2"},
		{"FLUSH", all{local(), send(opcode.RCFlush), &ext.FETH{Word: 0x11}, &ext.RETH{VA: 0x1122334455667788, RKey: 0xaabbccdd, DMALen: 8}},
			"00020002000b00011c40ffff0000012300000010000000111122334455667788aabbccdd000000086ec122afe5b7"},
		{"FECN, BECN, Rsv6, Rsv7", all{local(), with(send(opcode.RCSendOnly), func(b *bth.BTH) {
			b.FECN, b.BECN, b.Rsv6, b.Rsv7 = true, true, 0x3f, 0x7f
		}), eightBytes},
			"00020002000800010440ffffff0001237f000010303132333435363752bd596eb0bd"},
		{"PadCnt 3", all{local(), send(opcode.RCSendOnly), gopacket.Payload("ABCDE")},
			"00020002000800010470ffff00000123000000104142434445000000328335fb2285"},
		{"SEND", all{local(), send(opcode.RCSendOnly), eightBytes},
			"00020002000800010440ffff00000123000000103031323334353637d7a387384a60"},
		{"bytes behind", all{with(local(), func(l *lrh.LRH) { l.Trailer = []byte("\xee\xee\xee\xee\xee\xee") }), send(opcode.RCSendOnly), eightBytes},
			"00020002000800010440ffff00000123000000103031323334353637d7a387384a60eeeeeeeeeeee"},
		{"Acknowledge with 4 bytes too many", all{local(), send(opcode.RCAcknowledge), &ext.AETH{Syndrome: 0x1f, MSN: 5}, gopacket.Payload("\x99\x99\x99\x99")},
			"00020002000800011140ffff00000123000000101f0000059999999964a6c8cde2d3"},
		{"CNP", all{local(), with(send(opcode.NativeCNP), func(b *bth.BTH) { b.BECN = true }), gopacket.Payload(make([]byte, 16))},
			"00020002000a00018040ffff4000012300000010000000000000000000000000000000008d9e5b59a87d"},
		{"reserved bits", all{&lrh.LRH{LVer: 15, SL: 15, Rsv2: 3, LNH: lrh.LNHLocal, DLID: 2, Rsv5: 31, SLID: 1}, send(opcode.RCSendOnly), eightBytes},
			"0ffe0002f80800010440ffff0000012300000010303132333435363704b13f7435a9"},
		{"raw packet", all{&lrh.LRH{DLID: 2, SLID: 1}, &lrh.RWH{EtherType: 0x1234}, eightBytes},
			"0000000200050001000012343031323334353637d839"},
		{"GRH of another transport", all{with(local(), func(l *lrh.LRH) { l.LNH = lrh.LNHGlobal }),
			&grh.GRH{IPVer: 6, TClass: 0x12, FlowLabel: 0x34567, NxtHdr: 0x3a, HopLmt: 64, SGID: sgid, DGID: dgid}, gopacket.Payload(unhex(t, "0440ffff0000012300000010303132333435363704055c64"))},
			"00030002001200016123456700183a40fe800000000000000002c90300001111fe800000000000000002c903000022220440ffff0000012300000010303132333435363704055c644b20"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := build(t, c.packet)
			require.Equal(t, c.want, hex.EncodeToString(got))
			l := c.packet[0].(*lrh.LRH)
			require.True(t, l.HasVCRC)
			require.Equal(t, c.want[len(c.want)-4-2*len(l.Trailer):len(c.want)-2*len(l.Trailer)], hex.EncodeToString([]byte{byte(l.VCRC >> 8), byte(l.VCRC)}))
			if l.LNH == lrh.LNHLocal {
				require.NoError(t, ibwire.Finish(linktype.InfiniBand, got))
				require.Equal(t, c.want, hex.EncodeToString(got), "a native packet is finished")
			}
		})
	}
}

// A wrong length is written as it is, and the CRCs are where the bytes end.
func TestBuildWrongLength(t *testing.T) {
	checksums := gopacket.SerializeOptions{ComputeChecksums: true}
	for pktLen, want := range map[uint16]string{
		7: "00020002000700010440ffff000001230000001030313233343536375f78874e2926",
		9: "00020002000900010440ffff000001230000001030313233343536370349f4a3033d",
	} {
		buf := gopacket.NewSerializeBuffer()
		l := local()
		l.PktLen = pktLen
		require.NoError(t, gopacket.SerializeLayers(buf, checksums, l, send(opcode.RCSendOnly), eightBytes))
		require.Equal(t, want, hex.EncodeToString(buf.Bytes()))
	}
}

var macs = layers.Ethernet{SrcMAC: net.HardwareAddr{2, 0, 0, 0, 0, 1}, DstMAC: net.HardwareAddr{2, 0, 0, 0, 0, 2}}

func ethernet(t layers.EthernetType) *layers.Ethernet {
	e := macs
	e.EthernetType = t
	return &e
}

// overIPv4 and overIPv6 are what is outside a BTH of RoCE v2. Their UDP checksum
// is 0.
func overIPv4(tos uint8) all {
	return all{ethernet(layers.EthernetTypeIPv4), &layers.IPv4{
		Version: 4, IHL: 5, TOS: tos, Id: 1, Flags: layers.IPv4DontFragment, TTL: 64, Protocol: layers.IPProtocolUDP,
		SrcIP: net.IP{192, 0, 2, 1}, DstIP: net.IP{192, 0, 2, 2},
	}, &layers.UDP{SrcPort: 0xc001, DstPort: ibwire.UDPPort}}
}

func overIPv6() all {
	return all{ethernet(layers.EthernetTypeIPv6), &layers.IPv6{
		Version: 6, TrafficClass: 2, FlowLabel: 0x12345, NextHeader: layers.IPProtocolUDP, HopLimit: 64,
		SrcIP: net.ParseIP("2001:db8::1"), DstIP: net.ParseIP("2001:db8::2"),
	}, &layers.UDP{SrcPort: 0xc001, DstPort: ibwire.UDPPort}}
}

func toQP(qp, psn uint32) *bth.BTH {
	return &bth.BTH{OpCode: opcode.RCSendOnly, MigReq: true, PKey: 0xffff, DestQP: qp, PSN: psn}
}

// The frames are cases of another program. Where it has left out the UDP checksum,
// so does gopacket without ComputeChecksums.
func TestBuildRoCEv2(t *testing.T) {
	const mac = "020000000002020000000001"
	numbers := gopacket.Payload(unhex(t, "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"))
	for _, c := range []struct {
		name   string
		packet all
		want   string
	}{
		{"CNP", append(overIPv4(0xc0), &bth.BTH{OpCode: opcode.RoCECNP, PKey: 0xffff, BECN: true, DestQP: 0xd2}, &ext.CNP{}),
			"080045c0003c000140004011b5ecc0000201c0000202c00112b7002800008100ffff400000d2000000000000000000000000000000000000000013fdb10d"},
		{"4 bytes", append(overIPv4(2), toQP(0x11, 100), gopacket.Payload("\x01\x02\x03\x04")),
			"080045020030000140004011b6b6c0000201c0000202c00112b7001c00000440ffff000000110000006401020304dc5427a7"},
		{"5 bytes", append(overIPv4(2), toQP(0x11, 101), gopacket.Payload("\x01\x02\x03\x04\x05")),
			"080045020034000140004011b6b2c0000201c0000202c00112b7002000000470ffff0000001100000065010203040500000082b1de41"},
		{"6 bytes", append(overIPv4(2), toQP(0x11, 102), gopacket.Payload("\x01\x02\x03\x04\x05\x06")),
			"080045020034000140004011b6b2c0000201c0000202c00112b7002000000460ffff00000011000000660102030405060000ffca9c6f"},
		{"7 bytes", append(overIPv4(2), toQP(0x11, 103), gopacket.Payload("\x01\x02\x03\x04\x05\x06\x07")),
			"080045020034000140004011b6b2c0000201c0000202c00112b7002000000450ffff0000001100000067010203040506070065056002"},
		{"IPv6", append(overIPv6(), toQP(0x11, 100), numbers),
			"86dd602123450038114020010db800000000000000000000000120010db8000000000000000000000002c00112b7003800000440ffff0000001100000064" +
				hex.EncodeToString(numbers) + "4cab37e2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			buf := gopacket.NewSerializeBuffer()
			for i := len(c.packet) - 1; i >= 0; i-- {
				opts := computed
				if _, ok := c.packet[i].(*layers.UDP); ok {
					opts.ComputeChecksums = false
				}
				require.NoError(t, c.packet[i].SerializeTo(buf, opts))
			}
			require.NoError(t, ibwire.Finish(linktype.Ethernet, buf.Bytes()))
			require.Equal(t, mac+c.want, hex.EncodeToString(buf.Bytes()))
		})
	}
}

// RoCE v1 needs no Finish: its GRH is outside all that an ICRC covers. In front
// of 14 bytes of Ethernet this is the packet of a ConnectX.
func TestBuildRoCEv1(t *testing.T) {
	gid := netip.MustParseAddr("::ffff:15.0.0.2")
	packet := all{ethernet(grh.EtherType),
		&grh.GRH{IPVer: 6, TClass: 2, NxtHdr: grh.NxtHdrIBA, HopLmt: 64, SGID: gid, DGID: gid},
		&bth.BTH{OpCode: opcode.RCWriteOnly, MigReq: true, PKey: 0xffff, DestQP: 0x10a, AckReq: true, PSN: 0xa788bc},
		&ext.RETH{VA: 0x55d4c0726000, RKey: 0x47b3, DMALen: 5}, gopacket.Payload("\x00\x00\x00\x00\x01"),
	}
	want := "0200000000020200000000018915" + "6020000000281b40" + strings.Repeat("00000000000000000000ffff0f000002", 2) +
		"0a70ffff0000010a80a788bc" + "000055d4c0726000000047b300000005" + "0000000001000000" + "e3d856bb"
	got := build(t, packet)
	require.Equal(t, want, hex.EncodeToString(got))
	require.NoError(t, ibwire.Finish(linktype.Ethernet, got))
	require.Equal(t, want, hex.EncodeToString(got))

	// The same GRH in a native packet: the ICRC does not know the difference.
	packet[0] = &lrh.LRH{VL: 3, SL: 4, LNH: lrh.LNHGlobal, DLID: 5, SLID: 6}
	got = build(t, packet)
	require.Equal(t, want[28:], hex.EncodeToString(got[8:len(got)-2]))
	var p ibwire.Packet
	require.NoError(t, p.Decode(linktype.InfiniBand, got))
	require.Equal(t, good, p.VCRC().Status)
}

// Nothing is allocated for a packet of the same kind as one before it.
func TestBuildAllocatesNothing(t *testing.T) {
	buf := gopacket.NewSerializeBuffer()
	global := &lrh.LRH{LNH: lrh.LNHGlobal}
	for name, packet := range map[string]all{
		"local":  {&erf.Record{Type: erf.TypeInfiniband}, local(), send(opcode.RCSendOnly), eightBytes},
		"global": {global, &grh.GRH{IPVer: 6, NxtHdr: grh.NxtHdrIBA}, send(opcode.RCSendOnly), gopacket.Payload("ABCDE")},
	} {
		require.Zero(t, testing.AllocsPerRun(100, func() {
			if gopacket.SerializeLayers(buf, computed, packet...) != nil {
				panic("serialize")
			}
		}), name)
	}
	packet := append(overIPv4(0), send(opcode.RCSendOnly), eightBytes)
	require.NoError(t, packet[2].(*layers.UDP).SetNetworkLayerForChecksum(packet[1].(gopacket.NetworkLayer)))
	frame := build(t, packet)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if ibwire.Finish(linktype.Ethernet, frame) != nil {
			panic("finish")
		}
	}))
}
