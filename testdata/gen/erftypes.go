package main

import "fmt"

const erfTypeEthernet = 2

// An erfType says what a record of this type holds.
type erfType struct {
	typ       uint64
	name      string
	subHeader []byte
	content   func(*values) packet
}

var (
	ethernetSub = []byte{0, 0} // offset and pad
	channelSub  = []byte{0x80, 0x01, 0x02, 0x03}
)

var erfTypes = []erfType{
	{1, "HDLC_POS", nil, plainText},
	{2, "ETH", ethernetSub, ethernetWithFCS},
	{3, "ATM", nil, plainText},
	{4, "AAL5", nil, plainText},
	{5, "MC_HDLC", channelSub, plainText},
	{6, "MC_RAW", channelSub, plainText},
	{7, "MC_ATM", channelSub, plainText},
	{8, "MC_RAW_CHANNEL", channelSub, plainText},
	{9, "MC_AAL5", channelSub, plainText},
	{10, "COLOR_HDLC_POS", nil, plainText},
	{11, "COLOR_ETH", ethernetSub, ethernetWithFCS},
	{12, "MC_AAL2", channelSub, plainText},
	{13, "IP_COUNTER", nil, plainText},
	{14, "TCP_FLOW_COUNTER", nil, plainText},
	{15, "DSM_COLOR_HDLC_POS", nil, plainText},
	{16, "DSM_COLOR_ETH", ethernetSub, ethernetWithFCS},
	{17, "COLOR_MC_HDLC_POS", channelSub, plainText},
	{18, "AAL2", channelSub, plainText},
	{19, "COLOR_HASH_POS", nil, plainText},
	{20, "COLOR_HASH_ETH", ethernetSub, ethernetWithFCS},
	{21, "INFINIBAND", nil, nativeContent},
	{22, "IPV4", nil, rocev2Content(ipv4{})},
	{23, "IPV6", nil, rocev2Content(ipv6{})},
	{24, "RAW_LINK", nil, plainText},
	{25, "INFINIBAND_LINK", nil, linkContent(0, nil)},
	{26, "unassigned", nil, plainText},
	{27, "META", nil, plainText},
	{28, "OMNI-PATH_SNC", nil, plainText},
	{29, "OMNI-PATH", nil, plainText},
	{40, "internal", nil, plainText},
	{48, "PAD", nil, plainText},
	{0, "LEGACY", nil, plainText}, // last: a file that starts with it is not taken for ERF
}

func plainText(v *values) packet { return packet{payload: v.text(20)} }

func nativeContent(v *values) packet {
	return newNative(v, lnhLocal, newMessage(v, lookup(rcWriteOnly), 5)).packet("")
}

func rocev2Content(ip network) func(*values) packet {
	return func(v *values) packet {
		return newRoCEv2(v, ip, newMessage(v, lookup(udSendOnlyImm), 6)).packet("")
	}
}

// ethernetWithFCS is a frame as DAG cards capture it, with its check sequence.
func ethernetWithFCS(v *values) packet {
	p := rocev2Content(ipv4{})(v).behind(ethernet(v, etherTypeIPv4))
	p.trailer = fcs(p.bytes())
	return p
}

func linkContent(op uint64, behind []byte) func(*values) packet {
	return func(v *values) packet {
		return packet{headers: []header{flowControl(v, op)}, trailer: behind}
	}
}

// extensionTypes are the extension headers that have a name, and 63.
var extensionTypes = []uint64{3, 4, 5, 6, 12, 14, 15, 16, 17, 18, 19, 63}

// newExtension returns an extension header of type typ.
func newExtension(v *values, typ uint64) uint64 {
	const body = 1<<56 - 1
	return typ<<56 | v.Uint64()&body
}

// erfTypePackets has every type of record with and without extension headers,
// and records that are odd in another way.
func erfTypePackets(align int) []packet {
	v := newValues(13)
	var list []packet
	add := func(what string, r record, content packet) {
		list = append(list, relabel(r.wrap(content, align), what))
	}
	next := 0 // extension type
	for i, t := range erfTypes {
		r := newRecord(t.typ, len(list))
		r.subHeader = t.subHeader
		what := fmt.Sprintf("type %d, %s", t.typ, t.name)
		add(what, r, t.content(v))

		r.ts = newRecord(t.typ, len(list)).ts
		for range 1 + i%3 {
			r.extensions = append(r.extensions, newExtension(v, extensionTypes[next%len(extensionTypes)]))
			next++
		}
		add(fmt.Sprintf("%s, extension headers: %d", what, len(r.extensions)), r, t.content(v))
	}
	for _, c := range oddRecords(v) {
		c.record.ts = newRecord(0, len(list)).ts
		add(c.what, c.record, c.content)
	}
	return list
}

type oddRecord struct {
	what    string
	record  record
	content packet
}

func oddRecords(v *values) []oddRecord {
	noVCRC := nativeContent(v)
	vcrc := noVCRC.vcrc
	noVCRC.vcrc = nil
	link := record{typ: erfTypeInfiniBandLink, flags: erfFlagVarying}
	return []oddRecord{
		{"link packet, Op 1", link, linkContent(1, nil)(v)},
		{"link packet, Op 2, 8 bytes", link, linkContent(2, []byte{0, 0})(v)},
		{"all flags, loss counter 7", record{typ: erfTypeInfiniBand, flags: 0xff, lctr: 7}, nativeContent(v)},
		{"color", record{typ: 11, flags: erfFlagVarying, lctr: 0x1234, subHeader: ethernetSub}, ethernetWithFCS(v)},
		{"wlen ends before the VCRC", record{typ: erfTypeInfiniBand, flags: erfFlagVarying, extra: vcrc}, noVCRC},

		// With padding such a record would seem to hold more of the packet, so
		// these end at a multiple of 8.
		{"type 1, 8 of 20 bytes captured", record{typ: 1, snap: 8}, plainText(v)},
		{"type 21, 24 bytes captured", record{typ: erfTypeInfiniBand, snap: 24}, nativeContent(v)},
	}
}
