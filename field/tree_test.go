package field_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/field"
	"github.com/ibwire/ibwire/linktype"
	"github.com/ibwire/ibwire/testdata"
)

// treeOf returns the tree of a native packet, from the line InfiniBand on.
func treeOf(t *testing.T, wire string) string {
	t.Helper()
	f := &field.Frame{Packet: &ibwire.Packet{}, Number: 1}
	err := f.Decode(linktype.InfiniBand, unhex(t, wire))
	tree := string(field.AppendTree(nil, f, err))
	_, after, found := strings.Cut(tree, "\nInfiniBand\n")
	require.True(t, found, tree)
	return after
}

// behind returns the lines of a tree behind the one that begins with first.
func behind(t *testing.T, tree, first string) string {
	t.Helper()
	i := strings.Index(tree, first)
	require.GreaterOrEqual(t, i, 0, tree)
	return tree[i:]
}

const rdSend = "00020002000b00014440ffff0000012300000010000000778001000000000045303132333435363731af3fde3c62"

func TestTree(t *testing.T) {
	require.Equal(t, `    Local Route Header
        0000 .... = Virtual Lane: 0x0
        .... 0000 = Link Version: 0
        0000 .... = Service Level: 0
        .... 00.. = Reserved (2 bits): 0
        .... ..10 = Link Next Header: 0x2
        Destination Local ID: 2
        0000 0... .... .... = Reserved (5 bits): 0
        .... .000 0000 1011 = Packet Length: 11
        Source Local ID: 1
    Base Transport Header
        Opcode: Reliable Datagram (RD) - SEND Only (68)
        0... .... = Solicited Event: False
        .1.. .... = MigReq: True
        ..00 .... = Pad Count: 0
        .... 0000 = Header Version: 0
        Partition Key: 65535
        Reserved: 00
            0... .... = FECN: False
            .0.. .... = BECN: False
            ..00 0000 = Reserved (6 bits): 0
        Destination Queue Pair: 0x000123
        0... .... = Acknowledge Request: False
        .000 0000 = Reserved (7 bits): 0
        Packet Sequence Number: 16
    RDETH - Reliable Datagram Extended Transport Header
        Reserved: 00
        E2E Context: 119
    DETH - Datagram Extended Transport Header
        Queue Key: 0x0000000080010000
        Reserved: 00
        Source Queue Pair: 0x00000045
    Payload: 3031323334353637
    [Payload Length: 8]
    Invariant CRC: 0x31af3fde [correct]
    [Invariant CRC Status: Good]
    [Calculated CRC: 0x31af3fde]
    Variant CRC: 0x3c62 [correct]
    [Variant CRC Status: Good]
    [Calculated CRC: 0x3c62]
`, treeOf(t, rdSend))
}

// goodCRCs returns the lines of two CRCs that are right.
func goodCRCs(icrc, vcrc string) string {
	return fmt.Sprintf(`    Invariant CRC: 0x%[1]s [correct]
    [Invariant CRC Status: Good]
    [Calculated CRC: 0x%[1]s]
    Variant CRC: 0x%[2]s [correct]
    [Variant CRC Status: Good]
    [Calculated CRC: 0x%[2]s]
`, icrc, vcrc)
}

