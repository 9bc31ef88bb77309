package fuzz_test

import (
	"bytes"
	"slices"
)

// maxDamaged is the most bytes that damage makes of a packet.
const maxDamaged = 1 << 17

// damage swaps, repeats and leaves out headers of a packet, and then damages its
// bytes, each at times. It returns all of the packet.
func damage(c *choices, m *made) []byte {
	for range pick(c, 0, 0, 0, 1, 2) {
		i, j := c.upTo(len(m.parts)-1), c.upTo(len(m.parts)-1)
		switch c.byte() % 3 {
		case 0:
			m.parts[i], m.parts[j] = m.parts[j], m.parts[i]
		case 1:
			m.parts = slices.Insert(m.parts, j, m.parts[i])
		case 2:
			if len(m.parts) > 1 {
				m.parts = slices.Delete(m.parts, i, i+1)
			}
		}
	}
	return damageBytes(c, m.bytes())
}

// damageBytes flips, cuts, lengthens, swaps and repeats bytes, each at times.
func damageBytes(c *choices, b []byte) []byte {
	for range pick(c, 0, 1, 1, 2, 4) {
		if len(b) == 0 || len(b) > maxDamaged {
			return b
		}
		at := c.upTo(min(len(b)-1, 0xffff))
		n := min(c.upTo(64), len(b)-at)
		switch c.byte() % 6 {
		case 0:
			b[at] ^= 1 << (n & 7)
		case 1:
			b[at] = c.byte()
		case 2:
			b = b[:at]
		case 3:
			b = append(b, make([]byte, n)...)
		case 4:
			swap(b, at, c.upTo(min(len(b)-1, 0xffff)), n)
		case 5:
			b = slices.Insert(b, at, bytes.Clone(b[at:at+n])...)
		}
	}
	return b
}

// swap swaps up to n bytes at two places, as far as these do not overlap.
func swap(b []byte, i, j, n int) {
	if i > j {
		i, j = j, i
	}
	n = min(n, j-i, len(b)-j)
	for k := range n {
		b[i+k], b[j+k] = b[j+k], b[i+k]
	}
}
