package main

import (
	"math/bits"
	"slices"
)

const (
	erfTypeInfiniBand     = 21
	erfTypeInfiniBandLink = 25

	erfFlagVarying = 0x04 // rlen follows the packet's length
	erfHeaderSize  = 16
	erfMore        = 1 << 63 // another extension header follows
)

// Records are padded to a multiple of so many bytes.
const (
	unpadded = 1 // as ibdump writes them
	padded   = 8 // as DAG cards write them
)

// A record is an ERF record around a packet.
type record struct {
	typ, flags, lctr uint64
	ts               uint64 // seconds<<32 and a fraction of 2^-32 seconds
	extensions       []uint64
	subHeader        []byte

	snap  int    // keep so many bytes of the packet; 0: all
	extra []byte // captured behind what wlen counts
}

// newRecord returns a record in the manner of ibdump, second n of the capture.
func newRecord(typ uint64, n int) record {
	fractions := []uint64{0x80000000, 0, 0xffffffff, 0x00000001, 0xfffffffd, 0x12345678}
	return record{
		typ:   typ,
		flags: erfFlagVarying,
		ts:    uint64(firstSecond+n)<<32 | fractions[n%len(fractions)],
	}
}

// wrap puts the record around p and pads it to a multiple of align bytes.
func (r record) wrap(p packet, align int) packet {
	wlen := len(p.bytes())
	if r.snap > 0 {
		p = p.keep(r.snap)
	}
	captured := len(p.bytes()) + len(r.extra)
	length := erfHeaderSize + 8*len(r.extensions) + len(r.subHeader) + captured
	padding := make([]byte, (align-length%align)%align)
	p.erfTrailer = slices.Concat(r.extra, padding)
	return p.behind(r.header(length+len(padding), wlen))
}

func (r record) header(rlen, wlen int) header {
	chain := r.chain()
	fields := []field{
		littleEndian("erf.ts", r.ts),
		num("erf.types.ext_header", 1, uint64(min(1, len(chain)))),
		num("erf.types.type", 7, r.typ),
		num("erf.flags", 8, r.flags),
		num("erf.rlen", 16, uint64(rlen)),
		num("erf.lctr", 16, r.lctr),
		num("erf.wlen", 16, uint64(wlen)),
	}
	if len(chain) > 0 {
		fields = append(fields, numbers("erf.ehdr", chain))
	}
	if len(r.subHeader) > 0 {
		fields = append(fields, octets("erf.subheader", r.subHeader))
	}
	return newHeader("ERF", "erf", fields...)
}

// chain marks every extension header that is not the last one.
func (r record) chain() []uint64 {
	chain := slices.Clone(r.extensions)
	for i := range len(chain) - 1 {
		chain[i] |= erfMore
	}
	return chain
}

// littleEndian is the time stamp; all other numbers are big-endian.
func littleEndian(name string, v uint64) field {
	f := num(name, 64, v)
	f.wire = num("", 64, bits.ReverseBytes64(v)).wire
	return f
}
