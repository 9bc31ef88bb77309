package main

import (
	"encoding/binary"
	"slices"
)

const (
	etherTypeBridged   = 0x6558 // Ethernet
	etherTypeMPLS      = 0x8847
	etherTypeERSPAN    = 0x88be
	etherTypeERSPANIII = 0x22eb

	portVXLAN  = 4789
	portGeneve = 6081
)

// overIP puts IPv4 and headers of a tunnel around a packet.
func overIP(v *values, p packet, protocol uint64, tunnel ...header) packet {
	p = p.behind(tunnel...)
	ip := ipv4{protocol: protocol}.headers(v, len(p.bytes()))
	return p.behind(slices.Concat([]header{ethernet(v, etherTypeIPv4)}, ip)...)
}

// overUDP puts UDP and the header of a tunnel around a packet.
func overUDP(v *values, p packet, ip network, port uint64, tunnel header) packet {
	p = p.behind(tunnel)
	u := udp{source: 0xc000 | v.Uint64N(1<<14), destination: port, length: udpSize + len(p.bytes())}
	outer := ip.headers(v, u.length)
	etherType := uint64(etherTypeIPv4)
	if outer[0].layer == "IPv6" {
		etherType = etherTypeIPv6
	}
	return p.behind(slices.Concat([]header{ethernet(v, etherType)}, outer, []header{u.header()})...)
}

// vxlan is a header with the given 16 flags, of which 0x0800 says that there is
// a network identifier.
func vxlan(v *values, flags uint64) header {
	policy := uint64(0)
	if flags&0x8000 != 0 {
		policy = v.Uint64()
	}
	return newHeader("VXLAN", "vxlan",
		num("", 16, flags),
		num("", 16, policy),
		num("", 24, v.Uint64()), // network identifier
		num("", 8, v.spare()),
	)
}

// Flags of GRE.
const (
	greChecksum = 0x8000
	greKey      = 0x2000
	greSequence = 0x1000
)

// gre is a header in front of behind, which its checksum covers.
func gre(v *values, flags, etherType uint64, behind []byte) header {
	fields := []field{num("", 16, flags), num("", 16, etherType)}
	if flags&greChecksum != 0 {
		fields = append(fields, num("", 32, 0))
	}
	if flags&greKey != 0 {
		fields = append(fields, num("", 32, v.Uint64()))
	}
	if flags&greSequence != 0 {
		fields = append(fields, num("", 32, v.Uint64()))
	}
	h := newHeader("GRE", "gre", fields...)
	if flags&greChecksum != 0 {
		binary.BigEndian.PutUint16(h.raw[4:], checksum(slices.Concat(h.raw, behind)))
	}
	return h
}

// erspanII says whether the packet is cut.
func erspanII(v *values, cut uint64) header {
	return newHeader("ERSPAN Type II", "erspan",
		num("", 4, 1),           // version
		num("", 12, v.Uint64()), // VLAN
		num("", 3, v.Uint64()),  // class of service
		num("", 2, v.Uint64()),  // encapsulation
		num("", 1, cut),
		num("", 10, v.Uint64()), // session
		num("", 12, v.spare()),
		num("", 20, v.Uint64()), // index
	)
}

// Frame types of ERSPAN III.
const (
	erspanEthernet = 0
	erspanIP       = 2
)

// erspanIII may have the sub-header of a platform, which has a layout of its own
// for each of some numbers.
func erspanIII(v *values, frameType uint64, platforms ...uint64) header {
	fields := []field{
		num("", 4, 2),           // version
		num("", 12, v.Uint64()), // VLAN
		num("", 3, v.Uint64()),  // class of service
		num("", 2, v.Uint64()),  // bad, short, oversized
		num("", 1, 0),           // cut
		num("", 10, v.Uint64()), // session
		num("", 32, v.Uint64()), // time stamp
		num("", 16, v.Uint64()), // security group
		num("", 1, 1),           // there is a frame
		num("", 5, frameType),
		num("", 6, v.Uint64()), // hardware
		num("", 1, v.Uint64()), // direction
		num("", 2, v.Uint64()), // granularity of the time stamp
		num("", 1, uint64(len(platforms))),
	}
	for _, platform := range platforms {
		fields = append(fields, num("", 6, platform), num("", 58, v.Uint64()))
	}
	return newHeader("ERSPAN Type III", "erspan", fields...)
}

func geneve(v *values, etherType uint64, options ...[]byte) header {
	all := slices.Concat(options...)
	return newHeader("Geneve", "geneve",
		num("", 2, 0), // version
		num("", 6, uint64(len(all)/4)),
		num("", 1, v.Uint64()), // operations
		num("", 1, 0),          // a critical option
		num("", 6, v.spare()),
		num("", 16, etherType),
		num("", 24, v.Uint64()), // network identifier
		num("", 8, v.spare()),
		octets("", all),
	)
}

// geneveOption is an option of a class for experiments, with n words of data.
func geneveOption(v *values, n int) []byte {
	option := newHeader("", "",
		num("", 16, 0xff00),
		num("", 1, 0), // critical
		num("", 7, v.Uint64()),
		num("", 3, v.spare()),
		num("", 5, uint64(n)),
	)
	return append(option.raw, v.octets(4*n)...)
}

// mpls is a stack of n labels.
func mpls(v *values, n int) []header {
	const reserved = 16 // labels below have a meaning of their own
	var stack []header
	for i := range n {
		bottom := uint64(0)
		if i == n-1 {
			bottom = 1
		}
		stack = append(stack, newHeader("MPLS", "mpls",
			num("", 20, reserved+v.Uint64N(1<<20-reserved)),
			num("", 3, v.Uint64()), // traffic class
			num("", 1, bottom),
			num("", 8, 1+v.Uint64N(255)), // TTL
		))
	}
	return stack
}
