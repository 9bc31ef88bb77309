package crc_test

import (
	"math/bits"

	"github.com/ibwire/ibwire/crc"
)

// crc32Bits and crc16Bits compute the CRCs bit by bit, as a shift register does.
func crc32Bits(p []byte) uint32 {
	r := ^uint32(0)
	for _, b := range p {
		for i := range 8 {
			out := r&1 ^ uint32(b>>i)&1
			if r >>= 1; out == 1 {
				r ^= bits.Reverse32(0x04c11db7)
			}
		}
	}
	return ^r
}

func crc16Bits(p []byte) uint16 {
	r := ^uint16(0)
	for _, b := range p {
		for i := range 8 {
			out := r&1 ^ uint16(b>>i)&1
			if r >>= 1; out == 1 {
				r ^= bits.Reverse16(0x100b)
			}
		}
	}
	return ^r
}

// vcrcBits returns the VCRC of a packet, its lower byte first.
func vcrcBits(p []byte) uint16 { return bits.ReverseBytes16(crc16Bits(p)) }

// A method is a method of crc.ICRC and what it is for.
type method struct {
	name string
	sum  func(*crc.ICRC, []byte) (uint32, bool)
	// masked returns for each byte of a packet the bits that count as ones, nil
	// if the packet has no ICRC; lrh says that ones stand where the LRH is not.
	masked func(p []byte) []byte
	lrh    bool
}

var (
	native = method{"native", (*crc.ICRC).Native, maskNative, false}
	rocev1 = method{"RoCE v1", (*crc.ICRC).RoCEv1, maskRoCEv1, true}
	rocev2 = method{"RoCE v2", (*crc.ICRC).RoCEv2, maskRoCEv2, true}

	methods = []method{native, rocev1, rocev2}
)

// reference returns the ICRC, its lowest byte first, bit by bit.
func (m method) reference(p []byte) (uint32, bool) {
	mask := m.masked(p)
	if mask == nil {
		return 0, false
	}
	var whole []byte
	if m.lrh {
		whole = append(whole, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)
	}
	for i, b := range p {
		whole = append(whole, b|mask[i])
	}
	return bits.ReverseBytes32(crc32Bits(whole)), true
}

func maskNative(p []byte) []byte {
	mask := make([]byte, len(p))
	switch {
	case len(p) < 20 || p[1]&2 == 0:
		return nil
	case p[1]&1 == 0:
		mask[0], mask[12] = 0xf0, 0xff // VL, byte 4 of the BTH
		return mask
	}
	for i := range 8 {
		mask[i] = 0xff
	}
	grh := maskRoCEv1(p[8:])
	if grh == nil {
		return nil
	}
	copy(mask[8:], grh)
	return mask
}

func maskRoCEv1(p []byte) []byte {
	if len(p) < 52 || p[6] != 27 {
		return nil
	}
	mask := make([]byte, len(p))
	copy(mask, []byte{0x0f, 0xff, 0xff, 0xff, 0, 0, 0, 0xff}) // TClass, FlowLabel, HopLmt
	mask[44] = 0xff
	return mask
}

func maskRoCEv2(p []byte) []byte {
	mask := make([]byte, len(p))
	udp := 0
	switch {
	case len(p) < 20:
		return nil
	case p[0] >= 0x45 && p[0] <= 0x4f:
		if p[9] != 17 || p[6]&0x20 != 0 || p[6]&0x1f != 0 || p[7] != 0 {
			return nil
		}
		mask[1], mask[8], mask[10], mask[11] = 0xff, 0xff, 0xff, 0xff // TOS, TTL, checksum
		udp = int(p[0]-0x40) * 4
	case p[0]>>4 == 6 && len(p) >= 40:
		copy(mask, []byte{0x0f, 0xff, 0xff, 0xff, 0, 0, 0, 0xff}) // traffic class, flow label, hop limit
		if udp = behindIPv6(p); udp < 0 {
			return nil
		}
	default:
		return nil
	}
	if len(p) < udp+20 || udp > 243 { // 256 bytes from the front is as far as it looks
		return nil
	}
	mask[udp+6], mask[udp+7], mask[udp+12] = 0xff, 0xff, 0xff // checksum, byte 4 of the BTH
	return mask
}

// behindIPv6 returns where the UDP header of an IPv6 packet is, or -1.
func behindIPv6(p []byte) int {
	next, at := p[6], 40
	for next != 17 {
		if next != 0 && next != 43 && next != 60 || len(p) < at+8 {
			return -1
		}
		next, at = p[at], at+8*(1+int(p[at+1]))
	}
	return at
}
