package main

import (
	"math/rand/v2"
	"net/netip"
)

// values makes up field values: the same ones in every run, and so varied that
// two swapped fields show.
type values struct {
	*rand.Rand
	reserved bool // set reserved bits too
}

// newValues returns values of their own for each seed, so that a change to one
// capture leaves the others alone.
func newValues(seed uint64) *values {
	return &values{Rand: rand.New(rand.NewPCG(seed, 0))}
}

// spare is the value of a reserved field, or of one that only ever holds 0.
func (v *values) spare() uint64 {
	if v.reserved {
		return v.Uint64()
	}
	return 0
}

// qp is a queue pair without a special meaning: not 0, 1 or 0xffffff.
func (v *values) qp() uint64 { return 2 + v.Uint64N(0xffffff-2) }

func (v *values) unicastLID() uint64 { return 1 + v.Uint64N(0xbfff) }

// gid is a link-local address.
func (v *values) gid() netip.Addr {
	a := [16]byte{0xfe, 0x80}
	copy(a[8:], v.octets(8))
	return netip.AddrFrom16(a)
}

func (v *values) octets(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(v.Uint64())
	}
	return b
}

// text is a payload of letters: no protocol is guessed from it.
func (v *values) text(n int) []byte {
	b := make([]byte, n)
	first := v.IntN(26)
	for i := range b {
		b[i] = 'A' + byte((first+i)%26)
	}
	return b
}
