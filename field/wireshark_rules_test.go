package field_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/field"
	"github.com/ibwire/ibwire/testdata"
	"github.com/ibwire/ibwire/testdata/wireshark"
)

// Every row of the table of known differences says what it is about.
func TestRules(t *testing.T) {
	ids := map[string]bool{}
	for _, r := range wireshark.Rules {
		require.False(t, ids[r.ID], "%s is there twice", r.ID)
		ids[r.ID] = true
		require.NotZero(t, r.In, r.ID)
		require.NotZero(t, r.Kind, r.ID)
		require.NotEmpty(t, r.Fields, r.ID)
		for _, text := range []string{r.Wireshark, r.We, r.Fact} {
			require.NotEmpty(t, text, r.ID)
		}
		if r.Kind&(wireshark.Text|wireshark.Label|wireshark.Place) != 0 {
			require.NotNil(t, r.When, "%s is for every value", r.ID)
		}
	}
}

// The fields that Wireshark is said not to have are unknown to tshark.
func TestFieldsThatWiresharkDoesNotHave(t *testing.T) {
	live(t)
	theirs, err := wireshark.TsharkFields()
	require.NoError(t, err)
	i := slices.IndexFunc(wireshark.Rules, func(r *wireshark.Rule) bool { return r.ID == "no-field" })
	for _, name := range wireshark.Rules[i].Fields {
		require.NotEmpty(t, field.Lookup(name), name)
		require.False(t, theirs[name], "Wireshark has %s", name)
	}
}

// A change to any item of a packet is found, but for what the table allows.
func TestComparisonFindsChanges(t *testing.T) {
	changes := map[string]func(items []wireshark.Item, i int) []wireshark.Item{
		"text": func(items []wireshark.Item, i int) []wireshark.Item {
			items[i].Text += "1"
			return items
		},
		"offset": func(items []wireshark.Item, i int) []wireshark.Item {
			items[i].Offset++
			return items
		},
		"length": func(items []wireshark.Item, i int) []wireshark.Item {
			items[i].Length++
			return items
		},
		"left out": func(items []wireshark.Item, i int) []wireshark.Item { return slices.Delete(items, i, i+1) },
		"repeated": func(items []wireshark.Item, i int) []wireshark.Item { return slices.Insert(items, i, items[i]) },
		"moved": func(items []wireshark.Item, i int) []wireshark.Item {
			return append(slices.Delete(slices.Clone(items), i, i+1), items[i])
		},
	}
	for _, c := range []struct {
		capture string
		frame   int
	}{
		{"native.erf.pcap", 1},   // RC SEND First
		{"rocev1.pcap", 19},      // RC CmpSwap
		{"rocev2-ipv4.pcap", 12}, // RC RDMA WRITE Only with Immediate
		{"rocev2-ipv6.pcap", 18}, // RC Acknowledge
	} {
		frames := goldenFrames(t, c.capture, c.frame)
		last := len(frames) - 1
		require.Zero(t, unexplained(t, c.capture, frames))
		for i, item := range frames[last] {
			for name, change := range changes {
				changed := append(frames[:last:last], change(slices.Clone(frames[last]), i))
				if !tolerated(frames[last], i, name) {
					require.NotZero(t, unexplained(t, c.capture, changed), "%s, packet %d: %s, %s", c.capture, c.frame, item.Name, name)
				}
			}
		}
	}
}

// tolerated reports whether a change cannot be found: a field that only
// Wireshark has may have any value, and one that stands in no bytes any offset.
// The payload has no place of its own in Wireshark's order.
func tolerated(items []wireshark.Item, i int, change string) bool {
	isPayload := func(i wireshark.Item) bool { return i.Name == "data.data" }
	switch {
	case field.Lookup(items[i].Name) == nil && !isPayload(items[i]):
		return true
	case change == "offset":
		return items[i].Length == 0
	case change == "moved":
		return isPayload(items[i]) || !slices.ContainsFunc(items[i+1:], func(i wireshark.Item) bool { return !isPayload(i) })
	}
	return false
}

const goldenVersion = "4.0.17"

var errEnough = errors.New("enough")

// goldenFrames returns the items of the first n frames in a golden file.
func goldenFrames(t *testing.T, capture string, n int) (frames [][]wireshark.Item) {
	t.Helper()
	golden := wireshark.GoldenPath(testdata.Path(t, "golden"), capture, goldenVersion)
	err := wireshark.Golden(golden, goldenVersion)("", func(_ int, items []wireshark.Item) error {
		if len(frames) == n {
			return errEnough
		}
		frames = append(frames, items)
		return nil
	})
	require.ErrorIs(t, err, errEnough)
	return frames
}

// unexplained returns how many differences no rule explains in the first frames
// of a capture.
func unexplained(t *testing.T, capture string, frames [][]wireshark.Item) int {
	t.Helper()
	dissect := func(_ string, each func(int, []wireshark.Item) error) error {
		for i, items := range frames {
			if err := each(i+1, items); err != nil {
				return err
			}
		}
		return errEnough
	}
	c := wireshark.NewComparison(goldenVersion)
	path := testdata.Path(t, capture)
	require.ErrorIs(t, c.File(wireshark.Source{Name: capture, Ours: path, Theirs: path}, dissect), errEnough)
	return c.Unexplained
}
