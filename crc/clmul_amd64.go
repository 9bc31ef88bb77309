//go:build !purego

package crc

import "math/bits"

// hasCLMUL reports whether the processor multiplies polynomials over GF(2), by
// the instruction PCLMULQDQ.
var hasCLMUL = ecxOfCPUID1()&(1<<1) != 0

// updateCLMUL is update for at least minCLMUL bytes.
func updateCLMUL(crc uint16, p []byte) uint16 {
	var rest [16]byte
	n := len(p) &^ 15
	foldCLMUL(&rest, crc, &p[0], n, &foldConstants)
	return lookUp(lookUp(0, rest[:]), p[n:])
}

// foldCLMUL makes 16 bytes that have the same CRC, from 0, as n bytes at p have
// from crc. n is a multiple of 16 and at least 64.
//
//go:noescape
func foldCLMUL(rest *[16]byte, crc uint16, p *byte, n int, k *[4]uint64)

// ecxOfCPUID1 returns register ECX of CPUID leaf 1: features of the processor.
func ecxOfCPUID1() uint32

// foldConstants take the two halves of 16 bytes 64 bytes ahead, and 16 bytes:
// they are powers of x modulo P. As in the data, the highest power is in the
// lowest bit. The product of two numbers of 64 bits has 127, so that it comes out
// one place too low: hence one power less.
var foldConstants = [4]uint64{power(512 + 64 - 1), power(512 - 1), power(128 + 64 - 1), power(128 - 1)}

// power returns x^n modulo P.
func power(n int) uint64 {
	const p = 0x1100b
	r := uint32(1)
	for range n {
		if r <<= 1; r > 0xffff {
			r ^= p
		}
	}
	return bits.Reverse64(uint64(r))
}
