package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A column is one of the columns of a table: its name is the header in CSV and
// the key in JSON.
type column[T any] struct {
	name, help string
	kind       kind
	// number returns the value as a number, of times and durations in
	// nanoseconds; ok is false if there is none.
	number func(v T) (n int64, ok bool)
	text   func(v T) string // instead of number; "" if there is none
}

// A kind is how the number of a column is written.
type kind uint8

const (
	integer kind = iota
	boolean      // in CSV 1 or 0, in JSON true or false
	hex16        // in CSV as 0x0012
	hex24
	hex32
	hex64
	seconds      // with nine digits behind the point
	microseconds // with three
)

// columns are a table.
type columns[T any] []column[T]

// appendHeader appends the header of CSV.
func (c columns[T]) appendHeader(dst []byte) []byte {
	for i := range c {
		dst = append(append(dst, c[i].name...), ',')
	}
	return append(dst[:len(dst)-1], '\n')
}

// appendCSV appends a row of comma-separated values. What is not there is empty.
func (c columns[T]) appendCSV(dst []byte, v T) []byte {
	for i := range c {
		dst, _ = c[i].append(dst, v, false)
		dst = append(dst, ',')
	}
	return append(dst[:len(dst)-1], '\n')
}

// appendJSON appends an object. What is not there is null.
func (c columns[T]) appendJSON(dst []byte, v T) []byte {
	for i := range c {
		sep := byte(',')
		if i == 0 {
			sep = '{'
		}
		dst = append(append(append(dst, sep, '"'), c[i].name...), `":`...)
		var ok bool
		if dst, ok = c[i].append(dst, v, true); !ok {
			dst = append(dst, "null"...)
		}
	}
	return append(dst, '}')
}

// append appends the value of v; ok is false if there is none. The texts of
// tables have nothing in them that needs quotes in CSV, or more than that in JSON.
func (c *column[T]) append(dst []byte, v T, json bool) (_ []byte, ok bool) {
	if c.text != nil {
		s := c.text(v)
		if json && s != "" {
			return append(append(append(dst, '"'), s...), '"'), true
		}
		return append(dst, s...), s != ""
	}
	n, ok := c.number(v)
	if !ok {
		return dst, false
	}
	return c.kind.append(dst, n, json), true
}

// append appends a number. Those that tshark writes in hexadecimal digits are so
// in CSV, and numbers like all others in JSON, as with dissect.
func (k kind) append(dst []byte, n int64, json bool) []byte {
	switch {
	case k == seconds:
		return appendFraction(dst, n, int64(time.Second), 9)
	case k == microseconds:
		return appendFraction(dst, n, int64(time.Microsecond), 3)
	case k == boolean && json:
		return strconv.AppendBool(dst, n != 0)
	case k == integer || k == boolean:
		return strconv.AppendInt(dst, n, 10)
	case json:
		return strconv.AppendUint(dst, uint64(n), 10)
	}
	digits := [...]int{hex16: 4, hex24: 6, hex32: 8, hex64: 16}[k]
	return appendHex(append(dst, "0x"...), uint64(n), digits)
}

// appendFraction appends n/unit, where unit is 10 to the power of digits.
func appendFraction(dst []byte, n, unit int64, digits int) []byte {
	if n < 0 {
		dst = append(dst, '-')
		n = -n
	}
	dst = append(strconv.AppendInt(dst, n/unit, 10), '.')
	at := len(dst)
	dst = strconv.AppendInt(dst, n%unit+unit, 10) // with a 1 before the digits, where the point goes
	return append(dst[:at], dst[at+1:at+1+digits]...)
}

// find returns the column of that name that has numbers, or nil.
func (c columns[T]) find(name string) *column[T] {
	for i := range c {
		if c[i].name == name && c[i].number != nil {
			return &c[i]
		}
	}
	return nil
}

// help lists the columns as they are shown by --help.
func (c columns[T]) help() string {
	var rows []helpRow
	for i := range c {
		rows = append(rows, helpRow{c[i].name, c[i].help})
	}
	return helpTable(rows)
}

// A helpRow is a name in --help, and what it means.
type helpRow struct{ name, text string }

// helpTable returns rows on lines of 76 characters: kong puts four blanks before
// them.
func helpTable(rows []helpRow) string {
	width := 0
	for _, r := range rows {
		width = max(width, len(r.name))
	}
	var b strings.Builder
	for _, r := range rows {
		at, _ := fmt.Fprintf(&b, "  %-*s ", width, r.name)
		for _, word := range strings.Fields(r.text) {
			if at+1+len(word) > 76 {
				b.WriteByte('\n')
				at, _ = fmt.Fprintf(&b, "  %-*s ", width, "")
			}
			n, _ := b.WriteString(" " + word)
			at += n
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// textColumn is a column of words.
func textColumn[T any](name, help string, text func(v T) string) column[T] {
	return column[T]{name: name, help: help, text: text}
}

// numberColumn is a column of numbers that are always there.
func numberColumn[T any](name, help string, k kind, number func(v T) int64) column[T] {
	return column[T]{name: name, help: help, kind: k, number: func(v T) (int64, bool) { return number(v), true }}
}

// optionalColumn is a column of numbers that some rows lack.
func optionalColumn[T any](name, help string, k kind, number func(v T) (int64, bool)) column[T] {
	return column[T]{name: name, help: help, kind: k, number: number}
}

// timeColumnOf is a column of times in seconds since 1970.
func timeColumnOf[T any](name, help string, at func(v T) time.Time) column[T] {
	return optionalColumn(name, help+", seconds since 1970", seconds, func(v T) (int64, bool) {
		t := at(v)
		return t.UnixNano(), !t.IsZero()
	})
}

// elapsed returns the nanoseconds between two times; ok is false if one of them is
// not known, or the clock has gone back between them.
func elapsed(from, to time.Time) (ns int64, ok bool) {
	if from.IsZero() || to.IsZero() || to.Before(from) {
		return 0, false
	}
	return int64(to.Sub(from)), true
}
