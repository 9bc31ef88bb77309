package filter_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/field"
	"github.com/ibwire/ibwire/filter"
	"github.com/ibwire/ibwire/testdata/wireshark"
)

// compared is the list of filters, and what has come of it so far.
type compared struct {
	filters          []listed
	selects, rejects []bool // by filter: whether it has, where both agree
	packets          int
	alike, apart     int
}

// payload is what Wireshark calls the payload of InfiniBand.
var payload = strings.NewReplacer("infiniband.payload", "data.data")

// compare compares what each side selects of a capture.
func (c *compared) compare(t *testing.T, path string) {
	t.Helper()
	var theirs []string
	for _, f := range c.filters {
		theirs = append(theirs, payload.Replace(f.text))
	}
	selections, err := wireshark.Select(path, t.TempDir(), theirs)
	require.NoError(t, err)
	differ := differences(t, path)
	for i, f := range c.filters {
		require.Empty(t, selections[i].Rejected, f.text)
	}
	ours := selected(t, path, c.filters)
	for i, f := range c.filters {
		names := fieldsOf(f.text)
		for n, fields := range differ {
			we, they := slices.Contains(ours[i], n+1), slices.Contains(selections[i].Frames, n+1)
			if slices.ContainsFunc(names, func(name string) bool { return fields[name] }) {
				c.apart++
				continue
			}
			require.Equal(t, they, we, "%s: packet %d of %s", f.text, n+1, path)
			c.alike++
			c.selects[i], c.rejects[i] = c.selects[i] || we, c.rejects[i] || !we
		}
	}
	c.packets += len(differ)
}

// isTelling demands that each filter has selected a packet, and left one out.
func (c *compared) isTelling(t *testing.T) {
	t.Helper()
	var trite []string
	for i, f := range c.filters {
		if !f.trite && (!c.selects[i] || !c.rejects[i]) {
			trite = append(trite, fmt.Sprintf("%s: selects %v, leaves out %v", f.text, c.selects[i], c.rejects[i]))
		}
	}
	require.Empty(t, trite, strings.Join(trite, "\n"))
}

// selected returns the numbers of the packets that each filter selects.
func selected(t *testing.T, path string, filters []listed) [][]int {
	t.Helper()
	var all []*filter.Filter
	for _, f := range filters {
		all = append(all, compiled(t, f.text))
	}
	numbers := make([][]int, len(all))
	each(t, path, func(frame *field.Frame) {
		for i, f := range all {
			if f.Match(frame) {
				numbers[i] = append(numbers[i], frame.Number)
			}
		}
	})
	return numbers
}

var (
	name   = regexp.MustCompile(`[a-z][a-z0-9_.]*`)
	quotes = regexp.MustCompile(`"[^"]*"`)
)

// fieldsOf returns the fields that are named in a filter.
func fieldsOf(text string) (names []string) {
	for _, word := range name.FindAllString(quotes.ReplaceAllString(text, ""), -1) {
		if field.Lookup(word) != nil {
			names = append(names, word)
		}
	}
	return names
}

// differences returns, for each packet, the fields of which the two sides have
// different values.
func differences(t *testing.T, path string) []map[string]bool {
	t.Helper()
	var theirs []map[string][]string
	require.NoError(t, wireshark.Tshark(path, func(_ int, items []wireshark.Item) error {
		values := map[string][]string{}
		for _, i := range items {
			name := i.Name
			if name == "data.data" {
				name = "infiniband.payload"
			}
			values[name] = append(values[name], shown(name, i.Text, i.Offset, i.Length))
		}
		theirs = append(theirs, values)
		return nil
	}))
	var all []map[string]bool
	each(t, path, func(f *field.Frame) {
		ours := map[string][]string{}
		for v := range f.Values() {
			name, offset := v.Field.Name, 0
			if v.Length > 0 {
				offset = v.Offset - f.Start()
			}
			ours[name] = append(ours[name], shown(name, string(v.AppendText(nil)), offset, v.Length))
		}
		require.Less(t, f.Number-1, len(theirs), "packets of %s", path)
		differ := map[string]bool{}
		for name, values := range ours {
			differ[name] = !slices.Equal(values, theirs[f.Number-1][name])
		}
		for name := range theirs[f.Number-1] {
			differ[name] = differ[name] || ours[name] == nil
		}
		all = append(all, differ)
	})
	require.Len(t, theirs, len(all))
	return all
}

// shown is what the two sides are compared by: of bytes it is where they stand, as
// each side has other marks between them.
func shown(name, text string, offset, length int) string {
	switch kind := field.Lookup(name); {
	case kind != nil && (kind[0].Kind == field.Protocol || kind[0].Kind == field.Bytes):
		return fmt.Sprint(offset, length)
	}
	return text
}
