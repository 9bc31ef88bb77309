package wireshark

import (
	"path"

	"github.com/ibwire/ibwire/field"
)

// A Kind says how two dissectors differ in a field. A Rule may be for several.
type Kind uint8

// Kinds of differences.
const (
	Theirs Kind = 1 << iota // only Wireshark has it
	Ours                    // only we have it
	Place                   // other bytes
	Text                    // other text of the value
	Label                   // other line in the tree
)

// String returns what a single kind is.
func (k Kind) String() string {
	switch k {
	case Theirs:
		return "only Wireshark has it"
	case Ours:
		return "only we have it"
	case Place:
		return "other bytes"
	case Text:
		return "other text"
	}
	return "other line"
}

// A Difference is a field in which the two differ in a frame.
type Difference struct {
	Kind         Kind
	Theirs, Ours *Item // nil where a side does not have it
	Frame        *field.Frame

	series      Series
	unknownLink bool // Wireshark does not know the link type
}

// name returns the name of the field.
func (d *Difference) name() string {
	if d.Theirs != nil {
		return d.Theirs.Name
	}
	return d.Ours.Name
}

// A Series is a set of series of Wireshark's versions.
type Series uint8

// Series whose differences are known.
const (
	V40 Series = 1 << iota // 4.0
	V44                    // 4.4

	Both = V40 | V44
)

// An Input is a set of captures that are compared.
type Input uint8

// Inputs.
const (
	Captures  Input = 1 << iota // those of this module
	Generated                   // those that Generate writes
	Shared                      // those outside the module that hold InfiniBand
	Others                      // those outside the module that hold none
)

// A Rule is a known difference: a row of the table.
type Rule struct {
	ID     string
	In     Series
	Kind   Kind     // those that it is for
	Fields []string // names, or patterns as path.Match has them
	// When says in which frames, and how the two differ there; nil is always.
	When func(*Difference) bool
	// Seen are the inputs that show the difference; 0 is the module's captures,
	// and so all.
	Seen Input

	Wireshark string // what Wireshark says
	We        string // what we say
	Fact      string // why
}

// covers reports whether the rule explains d, which is in one of its fields.
func (r *Rule) covers(d *Difference) bool {
	return r.Kind&d.Kind != 0 && (r.When == nil || r.When(d))
}

// has reports whether the rule is for a field.
func (r *Rule) has(name string) bool {
	for _, pattern := range r.Fields {
		if ok, _ := path.Match(pattern, name); ok {
			return true
		}
	}
	return false
}

// isSeenIn reports whether one of the inputs shows the difference.
func (r *Rule) isSeenIn(in Input) bool {
	return r.Seen == 0 && in&Captures != 0 || r.Seen&in != 0
}
