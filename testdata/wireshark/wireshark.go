// Package wireshark compares what this module shows of captures with what
// Wireshark shows of them: field by field, in order, with the text of each value
// and the bytes that it stands in.
//
// What Wireshark shows comes from a tshark that is installed (Tshark), from what
// a script has written of a Wireshark on Node.js (Oracle), or from a golden file
// that was made of either (Golden). What is known to differ is in one table
// (Rules), each difference with the fact behind it. A Comparison counts what
// every rule has explained, and keeps the differences that none explains.
package wireshark

import (
	"slices"

	"github.com/ibwire/ibwire/field"
)

// An Item is a field of a frame as a dissector shows it.
type Item struct {
	Name string
	Text string
	// Offset and Length are the bytes that it stands in, counted from where the
	// packet begins: behind the headers of an ERF record. Length is 0 if it stands
	// in none.
	Offset, Length int
	Label          string // its line in the tree; empty if that is not known
}

// end returns where the bytes of i end.
func (i *Item) end() int { return i.Offset + i.Length }

// A Dissector calls each with the items of every frame of a capture, in
// Wireshark's order. The items are good until each returns; an error of it ends
// the capture.
type Dissector func(path string, each func(number int, items []Item) error) error

// scope says of which fields there are items: of all that begin so, ...
var scope = []string{"frame", "erf", "infiniband", "infiniband_link"}

// ... and, of the headers that lead to InfiniBand, of those that the table of
// fields has. The payload of InfiniBand is data.data in Wireshark.
var outer = func() map[string]bool {
	names := map[string]bool{payload: true}
	for fd := range field.All() {
		if f := family(fd.Name); !slices.Contains(scope, f) && f != "data" && f != "ibwire" {
			names[fd.Name] = true
		}
	}
	return names
}()

const payload = "data.data"

// byChance is a field that tshark shows of the same file in some runs and not in
// others: the frame in which an anchor is defined.
const byChance = "erf.anchor.frame"

// compared returns name as a string if there are items of it, or "".
func (n names) compared(name []byte) string {
	if s, ok := n[string(name)]; ok {
		return s
	}
	s := string(name)
	if !slices.Contains(scope, family(s)) && !outer[s] || s == byChance {
		n[s] = ""
		return ""
	}
	n[s] = s
	return s
}

// names holds every name once.
type names map[string]string
