package field

import "slices"

var erspanIIRows = []Field{
	{Name: "erspan", Label: "Encapsulated Remote Switch Packet ANalysis Type II", Kind: Protocol, flags: head, length: givenLength, text: label},
	{Name: "erspan.version", Label: "Version", Kind: Uint16, Mask: 0xf000, level: 1, names: erspanVersion},
	{Name: "erspan.vlan", Label: "Vlan", Kind: Uint16, Mask: 0x0fff, level: 1},
	{Name: "erspan.cos", Label: "COS", Kind: Uint16, Offset: 2, Mask: 0xe000, level: 1},
	{Name: "erspan.encap", Label: "Encap", Kind: Uint16, Offset: 2, Mask: 0x1800, level: 1, names: erspanEncap},
	{Name: "erspan.truncated", Label: "Truncated", Kind: Uint16, Offset: 2, Mask: 0x0400, level: 1, names: erspanTruncated},
	{Name: "erspan.spanid", Label: "SpanID", Kind: Uint16, Offset: 2, Mask: 0x03ff, level: 1},
	{Name: "erspan.reserved", Label: "Reserved", Kind: Uint32, Offset: 4, Mask: 0xfff00000, level: 1},
	{Name: "erspan.index", Label: "Index", Kind: Uint32, Offset: 4, Mask: 0x000fffff, level: 1},
}

