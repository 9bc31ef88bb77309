package main

import (
	"encoding/binary"
	"hash/crc32"
	"slices"
)

// The ICRC is CRC-32 as in Ethernet, lowest byte first, over the packet with
// every field that may change on the way replaced by ones.

// icrcNative returns the ICRC of a packet that starts with the LRH.
func icrcNative(pkt []byte) []byte {
	m := slices.Clone(pkt)
	if m[1]&3 != lnhGlobal {
		m[0] |= 0xf0 // VL
		return icrcFrom(m, 8)
	}
	fill(m[:8])
	maskTrafficClass(m[8:])
	return icrcFrom(m, 8+40)
}

// icrcRoCEv1 returns the ICRC of a packet that starts with the GRH.
func icrcRoCEv1(pkt []byte) []byte {
	m := withoutLRH(pkt)
	maskTrafficClass(m[8:])
	return icrcFrom(m, 8+40)
}

// icrcRoCEv2 returns the ICRC of a packet that starts with the IP header, whose
// UDP header is at offset udp.
func icrcRoCEv2(pkt []byte, udp int) []byte {
	m := withoutLRH(pkt)
	ip := m[8:]
	if ip[0]>>4 == 4 {
		fill(ip[1:2])   // TOS
		fill(ip[8:9])   // TTL
		fill(ip[10:12]) // checksum
	} else {
		maskTrafficClass(ip)
	}
	fill(ip[udp+6 : udp+8]) // checksum
	return icrcFrom(m, 8+udp+8)
}

// withoutLRH puts ones where a native packet has its LRH.
func withoutLRH(pkt []byte) []byte {
	return append([]byte("\xff\xff\xff\xff\xff\xff\xff\xff"), pkt...)
}

// maskTrafficClass masks a GRH or an IPv6 header: traffic class, flow label and
// hop limit.
func maskTrafficClass(h []byte) {
	h[0] |= 0x0f
	fill(h[1:4])
	fill(h[7:8])
}

// icrcFrom masks FECN, BECN and the reserved bits of the BTH at offset bth.
func icrcFrom(masked []byte, bth int) []byte {
	fill(masked[bth+4 : bth+5])
	return fcs(masked)
}

// fcs returns the frame check sequence of an Ethernet frame.
func fcs(frame []byte) []byte {
	return binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE(frame))
}

func fill(b []byte) {
	for i := range b {
		b[i] = 0xff
	}
}

// vcrc returns the VCRC over all of pkt: polynomial 0x100B, lowest bit and byte
// first.
func vcrc(pkt []byte) []byte {
	const reversed = 0xd008
	crc := uint16(0xffff)
	for _, b := range pkt {
		crc ^= uint16(b)
		for range 8 {
			low := crc & 1
			crc = crc>>1 ^ low*reversed
		}
	}
	return binary.LittleEndian.AppendUint16(nil, ^crc)
}
