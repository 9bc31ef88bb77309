package field

import "github.com/ibwire/ibwire"

var ipv4Rows = []Field{
	{Name: "ip", Label: "Internet Protocol Version 4", Kind: Protocol, text: ipv4Line, line: ipv4Line},
	{Name: "ip.version", Label: "Version", Kind: Uint8, Mask: 0xf0, level: 1},
	{Name: "ip.hdr_len", Label: "Header Length", Kind: Uint8, Mask: 0x0f, scale: 4, level: 1, note: ipv4WordsNote},
	{Name: "ip.dsfield", Label: "Differentiated Services Field", Kind: Uint8, Offset: 1, base: hex, level: 1, note: dsNote},
	{Name: "ip.dsfield.dscp", Label: "Differentiated Services Codepoint", Kind: Uint8, Offset: 1, Mask: 0xfc, level: 2, names: dscpName},
	{Name: "ip.dsfield.ecn", Label: "Explicit Congestion Notification", Kind: Uint8, Offset: 1, Mask: 0x03, level: 2, names: ecnName},
	{Name: "ip.len", Label: "Total Length", Kind: Uint16, Offset: 2, level: 1},
	{Name: "ip.id", Label: "Identification", Kind: Uint16, Offset: 4, base: hexDec, level: 1},
	{Name: "ip.flags", Label: "Flags", Kind: Uint8, Offset: 6, Mask: 0xe0, base: hex, level: 1, note: ipv4FlagsNote},
	{Name: "ip.flags.rb", Label: "Reserved bit", Kind: Bool, Offset: 6, Mask: 0x80, level: 2, names: notSetSet},
	{Name: "ip.flags.df", Label: "Don't fragment", Kind: Bool, Offset: 6, Mask: 0x40, level: 2, names: notSetSet},
	{Name: "ip.flags.mf", Label: "More fragments", Kind: Bool, Offset: 6, Mask: 0x20, level: 2, names: notSetSet},
	{Name: "ip.frag_offset", Label: "Fragment Offset", Kind: Uint16, Offset: 6, Mask: 0x1fff, level: 1, show: fragmentBytes},
	{Name: "ip.ttl", Label: "Time to Live", Kind: Uint8, Offset: 8, level: 1},
	{Name: "ip.proto", Label: "Protocol", Kind: Uint8, Offset: 9, level: 1, names: ipProtoName},
	{Name: "ip.checksum", Label: "Header Checksum", Kind: Uint16, Offset: 10, base: hex, level: 1, note: unchecked},
	{Name: "ip.src", Label: "Source Address", Kind: IPv4, Offset: 12, level: 1},
	{Name: "ip.addr", Label: "Source or Destination Address", Kind: IPv4, Offset: 12, level: 1, Alias: true},
	{Name: "ip.src_host", Label: "Source Host", Kind: String, Offset: 12, Length: 4, level: 1, Alias: true, text: address},
	{Name: "ip.host", Label: "Source or Destination Host", Kind: String, Offset: 12, Length: 4, level: 1, Alias: true, text: address},
	{Name: "ip.dst", Label: "Destination Address", Kind: IPv4, Offset: 16, level: 1},
	{Name: "ip.addr", Label: "Source or Destination Address", Kind: IPv4, Offset: 16, level: 1, Alias: true},
	{Name: "ip.dst_host", Label: "Destination Host", Kind: String, Offset: 16, Length: 4, level: 1, Alias: true, text: address},
	{Name: "ip.host", Label: "Source or Destination Host", Kind: String, Offset: 16, Length: 4, level: 1, Alias: true, text: address},
}

// address is the text of a host: names of hosts are not looked up.
func address(dst []byte, v Value) []byte { return appendIP(dst, v.Bytes()) }

func ipv4Line(dst []byte, v Value) []byte {
	b := v.Bytes()
	dst = append(dst, "Internet Protocol Version 4, Src: "...)
	dst = appendIP(dst, b[12:16])
	dst = append(dst, ", Dst: "...)
	return appendIP(dst, b[16:20])
}

func ipv4WordsNote(dst []byte, v Value) []byte {
	dst = append(dst, " bytes ("...)
	dst = appendDecimal(dst, v.Num/4)
	return append(dst, ')')
}

func unchecked(dst []byte, _ Value) []byte { return append(dst, " [validation disabled]"...) }

func dsNote(dst []byte, v Value) []byte {
	dst = append(dst, " (DSCP: "...)
	dst = dscpShort(dst, v.Num>>2)
	dst = append(dst, ", ECN: "...)
	dst = append(dst, ecnShort(v.Num&3)...)
	return append(dst, ')')
}

// fragmentBytes shows the offset of a fragment in bytes; the field counts eights.
func fragmentBytes(dst []byte, v Value) []byte { return appendDecimal(dst, v.Num*8) }

