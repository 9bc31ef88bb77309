package main

import (
	"encoding/hex"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// A field is one part of a header: both its bits on the wire and its value in
// the expected decoding. Its place follows from the widths of the fields before
// it.
type field struct {
	name string // empty for a field that the expected decoding leaves out
	bits int
	wire []byte // right-aligned
	want string // JSON
}

// num is a big-endian number. Bits of v that do not fit are dropped, so that
// random numbers can be passed as they are.
func num(name string, bits int, v uint64) field {
	v &= ^uint64(0) >> (64 - bits)
	wire := make([]byte, 8)
	for i := range wire {
		wire[i] = byte(v >> (56 - 8*i))
	}
	return field{name, bits, wire, strconv.FormatUint(v, 10)}
}

func gid(name string, a netip.Addr) field {
	b := a.As16()
	return field{name, 128, b[:], strconv.Quote(a.String())}
}

// octets is a field whose value is written as a string of hex digits.
func octets(name string, b []byte) field {
	return field{name, 8 * len(b), b, strconv.Quote(hex.EncodeToString(b))}
}

// numbers is a row of 64-bit numbers.
func numbers(name string, list []uint64) field {
	f := field{name: name, bits: 64 * len(list)}
	var texts []string
	for _, v := range list {
		n := num("", 64, v)
		f.wire = append(f.wire, n.wire...)
		texts = append(texts, n.want)
	}
	f.want = "[" + strings.Join(texts, ",") + "]"
	return f
}

// A header is one decoded layer.
type header struct {
	layer  string
	owner  string // the package whose error a cut header raises
	raw    []byte
	fields []field
}

func newHeader(layer, owner string, fields ...field) header {
	return header{layer, owner, pack(fields), fields}
}

// pack writes the fields one behind the other, bit by bit.
func pack(fields []field) []byte {
	var out []byte
	n := 0
	for _, f := range fields {
		skip := 8*len(f.wire) - f.bits
		for i := skip; i < 8*len(f.wire); i++ {
			if n%8 == 0 {
				out = append(out, 0)
			}
			bit := f.wire[i/8] >> (7 - i%8) & 1
			out[n/8] |= bit << (7 - n%8)
			n++
		}
	}
	return out
}

func size(headers []header) int {
	n := 0
	for _, h := range headers {
		n += len(h.raw)
	}
	return n
}

func join(headers []header) []byte {
	var out []byte
	for _, h := range headers {
		out = append(out, h.raw...)
	}
	return slices.Clip(out)
}
