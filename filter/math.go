package filter

import (
	"math/bits"

	"github.com/ibwire/ibwire/field"
)

// A sum is what an operator makes of two numbers. It returns false if that is
// none, or does not fit into 64 bits.
type sum func(a, b value) (value, bool)

var sums = map[string]sum{
	"&": func(a, b value) (value, bool) { return bitAnd(a, b), true },
	"+": plus,
	"-": func(a, b value) (value, bool) { return plus(a, minus(b)) },
	"*": func(a, b value) (value, bool) {
		over, product := bits.Mul64(a.num, b.num)
		return normal(value{num: product, neg: a.neg != b.neg}), over == 0
	},
	"/": func(a, b value) (value, bool) {
		if b.num == 0 {
			return value{}, false
		}
		return normal(value{num: a.num / b.num, neg: a.neg != b.neg}), true
	},
	"%": func(a, b value) (value, bool) {
		if b.num == 0 {
			return value{}, false
		}
		return normal(value{num: a.num % b.num, neg: a.neg}), true
	},
}

// normal makes 0 of -0.
func normal(v value) value {
	v.neg = v.neg && v.num != 0
	return v
}

func minus(v value) value { return normal(value{num: v.num, neg: !v.neg}) }

func plus(a, b value) (value, bool) {
	switch {
	case a.neg == b.neg:
		sum, carry := bits.Add64(a.num, b.num, 0)
		return value{num: sum, neg: a.neg}, carry == 0
	case a.num >= b.num:
		return normal(value{num: a.num - b.num, neg: a.neg}), true
	}
	return value{num: b.num - a.num, neg: b.neg}, true
}

// bitAnd takes negative numbers as two's complements.
func bitAnd(a, b value) value {
	n := twos(a) & twos(b)
	if a.neg && b.neg {
		return normal(value{num: -n, neg: true})
	}
	return value{num: n}
}

func twos(v value) uint64 {
	if v.neg {
		return -v.num
	}
	return v.num
}

// minus compiles -a.
func (c *compiler) minus(n *node, beside *operand) (*operand, *Error) {
	if beside != nil { // what is negative is no value of the field's type
		beside = beside.alike()
	}
	of, err := c.value(n.args[0], beside)
	if err != nil {
		return nil, err
	}
	if of.class != numberClass && of.class != secondsClass {
		return nil, c.fail(n, "a minus is for numbers, and %s is %v", c.words(n.args[0]), of.class)
	}
	var values []value
	return &operand{class: of.class, fixed: of.fixed, get: func(f *field.Frame) []value {
		values = values[:0]
		for _, v := range of.get(f) {
			values = append(values, minus(v))
		}
		return values
	}}, nil
}

// alike returns an operand of o's class, for literals that are beside it but no
// values of its field.
func (o *operand) alike() *operand {
	if o.class == etherClass {
		return &operand{class: bytesClass}
	}
	return &operand{class: o.class}
}

// math compiles an operator that has a value.
func (c *compiler) math(n *node, beside *operand) (*operand, *Error) {
	x, y, err := c.pair(n.args[0], n.args[1], beside, (*operand).alike)
	if err != nil {
		return nil, err
	}
	bytes := n.text == "&" && x.class.isBytes()
	for i, o := range []*operand{x, y} {
		isNumber := o.class == numberClass || o.class == secondsClass && (n.text == "+" || n.text == "-")
		if !isNumber && !(bytes && o.class.isBytes()) {
			return nil, c.fail(n.args[i], "%s is %v, which %s is not for", c.words(n.args[i]), o.class, n.text)
		}
	}
	if !x.class.with(y.class) {
		return nil, c.mismatch(n, x, y)
	}
	result := x.alike()
	result.fixed = x.fixed && y.fixed
	if bytes {
		result.get = maskBytes(x, y)
		return result, nil
	}
	if n.text == "&" {
		result.kind = field.Kind(max(x.kind, y.kind))
	}
	result.get = calculate(sums[n.text], x, y)
	return result, nil
}

// calculate returns the results for all pairs of values.
func calculate(do sum, x, y *operand) func(*field.Frame) []value {
	var values []value
	return func(f *field.Frame) []value {
		values = values[:0]
		xs := x.get(f)
		if len(xs) == 0 {
			return nil
		}
		ys := y.get(f)
		for _, a := range xs {
			for _, b := range ys {
				if v, ok := do(a, b); ok {
					values = append(values, v)
				}
			}
		}
		return values
	}
}

// maskBytes returns the bits that are in both, as long as the shorter one. Of a
// network, those that count.
func maskBytes(x, y *operand) func(*field.Frame) []value {
	var values []value
	var joined []byte
	return func(f *field.Frame) []value {
		values, joined = values[:0], joined[:0]
		xs := x.get(f)
		if len(xs) == 0 {
			return nil
		}
		ys := y.get(f)
		for _, a := range xs {
			for _, b := range ys {
				start := len(joined)
				for i := range min(len(a.bytes), len(b.bytes)) {
					joined = append(joined, a.at(i)&b.at(i))
				}
				values = append(values, value{bytes: joined[start:]})
			}
		}
		return values
	}
}
