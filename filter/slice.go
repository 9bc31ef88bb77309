package filter

import (
	"strconv"
	"strings"

	"github.com/ibwire/ibwire/field"
)

// A rng is a part of a value: bytes, or layers.
type rng struct {
	start, end int // negative ones count from the end; end is the last one
	form       form
}

// A form says what the end of a range is.
type form uint8

const (
	toEnd   form = iota // [i:], the end of the value
	length              // [i:j], [:j] and [i], end is a length
	through             // [i-j], the last one
)

// within returns what the range is of n bytes. It returns false if not all of it
// is there.
func (r rng) within(n int) (from, to int, ok bool) {
	from = r.start
	if from < 0 {
		from += n
	}
	switch to = r.end; r.form {
	case toEnd:
		to = n
	case length:
		to += from
	case through:
		if to < 0 {
			to += n
		}
		to++
	}
	return from, to, 0 <= from && from < to && to <= n
}

// ranges parses what stands in brackets, or the one number behind #.
func (p *parser) ranges(t *token) []rng {
	at := t.start
	if t.kind == rangeToken {
		at++
	}
	var all []rng
	for part := range strings.SplitSeq(t.text, ",") {
		r, ok := parseRange(strings.Trim(part, " \t\r\n"))
		if !ok {
			p.fail(span{at, max(at+len(part), at+1)}, "%q is no range; want i:j (from i, j bytes), i-j (from i to j), i, :j or i:", part)
		}
		all, at = append(all, r), at+len(part)+1
	}
	return all
}

func parseRange(s string) (rng, bool) {
	first, rest, hasFirst := integer(s)
	if !hasFirst && !strings.HasPrefix(rest, ":") {
		return rng{}, false
	}
	switch {
	case rest == "":
		return rng{first, 1, length}, true
	case rest == ":":
		return rng{start: first, form: toEnd}, hasFirst
	}
	second, rest2, ok := integer(strings.Trim(rest[1:], " \t"))
	switch {
	case !ok || rest2 != "":
		return rng{}, false
	case rest[0] == ':':
		return rng{first, second, length}, second > 0
	}
	return rng{first, second, through}, rest[0] == '-' && first <= second && (first < 0) == (second < 0)
}

// integer reads a number at the front of s. Numbers that no packet is as long as
// are none.
func integer(s string) (n int, rest string, ok bool) {
	end := count(s, len(s), func(c byte) bool { return isAlphanumeric(c) })
	if strings.HasPrefix(s, "-") {
		end = 1 + count(s[1:], len(s), func(c byte) bool { return isAlphanumeric(c) })
	}
	v, err := strconv.ParseInt(s[:end], 0, 32)
	return int(v), strings.TrimLeft(s[end:], " \t"), err == nil
}

// slice compiles the bytes of a value, or of a text. From the first range on that
// is not there as a whole nothing is taken; a value of which nothing is left is an
// empty one.
func (c *compiler) slice(n *node) (*operand, *Error) {
	of, err := c.value(n.args[0], nil)
	if err != nil {
		return nil, err
	}
	if of.class < textClass {
		return nil, c.fail(n.args[0], "a slice is of bytes or text, and %s is %v", c.words(n.args[0]), of.class)
	}
	var values []value
	var joined []byte
	one, ranges := n.ranges[0], n.ranges
	return &operand{class: bytesClass, slice: true, get: func(f *field.Frame) []value {
		values, joined = values[:0], joined[:0]
		for _, v := range of.get(f) {
			if len(ranges) == 1 {
				from, to, ok := one.within(len(v.bytes))
				if !ok {
					from, to = 0, 0
				}
				values = append(values, value{bytes: v.bytes[from:to]})
				continue
			}
			start := len(joined)
			for _, r := range ranges {
				from, to, ok := r.within(len(v.bytes))
				if !ok {
					break
				}
				joined = append(joined, v.bytes[from:to]...)
			}
			values = append(values, value{bytes: joined[start:]})
		}
		return values
	}}, nil
}

// layer compiles a field of which only the values in some layers count: the
// first, second, ... header of its protocol.
func (c *compiler) layer(n *node) (*operand, *Error) {
	of, err := c.value(n.args[0], nil)
	if err != nil {
		return nil, err
	}
	if of.column == nil {
		return nil, c.fail(n.args[0], "# is for fields, and %s is none", c.words(n.args[0]))
	}
	family, _, _ := strings.Cut(of.column.Name, ".")
	protocol, _ := field.NewColumn(family) // nil if the family is no protocol: then there is one layer
	column := of.column
	ranges := n.ranges
	return newField(column, func(f *field.Frame, offset, length int) bool {
		layer, layers := 1, 1
		if protocol != nil && length > 0 {
			layer, layers = 0, 0
			var p field.Value
			for at := (field.Cursor{}); protocol.Next(f, &at, &p); {
				if layers++; p.Offset <= offset {
					layer++
				}
			}
			layer, layers = max(layer, 1), max(layers, 1) // ip.version of IPv6 is not in ip
		}
		for _, r := range ranges {
			if r.hasLayer(layer, layers) {
				return true
			}
		}
		return false
	}), nil
}

// hasLayer reports whether a layer, from 1, is one of the range.
func (r rng) hasLayer(layer, layers int) bool {
	from, to := r.start, r.end
	if from < 0 {
		from += layers + 1
	}
	switch {
	case r.form == toEnd:
		to = layers
	case r.form == length:
		to += from - 1
	case to < 0:
		to += layers + 1
	}
	return from <= layer && layer <= to
}