// erspanIIIRows end with the sub-header, whose layout goes by its first number.
var erspanIIIRows = []Field{
	{Name: "erspan", Label: "Encapsulated Remote Switch Packet ANalysis Type III", Kind: Protocol, flags: head, length: givenLength, text: label},
	{Name: "erspan.version", Label: "Version", Kind: Uint16, Mask: 0xf000, level: 1, names: erspanVersion},
	{Name: "erspan.vlan", Label: "Vlan", Kind: Uint16, Mask: 0x0fff, level: 1},
	{Name: "erspan.cos", Label: "COS", Kind: Uint16, Offset: 2, Mask: 0xe000, level: 1},
	{Name: "erspan.bso", Label: "Bad/Short/Oversized", Kind: Uint16, Offset: 2, Mask: 0x1800, level: 1, names: erspanState},
	{Name: "erspan.truncated", Label: "Truncated", Kind: Uint16, Offset: 2, Mask: 0x0400, level: 1, names: erspanTruncated},
	{Name: "erspan.spanid", Label: "SpanID", Kind: Uint16, Offset: 2, Mask: 0x03ff, level: 1},
	{Name: "erspan.timestamp", Label: "Timestamp", Kind: Uint32, Offset: 4, Mask: 0xffffffff, level: 1},
	{Name: "erspan.sgt", Label: "Security Group Tag", Kind: Uint16, Offset: 8, Mask: 0xffff, level: 1},
	{Name: "erspan.p", Label: "Has Ethernet PDU", Kind: Uint16, Offset: 10, Mask: 0x8000, level: 1},
	{Name: "erspan.ft", Label: "Frame Type", Kind: Uint16, Offset: 10, Mask: 0x7c00, level: 1, names: erspanFrame},
	{Name: "erspan.hw", Label: "Hardware ID", Kind: Uint16, Offset: 10, Mask: 0x03f0, level: 1},
	{Name: "erspan.direction", Label: "Direction", Kind: Bool, Offset: 10, Length: 2, Mask: 0x0008, level: 1, names: list("Ingress", "Egress")},
	{Name: "erspan.gra", Label: "Timestamp granularity", Kind: Uint16, Offset: 10, Mask: 0x0006, level: 1, names: erspanUnit},
	{Name: "erspan.o", Label: "Optional Sub headers", Kind: Uint16, Offset: 10, Mask: 0x0001, level: 1},
	{Name: "erspan.platid", Label: "Platform ID", Kind: Uint32, Offset: 12, Mask: 0xfc000000, level: 1, cond: hasPlatform},
	{Name: "erspan.pid1.rsvd1", Label: "Reserved", Kind: Uint32, Offset: 12, Mask: 0x03fff000, level: 1, cond: platformIs(1)},
	{Name: "erspan.pid1.vsmid", Label: "VSM Domain ID", Kind: Uint32, Offset: 12, Mask: 0x00000fff, level: 1, cond: platformIs(1)},
	{Name: "erspan.pid1.port_index", Label: "Port ID/Index", Kind: Uint32, Offset: 16, Mask: 0xffffffff, level: 1, cond: platformIs(1)},
	{Name: "erspan.pid3.rsvd1", Label: "Reserved", Kind: Uint32, Offset: 12, Mask: 0x03ffc000, level: 1, cond: platformIs(3)},
	{Name: "erspan.pid3.port_index", Label: "Port ID/Index", Kind: Uint32, Offset: 12, Mask: 0x00003fff, level: 1, cond: platformIs(3)},
	{Name: "erspan.pid3.timestamp", Label: "Upper 32-bit Timestamp", Kind: Uint32, Offset: 16, Mask: 0xffffffff, level: 1, cond: platformIs(3)},
	{Name: "erspan.pid4.rsvd1", Label: "Reserved", Kind: Uint32, Offset: 12, Mask: 0x03ffc000, level: 1, cond: platformIs(4)},
	{Name: "erspan.pid4.rsvd2", Label: "Reserved", Kind: Uint32, Offset: 12, Mask: 0x00003fff, level: 1, cond: platformIs(4)},
	{Name: "erspan.pid4.rsvd3", Label: "Reserved", Kind: Uint32, Offset: 16, Mask: 0xffffffff, level: 1, cond: platformIs(4)},
	{Name: "erspan.pid5.switchid", Label: "Switch ID", Kind: Uint32, Offset: 12, Mask: 0x03ff0000, level: 1, cond: platformIs(5, 6)},
	{Name: "erspan.pid5.port_index", Label: "Port ID/Index", Kind: Uint32, Offset: 12, Mask: 0x0000ffff, level: 1, cond: platformIs(5, 6)},
	{Name: "erspan.pid5.timestamp", Label: "Timestamp (seconds)", Kind: Uint32, Offset: 16, Mask: 0xffffffff, level: 1, cond: platformIs(5, 6)},
	{Name: "erspan.pid7.rsvd1", Label: "Reserved", Kind: Uint32, Offset: 12, Mask: 0x03f00000, level: 1, cond: platformIs(7)},
	{Name: "erspan.pid7.source_index", Label: "Source Index", Kind: Uint32, Offset: 12, Mask: 0x000fffff, level: 1, cond: platformIs(7)},
	{Name: "erspan.pid7.timestamp", Label: "Upper 32-bit Timestamp", Kind: Uint32, Offset: 16, Mask: 0xffffffff, level: 1, cond: platformIs(7)},
	{Name: "erspan.pid.rsvd", Label: "Reserved", Kind: Uint64, Offset: 12, Mask: 0x03ffffff, level: 1, cond: otherPlatform},
}

const erspanIIISize = 12 // without the sub-header

func hasPlatform(f *Frame, h int) bool { return f.Headers[h].Length > erspanIIISize }

func platform(f *Frame, h int) byte { return f.byteAt(h, erspanIIISize) >> 2 }

// platformIs is the condition for the sub-header of one of some platforms.
func platformIs(ids ...byte) func(*Frame, int) bool {
	return func(f *Frame, h int) bool { return hasPlatform(f, h) && slices.Contains(ids, platform(f, h)) }
}

// otherPlatform is the condition for a sub-header of an unknown layout.
func otherPlatform(f *Frame, h int) bool { return hasPlatform(f, h) && !knownPlatform(f, h) }

var knownPlatform = platformIs(1, 3, 4, 5, 6, 7)
