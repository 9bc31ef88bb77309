package field

import "github.com/ibwire/ibwire"

// sllRows and sll2Rows are the headers of Linux cooked captures.
var sllRows = []Field{
	{Name: "sll", Label: "Linux cooked capture v1", Kind: Protocol, flags: head, text: label},
	{Name: "sll.pkttype", Label: "Packet type", Kind: Uint16, level: 1, names: sllPacket},
	{Name: "sll.hatype", Label: "Link-layer address type", Kind: Uint16, Offset: 2, level: 1, names: hardwareTypeName},
	{Name: "sll.halen", Label: "Link-layer address length", Kind: Uint16, Offset: 4, level: 1},
	{Name: "sll.src.eth", Label: "Source", Kind: Ether, Offset: 6, level: 1, cond: sllEther},
	{Name: "sll.src.other", Label: "Source", Kind: Bytes, Offset: 6, Length: 8, level: 1, cond: sllOther},
	{Name: "sll.unused", Label: "Unused", Kind: Bytes, Offset: 12, Length: 2, level: 1, cond: sllEther},
	{Name: "sll.etype", Label: "Protocol", Kind: Uint16, Offset: 14, base: hex, level: 1, names: etherTypeName},
}

var sll2Rows = []Field{
	{Name: "sll", Label: "Linux cooked capture v2", Kind: Protocol, flags: head, text: label},
	{Name: "sll.etype", Label: "Protocol", Kind: Uint16, base: hex, level: 1, names: etherTypeName},
	{Name: "sll.ifindex", Label: "Interface index", Kind: Uint32, Offset: 4, level: 1},
	{Name: "sll.hatype", Label: "Link-layer address type", Kind: Uint16, Offset: 8, level: 1, names: hardwareTypeName},
	{Name: "sll.pkttype", Label: "Packet type", Kind: Uint8, Offset: 10, level: 1, names: sllPacket},
	{Name: "sll.halen", Label: "Link-layer address length", Kind: Uint8, Offset: 11, level: 1},
	{Name: "sll.src.eth", Label: "Source", Kind: Ether, Offset: 12, level: 1, cond: sllEther},
	{Name: "sll.src.other", Label: "Source", Kind: Bytes, Offset: 12, Length: 8, level: 1, cond: sllOther},
	{Name: "sll.unused", Label: "Unused", Kind: Bytes, Offset: 18, Length: 2, level: 1, cond: sllEther},
}

// label is the text of a protocol whose line in the tree is its text too.
func label(dst []byte, v Value) []byte { return append(dst, v.Field.Label...) }

// sllEther is the condition for a source that is an Ethernet address.
func sllEther(f *Frame, h int) bool {
	if f.Headers[h].Layer == ibwire.LinuxSLL {
		return f.uint16At(h, 4) == 6
	}
	return f.byteAt(h, 11) == 6
}

func sllOther(f *Frame, h int) bool { return !sllEther(f, h) }

var ethernetRows = []Field{
	{Name: "eth", Label: "Ethernet II", Kind: Protocol, text: ethernetLine, line: ethernetLine},
	{Name: "eth.dst", Label: "Destination", Kind: Ether, level: 1},
	{Name: "eth.addr", Label: "Address", Kind: Ether, level: 2, Alias: true},
	{Name: "eth.src", Label: "Source", Kind: Ether, Offset: 6, level: 1},
	{Name: "eth.addr", Label: "Address", Kind: Ether, Offset: 6, level: 2, Alias: true},
	{Name: "eth.type", Label: "Type", Kind: Uint16, Offset: 12, base: hex, level: 1, names: etherTypeName},
}

func ethernetLine(dst []byte, v Value) []byte {
	b := v.Bytes()
	dst = append(dst, "Ethernet II, Src: "...)
	dst = appendColons(dst, b[6:12])
	dst = append(dst, ", Dst: "...)
	return appendColons(dst, b[:6])
}

