package field

import (
	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/bth"
	"github.com/ibwire/ibwire/opcode"
)

// infiniBandRow begins the part of the tree that is InfiniBand, above its first
// header, which may be an LRH, a GRH or a BTH, and another one inside a mirror. It
// stands in all that was given to InfiniBand.
var infiniBandRow = Field{
	Name: "infiniband", Label: "InfiniBand", Kind: Protocol, flags: head, cond: beginsInfiniBand,
	length: givenLength,
}

func beginsInfiniBand(f *Frame, h int) bool {
	return !f.isInfiniBand(h-1) || f.Headers[h-1].Layer == ibwire.Mirror
}

// givenLength is the length of a header and of all that is behind it.
func givenLength(f *Frame, h int) int { return f.givenEnd(h) - f.Headers[h].Offset }

var lrhRows = []Field{
	infiniBandRow,
	{Name: "infiniband.lrh", Label: "Local Route Header", Kind: Bytes, flags: head, level: 1},
	{Name: "infiniband.lrh.vl", Label: "Virtual Lane", Kind: Uint8, Mask: 0xf0, base: hex, level: 2},
	{Name: "infiniband.lrh.lver", Label: "Link Version", Kind: Uint8, Mask: 0x0f, level: 2},
	{Name: "infiniband.lrh.sl", Label: "Service Level", Kind: Uint8, Offset: 1, Mask: 0xf0, level: 2},
	{Name: "infiniband.lrh.reserved2", Label: "Reserved (2 bits)", Kind: Uint8, Offset: 1, Mask: 0x0c, level: 2},
	{Name: "infiniband.lrh.lnh", Label: "Link Next Header", Kind: Uint8, Offset: 1, Mask: 0x03, base: hex, level: 2},
	{Name: "infiniband.lrh.dlid", Label: "Destination Local ID", Kind: Uint16, Offset: 2, level: 2},
	{Name: "infiniband.lrh.reserved5", Label: "Reserved (5 bits)", Kind: Uint16, Offset: 4, Mask: 0xf800, level: 2},
	{Name: "infiniband.lrh.pktlen", Label: "Packet Length", Kind: Uint16, Offset: 4, Mask: 0x07ff, level: 2},
	{Name: "infiniband.lrh.slid", Label: "Source Local ID", Kind: Uint16, Offset: 6, level: 2},
}

var rwhRows = []Field{
	{Name: "infiniband.rwh", Label: "RWH - Raw Header", Kind: Bytes, flags: head, level: 1},
	{Name: "infiniband.reserved", Label: "Reserved", Kind: Bytes, Length: 2, level: 2},
	{Name: "infiniband.rwh.etype", Label: "Ethertype", Kind: Uint16, Offset: 2, base: hex, level: 2, names: etherTypeName},
}

var flowControlRows = []Field{
	{Name: "infiniband_link", Label: "InfiniBand Link", Kind: Protocol, flags: head},
	{Name: "infiniband_link.op", Label: "Operand", Kind: Uint16, Mask: 0xf000, level: 1, names: flowControlOp},
	{Name: "infiniband_link.fctbs", Label: "Flow Control Total Blocks Sent", Kind: Uint16, Mask: 0x0fff, level: 1},
	{Name: "infiniband_link.vl", Label: "Virtual Lane", Kind: Uint16, Offset: 2, Mask: 0xf000, level: 1},
	{Name: "infiniband_link.fccl", Label: "Flow Control Credit Limit", Kind: Uint16, Offset: 2, Mask: 0x0fff, level: 1},
	{Name: "infiniband_link.lpcrc", Label: "Link Packet CRC", Kind: Uint16, Offset: 4, base: hex, level: 1},
}

var grhRows = []Field{
	infiniBandRow,
	{Name: "infiniband.grh", Label: "Global Route Header", Kind: Bytes, flags: head, level: 1},
	{Name: "infiniband.grh.ipver", Label: "IP Version", Kind: Uint8, Mask: 0xf0, level: 2},
	{Name: "infiniband.grh.tclass", Label: "Traffic Class", Kind: Uint16, Mask: 0x0ff0, level: 2},
	{Name: "infiniband.grh.flowlabel", Label: "Flow Label", Kind: Uint32, Mask: 0x000fffff, level: 2},
	{Name: "infiniband.grh.paylen", Label: "Payload Length", Kind: Uint16, Offset: 4, level: 2},
	{Name: "infiniband.grh.nxthdr", Label: "Next Header", Kind: Uint8, Offset: 6, level: 2},
	{Name: "infiniband.grh.hoplmt", Label: "Hop Limit", Kind: Uint8, Offset: 7, level: 2},
	{Name: "infiniband.grh.sgid", Label: "Source GID", Kind: IPv6, Offset: 8, level: 2},
	{Name: "infiniband.grh.dgid", Label: "Destination GID", Kind: IPv6, Offset: 24, level: 2},
}

