package filter

import (
	"fmt"

	"github.com/ibwire/ibwire/field"
)

// A test says whether a packet is selected.
type test func(*field.Frame) bool

// A compiler makes closures of nodes.
type compiler struct{ text string }

func (c *compiler) fail(n *node, format string, args ...any) *Error {
	return fail(c.text, n.span, format, args...)
}

// words returns what stands in the text.
func (c *compiler) words(n *node) string { return c.text[n.start:n.end] }

func (c *compiler) mismatch(n *node, x, y *operand) *Error {
	a, b := n.args[0], n.args[1]
	hint := ""
	switch {
	case a.text == "&" || b.text == "&":
		hint = "; && is and, & is for bits"
	case x.class == textClass && b.op == opField:
		hint = fmt.Sprintf("; as text it is %q", b.text)
	}
	return c.fail(n, "%s is %v, and %s is %v: they cannot be compared%s", c.words(a), x.class, c.words(b), y.class, hint)
}

// test compiles what is true or false.
func (c *compiler) test(n *node) (test, *Error) {
	switch n.op {
	case opAnd, opOr:
		return c.junction(n)
	case opNot:
		t, err := c.test(n.args[0])
		if err != nil {
			return nil, err
		}
		return func(f *field.Frame) bool { return !t(f) }, nil
	case opCompare:
		return c.compare(n)
	case opIn:
		return c.in(n)
	case opContains:
		return c.contains(n)
	case opMatches:
		return c.matches(n)
	}
	o, err := c.value(n, nil)
	if err != nil {
		return nil, err
	}
	switch {
	case n.op == opCall:
		return nil, c.fail(n, "a function is no test by itself; compare it, as %s == 1", c.words(n))
	case n.op == opMath || n.op == opMinus:
		return func(f *field.Frame) bool {
			for _, v := range o.get(f) {
				if !v.isZero(o.class) {
					return true
				}
			}
			return false
		}, nil
	case o.column != nil:
		return present(o.column), nil
	case n.op == opSlice:
		return func(f *field.Frame) bool {
			for _, v := range o.get(f) {
				if len(v.bytes) > 0 {
					return true
				}
			}
			return false
		}, nil
	}
	return func(f *field.Frame) bool { return len(o.get(f)) > 0 }, nil
}

func present(column *field.Column) test {
	return func(f *field.Frame) bool {
		var at field.Cursor
		var v field.Value
		return column.Next(f, &at, &v)
	}
}

// junction compiles and, or.
func (c *compiler) junction(n *node) (test, *Error) {
	var all []test
	for _, a := range n.args {
		t, err := c.test(a)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	decides := n.op == opOr // the first test that is so, decides
	return func(f *field.Frame) bool {
		for _, t := range all {
			if t(f) == decides {
				return decides
			}
		}
		return !decides
	}, nil
}

// isLiteral reports whether n is known without a packet.
func (n *node) isLiteral() bool {
	switch n.op {
	case opWord, opText, opChar:
		return true
	case opMinus, opMath:
		for _, a := range n.args {
			if !a.isLiteral() {
				return false
			}
		}
		return true
	}
	return false
}

// pair compiles two operands. Literals are as the other one, or as that which is
// beside both. as makes of an operand what a literal next to it goes by, if not
// the operand itself.
func (c *compiler) pair(a, b *node, beside *operand, as func(*operand) *operand) (x, y *operand, err *Error) {
	swap := a.isLiteral() && !b.isLiteral()
	if swap {
		a, b = b, a
	}
	if beside != nil {
		beside = as(beside)
	}
	if x, err = c.value(a, beside); err != nil {
		return nil, nil, err
	}
	if y, err = c.value(b, as(x)); err != nil {
		return nil, nil, err
	}
	if swap {
		x, y = y, x
	}
	return x, y, nil
}

// itself is an operand as what a literal goes by.
func itself(o *operand) *operand { return o }

// value compiles an operand. A literal is read as a value of what is beside it;
// beside nothing, it is an error.
func (c *compiler) value(n *node, beside *operand) (*operand, *Error) {
	switch n.op {
	case opField:
		column, err := field.NewColumn(n.text)
		if err != nil {
			return nil, c.fail(n, "%v", err) // cannot be: the parser has looked for it
		}
		return newField(column, nil), nil
	case opWord, opText, opChar:
		if beside != nil {
			return c.literal(n, beside)
		}
		if n.op == opWord && !('0' <= n.text[0] && n.text[0] <= '9') {
			return nil, c.fail(n, "no field is named %q%s", n.text, field.Missing(n.text))
		}
		return nil, c.fail(n, "a field is wanted here, and %s is a value", c.words(n))
	case opCall:
		return c.call(n)
	case opSlice:
		return c.slice(n)
	case opLayer:
		return c.layer(n)
	case opMinus:
		return c.minus(n, beside)
	case opMath:
		return c.math(n, beside)
	}
	return nil, c.fail(n, "%s is true or false, and a value is wanted here", c.words(n))
}
