package filter

import (
	"strings"
	"unicode/utf8"
)

// A tokenKind is what a token is.
type tokenKind uint8

const (
	endToken    tokenKind = iota // the end of the text
	wordToken                    // a name, or a value without quotes
	textToken                    // a string in double quotes
	charToken                    // a character in single quotes
	rangeToken                   // what stands between brackets
	symbolToken                  // an operator or a mark
)

// A token is a piece of a filter's text. Of a symbol, text is the one spelling of
// those that mean the same; of quotes and brackets it is what is in them.
type token struct {
	kind tokenKind
	text string
	span
}

func (t *token) is(symbol string) bool { return t.kind == symbolToken && t.text == symbol }

// symbols are the marks of the language, those first that begin with others.
var symbols = []string{
	"===", "!==", "==", "!=", "~=", ">=", "<=", "&&", "||", "..",
	"(", ")", "{", "}", ",", "#", "<", ">", "!", "&", "+", "-", "*", "/", "%", "~",
}

// mistaken are marks of other languages, and what they are here.
var mistaken = []struct{ symbol, meant string }{{"=>", ">="}, {"=<", "<="}, {"<>", "!="}}

// same has the one spelling of symbols, and of the words that stand for them.
var same = map[string]string{
	"eq": "==", "any_eq": "==", "ne": "!=", "all_ne": "!=", "all_eq": "===", "any_ne": "!==", "~=": "!==",
	"gt": ">", "ge": ">=", "lt": "<", "le": "<=", "contains": "contains", "matches": "matches", "~": "matches",
	"in": "in", "not": "!", "and": "&&", "or": "||", "bitwise_and": "&", "any": "any", "all": "all",
}

// lex splits the text of a filter. The last token is one of kind endToken.
func lex(text string) ([]token, *Error) {
	var tokens []token
	for at := 0; ; {
		at += blanks(text[at:])
		if at == len(text) {
			return append(tokens, token{kind: endToken, span: span{at, at}}), nil
		}
		t, err := next(text, at)
		if err != nil {
			return nil, err
		}
		tokens, at = append(tokens, t), t.end
	}
}

// blanks returns how many bytes of blanks and comments s begins with.
func blanks(s string) int {
	rest := s
	for {
		rest = strings.TrimLeft(rest, " \t\r\n")
		if comment, ok := strings.CutPrefix(rest, "//"); ok {
			_, rest, _ = strings.Cut(comment, "\n")
			continue
		}
		comment, ok := strings.CutPrefix(rest, "/*")
		_, behind, closed := strings.Cut(comment, "*/")
		if !ok || !closed {
			return len(s) - len(rest)
		}
		rest = behind
	}
}

// next returns the token that begins at a place.
func next(text string, at int) (token, *Error) {
	rest := text[at:]
	switch c := rest[0]; {
	case c == '"':
		return quoted(text, at, at+1, false)
	case (c == 'r' || c == 'R') && strings.HasPrefix(rest[1:], `"`):
		return quoted(text, at, at+2, true)
	case c == '\'':
		return character(text, at)
	case strings.HasPrefix(rest, "/*"):
		return token{}, fail(text, span{at, at + 2}, "the comment is not closed")
	case c == '[':
		n := strings.IndexByte(rest, ']')
		if n < 0 {
			return token{}, fail(text, span{at, at + 1}, "the bracket is not closed")
		}
		return token{rangeToken, rest[1:n], span{at, at + n + 1}}, nil
	}
	if n := word(rest); n > 0 {
		t := token{wordToken, rest[:n], span{at, at + n}}
		if symbol, ok := same[t.text]; ok {
			t.kind, t.text = symbolToken, symbol
		}
		return t, nil
	}
	for _, m := range mistaken {
		if strings.HasPrefix(rest, m.symbol) {
			return token{}, fail(text, span{at, at + len(m.symbol)}, "%s is no operator; is it %s?", m.symbol, m.meant)
		}
	}
	for _, s := range symbols {
		if strings.HasPrefix(rest, s) {
			t := token{symbolToken, s, span{at, at + len(s)}}
			if symbol, ok := same[s]; ok {
				t.text = symbol
			}
			return t, nil
		}
	}
	r, n := utf8.DecodeRuneInString(rest)
	switch here := (span{at, at + n}); r {
	case '=':
		return token{}, fail(text, here, "= alone is no operator; is it ==?")
	case '|':
		return token{}, fail(text, here, "| alone is no operator; is it ||?")
	case '$':
		return token{}, fail(text, here, "there is no selected packet to refer to with ${...}")
	case ']':
		return token{}, fail(text, here, "nothing is to be closed with ]")
	default:
		return token{}, fail(text, here, "%q has no meaning outside quotes", r)
	}
}

// word returns how long the word is that s begins with: a name, a number, an
// address, bytes or a date. Only bytes and dates have a minus, and only addresses
// a slash.
func word(s string) int {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case isAlphanumeric(c) || c == '_':
		case c == ':' && (i > 0 || len(s) > 1 && s[1] == ':'):
		case c == '.' && i > 0 && !strings.HasPrefix(s[i:], ".."):
		case c == '-' && i > 0 && i+1 < len(s) && isHex(s[i+1]) && isMadeOf(s[:i], "-"):
		case c == '/' && i > 0 && i+1 < len(s) && isHex(s[i+1]) && isMadeOf(s[:i], ".:") && strings.ContainsAny(s[:i], ".:"):
		default:
			return i
		}
	}
	return len(s)
}

// isMadeOf reports whether all of s is hexadecimal digits and the given marks.
func isMadeOf(s, marks string) bool {
	for i := range len(s) {
		if !isHex(s[i]) && strings.IndexByte(marks, s[i]) < 0 {
			return false
		}
	}
	return true
}

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' }

func isOctal(c byte) bool { return '0' <= c && c <= '7' }

func isAlphanumeric(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' }
