package wireshark

import (
	"strings"

	"github.com/google/gopacket/layers"

	"github.com/ibwire/ibwire"
)

// outerRules are about the headers that lead to InfiniBand.
var outerRules = []*Rule{
	{
		ID: "hidden", In: V44, Kind: Ours,
		Fields:    []string{"eth.addr", "ip.addr", "ip.*host", "ip.version", "ipv6.addr", "ipv6.*host", "udp.port"},
		Wireshark: "nothing",
		We:        "second names of other fields",
		Fact:      "hidden fields are not in what the golden files of this version are made of",
	},
	{
		ID: "fragment", In: V44, Kind: Ours | Text, Fields: throughUDP,
		When: func(d *Difference) bool {
			f := d.Frame
			return f.Has(ibwire.IPv4|ibwire.UDP) && f.IPv4.Flags&layers.IPv4MoreFragments != 0 &&
				(d.Ours.Offset >= f.Offset(ibwire.UDP) || d.name() == "frame.protocols")
		},
		Wireshark: "waits for the other fragments",
		We:        "the headers of the first fragment",
		Fact:      "without the preference ip.defragment, which is on in the golden files of this version; 4.0 agrees",
	},
	{
		ID: "other-port", In: V44, Kind: Ours | Text, Fields: throughUDP,
		When: func(d *Difference) bool {
			f := d.Frame
			return f.Has(ibwire.UDP) && f.UDP.SrcPort == 4791 && f.UDP.DstPort == 9 &&
				(d.Ours.Offset >= f.Offset(ibwire.BTH) || d.name() == "frame.protocols")
		},
		Wireshark: "goes by the destination port, and has a dissector for port 9",
		We:        "goes by either port",
		Fact:      "4.0 has no dissector for it, and agrees",
	},
	{
		ID: "udp-bogus", In: V40, Kind: Label, Fields: []string{"udp.length"}, Seen: Shared,
		When:      func(d *Difference) bool { return strings.HasPrefix(d.Theirs.Label, d.Ours.Label+" (bogus, ") },
		Wireshark: "a remark about a length that IP's contradicts",
		We:        "the length, and ibwire.truncated",
		Fact:      "the length is what stands there",
	},
	{
		ID: "udp-payload", In: Both, Kind: Place, Fields: []string{"udp.payload"},
		When: func(d *Difference) bool {
			f := d.Frame
			return d.Theirs.Offset == d.Ours.Offset && f.Has(ibwire.IPv4) && d.Theirs.end() == f.Offset(ibwire.IPv4)-f.Start()+int(f.IPv4.Length) &&
				d.Ours.Length == int(f.UDP.Length)-8
		},
		Wireshark: "all that IP counts behind the header",
		We:        "what the length in the header counts",
		Fact:      "the length is that of header and payload (RFC 768)",
	},
	{
		ID: "qinq-place", In: Both, Kind: Place, Fields: []string{"ieee8021ad.priority", "ieee8021ad.dei"},
		When:      func(d *Difference) bool { return d.Theirs.Offset == d.Ours.Offset && d.Theirs.Length == 1 },
		Wireshark: "one byte",
		We:        "the two bytes of the tag, as in 802.1Q",
		Fact:      "the field is 16 bits wide in Wireshark too",
	},
	{
		ID: "ipv6-whole", In: Both, Kind: Place, Fields: []string{"ipv6"},
		When: func(d *Difference) bool {
			return d.Frame.Has(ibwire.IPv6Ext) && d.Theirs.Offset == d.Ours.Offset && d.Theirs.end() == ipv6ExtEnd(d)
		},
		Wireshark: "the header and its extension headers",
		We:        "the header",
		Fact:      "extension headers are headers of their own here",
	},
	{
		ID: "ipv6-routing-name", In: V40, Kind: Label, Fields: []string{"ipv6.routing"},
		When:      func(d *Difference) bool { return strings.HasPrefix(d.Theirs.Label, d.Ours.Label+" (") },
		Wireshark: "the type of routing behind the name",
		We:        "the name",
		Fact:      "extension headers of IPv6 are not taken apart here",
	},
}

// throughUDP are fields of InfiniBand, and of the UDP in front of it, that are in
// the captures where Wireshark does not get there.
var throughUDP = []string{
	"frame.protocols", "udp", "udp.srcport", "udp.dstport", "udp.length", "udp.checksum", "udp.payload",
	"infiniband", "infiniband.bth", "infiniband.bth.*", "infiniband.reserved", "infiniband.aeth", "infiniband.aeth.*",
	"infiniband.payload", "infiniband.invariant.crc",
}

// ipv6ExtEnd returns where the last extension header of IPv6 ends.
func ipv6ExtEnd(d *Difference) int {
	end := 0
	for _, h := range d.Frame.Headers {
		if h.Layer == ibwire.IPv6Ext {
			end = h.Offset + h.Length - d.Frame.Start()
		}
	}
	return end
}
