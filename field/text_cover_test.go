package field_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/field"
	"github.com/ibwire/ibwire/linktype"
)

// wholeTree returns the tree of a packet of any link type, which decodes.
func wholeTree(t *testing.T, link linktype.Type, wire string) string {
	t.Helper()
	f := &field.Frame{Packet: &ibwire.Packet{}, Number: 1}
	require.NoError(t, f.Decode(link, unhex(t, wire)))
	return string(field.AppendTree(nil, f, nil))
}

// What Wireshark calls the EtherTypes that are near InfiniBand, in the header
// that announces them.
func TestEtherTypeNames(t *testing.T) {
	for etherType, want := range map[string]string{
		"0806": "ARP (0x0806)", "8808": "MAC Control (0x8808)", "8809": "Slow Protocols (0x8809)",
		"8847": "MPLS label switched packet (0x8847)", "8848": "MPLS multicast label switched packet (0x8848)",
		"88cc": "802.1 Link Layer Discovery Protocol (LLDP) (0x88cc)", "1234": "Unknown (0x1234)",
	} {
		require.Contains(t, wholeTree(t, linktype.Ethernet, "020000000001"+"020000000002"+etherType+"00000100"), "\n    Type: "+want+"\n")
	}
}

// ipv4 is an IPv4 header with the DSCP and ECN, and the protocol given.
func ipv4(dsField, protocol string) string {
	return "45" + dsField + "001400000000" + "40" + protocol + "0000" + "0a000001" + "0a000002"
}

func TestIPProtocolNames(t *testing.T) {
	for protocol, want := range map[string]string{
		"00": "IPv6 Hop-by-Hop Option (0)", "01": "ICMP (1)", "02": "IGMP (2)", "04": "IPIP (4)", "06": "TCP (6)", "29": "IPv6 (41)",
		"2b": "Routing Header for IPv6 (43)", "2c": "Fragment Header for IPv6 (44)", "2f": "Generic Routing Encapsulation (47)",
		"fd": "Unknown (253)", "3a": "ICMPv6 (58)", "3b": "No Next Header for IPv6 (59)", "3c": "Destination Options for IPv6 (60)",
	} {
		require.Contains(t, wholeTree(t, linktype.IPv4, ipv4("00", protocol)), "\n    Protocol: "+want+"\n")
	}
}

func TestDSCPNames(t *testing.T) {
	for dsField, want := range map[string]string{
		"00": "CS0, ECN: Not-ECT", "05": "LE, ECN: ECT(1)", "b2": "VOICE-ADMIT, ECN: ECT(0)", "bb": "EF PHB, ECN: CE",
		"20": "CS1, ECN: Not-ECT", "28": "AF11, ECN: Not-ECT", "fc": "Unknown, ECN: Not-ECT",
	} {
		require.Contains(t, wholeTree(t, linktype.IPv4, ipv4(dsField, "11")), "(DSCP: "+want+")\n")
	}
}

func TestHardwareTypeNames(t *testing.T) {
	for hardware, want := range map[string]string{
		"0001": "Ethernet (1)", "0020": "InfiniBand (32)", "0207": "Raw IP (519)", "0304": "Loopback (772)", "0203": "Unknown (515)",
	} {
		tree := wholeTree(t, linktype.LinuxSLL, "0004"+hardware+"00060000000000000000"+"1234")
		require.Contains(t, tree, "\n    Link-layer address type: "+want+"\n")
	}
}

// A tag behind Linux cooked v2, whose EtherType is at its front.
func TestServiceTagBehindLinuxCookedV2(t *testing.T) {
	for etherType, want := range map[string]string{"88a8": "IEEE 802.1ad, ID: 5\n", "8100": "802.1Q Virtual LAN, PRI: 0, DEI: 0, ID: 5\n"} {
		require.Contains(t, wholeTree(t, linktype.LinuxSLL2, etherType+"0000"+"00000001"+"0001"+"00"+"06"+"0000000000000000"+"0005"+"1234"), want)
	}
}

// record is an ERF META record with extension headers of eight bytes.
func record(headers string) string {
	return "0000000000000000" + "9b00" + fmt.Sprintf("%04x", 16+len(headers)/2) + "00000000" + headers
}

// What is said of a record as a whole: its own IDs, or none.
func TestERFExtensionHeaders(t *testing.T) {
	for name, c := range map[string]struct{ headers, want string }{
		"anchor without host": {"12800000000000ff",
			"        Flags: 0x80, Anchor Definition\n            1... .... = Anchor Definition: True\n" +
				"            .000 0000 = Reserved: 0x00\n        Anchor ID: 0x0000000000ff\n    [Host ID: 0x000000000000]\n"},
		"anchor with host": {"92000000000000ff" + "1107000000000012",
			"        Flags: 0x00\n            0... .... = Anchor Definition: False\n" +
				"            .000 0000 = Reserved: 0x00\n        Anchor ID: 0x0000000000ff\n    [Host ID: 0x000000000012]\n"},
		"entropy":    {"1309000000000000", "        Entropy: 0.31 bits\n            Raw Entropy: 9\n"},
		"no entropy": {"1300000000000000", "        Entropy: 0.00 (not calculated)\n            Raw Entropy: 0\n"},
		"flow alone": {"1009000000000000", "    [Source ID: 9]\n"},
	} {
		require.Contains(t, wholeTree(t, linktype.ERF, record(c.headers)), c.want, name)
	}
	// The source is the host's where there are both.
	tree := wholeTree(t, linktype.ERF, record("9009000000000000"+"1107000000000012"))
	require.Contains(t, tree, "    [Source ID: 7]\n")
	require.NotContains(t, tree, "    [Source ID: 9]\n")
}

func TestKinds(t *testing.T) {
	c, err := field.NewColumn("infiniband.bth.psn")
	require.NoError(t, err)
	require.Equal(t, "uint24", c.Kind().String())
	require.Equal(t, "Kind(255)", field.Kind(255).String())
}

// A loop over values may end anywhere: behind any value of a packet, which has
// some of each sort.
func TestLoopsMayEndEarly(t *testing.T) {
	f := decoded(t, rdSend)
	var all []string
	for v := range f.Values() {
		all = append(all, string(v.AppendJSON([]byte(v.Field.Name+" "))))
	}
	for n := range all {
		var got []string
		for v := range f.Values() {
			got = append(got, string(v.AppendJSON([]byte(v.Field.Name+" "))))
			if len(got) == n+1 {
				break
			}
		}
		require.Equal(t, all[:n+1], got)
	}
	for range columns(t, "infiniband.reserved")[0].Values(f) {
		break
	}
}