// bthRows have tshark's row for the byte in front of DestQP, and ours for the
// bits in it.
var bthRows = []Field{
	infiniBandRow,
	{Name: "infiniband.bth", Label: "Base Transport Header", Kind: Bytes, flags: head, level: 1},
	{Name: "infiniband.bth.opcode", Label: "Opcode", Kind: Uint8, level: 2, names: opcodeName},
	{Name: "infiniband.bth.se", Label: "Solicited Event", Kind: Bool, Offset: 1, Mask: 0x80, level: 2},
	{Name: "infiniband.bth.m", Label: "MigReq", Kind: Bool, Offset: 1, Mask: 0x40, level: 2},
	{Name: "infiniband.bth.padcnt", Label: "Pad Count", Kind: Uint8, Offset: 1, Mask: 0x30, level: 2},
	{Name: "infiniband.bth.tver", Label: "Header Version", Kind: Uint8, Offset: 1, Mask: 0x0f, level: 2},
	{Name: "infiniband.bth.p_key", Label: "Partition Key", Kind: Uint16, Offset: 2, level: 2},
	{Name: "infiniband.reserved", Label: "Reserved", Kind: Bytes, Offset: 4, Length: 1, level: 2},
	{Name: "infiniband.bth.fecn", Label: "FECN", Kind: Bool, Offset: 4, Mask: 0x80, level: 3},
	{Name: "infiniband.bth.becn", Label: "BECN", Kind: Bool, Offset: 4, Mask: 0x40, level: 3},
	{Name: "infiniband.bth.reserved6", Label: "Reserved (6 bits)", Kind: Uint8, Offset: 4, Mask: 0x3f, level: 3},
	{Name: "infiniband.bth.destqp", Label: "Destination Queue Pair", Kind: Uint24, Offset: 5, base: hex, level: 2},
	{Name: "infiniband.bth.a", Label: "Acknowledge Request", Kind: Bool, Offset: 8, Mask: 0x80, level: 2},
	{Name: "infiniband.bth.reserved7", Label: "Reserved (7 bits)", Kind: Uint8, Offset: 8, Mask: 0x7f, level: 2},
	{Name: "infiniband.bth.psn", Label: "Packet Sequence Number", Kind: Uint24, Offset: 9, level: 2},
	{Name: "infiniband.vendor", Label: "Vendor Specific or Unknown Header Sequence", Kind: Bytes, Offset: bth.Size, Length: vendorHead, level: 1, Alias: true, cond: hasVendor},
	{Name: "infiniband.vendor", Label: "Unknown/Vendor Specific Data", Kind: Bytes, Offset: bth.Size, level: 2, Alias: true, cond: hasVendor, length: vendorLength},
}

// vendorHead is how many bytes Wireshark puts above all that is behind the BTH of
// an opcode whose headers are not known: a second name for the first bytes, and
// for all of them up to the end of what was given to InfiniBand, CRCs included.
const vendorHead = 4

func hasVendor(f *Frame, h int) bool {
	return !opcode.Opcode(f.byteAt(h, 0)).Assigned() && vendorLength(f, h) >= vendorHead
}

func vendorLength(f *Frame, h int) int {
	first := h
	for !beginsInfiniBand(f, first) {
		first--
	}
	return f.givenEnd(first) - f.Headers[h].Offset - bth.Size
}

