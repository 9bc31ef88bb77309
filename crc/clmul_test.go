package crc

import (
	"math/rand/v2"
	"testing"
)

// randomBytes returns n bytes, always the same ones.
func randomBytes(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(r.Uint32())
	}
	return p
}

// waysToUpdate are the ways to take bytes into a CRC-16 that the tables are the
// reference for.
func waysToUpdate(t *testing.T) map[string]func(uint16, []byte) uint16 {
	ways := map[string]func(uint16, []byte) uint16{"update": update, "generic": updateGeneric}
	if hasCLMUL {
		ways["CLMUL"] = func(crc uint16, p []byte) uint16 {
			if len(p) < minCLMUL {
				return update(crc, p)
			}
			return updateCLMUL(crc, p)
		}
	} else {
		t.Log("this processor has no PCLMULQDQ, or the code for it is left out")
	}
	return ways
}

// Every way comes to the same on every length, wherever the bytes begin, and from
// any CRC.
func TestWaysToUpdateAgree(t *testing.T) {
	const longest, alignments = 4200, 16
	p := randomBytes(longest + alignments)
	for name, way := range waysToUpdate(t) {
		for at := range alignments {
			for n := range longest + 1 {
				if at > 0 && testing.Short() && n > 300 {
					break
				}
				crc := uint16(n * 40503)
				q := p[at : at+n : at+n]
				if want, got := lookUp(crc, q), way(crc, q); got != want {
					t.Fatalf("%s: %d bytes at %d from %#04x: %#04x, want %#04x", name, n, at, crc, got, want)
				}
			}
		}
	}
}

// A CRC that is taken in pieces is the same as in one.
func TestUpdateInPieces(t *testing.T) {
	p := randomBytes(2000)
	for name, way := range waysToUpdate(t) {
		for cut := range len(p) {
			if want, got := lookUp(0xffff, p), way(way(0xffff, p[:cut]), p[cut:]); got != want {
				t.Fatalf("%s: cut at %d: %#04x, want %#04x", name, cut, got, want)
			}
		}
	}
}
