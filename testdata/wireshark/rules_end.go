package wireshark

import (
	"strings"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/lrh"
)

// lengthRules are about payload, pad and CRCs behind a BTH.
var lengthRules = []*Rule{
	{
		ID: "pad", In: Both, Kind: Place, Fields: []string{"infiniband.payload"},
		When: func(d *Difference) bool {
			return d.Theirs.Offset == d.Ours.Offset && d.Theirs.Length == d.Ours.Length+len(d.Frame.Pad)
		},
		Wireshark: "the payload with its pad",
		We:        "the payload; the pad in infiniband.pad",
		Fact:      "PadCnt counts bytes that the user did not send (IBTA Vol 1, 9.2)",
	},
	{
		ID: "pad-only", In: Both, Kind: Theirs, Fields: []string{"infiniband.payload"},
		When: func(d *Difference) bool {
			return len(d.Frame.Pad) > 0 && len(d.Frame.Payload) == 0 && d.Theirs.Length == len(d.Frame.Pad)
		},
		Wireshark: "a payload of pad",
		We:        "no payload; the pad in infiniband.pad",
		Fact:      "as pad",
	},
	{
		ID: "length-check", In: Both, Kind: Ours, Fields: behindThem,
		When:      func(d *Difference) bool { return d.isAsRead() && d.read().refused },
		Wireshark: "no payload, and no CRCs but by chance, where the length is more than was captured",
		We:        "the payload as far as it goes",
		Fact:      "a packet that was cut is not malformed",
	},
	{
		ID: "overrun", In: Both, Kind: Ours, Fields: behindThem,
		When:      func(d *Difference) bool { return d.isAsRead() && d.read().overrun },
		Wireshark: "nothing, since it stopped in a header",
		We:        "payload and CRCs",
		Fact:      "as rd-overrun",
	},
	{
		ID: "management", In: Both, Kind: Place | Theirs | Ours, Fields: behindThem,
		When:      func(d *Difference) bool { return d.readIfBTH().mad && (d.Theirs == nil || d.isAsRead()) },
		Wireshark: "no payload in packets to or from queue pairs 0 and 1, whatever the opcode, and CRCs only if 256 bytes lead to them",
		We:        "payload and CRCs",
		Fact:      "management datagrams are UD (IBTA Vol 1, 13.5), and payload here",
	},
	{
		ID: "management-fields", In: Both, Kind: Theirs | Place, Fields: []string{"infiniband.*"}, Seen: Generated | Shared,
		When: func(d *Difference) bool {
			r := d.readIfBTH()
			return r.mad && d.Theirs.Offset >= r.headers-rmppRest && d.Theirs.end() <= r.headers+madHeader+madSize
		},
		Wireshark: "the fields of a management datagram; of reserved classes 256 bytes behind its header; SA with an unknown type of RMPP 8 bytes too early",
		We:        "payload",
		Fact:      "management datagrams are not taken apart here",
	},
	{
		ID: "frame-end", In: Both, Kind: Place | Theirs | Ours, Fields: behindThem,
		When:      (*Difference).isAsRead,
		Wireshark: "CRCs in the last 6 or 4 bytes of the frame, payload up to there; no CRCs where the headers leave another number of bytes",
		We:        "CRCs where the length fields say, bytes behind them in infiniband.trailer",
		Fact:      "PktLen and PayLen count through the ICRC (IBTA Vol 1, 7.7, 8.3), and in real captures the ICRC that is there is right",
	},
}

func (d *Difference) readIfBTH() (r reading) {
	if d.Frame.Has(ibwire.BTH) {
		r = d.read()
	}
	return r
}

// isAsRead reports whether Wireshark has an item behind the headers just where
// it is known to look for it.
func (d *Difference) isAsRead() bool {
	if !d.Frame.Has(ibwire.BTH) {
		return false
	}
	r := d.read()
	want := r.payload
	switch d.name() {
	case "infiniband.invariant.crc":
		want = r.icrc
	case "infiniband.variant.crc":
		want = r.vcrc
	}
	if d.Theirs == nil {
		return want.from < 0
	}
	return d.Theirs.Offset == want.from && d.Theirs.end() == want.to && (d.Ours != nil || !d.weHave(d.Theirs))
}

