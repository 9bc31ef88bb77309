package filter

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/ibwire/ibwire/field"
)

// outcomes are the results of a comparison that an operator is true for: bit 0
// for less, 1 for equal, 2 for greater.
type outcomes uint8

const (
	less outcomes = 1 << iota
	equal
	greater
)

func (o outcomes) has(result int) bool { return o>>(result+1)&1 != 0 }

var comparisons = map[string]struct {
	outcomes
	all bool // it must be so for all values, unless any is said
}{
	"==": {equal, false}, "===": {equal, true},
	"!=": {less | greater, true}, "!==": {less | greater, false},
	"<": {less, false}, "<=": {less | equal, false},
	">": {greater, false}, ">=": {greater | equal, false},
}

// compare compiles a comparison. If one side has no value, it is false.
func (c *compiler) compare(n *node) (test, *Error) {
	x, y, err := c.pair(n.args[0], n.args[1], nil, itself)
	if err != nil {
		return nil, err
	}
	class, ok := x.with(y)
	if !ok {
		return nil, c.mismatch(n, x, y)
	}
	op := comparisons[n.text]
	holds, all := op.outcomes, op.all
	if n.match != asOperator {
		all = n.match == matchAll
	}
	if x.column != nil && y.fixed && class <= numberClass {
		if v := y.get(nil); len(v) == 1 && !v[0].neg { // and not 1 / 0
			return compareNumbers(x.column, v[0].num, holds, all), nil
		}
	}
	return pairs(x.get, y.get, all, func(a, b *value) bool { return holds.has(a.compare(b, class)) }), nil
}

// pairs returns the test that something is so for one pair of values, or for all.
func pairs(x, y func(*field.Frame) []value, all bool, is func(a, b *value) bool) test {
	return func(f *field.Frame) bool {
		xs := x(f)
		if len(xs) == 0 {
			return false
		}
		ys := y(f)
		for i := range xs {
			for j := range ys {
				if ok := is(&xs[i], &ys[j]); ok != all {
					return ok
				}
			}
		}
		return all && len(ys) > 0
	}
}

// compareNumbers is compare for what is most usual, a field and a number.
func compareNumbers(column *field.Column, n uint64, holds outcomes, all bool) test {
	return func(f *field.Frame) bool {
		found := false
		var v field.Value
		for at := (field.Cursor{}); column.Next(f, &at, &v); {
			if ok := holds.has(cmp.Compare(v.Num, n)); ok != all {
				return ok
			}
			found = true
		}
		return found && all
	}
}

// An element is one of a set: a value, or all from one to another.
type element struct{ from, to *operand }

func (e *element) has(f *field.Frame, v *value, class class) bool {
	for _, from := range e.from.get(f) {
		result := v.compare(&from, class)
		if e.to == nil && result == 0 {
			return true
		}
		if e.to == nil || result < 0 {
			continue
		}
		for _, to := range e.to.get(f) {
			if v.compare(&to, class) <= 0 {
				return true
			}
		}
	}
	return false
}

// in compiles a IN {...}.
func (c *compiler) in(n *node) (test, *Error) {
	x, err := c.value(n.args[0], nil)
	if err != nil {
		return nil, err
	}
	var set []element
	for _, a := range n.args[1:] {
		ends := []*node{a}
		if a.op == opRange {
			ends = a.args
		}
		var e element
		for i, end := range ends {
			o, err := c.value(end, x)
			if err != nil {
				if from, to, ok := strings.Cut(c.words(end), "-"); ok && from != "" {
					err.Reason += "; a range is written " + from + ".." + to
				}
				return nil, err
			}
			if !x.class.with(o.class) {
				return nil, c.fail(end, "%s is %v, and %s is %v: they cannot be compared", c.words(n.args[0]), x.class, c.words(end), o.class)
			}
			if i == 0 {
				e.from = o
			} else {
				e.to = o
			}
		}
		set = append(set, e)
	}
	class, all := x.class, n.match == matchAll
	return func(f *field.Frame) bool {
		xs := x.get(f)
		for i := range xs {
			if isIn(f, &xs[i], set, class) != all {
				return !all
			}
		}
		return all && len(xs) > 0
	}, nil
}

func isIn(f *field.Frame, v *value, set []element, class class) bool {
	for i := range set {
		if set[i].has(f, v, class) {
			return true
		}
	}
	return false
}

// contains compiles a CONTAINS b. As in Wireshark, empty bytes are in all that is
// not empty, but the literal "" is in no text and in no protocol.
func (c *compiler) contains(n *node) (test, *Error) {
	x, err := c.value(n.args[0], nil)
	if err != nil {
		return nil, err
	}
	if !x.class.isMatched() {
		return nil, c.notSearched(n, x)
	}
	y, err := c.value(n.args[1], x.alike())
	if err != nil {
		return nil, err
	}
	if _, ok := x.with(y); !ok {
		return nil, c.mismatch(n, x, y)
	}
	nowhere := y.fixed && (x.class == textClass || x.given != nil)
	return pairs(x.searched(), y.searched(), n.match == matchAll, func(a, b *value) bool {
		if len(b.bytes) == 0 {
			return len(a.bytes) > 0 && !nowhere
		}
		return bytes.Contains(a.bytes, b.bytes)
	}), nil
}
