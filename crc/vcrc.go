package crc

import (
	"encoding/binary"
	"math/bits"
)

// VCRC returns the variant CRC of a native packet: over all of packet, which is
// from the LRH through the byte in front of the VCRC, the ICRC included. Every
// bit counts, so each switch that changes the VL computes it anew.
func VCRC(packet []byte) uint16 { return bits.ReverseBytes16(^update(0xffff, packet)) }

// lpcrcCovers is how many bytes of a link packet its CRC covers.
const lpcrcCovers = 4

// LPCRC returns the CRC of a link packet, over its first four bytes, and false
// if there are fewer. What it covers is not known for sure: no capture or
// publication was found to check it against, so a packet should not be called
// bad for it.
func LPCRC(packet []byte) (lpcrc uint16, ok bool) {
	if len(packet) < lpcrcCovers {
		return 0, false
	}
	return VCRC(packet[:lpcrcCovers]), true
}

// table[i][b] is what byte b does to the CRC-16 of the VCRC when i bytes follow
// it: polynomial x^16+x^12+x^3+x+1 (0x100B), the bits of a byte lowest first.
var table = func() (t [32][256]uint16) {
	const reflected = 0xd008
	for b := range t[0] {
		crc := uint16(b)
		for range 8 {
			crc = crc>>1 ^ crc&1*reflected
		}
		t[0][b] = crc
	}
	for i := 1; i < len(t); i++ {
		for b, crc := range t[i-1] {
			t[i][b] = crc>>8 ^ t[0][byte(crc)]
		}
	}
	return t
}()

// minCLMUL is from what length on updateCLMUL, where the processor has what it
// needs, is the fastest.
const minCLMUL = 64

// update takes p into a CRC-16.
func update(crc uint16, p []byte) uint16 {
	if hasCLMUL && len(p) >= minCLMUL {
		return updateCLMUL(crc, p)
	}
	return updateGeneric(crc, p)
}

// updateGeneric is update on any processor.
func updateGeneric(crc uint16, p []byte) uint16 {
	if len(p) < 2*blockSize {
		return lookUp(crc, p)
	}
	var block [blockSize]byte
	n := fold(&block, crc, p)
	return lookUp(lookUp(0, block[:]), p[n:])
}

// blockSize is the size of 16 words of 64 bits.
const blockSize = 16 * 8

// fold makes a block that has the same CRC, from 0, as the whole blocks of p have
// from crc, and returns how many bytes of p these are.
//
// It divides by P(x^64) instead of by P. Squaring a polynomial over GF(2) only
// spreads its terms, so P(x^64) is P^64, a multiple of P; and by a polynomial of
// five terms that are a multiple of 64 apart, words can be divided as they are:
// what is in front of the word x^(16*64) goes to those of x^(12*64), x^(3*64),
// x^64 and 1. This is four times as fast as look-ups.
func fold(block *[blockSize]byte, crc uint16, p []byte) (n int) {
	le := binary.LittleEndian
	// w[i] is what the division has come to i words behind the last block's begin:
	// each word goes to the ones 4, 13, 15 and 16 words behind it.
	var w [16]uint64
	w[0] = uint64(crc)
	for ; len(p)-n >= 2*blockSize; n += blockSize {
		q := p[n:][:blockSize:blockSize]
		w[0] ^= le.Uint64(q) ^ w[12] ^ w[3] ^ w[1]
		w[1] ^= le.Uint64(q[8:]) ^ w[13] ^ w[4] ^ w[2]
		w[2] ^= le.Uint64(q[16:]) ^ w[14] ^ w[5] ^ w[3]
		w[3] ^= le.Uint64(q[24:]) ^ w[15] ^ w[6] ^ w[4]
		w[4] ^= le.Uint64(q[32:]) ^ w[0] ^ w[7] ^ w[5]
		w[5] ^= le.Uint64(q[40:]) ^ w[1] ^ w[8] ^ w[6]
		w[6] ^= le.Uint64(q[48:]) ^ w[2] ^ w[9] ^ w[7]
		w[7] ^= le.Uint64(q[56:]) ^ w[3] ^ w[10] ^ w[8]
		w[8] ^= le.Uint64(q[64:]) ^ w[4] ^ w[11] ^ w[9]
		w[9] ^= le.Uint64(q[72:]) ^ w[5] ^ w[12] ^ w[10]
		w[10] ^= le.Uint64(q[80:]) ^ w[6] ^ w[13] ^ w[11]
		w[11] ^= le.Uint64(q[88:]) ^ w[7] ^ w[14] ^ w[12]
		w[12] ^= le.Uint64(q[96:]) ^ w[8] ^ w[15] ^ w[13]
		w[13] ^= le.Uint64(q[104:]) ^ w[9] ^ w[0] ^ w[14]
		w[14] ^= le.Uint64(q[112:]) ^ w[10] ^ w[1] ^ w[15]
		w[15] ^= le.Uint64(q[120:]) ^ w[11] ^ w[2] ^ w[0]
	}
	// The last block is what is left: it only takes in words in front of it.
	for i := range w {
		v := w[i] ^ le.Uint64(p[n+8*i:])
		for _, back := range [...]int{15, 13, 4} {
			if j := i - back + 16; j < 16 {
				v ^= w[j]
			}
		}
		le.PutUint64(block[8*i:], v)
	}
	return n + blockSize
}

