package field

var mplsRows = []Field{
	{Name: "mpls", Label: "MultiProtocol Label Switching Header", Kind: Protocol, text: mplsLine, line: mplsLine},
	{Name: "mpls.label", Label: "MPLS Label", Kind: Uint32, Mask: 0xfffff000, base: decHex, level: 1, show: mplsLabel},
	{Name: "mpls.exp", Label: "MPLS Experimental Bits", Kind: Uint32, Mask: 0xe00, level: 1},
	{Name: "mpls.bottom", Label: "MPLS Bottom Of Label Stack", Kind: Uint32, Mask: 0x100, level: 1},
	{Name: "mpls.ttl", Label: "MPLS TTL", Kind: Uint32, Mask: 0xff, level: 1},
}

// firstLabel is the least label of MPLS that has no meaning of its own.
const firstLabel = 16

func mplsLabel(dst []byte, v Value) []byte {
	if v.Num >= firstLabel {
		return v.appendNumber(dst)
	}
	name := mplsLabelName(v.Num)
	if name == "" {
		name = "Unknown"
	}
	dst = append(append(dst, name...), " ("...)
	return append(appendDecimal(dst, v.Num), ')')
}

func mplsLine(dst []byte, v Value) []byte {
	n := v.Frame.uint32At(v.h, 0)
	label := uint64(n >> 12)
	dst = append(dst, "MultiProtocol Label Switching Header, Label: "...)
	dst = appendDecimal(dst, label)
	if label < firstLabel {
		name := mplsLabelName(label)
		if name == "" {
			name = "Reserved - Unknown"
		}
		dst = append(append(append(dst, " ("...), name...), ')')
	}
	dst = appendDecimal(append(dst, ", Exp: "...), uint64(n>>9&7))
	dst = appendDecimal(append(dst, ", S: "...), uint64(n>>8&1))
	return appendDecimal(append(dst, ", TTL: "...), uint64(n&0xff))
}

// vxlanRows leave bit by bit what the flags of the group policy do not use.
var vxlanRows = []Field{
	{Name: "vxlan", Label: "Virtual eXtensible Local Area Network", Kind: Protocol, flags: head},
	{Name: "vxlan.flags", Label: "Flags", Kind: Uint16, base: hex, level: 1, note: vxlanFlagsNote},
	{Name: "vxlan.flag_g", Label: "GBP Extension", Kind: Bool, Length: 2, Mask: 0x8000, level: 2, names: list("Not defined", "Defined")},
	{Name: "vxlan.flag_i", Label: "VXLAN Network ID (VNI)", Kind: Bool, Length: 2, Mask: 0x0800, level: 2},
	{Name: "vxlan.flag_d", Label: "Don't Learn", Kind: Bool, Length: 2, Mask: 0x0040, level: 2},
	{Name: "vxlan.flag_a", Label: "Policy Applied", Kind: Bool, Length: 2, Mask: 0x0008, level: 2},
	{Name: "vxlan.flags_reserved", Label: "Reserved(R)", Kind: Uint16, Mask: 0x77b7, base: hex, level: 2},
	{Name: "vxlan.gbp", Label: "Group Policy ID", Kind: Uint16, Offset: 2, level: 1},
	{Name: "vxlan.vni", Label: "VXLAN Network Identifier (VNI)", Kind: Uint24, Offset: 4, level: 1},
	{Name: "vxlan.reserved8", Label: "Reserved", Kind: Uint8, Offset: 7, level: 1},
}

var vxlanFlagsNote = flagsNote(
	flagText{0x8000, ", GBP Extension"}, flagText{0x0800, ", VXLAN Network ID (VNI)"}, flagText{0x0040, ", Don't Learn"}, flagText{0x0008, ", Policy Applied"})

// geneveRows have the options as one: they are not taken apart.
var geneveRows = []Field{
	{Name: "geneve", Label: "Generic Network Virtualization Encapsulation", Kind: Protocol, text: geneveLine, line: geneveLine},
	{Name: "geneve.version", Label: "Version", Kind: Uint8, Mask: 0xc0, level: 1, flags: noBits},
	{Name: "geneve.option.length", Label: "Length", Kind: Uint8, Mask: 0x3f, scale: 4, level: 1, flags: noBits, note: bytesNote},
	{Name: "geneve.flags", Label: "Flags", Kind: Uint8, Offset: 1, base: hex, level: 1, note: geneveFlagsNote},
	{Name: "geneve.flags.oam", Label: "Operations, Administration and Management Frame", Kind: Bool, Offset: 1, Mask: 0x80, level: 2},
	{Name: "geneve.flags.critical", Label: "Critical Options Present", Kind: Bool, Offset: 1, Mask: 0x40, level: 2},
	{Name: "geneve.flags.reserved", Label: "Reserved", Kind: Bool, Offset: 1, Mask: 0x3f, level: 2, num: geneveReserved},
	{Name: "geneve.proto_type", Label: "Protocol Type", Kind: Uint16, Offset: 2, base: hex, level: 1, names: etherTypeName},
	{Name: "geneve.vni", Label: "Virtual Network Identifier (VNI)", Kind: Uint24, Offset: 4, base: hexDec, level: 1},
	{Name: "geneve.reserved", Label: "Reserved", Kind: Uint8, Offset: 7, base: hex, level: 1},
	{Name: "geneve.options", Label: "Options", Kind: Bytes, Offset: geneveSize, level: 1, cond: hasGeneveOptions, show: optionBytes},
}

const geneveSize = 8 // without options

func hasGeneveOptions(f *Frame, h int) bool { return f.Headers[h].Length > geneveSize }

// geneveReserved is whether one of the bits is set.
func geneveReserved(f *Frame, h int) uint64 {
	if f.byteAt(h, 1)&0x3f != 0 {
		return 1
	}
	return 0
}

func geneveLine(dst []byte, v Value) []byte {
	dst = append(dst, "Generic Network Virtualization Encapsulation, VNI: "...)
	dst = appendHexNumber(dst, uint64(v.Frame.uint32At(v.h, 4)>>8), 6)
	if v.Frame.byteAt(v.h, 1)&0x80 != 0 {
		dst = append(dst, ", OAM"...)
	}
	return dst
}

var geneveFlagsNote = flagsNote(
	flagText{0x80, ", Operations, Administration and Management Frame"}, flagText{0x40, ", Critical Options Present"}, flagText{0x3f, ", Reserved"})

func bytesNote(dst []byte, _ Value) []byte { return append(dst, " bytes"...) }

func optionBytes(dst []byte, v Value) []byte {
	dst = appendDecimal(append(dst, '('), uint64(v.Length))
	return append(dst, " bytes)"...)
}

// mirrorRows are the header that a switch puts in front of a mirrored packet.
var mirrorRows = []Field{
	{Name: "infiniband.mirror", Label: "Mirror Header", Kind: Bytes, flags: head, level: 1},
	{Name: "infiniband.mirror.prefix", Label: "Prefix", Kind: Uint32, base: hex, level: 2},
}

// A flagText is what is said of bits of which one is set.
type flagText struct {
	bits uint64
	text string
}

// flagsNote returns a function that lists the flags that are set.
func flagsNote(flags ...flagText) func([]byte, Value) []byte {
	return func(dst []byte, v Value) []byte {
		for _, flag := range flags {
			if v.Num&flag.bits != 0 {
				dst = append(dst, flag.text...)
			}
		}
		return dst
	}
}
