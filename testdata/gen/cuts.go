package main

import (
	"fmt"
	"slices"
)

// cutEverywhere cuts p in the middle and behind each header from number first
// on, in and behind the payload, and in and behind the CRCs.
func cutEverywhere(p packet, first int) []packet {
	var list []packet
	start := size(p.headers[:first])
	add := func(part string, size int) {
		list = append(list,
			relabel(p.cut(start+size/2), fmt.Sprintf("%s, cut in %s", p.what, part)),
			relabel(p.cut(start+size), fmt.Sprintf("%s, cut behind %s", p.what, part)))
		start += size
	}
	for _, h := range p.headers[first:] {
		add(h.layer, len(h.raw))
	}
	add("payload and pad", len(p.payload)+len(p.pad))
	add("ICRC", len(p.icrc))
	add("VCRC", len(p.vcrc))
	return slices.CompactFunc(slices.DeleteFunc(list, isWhole), sameLength)
}

func isWhole(p packet) bool { return len(p.bytes()) == p.wireLen }

// sameLength finds the cuts in and behind a part that is empty.
func sameLength(p, q packet) bool { return len(p.bytes()) == len(q.bytes()) }

func relabel(p packet, what string) packet {
	p.what = what
	return p
}

// cutNativePackets cuts ERF records, with every header in one of them.
func cutNativePackets() []packet {
	v := newValues(11)
	inRecord := func(n int, p packet) packet { return newRecord(erfTypeInfiniBand, n).wrap(p, unpadded) }
	local := func(code uint64) packet {
		o := lookup(code)
		n := 0
		if o.payload {
			n = 5
		}
		return inRecord(int(code), newNative(v, lnhLocal, newMessage(v, o, n)).packet(o.name))
	}
	rd := newNative(v, lnhGlobal, newMessage(v, lookup(rdWriteOnlyImm), 5)).packet("RD WRITE")
	raw := rawPackets()[0]
	link := newRecord(erfTypeInfiniBandLink, 1).wrap(packet{
		what:    "link packet",
		headers: []header{flowControl(v, 0)},
	}, unpadded)

	const behindBTH = 3 // ERF, LRH, BTH
	return slices.Concat(
		cutEverywhere(inRecord(0, rd), 0),
		cutEverywhere(local(xrcFetchAdd), behindBTH),
		cutEverywhere(local(rcAtomicAck), behindBTH),
		cutEverywhere(local(rcFlush), behindBTH),
		cutEverywhere(local(rcSendOnlyInv), behindBTH),
		cutEverywhere(local(cnpRoCE), behindBTH),
		cutEverywhere(inRecord(2, raw), 2),
		cutEverywhere(link, 1),
		cutRecordHeaders(v),
	)
}

// cutRecordHeaders cuts an ERF record in its header, in and between its
// extension headers, and in its sub-header. The last record is whole and holds
// an empty packet.
func cutRecordHeaders(v *values) []packet {
	r := newRecord(erfTypeEthernet, 0)
	r.extensions = []uint64{newExtension(v, 4), newExtension(v, 17)}
	r.subHeader = []byte{0, 0}
	p := r.wrap(ethernetWithFCS(v), unpadded)
	var list []packet
	for _, n := range []int{1, 8, 15, 16, 20, 24, 31, 32, 33} {
		list = append(list, relabel(p.cut(n), fmt.Sprintf("ERF record with two extension headers, %d bytes", n)))
	}
	return append(list, newRecord(erfTypeInfiniBand, 0).wrap(packet{what: "empty packet"}, unpadded))
}

// cutEthernetPackets cuts RoCE v1 and v2.
func cutEthernetPackets() []packet {
	v := newValues(12)
	m := func() message { return newMessage(v, lookup(rcWriteOnly), 5) }
	v1 := newRoCEv1(v, m()).packet("RoCE v1").behind(ethernet(v, etherTypeRoCE))
	v2 := newRoCEv2(v, ipv4{}, m()).packet("RoCE v2, IPv4, VLAN").
		behind(ethernet(v, etherTypeVLAN), vlan(v, etherTypeIPv4))
	v6 := newRoCEv2(v, ipv6{}, m()).packet("RoCE v2, IPv6").behind(ethernet(v, etherTypeIPv6))
	return slices.Concat(cutEverywhere(v1, 0), cutEverywhere(v2, 1), cutEverywhere(v6, 1))
}
