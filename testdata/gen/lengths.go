package main

import (
	"net/netip"
	"slices"
)

// lengthPackets has packets whose length fields are wrong, packets that are
// shorter or longer than a right length field says, and odd addresses.
func lengthPackets() []packet {
	v := newValues(10)
	return slices.Concat(
		readings(v, lnhLocal, rcSendOnly, pktLenCases),
		readings(v, lnhLocal, rcWriteOnly, rethCases),
		readings(v, lnhGlobal, rcSendOnly, payLenCases),
		missingCRCPackets(v),
		nxtHdrPackets(v),
		lidPackets(v),
		tinyPackets(v),
	)
}

// Sizes of the packets below: they have 8 bytes of payload.
const (
	dataSize     = 8
	vcrcSize     = 2
	localWords   = (lrhSize + bthSize + dataSize + icrcSize) / 4
	globalWords  = localWords + grhSize/4
	globalPayLen = bthSize + dataSize + icrcSize
)

// A lengthCase says how a packet with these length fields has to be read.
type lengthCase struct {
	what    string
	pktLen  uint64
	payLen  uint64 // where there is a GRH
	headers int    // how many are whole
	read    reading
}

func readings(v *values, lnh, code uint64, cases []lengthCase) []packet {
	var list []packet
	for _, c := range cases {
		n := newNative(v, lnh, newMessage(v, lookup(code), dataSize))
		n.lrh.pktLen, n.grh.payLen = c.pktLen, c.payLen
		list = append(list, n.packet(c.what).readAs(c.headers, c.read))
	}
	return list
}

// everything is how a packet is read whose PktLen is larger than the packet, or
// too small to be believed.
var everything = reading{payload: dataSize + icrcSize + vcrcSize, truncated: true}

var pktLenCases = []lengthCase{
	{"PktLen right", localWords, 0, 2, reading{payload: 8, icrc: 4, vcrc: 2}},
	{"PktLen one word too big", localWords + 1, 0, 2, everything},
	{"PktLen 0x7ff", 0x7ff, 0, 2, everything},
	{"PktLen one word too small", localWords - 1, 0, 2, reading{payload: 4, icrc: 4, vcrc: 2}},
	{"PktLen 0", 0, 0, 2, everything},
	{"PktLen 1", 1, 0, 2, everything},
	{"PktLen 4: not even LRH and BTH", 4, 0, 2, everything},
	{"PktLen 5: no room for an ICRC", 5, 0, 2, everything},
	{"PktLen 6: no payload", 6, 0, 2, reading{icrc: 4, vcrc: 2}},
}

var rethCases = []lengthCase{
	{"PktLen 6: RETH cut, no ICRC", 6, 0, 2, reading{lost: 4, vcrc: 2, truncated: true, err: "ext"}},
	{"PktLen 7: RETH cut", 7, 0, 2, reading{lost: 8, vcrc: 2, truncated: true, err: "ext"}},
	{"PktLen 9: ends behind RETH", 9, 0, 3, reading{vcrc: 2}},
	{"PktLen 10: RETH and ICRC", 10, 0, 3, reading{icrc: 4, vcrc: 2}},
}

// unbelieved is how a packet is read whose PayLen is larger than what PktLen
// leaves, or too small to be believed. The VCRC hangs on PktLen alone.
var unbelieved = reading{payload: dataSize + icrcSize, vcrc: 2, truncated: true}

var payLenCases = []lengthCase{
	{"PayLen right", globalWords, globalPayLen, 3, reading{payload: 8, icrc: 4, vcrc: 2}},
	{"PayLen 4 too big", globalWords, globalPayLen + 4, 3, unbelieved},
	{"PayLen 0xffff", globalWords, 0xffff, 3, unbelieved},
	{"PayLen 4 too small", globalWords, globalPayLen - 4, 3, reading{payload: 4, icrc: 4, gap: 4, vcrc: 2}},
	{"PayLen 3 too small", globalWords, globalPayLen - 3, 3, reading{payload: 5, icrc: 4, gap: 3, vcrc: 2}},
	{"PayLen 16: no payload", globalWords, 16, 3, reading{icrc: 4, gap: 8, vcrc: 2}},
	{"PayLen 15: no room for an ICRC", globalWords, 15, 3, unbelieved},
	{"PayLen 11: not even a BTH", globalWords, 11, 3, unbelieved},
	{"PayLen 0", globalWords, 0, 3, unbelieved},

	// PayLen right, PktLen contradicts it.
	{"PktLen one word too big, PayLen right", globalWords + 1, globalPayLen, 3,
		reading{payload: dataSize + icrcSize, truncated: true}},
	{"PktLen one word too small, PayLen right", globalWords - 1, globalPayLen, 3,
		reading{payload: dataSize, vcrc: 2, truncated: true}},
	{"PktLen 14: BTH cut", 14, globalPayLen, 2,
		reading{lost: 8, vcrc: 2, truncated: true, err: "bth"}},
	{"PktLen 12: BTH missing", 12, globalPayLen, 2, reading{vcrc: 2, truncated: true}},
	{"PktLen 11: not even LRH and GRH", 11, globalPayLen, 3,
		reading{payload: dataSize + icrcSize, truncated: true}},
}

