package filter

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ibwire/ibwire/field"
)

// functions are the functions of the language. All have one argument, but for
// those that take several.
var functions map[string]function

type function struct {
	several bool
	compile func(c *compiler, n *node, args []*operand) (*operand, *Error)
}

func init() { // their compile leads here again
	functions = map[string]function{
		"len":    {compile: (*compiler).length},
		"count":  {compile: (*compiler).count},
		"upper":  {compile: changeCase('a', 'z')},
		"lower":  {compile: changeCase('A', 'Z')},
		"string": {compile: (*compiler).string},
		"abs":    {compile: (*compiler).abs},
		"max":    {several: true, compile: choose(1)},
		"min":    {several: true, compile: choose(-1)},
	}
}

// call compiles a function. Literals among its arguments are as the first
// argument that is none.
func (c *compiler) call(n *node) (*operand, *Error) {
	fn, ok := functions[n.text]
	switch {
	case !ok:
		names := slices.Sorted(maps.Keys(functions))
		return nil, c.fail(n, "no function is called %s; there are %s", n.text, strings.Join(names, ", "))
	case len(n.args) == 0 || len(n.args) > 1 && !fn.several:
		return nil, c.fail(n, "%s takes one argument, not %d", n.text, len(n.args))
	}
	var beside *operand
	args := make([]*operand, len(n.args))
	for i, a := range n.args {
		if a.isLiteral() {
			continue
		}
		var err *Error
		if args[i], err = c.value(a, nil); err != nil {
			return nil, err
		}
		if beside == nil {
			beside = args[i]
		}
	}
	for i, a := range n.args {
		var err *Error
		if args[i] != nil {
			continue
		}
		if args[i], err = c.value(a, beside); err != nil {
			return nil, err
		}
	}
	return fn.compile(c, n, args)
}

// length is how many bytes values have; of a number, as many as its type.
func (c *compiler) length(n *node, args []*operand) (*operand, *Error) {
	of := args[0]
	size := 0
	switch {
	case of.class == numberClass && of.kind.IsNumber():
		size = sizes[of.kind] / 8
	case of.class < textClass:
		return nil, c.fail(n.args[0], "len is for bytes, text and fields of numbers, and %s is %v", c.words(n.args[0]), of.class)
	}
	var values []value
	return &operand{class: numberClass, get: func(f *field.Frame) []value {
		values = values[:0]
		for _, v := range of.get(f) {
			values = append(values, value{num: uint64(size + len(v.bytes))})
		}
		return values
	}}, nil
}

// count is how many values there are. Where there is none, it has no value.
func (c *compiler) count(_ *node, args []*operand) (*operand, *Error) {
	of, one := args[0], make([]value, 1)
	return &operand{class: numberClass, get: func(f *field.Frame) []value {
		n := len(of.get(f))
		one[0].num = uint64(n)
		return one[:min(n, 1)]
	}}, nil
}

// changeCase returns the function that changes letters of ASCII from first to
// last into those of the other case.
func changeCase(first, last byte) func(*compiler, *node, []*operand) (*operand, *Error) {
	const other = 'a' - 'A'
	return func(c *compiler, n *node, args []*operand) (*operand, *Error) {
		of := args[0]
		if of.class != textClass {
			return nil, c.fail(n.args[0], "%s is for text, and %s is %v", n.text, c.words(n.args[0]), of.class)
		}
		return writer(textClass, of, func(dst []byte, v value) []byte {
			for _, b := range v.bytes {
				if first <= b && b <= last {
					b ^= other
				}
				dst = append(dst, b)
			}
			return dst
		}), nil
	}
}

// writer returns an operand whose values are written anew from those of another.
func writer(class class, of *operand, write func(dst []byte, v value) []byte) *operand {
	var values []value
	var text []byte
	return &operand{class: class, get: func(f *field.Frame) []value {
		values, text = values[:0], text[:0]
		for _, v := range of.get(f) {
			start := len(text)
			text = write(text, v)
			values = append(values, value{bytes: text[start:]})
		}
		return values
	}}
}

// string is the text of numbers, which are decimal, and of addresses.
func (c *compiler) string(n *node, args []*operand) (*operand, *Error) {
	of := args[0]
	switch {
	case of.class == numberClass:
		return writer(textClass, of, func(dst []byte, v value) []byte {
			if v.neg {
				dst = append(dst, '-')
			}
			return strconv.AppendUint(dst, v.num, 10)
		}), nil
	case of.text != nil:
		return &operand{class: textClass, get: of.text}, nil
	}
	return nil, c.fail(n.args[0], "string is for numbers and for fields that are addresses, and %s is %v", c.words(n.args[0]), of.class)
}

// abs is a number without its sign.
func (c *compiler) abs(n *node, args []*operand) (*operand, *Error) {
	of := args[0]
	if of.class != numberClass && of.class != secondsClass {
		return nil, c.fail(n.args[0], "abs is for numbers, and %s is %v", c.words(n.args[0]), of.class)
	}
	var values []value
	return &operand{class: of.class, get: func(f *field.Frame) []value {
		values = values[:0]
		for _, v := range of.get(f) {
			values = append(values, value{num: v.num})
		}
		return values
	}}, nil
}

// choose returns the function that is the largest of all values of its
// arguments, or with sign -1 the smallest.
func choose(sign int) func(*compiler, *node, []*operand) (*operand, *Error) {
	return func(c *compiler, n *node, args []*operand) (*operand, *Error) {
		class := args[0].class
		for i, a := range args {
			if !class.with(a.class) {
				return nil, c.fail(n.args[i], "%s is %v, and %s is %v: they cannot be compared", c.words(n.args[i]), a.class, c.words(n.args[0]), class)
			}
		}
		one := make([]value, 1)
		return &operand{class: class, get: func(f *field.Frame) []value {
			found := one[:0]
			for _, a := range args {
				for _, v := range a.get(f) {
					if len(found) == 0 || v.compare(&one[0], class)*sign > 0 {
						found = append(found[:0], v)
					}
				}
			}
			return found
		}}, nil
	}
}
