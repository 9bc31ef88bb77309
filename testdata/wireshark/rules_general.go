package wireshark

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ibwire/ibwire"
)

// generalRules are about what only one side has, and about frames as a whole.
var generalRules = []*Rule{
	{
		ID: "no-field", In: Both, Kind: Ours,
		Fields: []string{
			"infiniband.bth.fecn", "infiniband.bth.becn", "infiniband.bth.reserved6",
			"infiniband.xrceth", "infiniband.xrceth.xrcsrq", "infiniband.cnp", "infiniband.cnp.reserved",
			"infiniband.feth.reserved26", "infiniband.payload.length", "infiniband.pad", "infiniband.trailer",
			"infiniband.invariant.crc.status", "infiniband.invariant.crc.calculated",
			"infiniband.variant.crc.status", "infiniband.variant.crc.calculated",
			"ibwire.cut", "ibwire.truncated",
		},
		Wireshark: "has no such field",
		We:        "the field",
		Fact:      "names of our own, for what Wireshark does not take apart",
	},
	{
		ID: "frame-state", In: Both, Kind: Theirs,
		Fields: []string{
			"frame.encap_type", "frame.interface_id", "frame.interface_name", "frame.interface_description", "frame.offset_shift",
			"frame.time_delta_displayed", "frame.time_utc", "frame.time_invalid", "frame.section_number", "frame.marked", "frame.ignored",
			"frame.coloring_rule.name", "frame.coloring_rule.string",
			"frame.comment", "frame.comment.expert", "frame.packet_flags", "frame.packet_flags_*", "frame.drop_count",
		},
		Wireshark: "the file's interface and options, and what a user has done to the frame",
		We:        "nothing",
		Fact:      "not about the packet",
	},
	{
		ID: "frame-lost", In: V44, Kind: Ours, Fields: []string{"frame"},
		When:      func(d *Difference) bool { return d.Frame.Has(ibwire.ERF) },
		Wireshark: "nothing of the packet behind a PAD record in a file of ERF records",
		We:        "the packet",
		Fact:      "the packet is in its list; 4.0 shows it",
	},
	{
		ID: "frame-interface", In: V40, Kind: Label, Fields: []string{"frame"},
		When: func(d *Difference) bool {
			return strings.HasPrefix(d.Theirs.Label, d.Ours.Label+" on interface ")
		},
		Wireshark: "the interface behind the lengths, where the file has one",
		We:        "the lengths",
		Fact:      "not about the packet",
	},
	{
		ID: "frame-bits", In: V40, Kind: Label, Fields: []string{"frame", "frame.len"}, Seen: Others,
		When:      func(d *Difference) bool { return d.Frame.Len() >= 1<<29 },
		Wireshark: "a number of bits modulo 2^32",
		We:        "the number of bits",
		Fact:      "8 bits a byte",
	},
	{
		ID: "time-carry", In: V40, Kind: Text | Label, Fields: []string{"frame.time", "frame.time_epoch"}, Seen: Others,
		When:      carries,
		Wireshark: "32 bits of nanoseconds as the fraction of a second, where the file has more than 999,999 microseconds",
		We:        "the time that seconds and microseconds give",
		Fact:      "a fraction is less than a second",
	},
	{
		ID: "time-before", In: V40, Kind: Text | Label, Fields: []string{"frame.time_delta", "frame.time_relative"}, Seen: Others,
		When: func(d *Difference) bool {
			t := d.Frame.Time
			return d.Theirs.Text == fmt.Sprintf("%d.%09d", t.Unix(), t.Nanosecond())
		},
		Wireshark: "time since 1970, if the packet before has no time",
		We:        "0, or the time since the first packet that has one",
		Fact:      "nobody knows how much time is in between",
	},
	{
		ID: "custom-block", In: V40, Kind: Theirs, Fields: []string{"frame.cb_pen"}, Seen: Others,
		Wireshark: "custom blocks of pcapng as packets",
		We:        "nothing",
		Fact:      "a custom block holds no packet (pcapng specification)",
	},
	{
		ID: "link-type-247", In: Both, Kind: Ours | Text | Label, Seen: Shared,
		Fields: []string{
			"infiniband", "infiniband.lrh", "infiniband.lrh.*", "infiniband.bth", "infiniband.bth.*", "infiniband.reserved",
			"infiniband.payload", "infiniband.invariant.crc", "infiniband.variant.crc", "frame.protocols",
		},
		When: func(d *Difference) bool {
			return d.Frame.Has(ibwire.LRH) && !d.Frame.Has(ibwire.ERF) && d.unknownLink
		},
		Wireshark: "data, if a file has other link types besides",
		We:        "a native packet",
		Fact:      "link type 247 is that of native packets (tcpdump.org)",
	},
	{
		ID: "cut-header", In: Both, Kind: Theirs,
		Fields: []string{
			"vlan*", "ip*", "ipv6*", "udp*", "infiniband", "infiniband.bth*", "infiniband.reserved", "infiniband.reth*",
		},
		When:      behindHeaders,
		Wireshark: "fields of a header that is not there as a whole, as far as they go, or beyond what a length field counts",
		We:        "ibwire.cut",
		Fact:      "bytes that a length field does not count are not the packet's; of a header that is cut the rest is unknown",
	},
	{
		ID: "protocols-cut", In: Both, Kind: Text | Label, Fields: []string{"frame.protocols"},
		When: func(d *Difference) bool {
			f := d.Frame
			return len(f.Payload) == 0 && !f.Has(ibwire.BTH) && strings.HasPrefix(strings.TrimPrefix(d.Theirs.Text, "raw:"), d.Ours.Text)
		},
		Wireshark: "names the protocol of a header that is cut, or not there at all",
		We:        "protocols of whole headers",
		Fact:      "as cut-header",
	},
	{
		ID: "protocols-data", In: Both, Kind: Text | Label, Fields: []string{"frame.protocols"},
		When: func(d *Difference) bool {
			return d.Frame.Has(ibwire.BTH) && protocolsButData(d.Theirs.Text) == protocolsButData(d.Ours.Text)
		},
		Wireshark: "data at the end if it shows a payload, pad and all",
		We:        "data at the end if the packet has a payload",
		Fact:      "follows from the rules about infiniband.payload",
	},
	{
		ID: "protocols-raw", In: V40, Kind: Text | Label, Fields: []string{"frame.protocols"}, Seen: Shared,
		When:      func(d *Difference) bool { return d.Theirs.Text == "raw:"+d.Ours.Text },
		Wireshark: "raw in front of IP, in captures of link type 101",
		We:        "IP",
		Fact:      "there is no header in front of IP",
	},
	{
		ID: "protocols-other", In: Both, Kind: Text | Label, Fields: []string{"frame.protocols"},
		When: func(d *Difference) bool {
			return !d.Frame.Has(ibwire.BTH) && len(d.Frame.Payload) > 0 &&
				strings.HasPrefix(strings.TrimPrefix(d.Theirs.Text, "raw:"), protocolsButData(d.Ours.Text))
		},
		Wireshark: "goes on with other dissectors",
		We:        "data",
		Fact:      "a payload that does not lead to InfiniBand is not taken apart here",
	},
}

