package field

import (
	"fmt"
	"iter"
	"slices"

	"github.com/ibwire/ibwire"
)

// A Column is a name of the table, made ready for many frames.
type Column struct {
	Name   string
	rows   []*Field
	layers ibwire.Layer // that the rows are in; 0 if they are in none
}

// NewColumn returns the column of a name. A name that is not in the table is an
// error that says what Missing does.
func NewColumn(name string) (*Column, error) {
	rows := byName[name]
	if rows == nil {
		return nil, fmt.Errorf("field: no field is named %q%s", name, Missing(name))
	}
	c := &Column{Name: name, rows: rows}
	for _, fd := range rows {
		c.layers |= fd.Layer
	}
	return c, nil
}

// Kind returns what the values of the column are.
func (c *Column) Kind() Kind { return c.rows[0].Kind }

// Values returns the values that f has of the column, in the order of the
// packet.
func (c *Column) Values(f *Frame) iter.Seq[Value] {
	return func(yield func(Value) bool) { c.each(f, yield) }
}

func (c *Column) each(f *Frame, yield func(Value) bool) {
	var v Value
	for at := (Cursor{}); c.Next(f, &at, &v); {
		if !yield(v) {
			return
		}
	}
}

// A Cursor is how far the values of a column have been looked for. The zero
// Cursor is in front of the first.
type Cursor struct{ header, row int }

// Next sets v to the next value that f has of the column, and moves the cursor
// behind it. It returns false if there is none. It is Values for inner loops, as
// of everything that writes rows: it has no closures.
func (c *Column) Next(f *Frame, at *Cursor, v *Value) bool {
	if c.layers == 0 {
		for at.row < len(c.rows) {
			fd := c.rows[at.row]
			at.row++
			if fd.virtual(f, v) {
				return true
			}
		}
		return false
	}
	if f.Layers()&c.layers == 0 {
		return false
	}
	for ; at.header < len(f.Headers); at.header, at.row = at.header+1, 0 {
		l := f.Headers[at.header].Layer
		if l&c.layers == 0 {
			continue
		}
		for at.row < len(c.rows) {
			fd := c.rows[at.row]
			at.row++
			if fd.Layer == l && fd.value(f, at.header, v) {
				return true
			}
		}
	}
	return false
}

// Columns are the columns of a table of packets.
type Columns []*Column

// NewColumns returns the columns of names, which are the names of the table.
func NewColumns(names ...string) (Columns, error) {
	cols := make(Columns, len(names))
	for i, name := range names {
		c, err := NewColumn(name)
		if err != nil {
			return nil, err
		}
		cols[i] = c
	}
	return cols, nil
}

// AllColumns returns a column for every name of the table, in its order, but for
// protocols and for second names of other fields.
func AllColumns() Columns {
	var cols Columns
	for _, fd := range table {
		if fd.Kind == Protocol || fd.Alias || byName[fd.Name][0] != fd {
			continue
		}
		c, _ := NewColumn(fd.Name)
		cols = append(cols, c)
	}
	return cols
}

// An Occurrence says which values of a column are written.
type Occurrence uint8

// Occurrences.
const (
	Every Occurrence = iota
	First
	Last
)

// A Format says how a row is written. The zero value is tshark's default for
// -T fields.
type Format struct {
	Separator  byte // between columns; 0 is a tab, or a comma in CSV
	Aggregator byte // between the values of a column; 0 is a comma
	Quote      byte // around each column that is not empty; 0 is none
	Occurrence Occurrence
	// CSV puts double quotes around columns that need them (RFC 4180).
	CSV bool
}

func (fm *Format) separator() byte {
	switch {
	case fm.Separator != 0:
		return fm.Separator
	case fm.CSV:
		return ','
	}
	return '\t'
}

func (fm *Format) aggregator() byte {
	if fm.Aggregator != 0 {
		return fm.Aggregator
	}
	return ','
}

// AppendHeader appends the names of the columns, without an end of line.
func (cols Columns) AppendHeader(dst []byte, fm *Format) []byte {
	for i, c := range cols {
		if i > 0 {
			dst = append(dst, fm.separator())
		}
		dst = append(dst, c.Name...)
	}
	return dst
}

// AppendRow appends the values of a frame as tshark -T fields writes them,
// without an end of line.
func (cols Columns) AppendRow(dst []byte, f *Frame, fm *Format) []byte {
	separator, aggregator := fm.separator(), fm.aggregator()
	var v Value
	for i, c := range cols {
		if i > 0 {
			dst = append(dst, separator)
		}
		start := len(dst)
		if fm.Quote != 0 {
			dst = append(dst, fm.Quote)
		}
		first := len(dst)
		for at := (Cursor{}); c.Next(f, &at, &v); {
			switch {
			case len(dst) == first:
			case fm.Occurrence == Last:
				dst = dst[:first]
			default:
				dst = append(dst, aggregator)
			}
			dst = v.appendText(dst)
			if fm.Occurrence == First {
				break
			}
		}
		switch {
		case len(dst) == first:
			dst = dst[:start]
		case fm.Quote != 0:
			dst = append(dst, fm.Quote)
		case fm.CSV:
			dst = quoteCSV(dst, start, separator)
		}
	}
	return dst
}

// quoteCSV puts quotes around dst[start:] if they are needed.
func quoteCSV(dst []byte, start int, separator byte) []byte {
	quotes, needed := 0, false
	for _, c := range dst[start:] {
		switch c {
		case '"':
			quotes++
		case separator, '\n', '\r':
			needed = true
		}
	}
	if quotes == 0 && !needed {
		return dst
	}
	end := len(dst)
	for range quotes + 2 {
		dst = append(dst, '"')
	}
	to := len(dst) - 2
	for from := end - 1; from >= start; from-- { // backwards, to the place that is free
		dst[to] = dst[from]
		to--
		if dst[from] == '"' {
			dst[to] = '"'
			to--
		}
	}
	dst[start] = '"'
	return dst
}

// AppendJSON appends the values of a frame as a JSON object: a member for each
// column that has a value, a list where it has several.
func (cols Columns) AppendJSON(dst []byte, f *Frame) []byte {
	dst = append(dst, '{')
	empty := true
	var v Value
	for _, c := range cols {
		n, first := 0, 0
		for at := (Cursor{}); c.Next(f, &at, &v); n++ {
			switch n {
			case 0:
				if !empty {
					dst = append(dst, ',')
				}
				dst = append(dst, '"')
				dst = append(dst, c.Name...)
				dst = append(dst, `":`...)
				first = len(dst)
			case 1: // a list after all
				dst = slices.Insert(dst, first, '[')
				fallthrough
			default:
				dst = append(dst, ',')
			}
			dst = v.appendJSON(dst)
		}
		if n > 1 {
			dst = append(dst, ']')
		}
		empty = empty && n == 0
	}
	return append(dst, '}')
}
