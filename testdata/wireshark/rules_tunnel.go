package wireshark

import (
	"strings"

	"github.com/ibwire/ibwire"
)

// tunnelRules are about mirrors and tunnels.
var tunnelRules = []*Rule{
	{
		ID: "mirror", In: Both, Kind: Ours, Fields: []string{"infiniband", "infiniband.*", "ipv6", "ipv6.*", "ip.version", "udp", "udp.*"},
		When: func(d *Difference) bool {
			return d.Frame.Has(ibwire.Mirror) && (d.Ours.Length == 0 || d.Ours.Offset >= d.mirrorAt())
		},
		Wireshark: "does not know the header that a switch puts in front of a mirrored packet",
		We:        "the header, and the packet inside",
		Fact:      "EtherType 0x1123 is what ibdump takes for it, and behind it the LRH of the packet inside",
	},
	{
		ID: "mirror-data", In: Both, Kind: Theirs | Place, Fields: []string{"infiniband.payload"},
		When:      func(d *Difference) bool { return d.Frame.Has(ibwire.Mirror) && d.Theirs.Offset == d.mirrorAt() },
		Wireshark: "all that is behind the RWH as data",
		We:        "the payload of the packet inside",
		Fact:      "as mirror",
	},
	{
		ID: "mirror-protocols", In: Both, Kind: Text | Label, Fields: []string{"frame.protocols"},
		When: func(d *Difference) bool {
			return d.Frame.Has(ibwire.Mirror) && strings.HasPrefix(strings.TrimPrefix(d.Theirs.Text, "erf:"), "infiniband")
		},
		Wireshark: "infiniband once",
		We:        "infiniband for the packet of the mirror, and for the packet inside",
		Fact:      "as mirror",
	},
	{
		ID: "mpls-protocols", In: V44, Kind: Text, Fields: []string{"frame.protocols"},
		When: func(d *Difference) bool {
			return strings.NewReplacer("mpls:ip:", "mpls:", "mpls:ipv6:", "mpls:").Replace(d.Ours.Text) == d.Theirs.Text
		},
		Wireshark: "leaves out the protocol behind MPLS",
		We:        "IP",
		Fact:      "it shows the fields of IP all the same, and 4.0 names it",
	},
	{
		ID: "gre-checksum-name", In: V44, Kind: Text, Fields: []string{"gre.checksum.status"},
		When:      func(d *Difference) bool { return d.Theirs.Text == "Good" && d.Ours.Text == "1" },
		Wireshark: "the name of the status",
		We:        "its number",
		Fact:      "4.0 has the number",
	},
	{
		ID: "geneve-reserved", In: V44, Kind: Ours, Fields: []string{"geneve.reserved"},
		When:      func(d *Difference) bool { return d.Ours.Text == "0x00" },
		Wireshark: "hides the field if it is 0",
		We:        "the field",
		Fact:      "hidden fields are not in what the golden files of this version are made of",
	},
	{
		ID: "geneve-options", In: Both, Kind: Theirs, Fields: []string{"geneve.option.length"},
		Wireshark: "the length of each option too",
		We:        "that of all options",
		Fact:      "options of Geneve are not taken apart here",
	},
	{
		ID: "erspan-ip", In: Both, Kind: Ours, Fields: []string{"ip", "ip.*", "udp", "udp.*", "infiniband", "infiniband.*"},
		When: func(d *Difference) bool {
			return d.isERSPANOfIP() && (d.Ours.Length == 0 || d.Ours.Offset >= d.erspanEnd())
		},
		Wireshark: "does not look into ERSPAN III with a frame type of IP",
		We:        "the IP packet",
		Fact:      "frame type 2 is an IP packet (draft-foschiano-erspan-03), which Wireshark says too",
	},
	{
		ID: "erspan-ip-protocols", In: Both, Kind: Text | Label, Fields: []string{"frame.protocols"},
		When:      func(d *Difference) bool { return d.isERSPANOfIP() && strings.HasSuffix(d.Theirs.Text, "erspan:data") },
		Wireshark: "no protocol behind ERSPAN",
		We:        "the protocols in the IP packet",
		Fact:      "as erspan-ip",
	},
}

// isERSPANOfIP reports whether an ERSPAN header of type III says that an IP
// packet is behind it.
func (d *Difference) isERSPANOfIP() bool {
	const word, frameType, ip = 10, 0x7c, 2 << 2
	at := d.Frame.Offset(ibwire.ERSPANIII)
	return at >= 0 && d.Frame.Data[at+word]&frameType == ip
}

// erspanEnd returns where an ERSPAN header of type III without a sub-header ends.
func (d *Difference) erspanEnd() int {
	const size = 12
	return d.Frame.Offset(ibwire.ERSPANIII) - d.Frame.Start() + size
}

// mirrorAt returns where the first mirror header is.
func (d *Difference) mirrorAt() int {
	for _, h := range d.Frame.Headers {
		if h.Layer == ibwire.Mirror {
			return h.Offset - d.Frame.Start()
		}
	}
	return -1
}
