package field_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/linktype"
)

// inIPv4 returns an IPv4 packet of a protocol, both in hexadecimal digits.
func inIPv4(protocol, payload string) string {
	return "4500" + fmt.Sprintf("%04x", 20+len(payload)/2) + "00000000" + "40" + protocol + "0000" + "0a000001" + "0a000002" + payload
}

// The lines here are those of tshark 4.0.17, but for a length of IP that has more
// than the frame.

func TestGREChecksum(t *testing.T) {
	long := strings.Replace(inIPv4("2f", "80001234"+"12340000"+"01020304"), "45000020", "45000024", 1)
	for wire, want := range map[string]string{
		inIPv4("2f", "80001234"+"69c50000"+"01020304"):        "Checksum: 0x69c5 [correct]\n    [Checksum Status: Good]",
		inIPv4("2f", "80001234"+"12340000"+"01020304"):        "Checksum: 0x1234 incorrect, should be 0x69c5\n    [Checksum Status: Bad]",
		inIPv4("2f", "80001234"+"dac50000"+"01020304"):        "Checksum: 0xdac5 incorrect, should be 0x69c5\n    [Checksum Status: Bad]",
		inIPv4("2f", "80001234"+"00000000"+"010203"):          "Checksum: 0x0000 incorrect, should be 0x69c9\n    [Checksum Status: Bad]",
		inIPv4("2f", "c0001234"+"12340000"+"00000000"+"0102"): "Checksum: 0x1234 incorrect, should be 0x2cc9\n    [Checksum Status: Bad]",
		inIPv4("2f", "40001234"+"12340000"+"00000000"+"0102"): "Checksum: 0x1234 [unverified]\n    [Checksum Status: Unverified]",
		long: "Checksum: 0x1234 [unverified]\n    [Checksum Status: Unverified]",
	} {
		require.Contains(t, wholeTree(t, linktype.IPv4, wire), "    "+want+"\n    Offset: 0\n")
	}
}

func TestGRENames(t *testing.T) {
	for proto, want := range map[string][2]string{
		"0806": {"ARP", "ARP"}, "22eb": {"ERSPAN III", "ERSPAN III"}, "880b": {"PPP", "PPP"}, "88be": {"ERSPAN", "ERSPAN"},
		"1234": {"0x1234 - unknown", "Unknown"}, "8915": {"0x8915 - unknown", "Unknown"},
	} {
		tree := wholeTree(t, linktype.IPv4, inIPv4("2f", "0000"+proto))
		require.Contains(t, tree, "\nGeneric Routing Encapsulation ("+want[0]+")\n")
		require.Contains(t, tree, "\n    Protocol Type: "+want[1]+" (0x"+proto+")\n")
	}
	require.Contains(t, wholeTree(t, linktype.IPv4, inIPv4("2f", "0f791234")), `    Flags and Version: 0x0f79
        0... .... .... .... = Checksum Bit: No
        .0.. .... .... .... = Routing Bit: No
        ..0. .... .... .... = Key Bit: No
        ...0 .... .... .... = Sequence Number Bit: No
        .... 1... .... .... = Strict Source Route Bit: Yes
        .... .111 .... .... = Recursion control: 7
        .... .... 0111 1... = Flags (Reserved): 15
        .... .... .... .001 = Version: Enhanced GRE (1)
`)
}

func TestMPLSLabels(t *testing.T) {
	for label, want := range map[int][2]string{
		0:       {"0 (IPv4 Explicit-Null)", "IPv4 Explicit-Null (0)"},
		1:       {"1 (Router Alert)", "Router Alert (1)"},
		2:       {"2 (IPv6 Explicit-Null)", "IPv6 Explicit-Null (2)"},
		3:       {"3 (Implicit-Null)", "Implicit-Null (3)"},
		4:       {"4 (Reserved - Unknown)", "Unknown (4)"},
		7:       {"7 (Entropy Label Indicator (ELI))", "Entropy Label Indicator (ELI) (7)"},
		13:      {"13 (Generic Associated Channel Label (GAL))", "Generic Associated Channel Label (GAL) (13)"},
		14:      {"14 (OAM Alert)", "OAM Alert (14)"},
		0x32417: {"205847", "205847 (0x32417)"},
	} {
		tree := wholeTree(t, linktype.Ethernet, "020000000001"+"020000000002"+"8847"+fmt.Sprintf("%05x3ef", label))
		require.Contains(t, tree, "\nMultiProtocol Label Switching Header, Label: "+want[0]+", Exp: 1, S: 1, TTL: 239\n")
		require.Contains(t, tree, " = MPLS Label: "+want[1]+"\n")
	}
}

func TestTunnelFlags(t *testing.T) {
	udp := func(port, header string) string {
		return wholeTree(t, linktype.IPv4, inIPv4("11", "c000"+port+fmt.Sprintf("%04x", 8+len(header)/2)+"0000"+header))
	}
	for flags, want := range map[string]string{
		"0000": "0x0000", "0801": "0x0801, VXLAN Network ID (VNI)",
		"ffff": "0xffff, GBP Extension, VXLAN Network ID (VNI), Don't Learn, Policy Applied",
	} {
		require.Contains(t, udp("12b5", flags+"0000"+"00000100"), "\n    Flags: "+want+"\n")
	}
	require.Contains(t, udp("12b5", "ffff0000"+"00000100"), "\n        .111 .111 1.11 .111 = Reserved(R): 0x77b7\n")
	for flags, want := range map[string]string{
		"00": "0x00", "01": "0x01, Reserved", "c0": "0xc0, Operations, Administration and Management Frame, Critical Options Present",
		"ff": "0xff, Operations, Administration and Management Frame, Critical Options Present, Reserved",
	} {
		require.Contains(t, udp("17c1", "00"+flags+"1234"+"00000100"), "\n    Flags: "+want+"\n")
	}
	require.Contains(t, udp("17c1", "80801234"+"00002a09"),
		"\nGeneric Network Virtualization Encapsulation, VNI: 0x00002a, OAM\n    Version: 2\n    Length: 0 bytes\n")
	require.Contains(t, udp("17c1", "02001234"+"00002a00"+"0001010100000000"), "\n    Reserved: 0x00\n    Options: (8 bytes)\n")
}

// A tag that GRE announces, by an EtherType that is not at its end.
func TestServiceTagBehindGRE(t *testing.T) {
	require.Contains(t, wholeTree(t, linktype.IPv4, inIPv4("2f", "200088a8"+"00000001"+"00051234")), "\nIEEE 802.1ad, ID: 5\n")
	require.Contains(t, wholeTree(t, linktype.IPv4, inIPv4("2f", "20008100"+"000088a8"+"00051234")), "\n802.1Q Virtual LAN, PRI: 0, DEI: 0, ID: 5\n")
}
