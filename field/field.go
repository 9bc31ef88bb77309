// Package field is the one table of fields: what each is called, where it
// stands in a packet, and how it is written. Text, JSON and trees of a packet
// are made from this table and from nothing else.
//
// Names, kinds and texts are those of tshark 4.0. Fields that tshark does not
// have are named in its manner, as infiniband.bth.fecn. A name may have several
// rows, as infiniband.reserved, and a row several values in a packet, as a
// packet may have several VLAN tags.
//
// A Frame is a decoded packet together with what the capture file says of it.
// Columns writes chosen fields of a Frame as tshark -T fields and -T json do,
// AppendTree all of them as tshark -V does. None of these allocates once its
// buffer has grown.
package field

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/ibwire/ibwire"
)

// A Kind says what the values of a field are.
type Kind uint8

//go:generate go tool -modfile=../tools.mod stringer -linecomment -type=Kind -output=string.go

// Kinds of fields. Those of numbers are as wide as tshark has them, which may be
// more than the field has in the packet; hexadecimal digits fill that width.
const (
	None         Kind = iota // none
	Protocol                 // protocol
	Bool                     // boolean
	Uint8                    // uint8
	Uint16                   // uint16
	Uint24                   // uint24
	Uint32                   // uint32
	Uint48                   // uint48
	Uint64                   // uint64
	Float                    // float
	AbsoluteTime             // time
	RelativeTime             // duration
	String                   // string
	Bytes                    // bytes
	Ether                    // ether
	IPv4                     // ipv4
	IPv6                     // ipv6
)

// IsNumber reports whether values of kind k are whole numbers.
func (k Kind) IsNumber() bool { return Uint8 <= k && k <= Uint64 }

// bytes returns the length of a value of kind k in bytes, or 0 if it varies.
func (k Kind) bytes() int { return kindBytes[k] }

var kindBytes = [...]int{
	Bool: 1, Uint8: 1, Uint16: 2, Uint24: 3, Uint32: 4, Uint48: 6, Uint64: 8, Float: 1, Ether: 6, IPv4: 4, IPv6: 16,
}

// A Field is a row of the table. Rows are read-only.
type Field struct {
	Name  string // as tshark's -e and display filters have it
	Label string // as it stands in the tree
	Kind  Kind

	// Layer is the header that the field stands in, or 0 if it stands in none:
	// what the capture file says, and what is behind the headers.
	Layer ibwire.Layer
	// Offset is where the field begins in its header, and Length how many bytes
	// it takes; 0 means up to the header's end.
	Offset, Length int
	// Mask selects the bits of a number, of its bytes read big-endian. 0 means
	// all of them.
	Mask uint64

	// Alias marks a second name for what other fields have, as ip.addr. It is not
	// shown unless asked for.
	Alias bool

	level uint8  // indentation in the tree
	base  base   // how a number is written
	flags flag   // how the tree has it
	shift uint8  // how far the bits of Mask are from the right end
	scale uint64 // what the number in the packet is multiplied with, if not 0

	names  func(uint64) string               // the names of values
	cond   func(f *Frame, h int) bool        // whether header h has the field; nil: it has
	num    func(f *Frame, h int) uint64      // the number, if it does not stand in the header as it is
	length func(f *Frame, h int) int         // how many bytes it takes, if Length does not say it
	find   func(f *Frame) (v Value, ok bool) // the value of a field with no layer
	text   func(dst []byte, v Value) []byte  // the text, if Kind does not say it
	show   func(dst []byte, v Value) []byte  // the value in the tree, if it differs
	note   func(dst []byte, v Value) []byte  // what follows the value in the tree
	line   func(dst []byte, v Value) []byte  // the whole line in the tree
}

// A base says how a number is written: by itself, and in the tree.
type base uint8

const (
	dec base = iota
	hex
	decHex // decimal; in the tree the hexadecimal number is behind it
	hexDec
)

// A flag says how the tree has a field.
type flag uint8

const (
	head         flag = 1 << iota // no value, only the label: what it holds follows
	noBits                        // no bit pattern, in spite of the mask
	generated                     // in brackets: it does not stand in the packet
	littleEndian                  // the exception in ERF
)

// HasNames reports whether values of the field have names.
func (fd *Field) HasNames() bool { return fd.names != nil }

// ValueOf returns the number, or the 0 or 1, that a name of the tree stands for,
// whatever the case of its letters.
func (fd *Field) ValueOf(name string) (n uint64, ok bool) {
	if fd.names == nil || name == "" {
		return 0, false
	}
	for ; n <= fd.largest(); n++ {
		if strings.EqualFold(fd.names(n), name) {
			return n, true
		}
	}
	return 0, false
}

// NamesWith returns the first names of the tree that have a part of a name in
// them, whatever the case of its letters, and up to most.
func (fd *Field) NamesWith(part string, most int) (names []string) {
	if fd.names == nil {
		return nil
	}
	part = strings.ToLower(part)
	for n := uint64(0); n <= fd.largest() && len(names) < most; n++ {
		name := fd.names(n)
		if strings.Contains(strings.ToLower(name), part) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// largest returns the largest number that may have a name.
func (fd *Field) largest() uint64 {
	switch {
	case fd.Kind == Bool:
		return 1
	case fd.Mask != 0:
		return fd.Mask >> fd.shift
	}
	return 1<<min(8*fd.Length, 16) - 1
}

// number returns the number in the bytes of the field.
func (fd *Field) number(b []byte) uint64 {
	var n uint64
	switch {
	case fd.flags&littleEndian != 0:
		n = binary.LittleEndian.Uint64(b)
	case len(b) == 1:
		n = uint64(b[0])
	case len(b) == 2:
		n = uint64(binary.BigEndian.Uint16(b))
	default:
		for _, x := range b {
			n = n<<8 | uint64(x)
		}
	}
	if fd.Mask != 0 {
		n = n & fd.Mask >> fd.shift
	}
	if fd.scale != 0 {
		n *= fd.scale
	}
	return n
}
