package field

import "github.com/ibwire/ibwire/erf"

// erfExtRows are the extension headers of a record.
var erfExtRows = []Field{
	{Name: "erf.ehdr.types", Label: "Extension Header", Kind: Uint8, Mask: 0x7f, flags: noBits, level: 1, names: erfExtName},

	{Name: "erf.ehdr.class.flags", Label: "Flags", Kind: Uint32, Mask: 0xffffff, flags: noBits, base: hex, level: 2, cond: classification},
	{Name: "erf.ehdr.class.flags.sh", Label: "Search hit", Kind: Uint32, Mask: 0x800000, level: 3, cond: classification},
	{Name: "erf.ehdr.class.flags.shm", Label: "Multiple search hits", Kind: Uint32, Mask: 0x400000, level: 3, cond: classification},
	{Name: "erf.ehdr.class.flags.res1", Label: "Reserved", Kind: Uint32, Mask: 0x300000, base: hex, level: 3, cond: classification},
	{Name: "erf.ehdr.class.flags.user", Label: "User classification", Kind: Uint32, Mask: 0x0ffff0, level: 3, cond: classification},
	{Name: "erf.ehdr.class.flags.res2", Label: "Reserved", Kind: Uint32, Mask: 0x000008, base: hex, level: 3, cond: classification},
	{Name: "erf.ehdr.class.flags.drop", Label: "Drop Steering Bit", Kind: Uint32, Mask: 0x000004, level: 3, cond: classification},
	{Name: "erf.ehdr.class.flags.str", Label: "Stream Steering Bits", Kind: Uint32, Mask: 0x000003, level: 3, cond: classification},
	{Name: "erf.ehdr.class.seqnum", Label: "Sequence number", Kind: Uint32, Offset: 4, level: 2, cond: classification},

	{Name: "erf.ehdr.int.res1", Label: "Reserved", Kind: Uint8, Offset: 1, base: hex, level: 2, cond: interceptID},
	{Name: "erf.ehdr.int.intid", Label: "Intercept ID", Kind: Uint16, Offset: 2, level: 2, cond: interceptID},
	{Name: "erf.ehdr.int.res2", Label: "Reserved", Kind: Uint32, Offset: 4, base: hex, level: 2, cond: interceptID},

	{Name: "erf.ehdr.raw.res", Label: "Reserved", Kind: Uint32, Mask: 0xffffff, flags: noBits, base: hex, level: 2, cond: rawLink},
	{Name: "erf.ehdr.raw.seqnum", Label: "Sequence number", Kind: Uint16, Offset: 4, level: 2, cond: rawLink},
	{Name: "erf.ehdr.raw.rate", Label: "Rate", Kind: Uint8, Offset: 6, level: 2, cond: rawLink, names: rawRate},
	{Name: "erf.ehdr.raw.link_type", Label: "Link Type", Kind: Uint8, Offset: 7, level: 2, cond: rawLink, names: rawLinkType},

	{Name: "erf.ehdr.bfs.hash", Label: "Hash", Kind: Uint8, Offset: 1, base: hex, level: 2, cond: bfs},
	{Name: "erf.ehdr.bfs.color", Label: "Filter Color", Kind: Uint16, Offset: 2, base: hex, level: 2, cond: bfs},
	{Name: "erf.ehdr.bfs.rawhash", Label: "Raw Hash", Kind: Uint32, Offset: 4, base: hex, level: 2, cond: bfs},

	// As tshark has it, "more bits" is the bit that says that another extension
	// header follows.
	{Name: "erf.ehdr.chan.morebits", Label: "More Bits", Kind: Bool, Mask: 0x80, flags: noBits, level: 2, cond: channelised},
	{Name: "erf.ehdr.chan.morefrag", Label: "More Fragments", Kind: Bool, Offset: 1, Mask: 0x80, flags: noBits, level: 2, cond: channelised},
	{Name: "erf.ehdr.chan.seqnum", Label: "Sequence Number", Kind: Uint16, Offset: 1, Mask: 0x7fff, flags: noBits, level: 2, cond: channelised},
	{Name: "erf.ehdr.chan.res", Label: "Reserved", Kind: Uint8, Offset: 3, base: hex, level: 2, cond: channelised},
	{Name: "erf.ehdr.chan.vcid", Label: "Virtual Container ID", Kind: Uint8, Offset: 4, base: hex, level: 2, cond: channelised},
	{Name: "erf.ehdr.chan.vcsize", Label: "Associated Virtual Container Size", Kind: Uint8, Offset: 5, base: hex, level: 2, cond: channelised, names: channelSize},
	{Name: "erf.ehdr.chan.rate", Label: "Origin Line Type/Rate", Kind: Uint8, Offset: 6, base: hex, level: 2, cond: channelised, names: channelRate},
	{Name: "erf.ehdr.chan.type", Label: "Frame Part Type", Kind: Uint8, Offset: 7, base: hex, level: 2, cond: channelised, names: channelType},

	{Name: "erf.ehdr.signature.payloadhash", Label: "Payload Hash", Kind: Uint24, Offset: 1, base: hex, level: 2, cond: signature},
	{Name: "erf.ehdr.signature.color", Label: "Filter Color", Kind: Uint8, Offset: 4, base: hex, level: 2, cond: signature},
	{Name: "erf.ehdr.signature.flowhash", Label: "Flow Hash", Kind: Uint24, Offset: 5, base: hex, level: 2, cond: signature},

	{Name: "erf.ehdr.flowid.sourceid", Label: "Source ID", Kind: Uint8, Offset: 1, level: 2, cond: flowID},
	{Name: "erf.ehdr.flowid.hashtype", Label: "Hash Type", Kind: Uint8, Offset: 2, base: hex, level: 2, cond: flowID, names: hashType},
	{Name: "erf.ehdr.flowid.stacktype", Label: "Stack Type", Kind: Uint8, Offset: 3, base: hex, level: 2, cond: flowID, names: stackType},
	{Name: "erf.ehdr.flowid.flowhash", Label: "Flow Hash", Kind: Uint32, Offset: 4, base: hex, level: 2, cond: flowID},

	{Name: "erf.ehdr.hostid.sourceid", Label: "Source ID", Kind: Uint8, Offset: 1, level: 2, cond: hostID},
	{Name: "erf.ehdr.hostid.hostid", Label: "Host ID", Kind: Uint48, Offset: 2, base: hex, level: 2, cond: hostID},
	{Name: "erf.hostid", Label: "Host ID", Kind: Uint48, Offset: 2, base: hex, flags: generated, level: 1, cond: hostIDOrOnlyFlowID, num: recordHostID},
	{Name: "erf.sourceid", Label: "Source ID", Kind: Uint8, Offset: 1, flags: generated, level: 1, cond: hostIDOrOnlyFlowID},

	{Name: "erf.ehdr.anchorid.flags", Label: "Flags", Kind: Uint8, Offset: 1, base: hex, level: 2, cond: anchorID, note: anchorNote},
	{Name: "erf.ehdr.anchorid.flags.definition", Label: "Anchor Definition", Kind: Bool, Offset: 1, Mask: 0x80, level: 3, cond: anchorID},
	{Name: "erf.ehdr.anchorid.flags.rsvd", Label: "Reserved", Kind: Uint8, Offset: 1, Mask: 0x7f, base: hex, level: 3, cond: anchorID},
	{Name: "erf.ehdr.anchorid.anchorid", Label: "Anchor ID", Kind: Uint48, Offset: 2, base: hex, level: 2, cond: anchorID},
	{Name: "erf.anchor.hostid", Label: "Host ID", Kind: Uint48, Offset: 2, base: hex, flags: generated, level: 1, cond: anchorID, num: recordHostID},
	{Name: "erf.anchor.anchorid", Label: "Anchor ID", Kind: Uint48, Offset: 2, base: hex, flags: generated, level: 1, cond: anchorID},

	{Name: "erf.ehdr.entropy.entropy", Label: "Entropy", Kind: Float, Offset: 1, level: 2, cond: entropy, num: rawEntropy, text: entropyText, show: entropyShow},
	{Name: "erf.ehdr.entropy.entropy.raw", Label: "Raw Entropy", Kind: Uint8, Offset: 1, level: 3, cond: entropy},
	{Name: "erf.ehdr.entropy.rsvd", Label: "Reserved", Kind: Uint48, Offset: 2, base: hex, level: 2, cond: entropy},

	{Name: "erf.ehdr.unknown.data", Label: "Data", Kind: Uint64, base: hex, level: 2, cond: unknownExt},
}

