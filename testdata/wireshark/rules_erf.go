package wireshark

import (
	"strconv"
	"strings"
)

// erfRules are about ERF records.
var erfRules = []*Rule{
	{
		ID: "erf-place", In: Both, Kind: Place, Fields: []string{"erf.*"},
		When:      func(d *Difference) bool { return d.Theirs.Offset == 0 && d.Theirs.Length == 0 },
		Wireshark: "no bytes",
		We:        "the bytes in the record",
		Fact:      "Wireshark takes the record's headers off before it dissects, we count them to the data",
	},
	{
		ID: "erf-whole", In: Both, Kind: Place, Fields: []string{"erf"},
		When:      func(d *Difference) bool { return d.Theirs.Offset == 0 && d.Theirs.Length == d.Frame.CapLen() },
		Wireshark: "the packet, without the record's headers",
		We:        "the record's header",
		Fact:      "as erf-place",
	},
	{
		ID: "erf-anchor-place", In: Both, Kind: Place,
		Fields:    []string{"erf.ehdr.anchorid.flags", "erf.ehdr.anchorid.flags.definition", "erf.ehdr.anchorid.flags.rsvd"},
		When:      func(d *Difference) bool { return d.Theirs.Offset == 0 && d.Theirs.Length == 1 },
		Wireshark: "the first byte of the packet",
		We:        "the byte in the extension header",
		Fact:      "the value is that of the extension header",
	},
	{
		ID: "erf-expert", In: Both, Kind: Theirs,
		Fields:    []string{"erf.checksum.error", "erf.packet_loss", "erf.truncation.error", "erf.rx.error", "erf.ds.error"},
		Wireshark: "a remark about a flag or the loss counter",
		We:        "the flag or the counter",
		Fact:      "the remark has no value",
	},
	{
		ID: "erf-meta", In: Both, Kind: Theirs, Fields: []string{"erf.meta.*", "erf.source_meta_frame_current", "erf.source_meta_frame_prev"},
		Wireshark: "the tags of META records",
		We:        "data",
		Fact:      "a META record holds no packet",
	},
	{
		ID: "erf-interface-bit", In: V44, Kind: Theirs | Ours, Fields: []string{"erf.flags.cap", "erf.flags.if_raw"},
		When: func(d *Difference) bool {
			return d.Theirs == nil || sameLowBits(d.Theirs.Text, d.Frame.ERF.Flags.Interface())
		},
		Wireshark: "an interface number of three bits, behind all flags",
		We:        "an interface number of two bits",
		Fact:      "4.0 has two; both agree while the third is 0",
	},
	{
		ID: "erf-flags-reserved", In: V44, Kind: Text, Fields: []string{"erf.flags.res"},
		When:      func(d *Difference) bool { return d.Frame.ERF.Flags&0x40 != 0 },
		Wireshark: "one reserved bit",
		We:        "two reserved bits",
		Fact:      "as erf-interface-bit",
	},
	{
		ID: "erf-hash-type", In: V44, Kind: Theirs,
		Fields:    []string{"erf.ehdr.flowid.hashtype.type", "erf.ehdr.flowid.hashtype.inner"},
		Wireshark: "the hash type split into type and a bit",
		We:        "the hash type",
		Fact:      "4.0 has one field",
	},
	{
		ID: "erf-vcid", In: V40, Kind: Label, Fields: []string{"erf.ehdr.chan.vcid"},
		When:      func(d *Difference) bool { return strings.HasPrefix(d.Theirs.Label, d.Ours.Label+" (g.707: ") },
		Wireshark: "the container's number in words of G.707",
		We:        "the number",
		Fact:      "no record with channels holds InfiniBand",
	},
	{
		ID: "erf-type-blank", In: V40, Kind: Label, Fields: []string{"erf.types", "erf.types.type"},
		When: func(d *Difference) bool {
			return strayBlanks.Replace(d.Theirs.Label) == d.Ours.Label
		},
		Wireshark: "a blank behind MC_AAL2 and COLOR_HDLC_POS",
		We:        "no blank",
		Fact:      "the other names have none",
	},
	{
		ID: "erf-type-name", In: V40, Kind: Label, Fields: []string{"erf.types", "erf.types.type"},
		When: func(d *Difference) bool {
			return d.Frame.ERF.Type >= 32 && strings.Contains(d.Theirs.Label, "Unknown")
		},
		Wireshark: "does not know types 32 to 47",
		We:        "INTERNAL0 to INTERNAL15",
		Fact:      "types 32 to 47 are for internal use of the capture system (Endace)",
	},
}

// sameLowBits reports whether the two low bits of a number are those of n.
func sameLowBits(text string, n int) bool {
	theirs, err := strconv.ParseUint(text, 0, 8)
	return err == nil && int(theirs&3) == n
}

var strayBlanks = strings.NewReplacer(" )", ")", "  (", " (")
