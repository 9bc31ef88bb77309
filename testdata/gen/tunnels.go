package main

import (
	"fmt"
	"slices"
)

// tunnelPackets has RoCE inside the tunnels that lead to it. The ICRC covers the
// inner headers only, as it was there before the tunnel.
func tunnelPackets() []packet {
	v := newValues(15)
	return slices.Concat(
		vxlanPackets(v),
		grePackets(v),
		erspanPackets(v),
		genevePackets(v),
		mplsPackets(v),
		otherTunnelPackets(v),
		cutTunnelPackets(v),
	)
}

// The packets inside: from their IP header on, or from Ethernet on.

func innerIPv4(v *values, what string) packet { return newRoCEv2(v, ipv4{}, send(v, 5)).packet(what) }

func innerIPv6(v *values, what string) packet { return newRoCEv2(v, ipv6{}, send(v, 5)).packet(what) }

func innerV2(v *values, what string) packet {
	return innerIPv4(v, what).behind(ethernet(v, etherTypeIPv4))
}

func innerV1(v *values, what string) packet {
	return newRoCEv1(v, send(v, 5)).packet(what).behind(ethernet(v, etherTypeRoCE))
}

const vxlanFlags = 0x0800

func vxlanPackets(v *values) []packet {
	tagged := innerIPv6(v, "VXLAN over IPv6, VLAN, RoCE v2").behind(ethernet(v, etherTypeVLAN), vlan(v, etherTypeIPv6))
	return []packet{
		overUDP(v, innerV2(v, "VXLAN, RoCE v2"), ipv4{}, portVXLAN, vxlan(v, vxlanFlags)),
		overUDP(v, innerV1(v, "VXLAN, RoCE v1"), ipv4{}, portVXLAN, vxlan(v, vxlanFlags)),
		overUDP(v, tagged, ipv6{}, portVXLAN, vxlan(v, vxlanFlags)),
		overUDP(v, innerV2(v, "VXLAN with a group policy, RoCE v2"), ipv4{}, portVXLAN, vxlan(v, vxlanFlags|0x8048)),
	}
}

func grePackets(v *values) []packet {
	over := func(p packet, flags, etherType uint64) packet {
		return overIP(v, p, ipProtoGRE, gre(v, flags, etherType, p.bytes()))
	}
	tagged := innerIPv4(v, "GRE, Ethernet, VLAN, RoCE v2").behind(ethernet(v, etherTypeVLAN), vlan(v, etherTypeIPv4))
	return []packet{
		over(innerIPv4(v, "GRE, RoCE v2"), 0, etherTypeIPv4),
		over(innerIPv6(v, "GRE with a key, RoCE v2"), greKey, etherTypeIPv6),
		over(innerIPv4(v, "GRE with key and sequence, RoCE v2"), greKey|greSequence, etherTypeIPv4),
		over(innerV1(v, "GRE with checksum, key and sequence, Ethernet, RoCE v1"), greChecksum|greKey|greSequence, etherTypeBridged),
		over(tagged, 0, etherTypeBridged),
	}
}

func erspanPackets(v *values) []packet {
	first := func(p packet) packet { return overIP(v, p, ipProtoGRE, gre(v, 0, etherTypeERSPAN, nil)) }
	third := func(p packet, h header) packet {
		return overIP(v, p, ipProtoGRE, gre(v, greSequence, etherTypeERSPANIII, nil), h)
	}
	list := []packet{
		first(innerV2(v, "ERSPAN I, RoCE v2")),
		first(innerV1(v, "ERSPAN I, RoCE v1")),
		overERSPANII(v, innerV2(v, "ERSPAN II, RoCE v2"), 0),
		overERSPANII(v, innerV1(v, "ERSPAN II, RoCE v1"), 0),
		overERSPANII(v, innerV2(v, "ERSPAN II, RoCE v2, cut in the payload").keep(56), 1),
		overERSPANII(v, innerV2(v, "ERSPAN II, RoCE v2, cut in the BTH").keep(48), 1),
		overERSPANII(v, innerV1(v, "ERSPAN II, RoCE v1, cut behind the BTH").keep(66), 1),
		third(innerV2(v, "ERSPAN III, RoCE v2"), erspanIII(v, erspanEthernet)),
		third(innerIPv4(v, "ERSPAN III, IP, RoCE v2"), erspanIII(v, erspanIP)),
		third(innerV1(v, "ERSPAN III with a sub-header, RoCE v1"), erspanIII(v, erspanEthernet, 5)),
	}
	for _, platform := range []uint64{1, 3, 4, 7, 0x20} { // each has a layout of its own, 0x20 none that is known
		what := fmt.Sprintf("ERSPAN III with a sub-header of platform %d", platform)
		list = append(list, third(innerV2(v, what), erspanIII(v, erspanEthernet, platform)))
	}
	return list
}

