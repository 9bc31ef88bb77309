package opcode

import (
	"iter"
	"math/bits"
)

// A HeaderSet is a set of extension headers. Its bits are declared in the
// order in which the headers stand on the wire, which is the same for every
// opcode; so a set is a sequence too: First is its lowest bit, Rest the set
// without it. A single header is a set of one.
type HeaderSet uint16

// Extension headers in the order of the wire.
const (
	RDETH        HeaderSet = 1 << iota // Reliable Datagram Extended Transport Header
	XRCETH                             // Extended Reliable Connection Extended Transport Header
	DETH                               // Datagram Extended Transport Header
	DCCETH                             // Mellanox Dynamically Connected connect header, a private format
	FETH                               // FLUSH Extended Transport Header
	RETH                               // RDMA Extended Transport Header
	AtomicETH                          // Atomic Extended Transport Header
	AETH                               // ACK Extended Transport Header
	AtomicAckETH                       // Atomic ACK Extended Transport Header
	ImmDt                              // Immediate Data
	IETH                               // Invalidate Extended Transport Header
	CNPRsv                             // the 16 reserved bytes of a RoCEv2 CNP

	numHeaders = iota
)

// headers has a row for each bit of a HeaderSet.
var headers = [numHeaders]struct {
	name string
	size uint8 // bytes
}{
	{"RDETH", 4},
	{"XRCETH", 4},
	{"DETH", 8},
	{"DCCETH", 16},
	{"FETH", 4},
	{"RETH", 16},
	{"AtomicETH", 28},
	{"AETH", 4},
	{"AtomicAckETH", 8},
	{"ImmDt", 4},
	{"IETH", 4},
	{"CNP", 16},
}

// AllHeaders is the set of every header there is.
const AllHeaders HeaderSet = 1<<numHeaders - 1

// First returns the header of s that comes first on the wire, or 0.
func (s HeaderSet) First() HeaderSet { return s & -s }

// Rest returns s without its first header.
func (s HeaderSet) Rest() HeaderSet { return s & (s - 1) }

// Has reports whether every header of t is in s.
func (s HeaderSet) Has(t HeaderSet) bool { return s&t == t }

// Index returns the number of the bit of the first header of s: 0 for RDETH.
// The empty set has none; Index then returns 16.
func (s HeaderSet) Index() int { return bits.TrailingZeros16(uint16(s)) }

// Size returns the bytes that the headers of s take together.
func (s HeaderSet) Size() int { return int(sizes[s&AllHeaders]) }

// sizes has the Size of each set. It is asked for each packet several times, and
// to add up took a tenth of the time of ibwire.Packet.Decode.
var sizes = func() (n [AllHeaders + 1]uint8) {
	for s := range n {
		for h := range HeaderSet(s).All() {
			n[s] += headers[h.Index()].size
		}
	}
	return n
}()

// All returns the headers of s one by one, in the order of the wire.
func (s HeaderSet) All() iter.Seq[HeaderSet] {
	return func(yield func(HeaderSet) bool) {
		for s &= AllHeaders; s != 0; s = s.Rest() {
			if !yield(s.First()) {
				return
			}
		}
	}
}

// String returns the names of the headers in the order of the wire, as "RETH
// ImmDt", and "" for the empty set.
func (s HeaderSet) String() string {
	name := ""
	for h := range s.All() {
		if name != "" {
			name += " "
		}
		name += headers[h.Index()].name
	}
	return name
}
