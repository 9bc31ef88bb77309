package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/ibwire/ibwire/field"
)

// fields lists the table of fields.
type fields struct {
	Pattern string `arg:"" optional:"" help:"Only fields whose name or label has this in it; with *, ? or [ in it, the whole name has to fit."`
}

// Help is shown below the flags.
func (fields) Help() string {
	return `Examples:
  ibwire fields
  ibwire fields aeth
  ibwire fields 'infiniband.bth.*'`
}

// Run runs the command.
func (f *fields) Run(std stdio) error {
	matches, err := field.Match(f.Pattern)
	if err != nil {
		return fmt.Errorf("fields: %s: %w", f.Pattern, err)
	}
	if len(matches) == 0 {
		return fmt.Errorf("fields: no field is called %s, or described so", f.Pattern)
	}
	w := tabwriter.NewWriter(std.out, 0, 0, 2, ' ', 0)
	for _, m := range matches {
		fmt.Fprintf(w, "%s\t%v\t%s\n", m.Name, m.Kind, m.Label)
	}
	return w.Flush()
}

// sorted joins words in alphabetical order.
func sorted(words []string) string {
	slices.Sort(words)
	return strings.Join(words, ", ")
}