// overERSPANII says whether the switch has cut p.
func overERSPANII(v *values, p packet, cut uint64) packet {
	return overIP(v, p, ipProtoGRE, gre(v, greSequence, etherTypeERSPAN, nil), erspanII(v, cut))
}

func genevePackets(v *values) []packet {
	return []packet{
		overUDP(v, innerV2(v, "Geneve, RoCE v2"), ipv4{}, portGeneve, geneve(v, etherTypeBridged)),
		overUDP(v, innerV1(v, "Geneve with two options, RoCE v1"), ipv4{}, portGeneve,
			geneve(v, etherTypeBridged, geneveOption(v, 0), geneveOption(v, 2))),
		overUDP(v, innerIPv4(v, "Geneve, IP, RoCE v2"), ipv4{}, portGeneve, geneve(v, etherTypeIPv4)),
	}
}

func mplsPackets(v *values) []packet {
	over := func(p packet, n int) packet {
		return p.behind(slices.Concat([]header{ethernet(v, etherTypeMPLS)}, mpls(v, n))...)
	}
	return []packet{
		over(innerIPv4(v, "MPLS, RoCE v2"), 1),
		over(innerIPv6(v, "MPLS of two labels, RoCE v2"), 2),
		overIP(v, innerIPv4(v, "MPLS over IP, RoCE v2"), ipProtoMPLS, mpls(v, 1)...),
	}
}

// otherTunnelPackets has a tunnel in a tunnel, a frame check sequence behind one,
// and tunnels without InfiniBand.
func otherTunnelPackets(v *values) []packet {
	twice := overUDP(v, innerV2(v, "ERSPAN II, VXLAN, RoCE v2"), ipv4{}, portVXLAN, vxlan(v, vxlanFlags))
	ended := overUDP(v, innerV2(v, "VXLAN, RoCE v2, frame check sequence"), ipv4{}, portVXLAN, vxlan(v, vxlanFlags))
	ended.trailer = fcs(ended.bytes())

	request := packet{what: "VXLAN, ARP", headers: []header{ethernet(v, etherTypeARP), arp(v)}}
	u := udp{source: 40000, destination: 40001, length: udpSize + 5}
	datagram := packet{what: "VXLAN, UDP", headers: append(ipv4{}.headers(v, u.length), u.header()), payload: v.text(5)}
	return []packet{
		overERSPANII(v, twice, 0),
		ended,
		overUDP(v, request, ipv4{}, portVXLAN, vxlan(v, vxlanFlags)),
		overUDP(v, datagram.behind(ethernet(v, etherTypeIPv4)), ipv4{}, portVXLAN, vxlan(v, vxlanFlags)),
	}
}

// cutTunnelPackets has captures that end in the header of a tunnel.
func cutTunnelPackets(v *values) []packet {
	cut := func(p packet, what, layer string, n int) packet {
		i := slices.IndexFunc(p.headers, func(h header) bool { return h.layer == layer })
		return relabel(p.cut(size(p.headers[:i])+n), what)
	}
	options := geneve(v, etherTypeBridged, geneveOption(v, 2))
	third := []header{gre(v, greSequence, etherTypeERSPANIII, nil), erspanIII(v, erspanEthernet, 3)}
	return []packet{
		cut(vxlanPackets(v)[0], "cut in VXLAN", "VXLAN", 4),
		cut(grePackets(v)[3], "cut in the key of GRE", "GRE", 10),
		cut(overERSPANII(v, innerV2(v, ""), 0), "cut in ERSPAN II", "ERSPAN Type II", 7),
		cut(overIP(v, innerV2(v, ""), ipProtoGRE, third...), "ERSPAN III, cut in the sub-header", "ERSPAN Type III", 16),
		cut(overUDP(v, innerV2(v, ""), ipv4{}, portGeneve, options), "cut in the options of Geneve", "Geneve", 12),
		cut(mplsPackets(v)[1], "cut in the second label of MPLS", "MPLS", 6),
	}
}
