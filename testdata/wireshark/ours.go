package wireshark

import (
	"strings"

	"github.com/ibwire/ibwire/field"
)

// appendOurs appends the items of a frame as this module decodes it.
func appendOurs(items []Item, f *field.Frame) []Item {
	start := f.Start()
	var text []byte
	for v := range f.Values() {
		name := v.Field.Name
		if family(name) == "data" {
			continue // what is behind other protocols
		}
		item := Item{Name: name, Length: v.Length}
		if v.Length > 0 {
			item.Offset = v.Offset - start
		}
		text = v.AppendText(text[:0])
		item.Text = string(text)
		if !v.Field.Alias { // a second name is in no tree
			text = v.AppendLabel(text[:0])
			item.Label = withoutBrackets(string(text))
		}
		items = append(items, item)
	}
	return items
}

// withoutBrackets takes the brackets off the line of a generated field: tshark
// has them with -V, but not in PDML.
func withoutBrackets(line string) string {
	if strings.HasPrefix(line, "[") {
		return strings.TrimSuffix(line[1:], "]")
	}
	return line
}