func protocolsButData(list string) string {
	if list == "data" {
		return ""
	}
	return strings.TrimSuffix(list, ":data")
}

// carries reports whether Wireshark's time is ours but for the nanoseconds
// that are a second or more, or no longer fit into 32 bits.
func carries(d *Difference) bool {
	whole, fraction, _ := strings.Cut(d.Theirs.Text, ".")
	fraction = strings.TrimSuffix(fraction, " UTC")
	ns, err := strconv.Atoi(fraction)
	var sec int64
	if d.name() == "frame.time" {
		t, _ := time.Parse("Jan _2, 2006 15:04:05", whole)
		sec = t.Unix()
	} else if sec, _ = strconv.ParseInt(whole, 10, 64); sec < 0 { // the sign is that of the fraction
		sec, ns = -sec, -ns
	}
	ours := (d.Frame.Time.Unix()-sec)*1e9 + int64(d.Frame.Time.Nanosecond())
	return err == nil && (ns < 0 || ns >= 1e9) && int32(ours) == int32(ns)
}

// headersEnd returns where the last header ends.
func (d *Difference) headersEnd() int {
	f := d.Frame
	if len(f.Headers) == 0 {
		return 0
	}
	last := f.Headers[len(f.Headers)-1]
	return last.Offset + last.Length - f.Start()
}

// behindHeaders reports whether Wireshark's item is behind the headers of a
// packet that stops in a header.
func behindHeaders(d *Difference) bool {
	f := d.Frame
	return len(f.Payload) == 0 && f.PayloadLen == 0 && (d.Theirs.Offset >= d.headersEnd() || d.Theirs.Length == 0)
}
