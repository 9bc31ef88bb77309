package field

import "github.com/ibwire/ibwire/erf"

// erfSubRows are the sub-headers of a record: of Ethernet, of the multichannel
// types and of AAL2. The fields of type 17, which tshark does not show, are left
// out too.
var erfSubRows = []Field{
	{Name: "erf.eth", Label: "Ethernet pad", Kind: None, flags: head, level: 1, cond: hasEthernetPad},
	{Name: "erf.eth.off", Label: "Offset", Kind: Uint8, level: 2, cond: hasEthernetPad},
	{Name: "erf.eth.pad", Label: "Padding", Kind: Uint8, Offset: 1, base: hex, level: 2, cond: hasEthernetPad},

	{Name: "erf.mchdlc", Label: "Multi Channel HDLC Header", Kind: Uint32, base: hex, level: 1, cond: mcHDLC},
	{Name: "erf.mchdlc.cn", Label: "Connection number", Kind: Uint32, Mask: 0x000003ff, level: 2, cond: mcHDLC},
	{Name: "erf.mchdlc.res1", Label: "Reserved", Kind: Uint32, Mask: 0x0000fc00, base: hex, level: 2, cond: mcHDLC},
	{Name: "erf.mchdlc.res2", Label: "Reserved", Kind: Uint32, Mask: 0x00ff0000, base: hex, level: 2, cond: mcHDLC},
	{Name: "erf.mchdlc.fcse", Label: "FCS error", Kind: Uint32, Mask: 0x01000000, level: 2, cond: mcHDLC},
	{Name: "erf.mchdlc.sre", Label: "Short record error", Kind: Uint32, Mask: 0x02000000, level: 2, cond: mcHDLC},
	{Name: "erf.mchdlc.lre", Label: "Long record error", Kind: Uint32, Mask: 0x04000000, level: 2, cond: mcHDLC},
	{Name: "erf.mchdlc.afe", Label: "Aborted frame error", Kind: Uint32, Mask: 0x08000000, level: 2, cond: mcHDLC},
	{Name: "erf.mchdlc.oe", Label: "Octet error", Kind: Uint32, Mask: 0x10000000, level: 2, cond: mcHDLC},
	{Name: "erf.mchdlc.lbe", Label: "Lost byte error", Kind: Uint32, Mask: 0x20000000, level: 2, cond: mcHDLC},
	{Name: "erf.mchdlc.first", Label: "First record", Kind: Uint32, Mask: 0x40000000, level: 2, cond: mcHDLC},
	{Name: "erf.mchdlc.res3", Label: "Reserved", Kind: Uint32, Mask: 0x80000000, base: hex, level: 2, cond: mcHDLC},

	{Name: "erf.mcraw", Label: "Multi Channel RAW Header", Kind: Uint32, base: hex, level: 1, cond: mcRaw},
	{Name: "erf.mcraw.int", Label: "Physical interface", Kind: Uint32, Mask: 0x0000000f, level: 2, cond: mcRaw},
	{Name: "erf.mcraw.res1", Label: "Reserved", Kind: Uint32, Mask: 0x01fffff0, base: hex, level: 2, cond: mcRaw},
	{Name: "erf.mcraw.sre", Label: "Short record error", Kind: Uint32, Mask: 0x02000000, level: 2, cond: mcRaw},
	{Name: "erf.mcraw.lre", Label: "Long record error", Kind: Uint32, Mask: 0x04000000, level: 2, cond: mcRaw},
	{Name: "erf.mcraw.res2", Label: "Reserved", Kind: Uint32, Mask: 0x18000000, base: hex, level: 2, cond: mcRaw},
	{Name: "erf.mcraw.lbe", Label: "Lost byte error", Kind: Uint32, Mask: 0x20000000, level: 2, cond: mcRaw},
	{Name: "erf.mcraw.first", Label: "First record", Kind: Uint32, Mask: 0x40000000, level: 2, cond: mcRaw},
	{Name: "erf.mcraw.res3", Label: "Reserved", Kind: Uint32, Mask: 0x80000000, base: hex, level: 2, cond: mcRaw},

	{Name: "erf.mcatm", Label: "Multi Channel ATM Header", Kind: Uint32, base: hex, level: 1, cond: mcATM},
	{Name: "erf.mcatm.cn", Label: "Connection number", Kind: Uint32, Mask: 0x000003ff, level: 2, cond: mcATM},
	{Name: "erf.mcatm.res1", Label: "Reserved", Kind: Uint32, Mask: 0x00007c00, base: hex, level: 2, cond: mcATM},
	{Name: "erf.mcatm.mul", Label: "Multiplexed", Kind: Uint32, Mask: 0x00008000, level: 2, cond: mcATM},
	{Name: "erf.mcatm.port", Label: "Physical port", Kind: Uint32, Mask: 0x000f0000, level: 2, cond: mcATM},
	{Name: "erf.mcatm.res2", Label: "Reserved", Kind: Uint32, Mask: 0x00f00000, base: hex, level: 2, cond: mcATM},
	{Name: "erf.mcatm.lbe", Label: "Lost Byte Error", Kind: Uint32, Mask: 0x01000000, level: 2, cond: mcATM},
	{Name: "erf.mcatm.hec", Label: "HEC corrected", Kind: Uint32, Mask: 0x02000000, level: 2, cond: mcATM},
	{Name: "erf.mcatm.crc10", Label: "OAM Cell CRC10 Error (not implemented)", Kind: Uint32, Mask: 0x04000000, level: 2, cond: mcATM},
	{Name: "erf.mcatm.oamcell", Label: "OAM Cell", Kind: Uint32, Mask: 0x08000000, level: 2, cond: mcATM},
	{Name: "erf.mcatm.first", Label: "First record", Kind: Uint32, Mask: 0x10000000, level: 2, cond: mcATM},
	{Name: "erf.mcatm.res3", Label: "Reserved", Kind: Uint32, Mask: 0xe0000000, base: hex, level: 2, cond: mcATM},

	{Name: "erf.mcrawl", Label: "Multi Channel RAW Link Header", Kind: Uint32, base: hex, level: 1, cond: mcRawChannel},
	{Name: "erf.mcrawl.cn", Label: "Connection number", Kind: Uint32, Mask: 0x000003ff, level: 2, cond: mcRawChannel},
	{Name: "erf.mcrawl.res1", Label: "Reserved", Kind: Uint32, Mask: 0x80000000, base: hex, level: 2, cond: mcRawChannel},
	{Name: "erf.mcrawl.lbe", Label: "Lost byte error", Kind: Uint32, Mask: 0x20000000, level: 2, cond: mcRawChannel},
	{Name: "erf.mcrawl.first", Label: "First record", Kind: Uint32, Mask: 0x40000000, level: 2, cond: mcRawChannel},
	{Name: "erf.mcrawl.res2", Label: "Reserved", Kind: Uint32, Mask: 0x80000000, base: hex, level: 2, cond: mcRawChannel},

	{Name: "erf.mcaal5", Label: "Multi Channel AAL5 Header", Kind: Uint32, base: hex, level: 1, cond: mcAAL5},
	{Name: "erf.mcaal5.cn", Label: "Connection number", Kind: Uint32, Mask: 0x000003ff, level: 2, cond: mcAAL5},
	{Name: "erf.mcaal5.res1", Label: "Reserved", Kind: Uint32, Mask: 0x0000fc00, base: hex, level: 2, cond: mcAAL5},
	{Name: "erf.mcaal5.port", Label: "Physical port", Kind: Uint32, Mask: 0x000f0000, level: 2, cond: mcAAL5},
	{Name: "erf.mcaal5.crcck", Label: "CRC checked", Kind: Uint32, Mask: 0x00100000, level: 2, cond: mcAAL5},
	{Name: "erf.mcaal5.crce", Label: "CRC error", Kind: Uint32, Mask: 0x00200000, level: 2, cond: mcAAL5},
	{Name: "erf.mcaal5.lenck", Label: "Length checked", Kind: Uint32, Mask: 0x00400000, level: 2, cond: mcAAL5},
	{Name: "erf.mcaal5.lene", Label: "Length error", Kind: Uint32, Mask: 0x00800000, level: 2, cond: mcAAL5},
	{Name: "erf.mcaal5.res2", Label: "Reserved", Kind: Uint32, Mask: 0x0f000000, base: hex, level: 2, cond: mcAAL5},
	{Name: "erf.mcaal5.first", Label: "First record", Kind: Uint32, Mask: 0x10000000, level: 2, cond: mcAAL5},
	{Name: "erf.mcaal5.res3", Label: "Reserved", Kind: Uint32, Mask: 0xe0000000, base: hex, level: 2, cond: mcAAL5},

	{Name: "erf.mcaal2", Label: "Multi Channel AAL2 Header", Kind: Uint32, base: hex, level: 1, cond: mcAAL2},
	{Name: "erf.mcaal2.cn", Label: "Connection number", Kind: Uint32, Mask: 0x000003ff, level: 2, cond: mcAAL2},
	{Name: "erf.mcaal2.res1", Label: "Reserved for extra connection", Kind: Uint32, Mask: 0x00001c00, base: hex, level: 2, cond: mcAAL2},
	{Name: "erf.mcaal2.mul", Label: "Reserved for type", Kind: Uint32, Mask: 0x0000e000, base: hex, level: 2, cond: mcAAL2},
	{Name: "erf.mcaal2.port", Label: "Physical port", Kind: Uint32, Mask: 0x000f0000, level: 2, cond: mcAAL2},
	{Name: "erf.mcaal2.res2", Label: "Reserved", Kind: Uint32, Mask: 0x00100000, base: hex, level: 2, cond: mcAAL2},
	{Name: "erf.mcaal2.lbe", Label: "First cell received", Kind: Uint32, Mask: 0x00200000, level: 2, cond: mcAAL2},
	{Name: "erf.mcaal2.hec", Label: "MAAL error", Kind: Uint32, Mask: 0x00400000, level: 2, cond: mcAAL2},
	{Name: "erf.mcaal2.crc10", Label: "Length error", Kind: Uint32, Mask: 0x00800000, level: 2, cond: mcAAL2},
	{Name: "erf.mcaal2.cid", Label: "Channel Identification Number", Kind: Uint32, Mask: 0xff000000, level: 2, cond: mcAAL2},

	{Name: "erf.aal2", Label: "AAL2 Header", Kind: Uint32, base: hex, level: 1, cond: aal2},
	{Name: "erf.aal2.cid", Label: "Channel Identification Number", Kind: Uint32, Mask: 0x000000ff, level: 2, cond: aal2},
	{Name: "erf.aal2.maale", Label: "MAAL error number", Kind: Uint32, Mask: 0x0000ff00, level: 2, cond: aal2},
	{Name: "erf.aal2.hec", Label: "MAAL error", Kind: Uint32, Mask: 0x00010000, level: 2, cond: aal2},
	{Name: "erf.aal2.lbe", Label: "First cell received", Kind: Uint32, Mask: 0x00020000, level: 2, cond: aal2},
	{Name: "erf.aal2.res1", Label: "Reserved", Kind: Uint32, Mask: 0xfffc0000, base: hex, level: 2, cond: aal2},
}

// Conditions: that the record is of a type.
var (
	mcHDLC       = ofERF(erf.TypeMCHDLC)
	mcRaw        = ofERF(erf.TypeMCRaw)
	mcATM        = ofERF(erf.TypeMCATM)
	mcRawChannel = ofERF(erf.TypeMCRawChannel)
	mcAAL5       = ofERF(erf.TypeMCAAL5)
	mcAAL2       = ofERF(erf.TypeMCAAL2)
	aal2         = ofERF(erf.TypeAAL2)
)

// ofERF returns a condition: that the record is of type t.
func ofERF(t erf.Type) func(*Frame, int) bool {
	return func(f *Frame, _ int) bool { return f.ERF.Type == t }
}

// hasEthernetPad is the condition for the two bytes in front of Ethernet.
func hasEthernetPad(f *Frame, h int) bool { return f.Headers[h].Length == 2 }
