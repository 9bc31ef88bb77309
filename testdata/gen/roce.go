package main

import "slices"

// behind returns the packet with more headers in front.
func (p packet) behind(headers ...header) packet {
	p.headers = slices.Concat(headers, p.headers)
	return p
}

// A rocev1 packet starts with the GRH.
type rocev1 struct {
	grh     grh
	message message
}

func newRoCEv1(v *values, m message) rocev1 {
	r := rocev1{newGRH(v), m}
	r.grh.payLen = uint64(m.size())
	return r
}

func (r rocev1) packet(what string) packet {
	return r.message.packet(what, []header{r.grh.header()}, icrcRoCEv1)
}

// A network is IPv4 or IPv6.
type network interface {
	headers(v *values, n int) []header
}

// A rocev2 packet starts with the IP header.
type rocev2 struct {
	ip      []header
	udp     udp
	message message
}

func newRoCEv2(v *values, ip network, m message) rocev2 {
	length := udpSize + m.size()
	return rocev2{
		ip:      ip.headers(v, length),
		udp:     udp{source: 0xc000 | v.Uint64N(1<<14), destination: portRoCE, length: length},
		message: m,
	}
}

func (r rocev2) packet(what string) packet {
	outer := append(slices.Clip(r.ip), r.udp.header())
	udpOffset := size(r.ip)
	p := r.message.packet(what, outer, func(pkt []byte) []byte { return icrcRoCEv2(pkt, udpOffset) })
	if r.ip[0].layer == "IPv6" {
		setChecksum(r.ip[0].raw, outer[len(outer)-1].raw, p.bytes()[udpOffset+udpSize:])
	}
	return p
}
