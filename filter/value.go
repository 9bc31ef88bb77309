package filter

import (
	"bytes"
	"cmp"

	"github.com/ibwire/ibwire/field"
)

// A class is a kind of values that can be compared with each other.
type class uint8

const (
	noClass      class = iota // nothing but to be there
	boolClass                 // number 0 or 1
	numberClass               // a whole number
	secondsClass              // nanoseconds
	timeClass                 // nanoseconds since 1970
	textClass
	bytesClass
	etherClass
	ipv4Class
	ipv6Class
)

var classNames = [...]string{
	"without a value", "true or false", "a number", "a number of seconds", "a time", "text",
	"bytes", "an Ethernet address", "an IPv4 address", "an IPv6 address",
}

func (c class) String() string { return classNames[c] }

func (c class) isBytes() bool { return c >= bytesClass }

// isMatched reports whether values can be searched.
func (c class) isMatched() bool { return textClass <= c && c <= etherClass }

// with reports whether values of both classes can be compared.
func (c class) with(d class) bool {
	switch {
	case c == noClass:
		return false
	case c.isBytes() && d.isBytes():
		return c == d || min(c, d) <= etherClass // not IPv4 with IPv6
	case c <= numberClass && d != noClass:
		return d <= numberClass
	}
	return c == d
}

// classOf has the class of each kind of fields.
var classOf = [...]class{
	field.None: noClass, field.Protocol: bytesClass, field.Bool: boolClass,
	field.Uint8: numberClass, field.Uint16: numberClass, field.Uint24: numberClass, field.Uint32: numberClass,
	field.Uint48: numberClass, field.Uint64: numberClass,
	field.Float: secondsClass, field.RelativeTime: secondsClass, field.AbsoluteTime: timeClass,
	field.String: textClass, field.Bytes: bytesClass, field.Ether: etherClass, field.IPv4: ipv4Class, field.IPv6: ipv6Class,
}

// A value is one of what a field has in a packet, or of what is computed from it.
type value struct {
	num   uint64 // without its sign
	neg   bool
	bytes []byte // of text too
	mask  []byte // the bits that count, of a network; nil: all do
}

// compare returns -1, 0 or 1, as v is less than w, equal or greater. Text is
// compared as words are; of bytes the shorter are less, as in Wireshark.
func (v *value) compare(w *value, c class) int {
	if c < textClass {
		return v.compareNumber(w)
	}
	mask := v.mask
	if mask == nil {
		mask = w.mask
	}
	if mask != nil && len(v.bytes) == len(mask) && len(w.bytes) == len(mask) {
		for i, m := range mask {
			if d := cmp.Compare(v.bytes[i]&m, w.bytes[i]&m); d != 0 {
				return d
			}
		}
		return 0
	}
	if d := cmp.Compare(len(v.bytes), len(w.bytes)); d != 0 && c != textClass {
		return d
	}
	return bytes.Compare(v.bytes, w.bytes)
}

// at returns those bits of a byte that count.
func (v *value) at(i int) byte {
	if v.mask == nil {
		return v.bytes[i]
	}
	return v.bytes[i] & v.mask[i]
}

func (v *value) compareNumber(w *value) int {
	switch {
	case v.neg != w.neg && v.neg:
		return -1
	case v.neg != w.neg:
		return 1
	case v.neg:
		return cmp.Compare(w.num, v.num)
	}
	return cmp.Compare(v.num, w.num)
}

// isZero reports whether v, as a test, is false.
func (v *value) isZero(c class) bool {
	if c < textClass {
		return v.num == 0
	}
	for _, b := range v.bytes {
		if b != 0 {
			return false
		}
	}
	return true
}

// signed returns the value of a number of nanoseconds.
func signed(n int64) value {
	if n < 0 {
		return value{num: -uint64(n), neg: true}
	}
	return value{num: uint64(n)}
}

// An operand is what stands on a side of an operator.
type operand struct {
	class  class
	kind   field.Kind     // of a field that is a number: how large it can be
	rows   []*field.Field // of a field: they know the names of values
	column *field.Column  // of a field by itself
	fixed  bool           // the same in every packet
	slice  bool           // bytes that may be those of text
	// get returns the values in a packet. They are good until the next call.
	get func(*field.Frame) []value
	// given returns, of a protocol, all bytes that it was given, and text, of an
	// address, what it is written as; both are nil for others.
	given, text func(*field.Frame) []value
}

// with returns what values of o and p are compared as, and whether they can be.
// Text is compared with slices as bytes.
func (o *operand) with(p *operand) (class, bool) {
	if o.slice && p.class == textClass || p.slice && o.class == textClass {
		return bytesClass, true
	}
	return o.class, o.class.with(p.class)
}

// searched returns the values in which contains and matches look, and which
// contains looks for: of a protocol not its header alone.
func (o *operand) searched() func(*field.Frame) []value {
	if o.given != nil {
		return o.given
	}
	return o.get
}

// entropyUnit is 1/32, of what a Float counts, in nanos.
const entropyUnit = 1_000_000_000 / 32

// newField returns the values of a field for which keep is true, or all if
// keep is nil.
func newField(column *field.Column, keep func(f *field.Frame, offset, length int) bool) *operand {
	rows := field.Lookup(column.Name)
	o := &operand{class: classOf[rows[0].Kind], rows: rows}
	for _, fd := range rows {
		o.kind = max(o.kind, fd.Kind)
	}
	if keep == nil {
		o.column = column
	}
	o.get = valuesOf(column, keep, o.reader())
	if o.class >= etherClass {
		o.text = valuesOf(column, keep, readText)
	}
	if o.kind == field.Protocol {
		o.given = valuesOf(column, keep, func(v *field.Value, text []byte) (value, []byte) {
			return value{bytes: v.Given()}, text
		})
	}
	return o
}

// A reader makes a value of a field's. Text is appended to a buffer, which is
// returned.
type reader func(v *field.Value, text []byte) (value, []byte)

// reader returns how the values of the field o are read.
func (o *operand) reader() reader {
	switch {
	case o.class.isBytes():
		return func(v *field.Value, text []byte) (value, []byte) { return value{bytes: v.Bytes()}, text }
	case o.class == textClass:
		return readText
	case o.kind == field.Float:
		return func(v *field.Value, text []byte) (value, []byte) { return value{num: v.Num * entropyUnit}, text }
	case o.class >= secondsClass:
		return func(v *field.Value, text []byte) (value, []byte) { return signed(int64(v.Num)), text }
	}
	return func(v *field.Value, text []byte) (value, []byte) { return value{num: v.Num}, text }
}

func readText(v *field.Value, text []byte) (value, []byte) {
	start := len(text)
	text = v.AppendText(text)
	return value{bytes: text[start:]}, text
}

// valuesOf returns the values of a column for which keep is true.
func valuesOf(column *field.Column, keep func(f *field.Frame, offset, length int) bool, read reader) func(*field.Frame) []value {
	var values []value
	var text []byte
	var v field.Value // here, since read lets it escape
	return func(f *field.Frame) []value {
		values, text = values[:0], text[:0]
		var w value
		for at := (field.Cursor{}); column.Next(f, &at, &v); {
			if keep == nil || keep(f, v.Offset, v.Length) {
				w, text = read(&v, text)
				values = append(values, w)
			}
		}
		return values
	}
}
