package field

import "github.com/ibwire/ibwire/erf"

// erfRows are the header of an ERF record.
var erfRows = []Field{
	{Name: "erf", Label: "Extensible Record Format", Kind: Protocol, flags: head},
	{Name: "erf.ts", Label: "Timestamp", Kind: Uint64, base: hex, flags: littleEndian, level: 1},
	{Name: "erf.types", Label: "Record type", Kind: Uint8, Offset: 8, base: hex, level: 1, note: erfTypeNote},
	{Name: "erf.types.type", Label: "Type", Kind: Uint8, Offset: 8, Mask: 0x7f, level: 2, names: erfTypeName},
	{Name: "erf.types.ext_header", Label: "Extension header present", Kind: Uint8, Offset: 8, Mask: 0x80, level: 2},
	{Name: "erf.flags", Label: "Flags", Kind: Uint8, Offset: 9, base: hex, level: 1, note: erfFlagsNote},
	{Name: "erf.flags.cap", Label: "Capture interface", Kind: Uint8, Offset: 9, Mask: 0x03, level: 2},
	{Name: "erf.flags.vlen", Label: "Varying record length", Kind: Uint8, Offset: 9, Mask: 0x04, level: 2},
	{Name: "erf.flags.trunc", Label: "Truncated", Kind: Uint8, Offset: 9, Mask: 0x08, level: 2},
	{Name: "erf.flags.rxe", Label: "RX error", Kind: Uint8, Offset: 9, Mask: 0x10, level: 2},
	{Name: "erf.flags.dse", Label: "DS error", Kind: Uint8, Offset: 9, Mask: 0x20, level: 2},
	{Name: "erf.flags.res", Label: "Reserved", Kind: Uint8, Offset: 9, Mask: 0xc0, base: hex, level: 2},
	{Name: "erf.rlen", Label: "Record length", Kind: Uint16, Offset: 10, level: 1},
	{Name: "erf.lctr", Label: "Loss counter", Kind: Uint16, Offset: 12, level: 1, cond: countsLoss},
	{Name: "erf.color", Label: "Color", Kind: Uint16, Offset: 12, base: hex, level: 1, cond: hasColor},
	{Name: "erf.wlen", Label: "Wire length", Kind: Uint16, Offset: 14, level: 1},
}

func hasColor(f *Frame, _ int) bool   { return f.ERF.Type.HasColor() }
func countsLoss(f *Frame, _ int) bool { return !f.ERF.Type.HasColor() }

func erfTypeNote(dst []byte, v Value) []byte {
	t := v.Num & 0x7f
	dst = append(dst, " (Type "...)
	dst = appendDecimal(dst, t)
	dst = append(dst, ": "...)
	if name := erfTypeName(t); name != "" {
		dst = append(dst, name...)
	} else {
		dst = append(dst, "Unknown Type"...)
	}
	return append(dst, ')')
}

func erfFlagsNote(dst []byte, v Value) []byte {
	flags := erf.Flags(v.Num)
	dst = append(dst, " (Capture Interface: "...)
	dst = appendDecimal(dst, uint64(flags.Interface()))
	for _, e := range [...]struct {
		flag erf.Flags
		text string
	}{
		{erf.FlagTrunc, "; ERF Truncation Error"},
		{erf.FlagRxError, "; ERF Rx Error"},
		{erf.FlagDSError, "; ERF DS Error"},
	} {
		if flags.Has(e.flag) {
			dst = append(dst, e.text...)
		}
	}
	return append(dst, ')')
}