// lookUp takes p into a CRC-16, a look-up a byte.
func lookUp(crc uint16, p []byte) uint16 {
	t := &table
	// 32 bytes a step: 30 of the look-ups do not wait for the step before, and the
	// CRC so far comes in last.
	for ; len(p) >= 32; p = p[32:] {
		a, b := binary.LittleEndian.Uint64(p), binary.LittleEndian.Uint64(p[8:])
		c, d := binary.LittleEndian.Uint64(p[16:]), binary.LittleEndian.Uint64(p[24:])
		first := crc ^ uint16(a)
		rest := t[29][byte(a>>16)] ^ t[28][byte(a>>24)] ^ t[27][byte(a>>32)] ^
			t[26][byte(a>>40)] ^ t[25][byte(a>>48)] ^ t[24][a>>56]
		rest ^= t[23][byte(b)] ^ t[22][byte(b>>8)] ^ t[21][byte(b>>16)] ^ t[20][byte(b>>24)] ^
			t[19][byte(b>>32)] ^ t[18][byte(b>>40)] ^ t[17][byte(b>>48)] ^ t[16][b>>56]
		rest ^= t[15][byte(c)] ^ t[14][byte(c>>8)] ^ t[13][byte(c>>16)] ^ t[12][byte(c>>24)] ^
			t[11][byte(c>>32)] ^ t[10][byte(c>>40)] ^ t[9][byte(c>>48)] ^ t[8][c>>56]
		rest ^= t[7][byte(d)] ^ t[6][byte(d>>8)] ^ t[5][byte(d>>16)] ^ t[4][byte(d>>24)] ^
			t[3][byte(d>>32)] ^ t[2][byte(d>>40)] ^ t[1][byte(d>>48)] ^ t[0][d>>56]
		crc = t[31][byte(first)] ^ t[30][first>>8] ^ rest
	}
	for ; len(p) >= 8; p = p[8:] {
		v := binary.LittleEndian.Uint64(p) ^ uint64(crc)
		crc = t[7][byte(v)] ^ t[6][byte(v>>8)] ^ t[5][byte(v>>16)] ^ t[4][byte(v>>24)] ^
			t[3][byte(v>>32)] ^ t[2][byte(v>>40)] ^ t[1][byte(v>>48)] ^ t[0][v>>56]
	}
	for _, b := range p {
		crc = crc>>8 ^ t[0][byte(crc)^b]
	}
	return crc
}
