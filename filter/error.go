package filter

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/ibwire/ibwire/field"
)

// An Error says what is wrong with the text of a filter, and where.
type Error struct {
	Filter string // the whole text
	// Column is the first character that Reason is about, from 1. Behind the last
	// one it is where the text ends too early. Length is how many characters it is
	// about, and at least 1.
	Column, Length int
	Reason         string
}

func (e *Error) Error() string {
	return fmt.Sprintf("filter: column %d: %s", e.Column, e.Reason)
}

// Pointer returns the line of the filter that the error is in, and below it a
// line that points at the place.
func (e *Error) Pointer() string {
	before, rest := split(e.Filter, e.Column-1)
	start := strings.LastIndexByte(before, '\n') + 1
	line, _, _ := strings.Cut(e.Filter[start:], "\n")
	blanks := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r // as wide as the one above
		}
		return ' '
	}, before[start:])
	marked, _ := split(rest, e.Length)
	marked, _, _ = strings.Cut(marked, "\n")
	more := max(utf8.RuneCountInString(marked), 1) - 1
	return line + "\n" + blanks + "^" + strings.Repeat("~", more)
}

// split splits s behind its first n characters.
func split(s string, n int) (string, string) {
	for at := range s {
		if n == 0 {
			return s[:at], s[at:]
		}
		n--
	}
	return s, ""
}

// A span is a part of the text, in bytes.
type span struct{ start, end int }

// guess says what may be wrong where a token cannot stand.
func (p *parser) guess() string {
	t := p.token()
	if word := strings.ToLower(t.text); t.kind == wordToken && same[word] != "" {
		return "; is it " + word + "?"
	}
	if p.at == 0 || p.tokens[p.at-1].kind != wordToken {
		return ""
	}
	switch before := p.tokens[p.at-1].text; {
	case functions[before].compile != nil:
		return "; the argument of a function is in parentheses"
	case t.kind == wordToken && field.Lookup(before) == nil && !isNumber(before):
		return "; a value with blanks is in double quotes"
	}
	return ""
}

func isNumber(s string) bool {
	_, err := parseNumber(s)
	return err == nil
}

// fail returns an error about a part of text.
func fail(text string, at span, format string, args ...any) *Error {
	return &Error{
		Filter: text,
		Column: utf8.RuneCountInString(text[:at.start]) + 1,
		Length: max(utf8.RuneCountInString(text[at.start:at.end]), 1),
		Reason: fmt.Sprintf(format, args...),
	}
}