// weHave reports whether we have the field of an item at the same place.
func (d *Difference) weHave(item *Item) bool {
	for v := range d.Frame.Values() {
		if v.Field.Name == item.Name && v.Offset-d.Frame.Start() == item.Offset {
			return true
		}
	}
	return false
}

// crcRules are about what is said of a CRC that both sides have.
var crcRules = []*Rule{
	{
		ID: "crc-verdict", In: V40, Kind: Label, Fields: []string{"infiniband.invariant.crc", "infiniband.variant.crc"},
		When: func(d *Difference) bool {
			verdict, found := strings.CutPrefix(d.Ours.Label, d.Theirs.Label+" ")
			return found && (verdict == "[correct]" || verdict == "[unverified]" || strings.HasPrefix(verdict, "incorrect, should be 0x"))
		},
		Wireshark: "the CRC",
		We:        "the CRC, and whether it is right",
		Fact:      "Wireshark verifies checksums of other protocols, and says so in these words",
	},
}

// rawRules are about packets without a BTH.
var rawRules = []*Rule{
	{
		ID: "raw-vcrc-twice", In: Both, Kind: Theirs | Ours | Place, Fields: []string{"infiniband.variant.crc"},
		When: func(d *Difference) bool {
			return d.isRaw() && (d.Theirs == nil || d.Theirs.end() == reportedEnd(d.Frame)-d.Frame.Start())
		},
		Wireshark: "the last two bytes of the frame as VCRC, twice, in front of what the packet carries",
		We:        "the VCRC once, behind PktLen",
		Fact:      "PktLen counts up to the VCRC",
	},
	{
		ID: "raw-end", In: Both, Kind: Place, Fields: []string{"infiniband.payload"},
		When: func(d *Difference) bool {
			return d.isRaw() && d.Theirs.Offset == d.Ours.Offset && d.Theirs.end()+vcrcSize == reportedEnd(d.Frame)-d.Frame.Start()
		},
		Wireshark: "payload up to the last two bytes of the frame",
		We:        "payload as PktLen says",
		Fact:      "as raw-vcrc-twice",
	},
	{
		ID: "raw-payload", In: Both, Kind: Ours, Fields: []string{"infiniband.payload"},
		When:      func(d *Difference) bool { return d.isRaw() && d.Frame.Has(ibwire.RWH) },
		Wireshark: "takes the payload apart by its EtherType",
		We:        "the payload",
		Fact:      "what does not lead to InfiniBand is not taken apart here",
	},
	{
		ID: "other-transport", In: Both, Kind: Ours, Fields: []string{"infiniband.payload", "infiniband.variant.crc"},
		When: func(d *Difference) bool {
			return d.Frame.Has(ibwire.GRH) && !d.Frame.Has(ibwire.BTH)
		},
		Wireshark: "nothing behind a GRH whose NxtHdr is not 0x1B",
		We:        "payload and VCRC",
		Fact:      "PktLen says where the packet ends, whatever its transport",
	},
	{
		ID: "link-packet", In: Both, Kind: Ours,
		Fields: []string{
			"infiniband_link", "infiniband_link.op", "infiniband_link.fctbs", "infiniband_link.vl", "infiniband_link.fccl", "infiniband_link.lpcrc",
		},
		Wireshark: "Malformed, since it looks for an LRH too",
		We:        "the fields",
		Fact:      "a flow control packet has 6 bytes (IBTA Vol 1, 7.9.4)",
	},
}

// isRaw reports whether it is a packet without InfiniBand's transport, but for
// what is inside a mirror.
func (d *Difference) isRaw() bool {
	return d.Frame.Has(ibwire.LRH) && (d.Frame.LRH.LNH <= lrh.LNHIPv6 || d.Frame.Has(ibwire.RWH))
}