// Lines that tshark has not, or not so.
func TestTreeOfOwnFields(t *testing.T) {
	for name, c := range map[string]struct{ wire, from, want string }{
		"FECN, BECN, reserved bits": {
			"00020002000800010440ffffff0001237f000010303132333435363752bd596eb0bd", "        Reserved: ff", `        Reserved: ff
            1... .... = FECN: True
            .1.. .... = BECN: True
            ..11 1111 = Reserved (6 bits): 63
        Destination Queue Pair: 0x000123
        0... .... = Acknowledge Request: False
        .111 1111 = Reserved (7 bits): 127
        Packet Sequence Number: 16
    Payload: 3031323334353637
    [Payload Length: 8]
` + goodCRCs("52bd596e", "b0bd")},
		"XRC": {
			"0002000200090001a440ffff00000123000000100000009930313233343536372151c752a852", "    XRCETH", `    XRCETH - XRC Extended Transport Header
        Reserved: 00
        XRC Shared Receive Queue: 0x000099
    Payload: 3031323334353637
    [Payload Length: 8]
` + goodCRCs("2151c752", "a852")},
		"XRC acknowledge": {
			"0002000200070001b140ffff00000123000000101f000005d170943ce322", "    AETH", `    AETH - ACK Extended Transport Header
        Syndrome: 31, Ack
            0... .... = Reserved: 0
            .00. .... = OpCode: Ack (0)
            ...1 1111 = Credit Count: 31 (no credit limit)
        Message Sequence Number: 5
    [Payload Length: 0]
` + goodCRCs("d170943c", "e322")},
		"credits": {
			"0002000200070001b140ffff00000123000000100e0000052b4031d4a026", "            ...0", `            ...0 1110 = Credit Count: 14 (128 credits)
        Message Sequence Number: 5
    [Payload Length: 0]
` + goodCRCs("2b4031d4", "a026")},
		"RNR Nak": {
			"0002000200070001b140ffff00000123000000102100000543ff602c21fe", "        Syndrome", `        Syndrome: 33, RNR Nak
            0... .... = Reserved: 0
            .01. .... = OpCode: RNR Nak (1)
            ...0 0001 = Timer: 0.01 ms (1)
        Message Sequence Number: 5
    [Payload Length: 0]
` + goodCRCs("43ff602c", "21fe")},
		"FLUSH": {
			"00020002000b00011c40ffff0000012300000010000000111122334455667788aabbccdd000000086ec122afe5b7", "    FETH", `    FETH - FLUSH Extended Transport Header
        0000 0000 0000 0000 0000 0000 00.. .... = Reserved (26 bits): 0
        ..01 .... = Selectivity Level: Whole Memory Region (1)
        .... 0001 = Placement Type: Global Visibility (1)
    RETH - RDMA Extended Transport Header
        Virtual Address: 0x1122334455667788
        Remote Key: 0xaabbccdd
        DMA Length: 8 (0x00000008)
    [Payload Length: 0]
` + goodCRCs("6ec122af", "e5b7")},
		"pad": {
			"00020002000800010470ffff00000123000000104142434445000000328335fb2285", "    Payload", `    Payload: 4142434445
    [Payload Length: 5]
    Pad: 000000
` + goodCRCs("328335fb", "2285")},
		"trailer": {
			"00020002000800010440ffff00000123000000103031323334353637d7a387384a60eeeeeeeeeeee", "    Invariant", goodCRCs("d7a38738", "4a60") + "    Trailer: eeeeeeeeeeee\n"},
		"truncated": {
			"00020002000900010440ffff000001230000001030313233", "    Payload", `    Payload: 30313233
    [Payload Length: 12]
    [Invariant CRC Status: Not present]
    [Variant CRC Status: Not present]
[Packet truncated: a length field counts more bytes than are there]
`},
		"cut header": {
			"00020002000b00010a40ffff000001230000001011223344", "        Packet Sequence", `        Packet Sequence Number: 16
    [Payload Length: 4]
    [Invariant CRC Status: Not present]
    [Variant CRC Status: Not present]
Cut header: 11223344
[Packet truncated: a length field counts more bytes than are there]
[Not decoded: ext: RETH needs 16 bytes, have 4: unexpected EOF]
`},
	} {
		require.Equal(t, c.want, behind(t, treeOf(t, c.wire), c.from), name)
	}
}

// A long payload is cut as tshark cuts it.
func TestTreeOfLongPayload(t *testing.T) {
	wire := "0002000200150001" + "0440ffff0000012300000010" + strings.Repeat("41", 60) + "00000000" + "0000"
	require.Contains(t, treeOf(t, wire), "    Payload: "+strings.Repeat("41", 36)+"…\n    [Payload Length: 60]\n")
}

// The outer headers, and two tags of different kinds.
func TestTreeOfTags(t *testing.T) {
	var tree string
	each(t, testdata.Path(t, "ether.pcap"), func(f *field.Frame, err error) {
		if f.Number == 4 {
			tree = string(field.AppendTree(nil, f, err))
		}
	})
	tree, _, _ = strings.Cut(tree, "User Datagram Protocol")
	require.Equal(t, `Frame 4: 94 bytes on wire (752 bits), 94 bytes captured (752 bits)
    Arrival Time: Nov 14, 2023 22:13:23.000003000 UTC
    Epoch Time: 1700000003.000003000 seconds
    [Time delta from previous captured frame: 1.000001000 seconds]
    [Time since reference or first frame: 3.000003000 seconds]
    Frame Number: 4
    Frame Length: 94 bytes (752 bits)
    Capture Length: 94 bytes (752 bits)
    [Protocols in frame: eth:ethertype:ieee8021ad:ethertype:vlan:ethertype:ipv6:udp:infiniband:data]
Ethernet II, Src: 02:00:82:80:97:bd, Dst: 02:00:9e:37:86:83
    Destination: 02:00:9e:37:86:83
    Source: 02:00:82:80:97:bd
    Type: 802.1ad Provider Bridge (Q-in-Q) (0x88a8)
IEEE 802.1ad, ID: 2289
    010. .... .... .... = Priority: 2
    ...1 .... .... .... = DEI: 1
    .... 1000 1111 0001 = ID: 2289
    Type: 802.1Q Virtual LAN (0x8100)
802.1Q Virtual LAN, PRI: 4, DEI: 0, ID: 714
    100. .... .... .... = Priority: Video, < 100ms latency and jitter (4)
    ...0 .... .... .... = DEI: Ineligible
    .... 0010 1100 1010 = ID: 714
    Type: IPv6 (0x86dd)
Internet Protocol Version 6, Src: fe80::2c74:2f60:f685:f84f, Dst: fe80::b391:2ec8:6125:a6f8
    0110 .... = Version: 6
    .... 0110 1010 .... .... .... .... .... = Traffic Class: 0x6a (DSCP: AF31, ECN: ECT(0))
        .... 0110 10.. .... .... .... .... .... = Differentiated Services Codepoint: Assured Forwarding 31 (26)
        .... .... ..10 .... .... .... .... .... = Explicit Congestion Notification: ECN-Capable Transport codepoint '10' (2)
    .... 1011 1001 1011 0011 0101 = Flow Label: 0xb9b35
    Payload Length: 32
    Next Header: UDP (17)
    Hop Limit: 9
    Source Address: fe80::2c74:2f60:f685:f84f
    Destination Address: fe80::b391:2ec8:6125:a6f8
`, tree)
}
