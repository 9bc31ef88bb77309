package main

// etherTypeMirror announces the header that a switch puts in front of what it
// mirrors.
const (
	etherTypeMirror = 0x1123
	mirrorSize      = 4
	rwhSize         = 4
)

func mirror(v *values) header {
	return newHeader("Mirror", "lrh", num("infiniband.mirror.prefix", 32, v.Uint64()))
}

// mirrored returns the packet in which a switch sends p to where it mirrors to.
// What is behind the packet inside is trailer: octets that make it a number of
// whole words, and the VCRC of the packet around it.
func mirrored(v *values, p packet) packet {
	h := newLRH(v, lnhRaw)
	n := len(p.bytes())
	words := make([]byte, -n&3)
	h.pktLen = uint64(lrhSize+rwhSize+mirrorSize+n+len(words)) / 4
	p.trailer = append(p.trailer, words...)
	p = p.behind(h.header(), rwh(v, etherTypeMirror), mirror(v))
	p.trailer = append(p.trailer, vcrc(p.bytes())...)
	return p
}

// mirrorPackets has packets that a switch has mirrored.
func mirrorPackets() []packet {
	v, raw := newValues(16), rawPackets()
	inner := func(what string, lnh uint64) packet {
		return newNative(v, lnh, newMessage(v, lookup(rcWriteOnly), 5)).packet(what)
	}
	withoutVCRC := func(p packet) packet {
		p.vcrc = nil
		return p
	}
	notCaptured := mirrored(v, withoutVCRC(inner("local, no VCRC outside either", lnhLocal)))
	notCaptured.trailer = nil
	twice := mirrored(v, withoutVCRC(inner("mirror of a mirror, local", lnhLocal)))

	return []packet{
		mirrored(v, withoutVCRC(inner("local, no VCRC inside", lnhLocal))),
		mirrored(v, withoutVCRC(inner("global, no VCRC inside", lnhGlobal))),
		mirrored(v, inner("local, VCRC inside", lnhLocal)),
		mirrored(v, inner("global, VCRC inside", lnhGlobal)),
		notCaptured,
		mirrored(v, twice),
		mirrored(v, raw[2]), // an EtherType that nobody knows
		mirrored(v, raw[4]), // IPv6

		// Cut by the switch, in words.
		mirrored(v, inner("local, cut in the payload", lnhLocal).keep(40)),
		mirrored(v, inner("global, cut behind the BTH", lnhGlobal).keep(60)),
		mirrored(v, inner("local, cut in the BTH", lnhLocal).keep(16)),
		mirrored(v, inner("global, cut in the GRH", lnhGlobal).keep(28)),
		mirrored(v, inner("local, cut behind the LRH", lnhLocal).keep(8)),
		mirrorOf(v, "cut in the LRH inside", newLRH(v, lnhLocal).header().raw[:4]),
		newRaw(v, "nothing behind the mirror header", lnhRaw, []header{rwh(v, etherTypeMirror), mirror(v)}, nil),

		// Cut by the capture.
		mirrored(v, inner("capture cut in the ICRC inside", lnhLocal)).cut(62),
		mirrored(v, inner("capture cut in the mirror header", lnhLocal)).cut(14),
	}
}

// mirrorOf has so little behind its mirror header that it is no LRH: what there
// is of a VCRC is that of the packet outside.
func mirrorOf(v *values, what string, behind []byte) packet {
	const headers = 3
	p := newRaw(v, what, lnhRaw, []header{rwh(v, etherTypeMirror), mirror(v)}, behind)
	return p.readAs(headers, reading{lost: len(behind), vcrc: vcrcSize, truncated: true, err: "lrh"})
}

// mirrorRecords has the same packets in ERF records.
func mirrorRecords() []packet {
	var list []packet
	for n, p := range mirrorPackets() {
		list = append(list, newRecord(erfTypeInfiniBand, n).wrap(p, unpadded))
	}
	return list
}