func ipv4FlagsNote(dst []byte, v Value) []byte {
	for i, name := range [...]string{", Reserved bit", ", Don't fragment", ", More fragments"} {
		if v.Num>>(2-i)&1 != 0 {
			dst = append(dst, name...)
		}
	}
	return dst
}

var ipv6Rows = []Field{
	{Name: "ipv6", Label: "Internet Protocol Version 6", Kind: Protocol, text: ipv6Line, line: ipv6Line},
	{Name: "ipv6.version", Label: "Version", Kind: Uint8, Mask: 0xf0, level: 1},
	{Name: "ip.version", Label: "Version", Kind: Uint8, Mask: 0xf0, level: 1, Alias: true},
	{Name: "ipv6.tclass", Label: "Traffic Class", Kind: Uint32, Mask: 0x0ff00000, base: hex, level: 1, note: dsNote},
	{Name: "ipv6.tclass.dscp", Label: "Differentiated Services Codepoint", Kind: Uint32, Mask: 0x0fc00000, level: 2, names: dscpName},
	{Name: "ipv6.tclass.ecn", Label: "Explicit Congestion Notification", Kind: Uint32, Mask: 0x00300000, level: 2, names: ecnName},
	{Name: "ipv6.flow", Label: "Flow Label", Kind: Uint24, Offset: 1, Mask: 0x0fffff, base: hex, level: 1},
	{Name: "ipv6.plen", Label: "Payload Length", Kind: Uint16, Offset: 4, level: 1},
	{Name: "ipv6.nxt", Label: "Next Header", Kind: Uint8, Offset: 6, level: 1, names: ipProtoName},
	{Name: "ipv6.hlim", Label: "Hop Limit", Kind: Uint8, Offset: 7, level: 1},
	{Name: "ipv6.src", Label: "Source Address", Kind: IPv6, Offset: 8, level: 1},
	{Name: "ipv6.addr", Label: "Source or Destination Address", Kind: IPv6, Offset: 8, level: 1, Alias: true},
	{Name: "ipv6.src_host", Label: "Source Host", Kind: String, Offset: 8, Length: 16, level: 1, Alias: true, text: address},
	{Name: "ipv6.host", Label: "Source or Destination Host", Kind: String, Offset: 8, Length: 16, level: 1, Alias: true, text: address},
	{Name: "ipv6.dst", Label: "Destination Address", Kind: IPv6, Offset: 24, level: 1},
	{Name: "ipv6.addr", Label: "Source or Destination Address", Kind: IPv6, Offset: 24, level: 1, Alias: true},
	{Name: "ipv6.dst_host", Label: "Destination Host", Kind: String, Offset: 24, Length: 16, level: 1, Alias: true, text: address},
	{Name: "ipv6.host", Label: "Source or Destination Host", Kind: String, Offset: 24, Length: 16, level: 1, Alias: true, text: address},
}

func ipv6Line(dst []byte, v Value) []byte {
	b := v.Bytes()
	dst = append(dst, "Internet Protocol Version 6, Src: "...)
	dst = appendIP(dst, b[8:24])
	dst = append(dst, ", Dst: "...)
	return appendIP(dst, b[24:40])
}

// ipv6ExtRows name the extension headers of IPv6. Their fields are not taken
// apart.
var ipv6ExtRows = []Field{
	{Name: "ipv6.hopopts", Label: "IPv6 Hop-by-Hop Option", Kind: Protocol, flags: head, level: 1, cond: ipv6ExtIs("ipv6.hopopts")},
	{Name: "ipv6.routing", Label: "Routing Header for IPv6", Kind: Protocol, flags: head, level: 1, cond: ipv6ExtIs("ipv6.routing")},
	{Name: "ipv6.fraghdr", Label: "Fragment Header for IPv6", Kind: Protocol, flags: head, level: 1, cond: ipv6ExtIs("ipv6.fraghdr")},
	{Name: "ipv6.dstopts", Label: "Destination Options for IPv6", Kind: Protocol, flags: head, level: 1, cond: ipv6ExtIs("ipv6.dstopts")},
}

func ipv6ExtIs(name string) func(*Frame, int) bool {
	return func(f *Frame, h int) bool { return ipv6ExtName(f, h) == name }
}

// ipv6ExtName returns what the header in front of h says that h is.
func ipv6ExtName(f *Frame, h int) string {
	next := f.byteAt(h-1, 0)
	if f.Headers[h-1].Layer == ibwire.IPv6 {
		next = f.byteAt(h-1, 6)
	}
	switch next {
	case 43:
		return "ipv6.routing"
	case 44:
		return "ipv6.fraghdr"
	case 60:
		return "ipv6.dstopts"
	}
	return "ipv6.hopopts"
}
