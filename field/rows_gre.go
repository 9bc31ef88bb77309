package field

import "github.com/ibwire/ibwire"

// greRows have a row for each place where a number can stand: those in front of
// it may be missing. Routes are not taken apart. ERSPAN of type I has no header:
// it is what this one says.
var greRows = []Field{
	{Name: "gre", Label: "Generic Routing Encapsulation", Kind: Protocol, text: greLine, line: greLine},
	{Name: "gre.flags_and_version", Label: "Flags and Version", Kind: Uint16, base: hex, level: 1},
	{Name: "gre.flags.checksum", Label: "Checksum Bit", Kind: Bool, Length: 2, Mask: greChecksum, level: 2, names: noYes},
	{Name: "gre.flags.routing", Label: "Routing Bit", Kind: Bool, Length: 2, Mask: greRouting, level: 2, names: noYes},
	{Name: "gre.flags.key", Label: "Key Bit", Kind: Bool, Length: 2, Mask: greKey, level: 2, names: noYes},
	{Name: "gre.flags.sequence_number", Label: "Sequence Number Bit", Kind: Bool, Length: 2, Mask: greSequence, level: 2, names: noYes},
	{Name: "gre.flags.strict_source_route", Label: "Strict Source Route Bit", Kind: Bool, Length: 2, Mask: 0x0800, level: 2, names: noYes},
	{Name: "gre.flags.recursion_control", Label: "Recursion control", Kind: Uint16, Mask: 0x0700, level: 2},
	{Name: "gre.flags.reserved", Label: "Flags (Reserved)", Kind: Uint16, Mask: 0x00f8, level: 2},
	{Name: "gre.flags.version", Label: "Version", Kind: Uint16, Mask: 0x0007, level: 2, names: list("GRE", "Enhanced GRE")},
	{Name: "gre.proto", Label: "Protocol Type", Kind: Uint16, Offset: 2, base: hex, level: 1, names: greProtoName},
	{Name: "gre.checksum", Label: "Checksum", Kind: Uint16, Offset: 4, base: hex, level: 1, cond: greSums, note: greChecksumNote},
	{Name: "gre.checksum.status", Label: "Checksum Status", Kind: Uint8, level: 1, flags: generated, cond: greSums, num: greChecksumStatus, show: statusName},
	{Name: "gre.offset", Label: "Offset", Kind: Uint16, Offset: 6, level: 1, cond: greSums},
	{Name: "gre.key", Label: "Key", Kind: Uint32, Offset: 4, base: hex, level: 1, cond: greHas(greKey, 4)},
	{Name: "gre.key", Label: "Key", Kind: Uint32, Offset: 8, base: hex, level: 1, cond: greHas(greKey, 8)},
	{Name: "gre.sequence_number", Label: "Sequence Number", Kind: Uint32, Offset: 4, level: 1, cond: greHas(greSequence, 4)},
	{Name: "gre.sequence_number", Label: "Sequence Number", Kind: Uint32, Offset: 8, level: 1, cond: greHas(greSequence, 8)},
	{Name: "gre.sequence_number", Label: "Sequence Number", Kind: Uint32, Offset: 12, level: 1, cond: greHas(greSequence, 12)},
	{Name: "erspan", Label: "Encapsulated Remote Switch Packet ANalysis Type I", Kind: Protocol, flags: head, cond: isERSPANI, length: noBytes, text: label},
}

// Flags of GRE.
const (
	greChecksum = 0x8000
	greRouting  = 0x4000 // with these, the bytes of the checksum are there too
	greKey      = 0x2000
	greSequence = 0x1000
)

func greSums(f *Frame, h int) bool { return f.uint16At(h, 0)&(greChecksum|greRouting) != 0 }

// greHas is the condition for the number of a flag to be there, at an offset.
func greHas(flag uint16, offset int) func(*Frame, int) bool {
	return func(f *Frame, h int) bool {
		flags, at := f.uint16At(h, 0), 4
		if greSums(f, h) {
			at += 4
		}
		if flag == greSequence && flags&greKey != 0 {
			at += 4
		}
		return flags&flag != 0 && at == offset
	}
}

const etherTypeERSPAN = 0x88be

func isERSPANI(f *Frame, h int) bool {
	return f.uint16At(h, 2) == etherTypeERSPAN && f.uint16At(h, 0)&greSequence == 0
}

func noBytes(*Frame, int) int { return 0 }

func greLine(dst []byte, v Value) []byte {
	proto := uint64(v.Frame.uint16At(v.h, 2))
	dst = append(dst, "Generic Routing Encapsulation ("...)
	if name := greProtoName(proto); name != "" {
		dst = append(dst, name...)
	} else {
		dst = append(appendHexNumber(dst, proto, 4), " - unknown"...)
	}
	return append(dst, ')')
}

// greVerdict verifies the checksum, which covers the header and what is behind
// it, where all that is there.
func greVerdict(f *Frame, h int) ibwire.CRC {
	value := uint32(f.uint16At(h, 4))
	covered, whole := f.given(h)
	if f.uint16At(h, 0)&greChecksum == 0 || !whole {
		return ibwire.CRC{Status: ibwire.Unverified, Value: value}
	}
	sum := uint32(^checksum(covered)) + ^value&0xffff // without the checksum itself
	expected := uint32(^uint16(sum + sum>>16))
	if checksum(covered) == 0 {
		return ibwire.CRC{Status: ibwire.Good, Value: value, Expected: value}
	}
	return ibwire.CRC{Status: ibwire.Bad, Value: value, Expected: expected}
}

func greChecksumStatus(f *Frame, h int) uint64 { return statusOf(greVerdict(f, h)).Num }

func greChecksumNote(dst []byte, v Value) []byte {
	return appendVerdict(dst, v, greVerdict(v.Frame, v.h))
}

// checksum returns the Internet checksum (RFC 1071): 0 over what has a right one.
func checksum(b []byte) uint16 {
	sum := uint32(0)
	for i, x := range b {
		sum += uint32(x) << (8 * (1 - i&1))
	}
	sum = sum>>16 + sum&0xffff
	return ^uint16(sum + sum>>16)
}
