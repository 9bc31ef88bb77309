package filter

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"

	"github.com/ibwire/ibwire/field"
)

// matches compiles a MATCHES "expression".
func (c *compiler) matches(n *node) (test, *Error) {
	pattern := n.args[1]
	x, err := c.value(n.args[0], nil)
	if err != nil {
		return nil, err
	}
	switch {
	case !x.class.isMatched():
		return nil, c.notSearched(n, x)
	case pattern.op != opText:
		return nil, c.fail(pattern, "a regular expression is wanted here, in double quotes")
	}
	re, wrong := regexp.Compile("(?i)" + byteExpression(pattern.text))
	if wrong != nil {
		var e *syntax.Error
		errors.As(wrong, &e)
		return nil, c.fail(pattern, "this is no regular expression of Go: %v", e.Code)
	}
	get, all := x.searched(), n.match == matchAll
	var runes []byte
	return func(f *field.Frame) bool {
		xs := get(f)
		for i := range xs {
			runes = appendRunes(runes[:0], xs[i].bytes)
			if ok := len(runes) > 0 && re.Match(runes); ok != all {
				return ok
			}
		}
		return all && len(xs) > 0
	}, nil
}

// notSearched is the error of contains and matches of what has no bytes to search.
func (c *compiler) notSearched(n *node, x *operand) *Error {
	name := map[op]string{opContains: "contains", opMatches: "matches"}[n.op]
	return c.fail(n.args[0], "%s is for bytes and text, and %s is %v; string() makes text of numbers and addresses", name, c.words(n.args[0]), x.class)
}

// appendRunes appends bytes as characters: those that are not ASCII as characters
// for private use, which have no other case. A regular expression of such
// characters goes by bytes.
func appendRunes(dst, b []byte) []byte {
	for _, x := range b {
		if x < 0x80 {
			dst = append(dst, x)
		} else {
			dst = append(dst, 0xee, 0x80|x>>6, 0x80|x&0x3f) // U+E080 to U+E0FF
		}
	}
	return dst
}

// byteExpression returns the regular expression for bytes as appendRunes has
// them: \xNN, \x{NN} and \NNN are bytes, and so are those of characters beyond
// ASCII.
func byteExpression(s string) string {
	var b []byte
	for s != "" {
		n := 1
		if s[0] == '\\' && len(s) > 1 {
			value, size := escaped(s[1:])
			if n += size; value >= 0x80 {
				b, s = appendRunes(b, []byte{value}), s[n:]
				continue
			}
			b, s = append(b, s[:n]...), s[n:]
			continue
		}
		b, s = appendRunes(b, []byte(s[:1])), s[1:]
	}
	return string(b)
}

// escaped returns the byte that stands behind a backslash, and how long that is:
// 0 and 1 if it is something else.
func escaped(s string) (value byte, n int) {
	digits, base, n := "", 16, 0
	switch {
	case strings.HasPrefix(s, "x{"):
		end := strings.IndexByte(s, '}')
		if end < 0 {
			return 0, 1
		}
		digits, n = s[2:end], end+1
	case s[0] == 'x':
		n = 1 + count(s[1:], 2, isHex)
		digits = s[1:n]
	default:
		n = count(s, 3, isOctal)
		digits, base = s[:n], 8
	}
	v, err := strconv.ParseUint(digits, base, 8)
	if err != nil {
		return 0, 1
	}
	return byte(v), n
}
