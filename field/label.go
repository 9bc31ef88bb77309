package field

import (
	"math/bits"
)

// AppendLabel appends the line that the tree has for the value, without its
// indentation, as ".... ..10 = Link Next Header: 0x2".
func (v Value) AppendLabel(dst []byte) []byte {
	fd := v.Field
	if fd.line != nil {
		return fd.line(dst, v)
	}
	if fd.flags&generated != 0 {
		dst = append(dst, '[')
	}
	if fd.Mask != 0 && fd.flags&noBits == 0 {
		dst = v.appendBits(dst)
		dst = append(dst, " = "...)
	}
	dst = append(dst, fd.Label...)
	if fd.flags&head == 0 {
		dst = append(dst, ": "...)
		dst = v.appendShown(dst)
		if fd.note != nil {
			dst = fd.note(dst, v)
		}
	}
	if fd.flags&generated != 0 {
		dst = append(dst, ']')
	}
	return dst
}

// appendBits appends the bits of the value with points for the bits around.
func (v Value) appendBits(dst []byte) []byte {
	fd, n := v.Field, uint64(0)
	for _, b := range v.Bytes() {
		n = n<<8 | uint64(b)
	}
	for i := fd.Length*8 - 1; i >= 0; i-- {
		c := byte('.')
		if fd.Mask>>i&1 != 0 {
			c = '0' + byte(n>>i&1)
		}
		dst = append(dst, c)
		if i%4 == 0 && i > 0 {
			dst = append(dst, ' ')
		}
	}
	return dst
}

// shownBytes is how many bytes of a value the tree shows.
const shownBytes = 36

// appendShown appends the value as the tree has it.
func (v Value) appendShown(dst []byte) []byte {
	fd := v.Field
	switch {
	case fd.show != nil:
		return fd.show(dst, v)
	case fd.Kind == Bool:
		return append(dst, v.boolName()...)
	case fd.Kind == Bytes && v.Length > shownBytes:
		dst = appendHex(dst, v.Bytes()[:shownBytes])
		return append(dst, "…"...)
	case !fd.Kind.IsNumber():
		return v.AppendText(dst)
	}
	if fd.names == nil {
		return v.appendNumber(dst)
	}
	name := fd.names(v.Num)
	if name == "" {
		name = "Unknown"
	}
	dst = append(dst, name...)
	dst = append(dst, " ("...)
	dst = v.appendNumber(dst)
	return append(dst, ')')
}

func (v Value) boolName() string {
	switch {
	case v.Field.names != nil:
		return v.Field.names(v.Num)
	case v.Num != 0:
		return "True"
	}
	return "False"
}

// appendNumber appends a number as the tree has it: hexadecimal ones have the
// width of their mask.
func (v Value) appendNumber(dst []byte) []byte {
	fd := v.Field
	width := hexDigits[fd.Kind]
	switch {
	case fd.Kind == Uint48:
		width = 12
	case fd.Mask != 0 && fd.flags&noBits == 0:
		width = (bits.Len64(fd.Mask>>fd.shift) + 3) / 4
	}
	switch fd.base {
	case hex:
		return appendHexNumber(dst, v.Num, width)
	case decHex:
		dst = append(appendDecimal(dst, v.Num), " ("...)
		return append(appendHexNumber(dst, v.Num, width), ')')
	case hexDec:
		dst = append(appendHexNumber(dst, v.Num, width), " ("...)
		return append(appendDecimal(dst, v.Num), ')')
	}
	return appendDecimal(dst, v.Num)
}