// vlanRows have rows of their own for service tags, as tshark has, which takes
// the name of their EtherType from 802.1ah.
var vlanRows = []Field{
	{Name: "ieee8021ad", Label: "IEEE 802.1ad", Kind: Protocol, cond: isServiceTag, text: serviceTagLine, line: serviceTagLine},
	{Name: "ieee8021ad.priority", Label: "Priority", Kind: Uint16, Mask: 0xe000, level: 1, cond: isServiceTag},
	{Name: "ieee8021ad.dei", Label: "DEI", Kind: Uint16, Mask: 0x1000, level: 1, cond: isServiceTag},
	{Name: "ieee8021ad.id", Label: "ID", Kind: Uint16, Mask: 0x0fff, level: 1, cond: isServiceTag},
	{Name: "ieee8021ah.etype", Label: "Type", Kind: Uint16, Offset: 2, base: hex, level: 1, names: etherTypeName, cond: isServiceTag},
	{Name: "vlan", Label: "802.1Q Virtual LAN", Kind: Protocol, cond: isCustomerTag, text: customerTagLine, line: customerTagLine},
	{Name: "vlan.priority", Label: "Priority", Kind: Uint16, Mask: 0xe000, level: 1, cond: isCustomerTag, names: vlanPriority},
	{Name: "vlan.dei", Label: "DEI", Kind: Bool, Length: 2, Mask: 0x1000, level: 1, cond: isCustomerTag, names: vlanDEI},
	{Name: "vlan.id", Label: "ID", Kind: Uint16, Mask: 0x0fff, level: 1, cond: isCustomerTag},
	{Name: "vlan.etype", Label: "Type", Kind: Uint16, Offset: 2, base: hex, level: 1, names: etherTypeName, cond: isCustomerTag},
}

// isServiceTag is the condition for a tag that 802.1ad has announced. The
// EtherType that announces a tag ends the header in front of it, but for
// Linux cooked v2, GRE and Geneve.
func isServiceTag(f *Frame, h int) bool {
	const qinq = 0x88a8
	if h == 0 {
		return false
	}
	switch f.Headers[h-1].Layer {
	case ibwire.LinuxSLL2:
		return f.uint16At(h-1, 0) == qinq
	case ibwire.GRE, ibwire.Geneve:
		return f.uint16At(h-1, 2) == qinq
	}
	return f.uint16At(h, -2) == qinq
}

func isCustomerTag(f *Frame, h int) bool { return !isServiceTag(f, h) }

func serviceTagLine(dst []byte, v Value) []byte {
	dst = append(dst, "IEEE 802.1ad, ID: "...)
	return appendDecimal(dst, uint64(v.Frame.uint16At(v.h, 0)&0xfff))
}

func customerTagLine(dst []byte, v Value) []byte {
	tag := uint64(v.Frame.uint16At(v.h, 0))
	dst = append(dst, "802.1Q Virtual LAN, PRI: "...)
	dst = appendDecimal(dst, tag>>13)
	dst = append(dst, ", DEI: "...)
	dst = appendDecimal(dst, tag>>12&1)
	dst = append(dst, ", ID: "...)
	return appendDecimal(dst, tag&0xfff)
}

var udpRows = []Field{
	{Name: "udp", Label: "User Datagram Protocol", Kind: Protocol, text: udpLine, line: udpLine},
	{Name: "udp.srcport", Label: "Source Port", Kind: Uint16, level: 1},
	{Name: "udp.dstport", Label: "Destination Port", Kind: Uint16, Offset: 2, level: 1},
	{Name: "udp.port", Label: "Source or Destination Port", Kind: Uint16, level: 1, Alias: true},
	{Name: "udp.port", Label: "Source or Destination Port", Kind: Uint16, Offset: 2, level: 1, Alias: true},
	{Name: "udp.length", Label: "Length", Kind: Uint16, Offset: 4, level: 1},
	{Name: "udp.checksum", Label: "Checksum", Kind: Uint16, Offset: 6, base: hex, level: 1, note: udpChecksumNote},
	{Name: "udp.payload", Label: "Payload", Kind: Bytes, Offset: 8, level: 1, Alias: true, cond: hasUDPPayload, length: udpPayloadLength},
}

func hasUDPPayload(f *Frame, h int) bool { return udpPayloadLength(f, h) > 0 }

// udpPayloadLength is how many bytes behind the header its length field counts, as
// far as they are there.
func udpPayloadLength(f *Frame, h int) int {
	u := f.Headers[h]
	return min(f.givenEnd(h), u.Offset+f.counts(h)) - u.Offset - u.Length
}

func udpLine(dst []byte, v Value) []byte {
	dst = append(dst, "User Datagram Protocol, Src Port: "...)
	dst = appendDecimal(dst, uint64(v.Frame.uint16At(v.h, 0)))
	dst = append(dst, ", Dst Port: "...)
	return appendDecimal(dst, uint64(v.Frame.uint16At(v.h, 2)))
}

func udpChecksumNote(dst []byte, v Value) []byte {
	switch {
	case v.Num != 0:
		return append(dst, " [unverified]"...)
	case v.h > 0 && v.Frame.Headers[v.h-1].Layer&(ibwire.IPv6|ibwire.IPv6Ext) != 0:
		return append(dst, " [zero-value illegal]"...) // IPv6 demands a checksum
	}
	return append(dst, " [zero-value ignored]"...)
}