// Conditions: that an extension header is of a type.
var (
	classification = ofExt(erf.ExtClassification)
	interceptID    = ofExt(erf.ExtInterceptID)
	rawLink        = ofExt(erf.ExtRawLink)
	bfs            = ofExt(erf.ExtBFS)
	channelised    = ofExt(erf.ExtChannelised)
	signature      = ofExt(erf.ExtSignature)
	flowID         = ofExt(erf.ExtFlowID)
	hostID         = ofExt(erf.ExtHostID)
	anchorID       = ofExt(erf.ExtAnchorID)
	entropy        = ofExt(erf.ExtEntropy)
)

func ofExt(t erf.ExtType) func(*Frame, int) bool {
	return func(f *Frame, h int) bool { return extType(f, h) == t }
}

func extType(f *Frame, h int) erf.ExtType { return erf.ExtType(f.byteAt(h, 0) & 0x7f) }

// unknownExt is the condition for a body that has no fields.
func unknownExt(f *Frame, h int) bool {
	switch t := extType(f, h); t {
	case erf.ExtPacketID:
		return true
	default:
		return erfExtName(uint64(t)) == ""
	}
}

// recordHostID returns the host ID of the record, or 0 if it has none.
func recordHostID(f *Frame, _ int) uint64 {
	for i := range f.ERF.Ext {
		if e := &f.ERF.Ext[i]; e.Type == erf.ExtHostID {
			var n uint64
			for _, b := range e.Body[1:] {
				n = n<<8 | uint64(b)
			}
			return n
		}
	}
	return 0
}

// hostIDOrOnlyFlowID is the condition for what tells the source of a record: a
// Host ID or, in a record without one, a Flow ID.
func hostIDOrOnlyFlowID(f *Frame, h int) bool {
	if t := extType(f, h); t != erf.ExtFlowID {
		return t == erf.ExtHostID
	}
	for i := range f.ERF.Ext {
		if f.ERF.Ext[i].Type == erf.ExtHostID {
			return false
		}
	}
	return true
}

func anchorNote(dst []byte, v Value) []byte {
	if v.Num&0x80 != 0 {
		dst = append(dst, ", Anchor Definition"...)
	}
	return dst
}

// rawEntropy returns the entropy in units of 1/32 bit.
func rawEntropy(f *Frame, h int) uint64 {
	if raw := f.byteAt(h, 1); raw != 0 {
		return uint64(raw) + 1
	}
	return 0
}

func entropyText(dst []byte, v Value) []byte { return appendFloat(dst, float64(v.Num)/32, -1) }

func entropyShow(dst []byte, v Value) []byte {
	dst = appendFloat(dst, float64(v.Num)/32, 2)
	if v.Num == 0 {
		return append(dst, " (not calculated)"...)
	}
	return append(dst, " bits"...)
}
