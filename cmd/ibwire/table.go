package main

import (
	"fmt"
	"strings"

	"github.com/ibwire/ibwire/field"
)

// A fieldsPrinter writes a row for each packet, of chosen fields.
type fieldsPrinter struct {
	columns field.Columns
	format  field.Format
	header  bool
}

// newCSVPrinter returns a printer of comma-separated values (RFC 4180), names
// first.
func newCSVPrinter(names []string) (printer, error) {
	columns, err := field.NewColumns(names...)
	return &fieldsPrinter{columns, field.Format{CSV: true}, true}, err
}

// newFieldsPrinter returns the printer of -T fields; options are the values of
// -E.
func newFieldsPrinter(names, options []string) (printer, error) {
	columns, err := field.NewColumns(names...)
	if err != nil {
		return nil, err
	}
	f := &fieldsPrinter{columns: columns}
	for _, o := range options {
		if err := f.set(o); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// set does what a value of -E says.
func (f *fieldsPrinter) set(option string) error {
	key, value, _ := strings.Cut(option, "=")
	switch key {
	case "separator":
		return setByte(&f.format.Separator, option, value, map[string]byte{"/t": '\t', "/s": ' '})
	case "aggregator":
		return setByte(&f.format.Aggregator, option, value, map[string]byte{"/s": ' '})
	case "header":
		return choose(&f.header, option, value, map[string]bool{"y": true, "n": false})
	case "occurrence":
		return choose(&f.format.Occurrence, option, value, map[string]field.Occurrence{"f": field.First, "l": field.Last, "a": field.Every})
	case "quote":
		return choose(&f.format.Quote, option, value, map[string]byte{"d": '"', "s": '\'', "n": 0})
	}
	return fmt.Errorf("dissect: -E %s: want separator=, header=, occurrence=, aggregator= or quote=", option)
}

// setByte sets a character, which may have a name.
func setByte(to *byte, option, value string, names map[string]byte) error {
	if c, ok := names[value]; ok {
		*to = c
		return nil
	}
	if len(value) != 1 {
		return fmt.Errorf("dissect: -E %s: want one character, or its name", option)
	}
	*to = value[0]
	return nil
}

// choose sets what value stands for.
func choose[T any](to *T, option, value string, choices map[string]T) error {
	c, ok := choices[value]
	if !ok {
		var known []string
		for k := range choices {
			known = append(known, k)
		}
		return fmt.Errorf("dissect: -E %s: want one of %s", option, sorted(known))
	}
	*to = c
	return nil
}

func (f *fieldsPrinter) begin(dst []byte) []byte {
	if f.header {
		dst = append(f.columns.AppendHeader(dst, &f.format), '\n')
	}
	return dst
}

func (f *fieldsPrinter) packet(dst []byte, p *packet, _ error) []byte {
	return append(f.columns.AppendRow(dst, &p.Frame, &f.format), '\n')
}

func (f *fieldsPrinter) file(dst []byte, _ string) []byte  { return dst }
func (f *fieldsPrinter) end(dst []byte) []byte             { return dst }
func (f *fieldsPrinter) fork() printer                     { return f } // it only reads itself
func (f *fieldsPrinter) join(dst []byte, _ printer) []byte { return dst }

// A jsonPrinter writes an object for each packet, alone on its line, or all of
// them as an array.
type jsonPrinter struct {
	columns field.Columns
	array   bool
	packets int
}

// newJSONPrinter returns a printer of the fields of the given names, or of all.
func newJSONPrinter(names []string, array bool) (printer, error) {
	if len(names) == 0 {
		return &jsonPrinter{columns: field.AllColumns(), array: array}, nil
	}
	columns, err := field.NewColumns(names...)
	return &jsonPrinter{columns: columns, array: array}, err
}

func (j *jsonPrinter) begin(dst []byte) []byte {
	if j.array {
		dst = append(dst, "[\n"...)
	}
	return dst
}

func (j *jsonPrinter) packet(dst []byte, p *packet, _ error) []byte {
	if j.packets++; j.array && j.packets > 1 {
		dst = append(dst, ',')
	}
	return append(j.columns.AppendJSON(dst, &p.Frame), '\n')
}

func (j *jsonPrinter) file(dst []byte, _ string) []byte { return dst }

func (j *jsonPrinter) end(dst []byte) []byte {
	if j.array {
		dst = append(dst, "]\n"...)
	}
	return dst
}
