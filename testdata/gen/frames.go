package main

import (
	"net/netip"
	"slices"
)

// framePackets has what RoCE is wrapped in on Ethernet.
func framePackets() []packet {
	v := newValues(14)
	return slices.Concat(
		taggedPackets(v),
		trailerPackets(v),
		ipPackets(v),
		portPackets(v),
	)
}

// ack and send are the messages in most of the frames.
func ack(v *values) message { return newMessage(v, lookup(rcAcknowledge), 0) }

func send(v *values, n int) message { return newMessage(v, lookup(rcSendOnly), n) }

func taggedPackets(v *values) []packet {
	tag := func(p packet, etherType uint64) packet {
		return p.behind(ethernet(v, etherTypeVLAN), vlan(v, etherType))
	}
	doubleTag := func(p packet, etherType uint64) packet {
		return p.behind(ethernet(v, etherTypeQinQ), vlan(v, etherTypeVLAN), vlan(v, etherType))
	}
	return []packet{
		tag(newRoCEv1(v, send(v, 5)).packet("VLAN, RoCE v1"), etherTypeRoCE),
		tag(newRoCEv2(v, ipv4{}, send(v, 5)).packet("VLAN, RoCE v2"), etherTypeIPv4),
		doubleTag(newRoCEv1(v, send(v, 5)).packet("QinQ, RoCE v1"), etherTypeRoCE),
		doubleTag(newRoCEv2(v, ipv6{}, send(v, 5)).packet("QinQ, RoCE v2"), etherTypeIPv6),
	}
}

// trailerPackets has frames that are longer than what their length fields
// count.
func trailerPackets(v *values) []packet {
	short := newRoCEv2(v, ipv4{}, send(v, 0)).packet("RoCE v2, padded to 60 bytes").
		behind(ethernet(v, etherTypeIPv4))
	short.trailer = make([]byte, 60-len(short.bytes()))

	v1 := newRoCEv1(v, ack(v)).packet("RoCE v1, frame check sequence").behind(ethernet(v, etherTypeRoCE))
	v1.trailer = fcs(v1.bytes())

	// The shorter of the two lengths counts.
	longIP := newRoCEv2(v, ipv4{}, ack(v))
	longIP.ip = ipv4{}.headers(v, longIP.udp.length+3)
	v2 := longIP.packet("RoCE v2, UDP length 3 less than IP length").behind(ethernet(v, etherTypeIPv4))
	v2.trailer = []byte{1, 2, 3}
	return []packet{short, v1, v2}
}

func ipPackets(v *values) []packet {
	const (
		beginning = 16 // bytes of the payload in the first fragment
		offset    = (udpSize + bthSize + beginning) / 8
	)
	routerAlert := []byte{148, 4, 0, 0}
	whole := newRoCEv2(v, ipv4{}, send(v, 2*beginning)).packet("").bytes()[ipv4Size:]
	first := fragment(v, "first fragment", ipv4{moreFragments: 1}, whole[:8*offset])
	last := fragment(v, "last fragment", ipv4{offset: offset}, whole[8*offset:])

	options := newRoCEv2(v, ipv4{options: routerAlert}, send(v, 5)).packet("IPv4 with options").
		behind(ethernet(v, etherTypeIPv4))
	hopByHop := newRoCEv2(v, ipv6{hopByHop: true}, send(v, 5)).packet("IPv6 with hop-by-hop options").
		behind(ethernet(v, etherTypeIPv6))

	mapped := newRoCEv1(v, send(v, 5))
	mapped.grh.sgid = netip.MustParseAddr("::ffff:10.0.0.1")
	mapped.grh.dgid = netip.MustParseAddr("::ffff:10.0.0.2")
	v1 := mapped.packet("RoCE v1, GIDs that are IPv4 addresses").behind(ethernet(v, etherTypeRoCE))
	return []packet{options, first, last, hopByHop, v1}
}

// fragment is a part of an IPv4 packet. Only the first has a UDP header, and
// none has all of the message: neither is looked into.
func fragment(v *values, what string, ip ipv4, part []byte) packet {
	p := packet{what: what, headers: ip.headers(v, len(part)), payload: part}
	p.headers = append(p.headers, newHeader("Fragment", ""))
	return p.behind(ethernet(v, etherTypeIPv4))
}

func portPackets(v *values) []packet {
	source := newRoCEv2(v, ipv4{}, ack(v))
	source.udp.source, source.udp.destination = portRoCE, 9
	fromPort := source.packet("source port 4791 only").behind(ethernet(v, etherTypeIPv4))

	short := udp{source: 0xc001, destination: portRoCE, length: udpSize + 10}
	noBTH := packet{
		what:      "UDP with 10 bytes, too few for a BTH",
		headers:   append(ipv4{}.headers(v, short.length), short.header()),
		lost:      newBTH(v, rcSendOnly).header().raw[:10],
		truncated: true,
		err:       "bth",
	}
	return []packet{fromPort, noBTH.behind(ethernet(v, etherTypeIPv4))}
}