// endRows are what is behind the headers of InfiniBand.
var endRows = []Field{
	{Name: "infiniband.payload", Label: "Payload", Kind: Bytes, level: 1,
		find: func(f *Frame) (Value, bool) {
			return Value{Offset: f.behind(), Length: len(f.Payload)}, len(f.Payload) > 0 && f.endsInInfiniBand()
		}},
	{Name: "infiniband.payload.length", Label: "Payload Length", Kind: Uint32, level: 1, flags: generated,
		find: func(f *Frame) (Value, bool) {
			return Value{Num: uint64(f.PayloadLen)}, f.endsInInfiniBand() && !f.Has(ibwire.FlowControl)
		}},
	{Name: "infiniband.pad", Label: "Pad", Kind: Bytes, level: 1,
		find: func(f *Frame) (Value, bool) {
			return Value{Offset: f.behind() + len(f.Payload), Length: len(f.Pad)}, len(f.Pad) > 0
		}},
	{Name: "infiniband.invariant.crc", Label: "Invariant CRC", Kind: Uint32, base: hex, level: 1, note: icrcNote,
		find: func(f *Frame) (Value, bool) {
			return Value{Num: uint64(f.BTH.ICRC), Offset: f.icrcAt(), Length: 4}, f.HasICRC()
		}},
	{Name: "infiniband.invariant.crc.status", Label: "Invariant CRC Status", Kind: Uint8, level: 1, flags: generated, show: statusName,
		find: func(f *Frame) (Value, bool) { return statusOf(f.ICRC()), f.Has(ibwire.BTH) }},
	{Name: "infiniband.invariant.crc.calculated", Label: "Calculated CRC", Kind: Uint32, base: hex, level: 1, flags: generated,
		find: calculatedICRC},
	{Name: "infiniband.trailer", Label: "Bytes between two length fields", Kind: Bytes, level: 1,
		find: func(f *Frame) (Value, bool) {
			return Value{Offset: f.gapAt(), Length: len(f.Gap)}, len(f.Gap) > 0
		}},
	{Name: "infiniband.variant.crc", Label: "Variant CRC", Kind: Uint16, base: hex, level: 1, note: vcrcNote,
		find: func(f *Frame) (Value, bool) {
			return Value{Num: uint64(f.LRH.VCRC), Offset: f.vcrcAt(), Length: 2}, f.HasVCRC()
		}},
	{Name: "infiniband.variant.crc.status", Label: "Variant CRC Status", Kind: Uint8, level: 1, flags: generated, show: statusName,
		find: func(f *Frame) (Value, bool) { return statusOf(f.VCRC()), f.Has(ibwire.LRH) }},
	{Name: "infiniband.variant.crc.calculated", Label: "Calculated CRC", Kind: Uint16, base: hex, level: 1, flags: generated,
		find: func(f *Frame) (Value, bool) { return Value{Num: uint64(f.VCRC().Expected)}, f.HasVCRC() }},
	{Name: "infiniband.trailer", Label: "Trailer", Kind: Bytes, level: 1,
		find: func(f *Frame) (Value, bool) {
			return Value{Offset: f.trailerAt(), Length: len(f.Trailer)}, len(f.Trailer) > 0 && f.lastInfiniBand() >= 0
		}},
}

// endsInInfiniBand reports whether the last header is one of InfiniBand.
func (f *Frame) endsInInfiniBand() bool { return f.isInfiniBand(len(f.Headers) - 1) }

// restRows are what is behind everything else.
var restRows = []Field{
	{Name: "data", Label: "Data", Kind: Protocol, find: otherPayload, text: dataText, line: dataLine},
	{Name: "data.data", Label: "Data", Kind: Bytes, level: 1, find: otherPayload},
	{Name: "data.len", Label: "Length", Kind: Uint32, level: 1, flags: generated,
		find: func(f *Frame) (Value, bool) {
			_, ok := otherPayload(f)
			return Value{Num: uint64(len(f.Payload))}, ok
		}},
	{Name: "ibwire.cut", Label: "Cut header", Kind: Bytes,
		find: func(f *Frame) (Value, bool) {
			return Value{Offset: f.behind(), Length: len(f.Cut)}, len(f.Cut) > 0
		}},
	{Name: "ibwire.truncated", Label: "Packet truncated: a length field counts more bytes than are there", Kind: Bool, flags: head | generated,
		find: func(f *Frame) (Value, bool) { return Value{Num: 1}, f.Truncated }},
}

// otherPayload finds what is behind headers that are not InfiniBand's.
func otherPayload(f *Frame) (Value, bool) {
	return Value{Offset: f.behind(), Length: len(f.Payload)}, len(f.Payload) > 0 && !f.endsInInfiniBand()
}

func dataLine(dst []byte, v Value) []byte {
	dst = append(dst, "Data ("...)
	dst = appendDecimal(dst, uint64(v.Length))
	return append(dst, " bytes)"...)
}

// dataText is what tshark has for the text of this protocol.
func dataText(dst []byte, v Value) []byte { return appendHex(dst, v.Bytes()) }
