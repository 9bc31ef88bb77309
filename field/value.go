package field

import (
	"net/netip"
	"strconv"

	"github.com/ibwire/ibwire"
)

// A Value is a value of a field in a Frame, and good as long as that.
type Value struct {
	Field *Field
	Frame *Frame
	// Offset and Length are the bytes in Frame.Data that the value stands in.
	// Length is 0 if it stands in none.
	Offset, Length int
	// Num is the number, 0 or 1 for a Bool, nanoseconds for a time, 1/32 for a
	// Float.
	Num uint64

	h int // index of the header, or -1
}

// Bytes returns the bytes that the value stands in.
func (v Value) Bytes() []byte { return v.Frame.Data[v.Offset : v.Offset+v.Length] }

// Given returns the bytes in which a search for something in a protocol looks: all
// that the protocol was given, from its header on to the first end that the length
// fields in front of it give, for IP also its own. Of any other field they are
// Bytes.
func (v Value) Given() []byte {
	if v.Field.Kind != Protocol || v.h < 0 {
		return v.Bytes()
	}
	b, _ := v.Frame.given(v.h)
	header := v.Frame.Headers[v.h]
	if n := v.Frame.counts(v.h); header.Layer&(ibwire.IPv4|ibwire.IPv6) != 0 && n >= header.Length {
		b = b[:min(n, len(b))]
	}
	return b
}

// value sets v to the value that header h has of a field.
func (fd *Field) value(f *Frame, h int, v *Value) bool {
	if fd.cond != nil && !fd.cond(f, h) {
		return false
	}
	header := &f.Headers[h]
	v.Field, v.Frame, v.h = fd, f, h
	v.Offset, v.Length, v.Num = header.Offset+fd.Offset, fd.Length, 0
	switch {
	case fd.length != nil:
		v.Length = fd.length(f, h)
	case v.Length == 0:
		v.Length = header.Length - fd.Offset
	}
	switch {
	case fd.num != nil:
		v.Num = fd.num(f, h)
		if fd.flags&generated != 0 { // it comes from elsewhere
			v.Offset, v.Length = 0, 0
		}
	case fd.Kind.IsNumber() || fd.Kind == Bool:
		v.Num = fd.number(f.Data[v.Offset : v.Offset+v.Length])
	}
	return true
}

// virtual sets v to the value of a field with no layer.
func (fd *Field) virtual(f *Frame, v *Value) bool {
	found, ok := fd.find(f)
	if ok {
		*v = found
		v.Field, v.Frame, v.h = fd, f, -1
	}
	return ok
}

// AppendText appends the value as tshark -T fields writes it.
func (v Value) AppendText(dst []byte) []byte { return v.appendText(dst) }

// appendText is for loops, in which copies of values count.
func (v *Value) appendText(dst []byte) []byte {
	fd := v.Field
	if fd.text != nil {
		return fd.text(dst, *v)
	}
	switch fd.Kind {
	case None:
		return append(dst, '1')
	case Protocol:
		return append(dst, fd.Name...)
	case Bool:
		return append(dst, '0'+byte(v.Num&1))
	case Bytes:
		return appendHex(dst, v.Bytes())
	case Ether:
		return appendColons(dst, v.Bytes())
	case IPv4, IPv6:
		return appendIP(dst, v.Bytes())
	case RelativeTime:
		return appendSeconds(dst, int64(v.Num))
	}
	if fd.base == hex || fd.base == hexDec {
		return appendHexNumber(dst, v.Num, hexDigits[fd.Kind])
	}
	return strconv.AppendUint(dst, v.Num, 10)
}

// AppendJSON appends the value as JSON: numbers and times as numbers, Bool as
// true and false, everything else as a string. Bytes have colons between them,
// as in tshark -T json.
func (v Value) AppendJSON(dst []byte) []byte { return v.appendJSON(dst) }

func (v *Value) appendJSON(dst []byte) []byte {
	switch fd := v.Field; {
	case fd.Kind == Bool:
		return strconv.AppendBool(dst, v.Num != 0)
	case fd.Kind == None:
		return append(dst, "true"...)
	case fd.Kind.IsNumber():
		return strconv.AppendUint(dst, v.Num, 10)
	case fd.Kind == Float, fd.Kind == RelativeTime:
		return v.appendText(dst)
	case fd.Kind == Bytes:
		dst = append(dst, '"')
		dst = appendColons(dst, v.Bytes())
		return append(dst, '"')
	}
	dst = append(dst, '"') // no text has a character that JSON would escape
	dst = v.appendText(dst)
	return append(dst, '"')
}

const digits = "0123456789abcdef"

// hexDigits are the digits of a hexadecimal number; tshark writes 48 bits as 64.
var hexDigits = [...]int{Uint8: 2, Uint16: 4, Uint24: 6, Uint32: 8, Uint48: 16, Uint64: 16}

func appendHexNumber(dst []byte, n uint64, width int) []byte {
	dst = append(dst, "0x"...)
	for i := width - 1; i >= 0; i-- {
		dst = append(dst, digits[n>>(4*i)&0xf])
	}
	return dst
}

func appendHex(dst, b []byte) []byte {
	for _, x := range b {
		dst = append(dst, digits[x>>4], digits[x&0xf])
	}
	return dst
}

func appendColons(dst, b []byte) []byte {
	for i, x := range b {
		if i > 0 {
			dst = append(dst, ':')
		}
		dst = append(dst, digits[x>>4], digits[x&0xf])
	}
	return dst
}

// appendIP appends an address of 4 or 16 bytes. Of the two forms that end as
// IPv4 addresses do, net/netip has ::ffff:10.0.0.1, but not ::10.0.0.1.
func appendIP(dst, b []byte) []byte {
	const prefix = 12
	if len(b) == 16 && allZero(b[:prefix]) && !allZero(b[prefix:prefix+2]) {
		dst, b = append(dst, "::"...), b[prefix:]
	}
	a, _ := netip.AddrFromSlice(b)
	return a.AppendTo(dst)
}

func allZero(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}

const second = 1_000_000_000

// appendSeconds appends nanoseconds as seconds with all nine decimals.
func appendSeconds(dst []byte, ns int64) []byte {
	n := uint64(ns)
	if ns < 0 {
		dst, n = append(dst, '-'), -n
	}
	dst = strconv.AppendUint(dst, n/second, 10)
	return appendFraction(dst, n%second)
}

// appendFraction appends a point and nanoseconds.
func appendFraction(dst []byte, ns uint64) []byte {
	dst = append(dst, '.')
	for unit := uint64(second / 10); unit > 0; unit /= 10 {
		dst = append(dst, '0'+byte(ns/unit%10))
	}
	return dst
}
