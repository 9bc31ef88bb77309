package filter

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// quoted returns the string that begins at a place, and whose text begins at
// from. In a raw one a backslash stands for itself, also in front of a quote.
func quoted(text string, at, from int, raw bool) (token, *Error) {
	var b []byte
	for i := from; i < len(text); {
		switch c := text[i]; {
		case c == '"':
			return token{textToken, string(b), span{at, i + 1}}, nil
		case c != '\\':
			b = append(b, c)
			i++
		case raw:
			n := min(2, len(text)-i)
			b = append(b, text[i:i+n]...)
			i += n
		default:
			n, err := 0, (*Error)(nil)
			if b, n, err = unescape(b, text, i); err != nil {
				return token{}, err
			}
			i += n
		}
	}
	return token{}, fail(text, span{at, from}, "the string is not closed")
}

// character returns the character that begins at a place. Its text is one byte.
func character(text string, at int) (token, *Error) {
	rest := text[at+1:]
	end := strings.IndexByte(rest, '\'')
	if strings.HasPrefix(rest, `\'`) {
		end = 1 + strings.IndexByte(rest[1:], '\'') // the one that the backslash is for
		if n := strings.IndexByte(rest[2:], '\''); n >= 0 {
			end = n + 2
		}
	}
	if end < 0 {
		return token{}, fail(text, span{at, at + 1}, "the character is not closed")
	}
	here := span{at, at + 1 + end + 1}
	b, n := []byte(nil), 1
	switch {
	case end == 0:
	case rest[0] != '\\':
		b = append(b, rest[0])
	default:
		err := (*Error)(nil)
		if b, n, err = unescape(nil, text, at+1); err != nil {
			return token{}, err
		}
	}
	if n != end || len(b) != 1 {
		return token{}, fail(text, here, "want one character between the quotes, of one byte; text is in double quotes")
	}
	return token{charToken, string(b), here}, nil
}

// simple are the escapes of a single letter.
var simple = map[byte]byte{
	'\'': '\'', '"': '"', '\\': '\\', 'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v',
}

// unescape appends what the escape at a place stands for, and returns how long
// the escape is.
func unescape(dst []byte, text string, at int) ([]byte, int, *Error) {
	rest := text[at+1:]
	if rest == "" {
		return nil, 0, fail(text, span{at, at + 1}, "the string is not closed")
	}
	_, size := utf8.DecodeRuneInString(rest)
	bad := fail(text, span{at, at + 1 + size}, `\%s is no escape; want one of \' \" \\ \a \b \f \n \r \t \v \NNN \xNN \uNNNN \UNNNNNNNN`, rest[:size])
	if c, ok := simple[rest[0]]; ok {
		return append(dst, c), 2, nil
	}
	switch rest[0] {
	case 'x':
		if n := count(rest[1:], 2, isHex); n > 0 {
			v, _ := strconv.ParseUint(rest[1:1+n], 16, 8)
			return append(dst, byte(v)), 2 + n, nil
		}
	case 'u', 'U':
		want := 4
		if rest[0] == 'U' {
			want = 8
		}
		if n := count(rest[1:], want, isHex); n == want {
			v, _ := strconv.ParseUint(rest[1:1+n], 16, 32)
			if v <= utf8.MaxRune && utf8.ValidRune(rune(v)) {
				return utf8.AppendRune(dst, rune(v)), 2 + n, nil
			}
		}
	default:
		if n := count(rest, 3, isOctal); n > 0 {
			if v, err := strconv.ParseUint(rest[:n], 8, 8); err == nil {
				return append(dst, byte(v)), 1 + n, nil
			}
		}
	}
	return nil, 0, bad
}

// count returns how many bytes at the front of s are of a kind, up to most.
func count(s string, most int, of func(byte) bool) int {
	n := 0
	for n < len(s) && n < most && of(s[n]) {
		n++
	}
	return n
}
