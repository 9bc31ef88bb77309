package lrh

import "strconv"

// A LID is a local identifier: the address of a port within its subnet (IBTA
// Vol 1, 4.1.3).
type LID uint16

// The bounds of the ranges of LIDs.
const (
	LIDReserved       LID = 0x0000
	LIDUnicastFirst   LID = 0x0001
	LIDUnicastLast    LID = 0xbfff
	LIDMulticastFirst LID = 0xc000
	LIDMulticastLast  LID = 0xfffe
	LIDPermissive     LID = 0xffff
)

// IsReserved reports whether l is 0, which no port has as its address.
func (l LID) IsReserved() bool { return l == LIDReserved }

// IsUnicast reports whether l is the address of one port: 0x0001-0xBFFF.
func (l LID) IsUnicast() bool { return LIDUnicastFirst <= l && l <= LIDUnicastLast }

// IsMulticast reports whether l is a multicast address: 0xC000-0xFFFE, only as
// a destination.
func (l LID) IsMulticast() bool { return LIDMulticastFirst <= l && l <= LIDMulticastLast }

// IsPermissive reports whether l is 0xFFFF, which directed-route management
// packets carry where ports have no LID yet. It is no broadcast address.
func (l LID) IsPermissive() bool { return l == LIDPermissive }

// String returns l in decimal, as Wireshark does.
func (l LID) String() string { return strconv.Itoa(int(l)) }