// missingCRCPackets has packets that were captured without their CRCs, or with
// more bytes behind them.
func missingCRCPackets(v *values) []packet {
	build := func(what string) packet {
		return newNative(v, lnhLocal, newMessage(v, lookup(rcSendOnly), dataSize)).packet(what)
	}
	noVCRC := build("no VCRC")
	noVCRC.vcrc = nil
	halfVCRC := build("half a VCRC")
	halfVCRC.vcrc, halfVCRC.trailer = nil, halfVCRC.vcrc[:1]
	noCRC := build("neither ICRC nor VCRC")
	noCRC.icrc, noCRC.vcrc, noCRC.truncated = nil, nil, true
	trailer := build("6 bytes behind the VCRC")
	trailer.trailer = []byte("\xee\xee\xee\xee\xee\xee")
	return []packet{noVCRC, halfVCRC, noCRC, trailer}
}

// nxtHdrPackets has packets with a GRH and something else than a BTH behind it:
// no ICRC is known there.
func nxtHdrPackets(v *values) []packet {
	const size = 24
	cases := []struct {
		what   string
		payLen uint64
		read   reading
	}{
		{"NxtHdr 0x3a", size, reading{payload: size, vcrc: 2}},
		{"NxtHdr 0x3a, PayLen too small", 10, reading{payload: 10, gap: size - 10, vcrc: 2}},
		{"NxtHdr 0x3a, PayLen too big", size + 4, reading{payload: size, vcrc: 2, truncated: true}},
	}
	var list []packet
	for _, c := range cases {
		g := newGRH(v)
		g.nxtHdr, g.payLen = 0x3a, c.payLen
		p := newRaw(v, c.what, lnhGlobal, []header{g.header()}, v.text(size))
		list = append(list, p.readAs(2, c.read))
	}
	return list
}

// lidPackets has addresses and a version that are special but change nothing in
// how a packet is read.
func lidPackets(v *values) []packet {
	const permissive = 0xffff
	directed := newNative(v, lnhLocal, newMessage(v, lookup(udSendOnly), dataSize))
	directed.lrh.dlid, directed.lrh.slid = permissive, permissive

	group := newNative(v, lnhGlobal, newMessage(v, lookup(udSendOnly), dataSize))
	group.lrh.dlid = 0xc001
	group.grh.dgid = netip.MustParseAddr("ff12:401b:ffff::1")
	group.message.bth.destQP = 0xffffff

	version4 := newNative(v, lnhGlobal, newMessage(v, lookup(rcSendOnly), dataSize))
	version4.grh.ipVer = 4

	return []packet{
		directed.packet("permissive LIDs"),
		group.packet("multicast LID, GID and QP"),
		version4.packet("GRH with IPVer 4"),
	}
}

// tinyPackets has a PktLen of 2 words: just the LRH.
func tinyPackets(v *values) []packet {
	build := func(what string, lnh uint64, behind ...header) packet {
		h := newLRH(v, lnh)
		h.pktLen = lrhSize / 4
		return packet{
			what:      what,
			headers:   append([]header{h.header()}, behind...),
			truncated: true,
		}
	}
	only := build("LRH only", lnhLocal)
	half := build("LRH and 5 bytes of a BTH", lnhLocal)
	half.lost, half.err = newBTH(v, rcSendOnly).header().raw[:5], "bth"
	raw := build("RWH behind an LRH with PktLen 2", lnhRaw, rwh(v, etherTypeOther))
	raw.payload = v.text(dataSize)
	return []packet{only, half, raw}
}
