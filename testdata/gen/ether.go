package main

import "encoding/binary"

// The headers of other protocols have no named fields: taking them apart is not
// this project's work. The error of a cut one is named after it.

const (
	etherTypeIPv4  = 0x0800
	etherTypeARP   = 0x0806
	etherTypeVLAN  = 0x8100
	etherTypeIPv6  = 0x86dd
	etherTypeQinQ  = 0x88a8
	etherTypeRoCE  = 0x8915
	etherTypeOther = 0x1234

	ipProtoHopByHop = 0
	ipProtoUDP      = 17
	ipProtoGRE      = 47
	ipProtoMPLS     = 137

	portRoCE = 4791

	ipv4Size = 20 // without options
	ipv6Size = 40
	udpSize  = 8
)

func ethernet(v *values, etherType uint64) header {
	const localAddress = 0x02 << 40
	return newHeader("Ethernet", "ethernet",
		num("", 48, localAddress|v.Uint64N(1<<32)),
		num("", 48, localAddress|v.Uint64N(1<<32)),
		num("", 16, etherType),
	)
}

func vlan(v *values, etherType uint64) header {
	return newHeader("Dot1Q", "dot1q",
		num("", 16, v.Uint64()),
		num("", 16, etherType),
	)
}

func arp(v *values) header {
	return newHeader("ARP", "arp",
		num("", 16, 1), // Ethernet
		num("", 16, etherTypeIPv4),
		num("", 8, 6),
		num("", 8, 4),
		num("", 16, 1), // request
		num("", 48, v.Uint64()),
		num("", 32, v.Uint64()),
		num("", 48, 0),
		num("", 32, v.Uint64()),
	)
}

type ipv4 struct {
	protocol              uint64 // 0: UDP
	moreFragments, offset uint64
	options               []byte
}

// headers returns the header of a packet with n bytes behind it.
func (ip ipv4) headers(v *values, n int) []header {
	length := ipv4Size + len(ip.options)
	protocol := ip.protocol
	if protocol == 0 {
		protocol = ipProtoUDP
	}
	h := newHeader("IPv4", "ipv4",
		num("", 4, 4),
		num("", 4, uint64(length/4)),
		num("", 8, v.Uint64()), // TOS
		num("", 16, uint64(length+n)),
		num("", 16, v.Uint64()), // ID
		num("", 3, ip.moreFragments),
		num("", 13, ip.offset),
		num("", 8, 1+v.Uint64N(255)), // TTL
		num("", 8, protocol),
		num("", 16, 0), // checksum
		num("", 32, 10<<24|v.Uint64N(1<<24)),
		num("", 32, 10<<24|v.Uint64N(1<<24)),
		octets("", ip.options),
	)
	binary.BigEndian.PutUint16(h.raw[10:], checksum(h.raw))
	return []header{h}
}

type ipv6 struct{ hopByHop bool }

// headers returns the headers of a packet with n bytes behind them.
func (ip ipv6) headers(v *values, n int) []header {
	if !ip.hopByHop {
		return []header{ip.header(v, n, ipProtoUDP)}
	}
	options := newHeader("IPv6HopByHop", "ipv6",
		num("", 8, ipProtoUDP),
		num("", 8, 0),           // length beyond 8 bytes
		num("", 48, 0x0104<<32), // PadN of 4 bytes
	)
	return []header{ip.header(v, len(options.raw)+n, ipProtoHopByHop), options}
}

func (ip ipv6) header(v *values, n int, next uint64) header {
	return newHeader("IPv6", "ipv6",
		num("", 4, 6),
		num("", 8, v.Uint64()),  // traffic class
		num("", 20, v.Uint64()), // flow label
		num("", 16, uint64(n)),
		num("", 8, next),
		num("", 8, 1+v.Uint64N(255)), // hop limit
		gid("", v.gid()),
		gid("", v.gid()),
	)
}

type udp struct {
	source, destination uint64
	length              int // of the header and what is behind it
}

// header leaves the checksum at 0, which says that there is none.
func (u udp) header() header {
	return newHeader("UDP", "udp",
		num("", 16, u.source),
		num("", 16, u.destination),
		num("", 16, uint64(u.length)),
		num("", 16, 0),
	)
}

// setChecksum fills in the checksum of a UDP header over IPv6, which may not be
// left out there. rest is what follows the UDP header.
func setChecksum(ipHeader, udpHeader, rest []byte) {
	pseudo := append([]byte{}, ipHeader[8:ipv6Size]...)
	pseudo = binary.BigEndian.AppendUint32(pseudo, uint32(udpSize+len(rest)))
	pseudo = binary.BigEndian.AppendUint32(pseudo, ipProtoUDP)
	pseudo = append(pseudo, udpHeader...)
	binary.BigEndian.PutUint16(udpHeader[6:], checksum(append(pseudo, rest...)))
}

// checksum is the Internet checksum (RFC 1071).
func checksum(b []byte) uint16 {
	if len(b)%2 != 0 {
		b = append(b, 0)
	}
	var sum uint32
	for i := 0; i < len(b); i += 2 {
		sum += uint32(binary.BigEndian.Uint16(b[i:]))
	}
	sum = sum>>16 + sum&0xffff
	sum = sum>>16 + sum&0xffff
	return ^uint16(sum)
}
