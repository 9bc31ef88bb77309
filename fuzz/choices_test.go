package fuzz_test

import (
	"math/rand/v2"
)

// choices are decisions that the fuzz engine takes: its input, byte by byte, and
// zeros behind it. So the same input always makes the same packet, and a shorter
// one makes a plainer packet.
type choices struct{ input []byte }

func (c *choices) byte() byte {
	if len(c.input) == 0 {
		return 0
	}
	b := c.input[0]
	c.input = c.input[1:]
	return b
}

// upTo returns a number from 0 to n, at most 65,535.
func (c *choices) upTo(n int) int {
	if n < 256 {
		return int(c.byte()) % (n + 1)
	}
	return int(c.uint(2)) % (n + 1)
}

// rarely is true for one byte in eight.
func (c *choices) rarely() bool { return c.byte()&7 == 7 }

// uint returns a number of n bytes.
func (c *choices) uint(n int) (v uint64) {
	for range n {
		v = v<<8 | uint64(c.byte())
	}
	return v
}

// bytes returns n bytes, of which the input decides no more than 16: others
// would tell nothing.
func (c *choices) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		if i < 16 {
			b[i] = c.byte()
		} else {
			b[i] = byte(i)
		}
	}
	return b
}

// off returns a difference for a length field: none as a rule, rarely a small
// one, and at times any.
func (c *choices) off() int {
	switch b := c.byte(); {
	case b < 0xd0:
		return 0
	case b < 0xf8:
		return int(b) - 0xe4
	}
	return int(c.uint(2))
}

// pick returns one of some values.
func pick[T any](c *choices, values ...T) T { return values[c.upTo(len(values)-1)] }

// randomInputs calls do with inputs for choices, always the same ones.
func randomInputs(n int, do func(input []byte)) {
	r := rand.New(rand.NewPCG(1, 2))
	for range n {
		input := make([]byte, r.IntN(200))
		for i := range input {
			input[i] = byte(r.Uint32())
		}
		do(input)
	}
}
