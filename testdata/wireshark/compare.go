package wireshark

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/field"
)

// A Comparison compares captures with one version of Wireshark, and counts.
type Comparison struct {
	Version string
	Known   bool // the table knows the version
	Frames  int
	Fields  int            // that both sides have
	Used    map[string]int // differences by the ID of the rule that explains them
	// Unexplained are the differences that no rule explains, the first of them in
	// words.
	Unexplained int
	Samples     []string

	series Series
	rules  map[string][]*Rule // by field
	labels bool               // lines of the tree were compared
	file   string
	aligner
	theirs, ours []Item
}

// maxSamples is how many differences are told in words.
const maxSamples = 40

// NewComparison returns a Comparison with a version such as "4.0.17". Of a
// version that the table does not know, the differences of the nearest one are
// expected.
func NewComparison(version string) *Comparison {
	c := &Comparison{Version: version, Used: map[string]int{}, series: V40, rules: map[string][]*Rule{}}
	c.Known = strings.HasPrefix(version, "4.0.") || strings.HasPrefix(version, "4.4.")
	var major, minor int
	if n, _ := fmt.Sscanf(version, "%d.%d.", &major, &minor); n == 2 && (major > 4 || major == 4 && minor >= 3) {
		c.series = V44
	}
	return c
}

// Add adds the counts of d to those of c.
func (c *Comparison) Add(d *Comparison) {
	c.Frames, c.Fields, c.Unexplained = c.Frames+d.Frames, c.Fields+d.Fields, c.Unexplained+d.Unexplained
	c.Samples = append(c.Samples, d.Samples...)
	c.labels = c.labels || d.labels
	for id, n := range d.Used {
		c.Used[id] += n
	}
}

// Unused returns the IDs of the rules that have explained nothing, though the
// given inputs were compared and show the difference.
func (c *Comparison) Unused(in Input) []string {
	var ids []string
	for _, r := range Rules {
		if r.In&c.series != 0 && r.isSeenIn(in) && (r.Kind != Label || c.labels) && c.Used[r.ID] == 0 {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

// File compares a capture with what dissect has of it.
func (c *Comparison) File(s Source, dissect Dissector) error {
	ours, err := openFrames(s.Ours)
	if err != nil {
		return err
	}
	defer ours.close()
	c.file = s.Name
	blocks := 0 // that only Wireshark counts
	err = dissect(s.Theirs, func(number int, theirs []Item) error {
		if i := slices.IndexFunc(theirs, func(i Item) bool { return i.Name == "frame.cb_pen" }); i >= 0 {
			c.explain(&Difference{Kind: Theirs, Theirs: &theirs[i], Frame: &ours.frame, series: c.series})
			blocks++
			return nil
		}
		f := ours.next()
		if f == nil {
			c.unexplained("%s: there is no packet %d", s.Name, number)
			return nil
		}
		f.Number += blocks
		c.frame(s, f, theirs)
		return nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	if f := ours.next(); f != nil {
		c.unexplained("%s: Wireshark has no packet %d", s.Name, f.Number)
	}
	return nil
}

// frame compares a frame.
func (c *Comparison) frame(s Source, f *field.Frame, theirs []Item) {
	c.Frames++
	if len(theirs) == 0 {
		c.explain(&Difference{Kind: Ours, Ours: &Item{Name: "frame"}, Frame: f, series: c.series})
		return
	}
	c.ours = appendOurs(c.ours[:0], f)
	c.theirs = withPayload(append(c.theirs[:0], theirs...), c.ours)
	if s.Twin {
		c.theirs = withoutERF(c.theirs)
	}
	theyKnow := leadsToInfiniBand(c.theirs)
	if !theyKnow && !leadsToInfiniBand(c.ours) {
		c.theirs, c.ours = withoutOuter(c.theirs), withoutOuter(c.ours)
	}
	for _, p := range c.align(c.theirs, c.ours) {
		c.pair(&Difference{Theirs: p.theirs, Ours: p.ours, Frame: f, series: c.series, unknownLink: !theyKnow})
	}
}

// pair compares two items, or says that one of them is missing. A field at other
// bytes is not told again for its text.
func (c *Comparison) pair(d *Difference) {
	switch {
	case d.Theirs == nil:
		d.Kind = Ours
		c.explain(d)
		return
	case d.Ours == nil:
		d.Kind = Theirs
		c.explain(d)
		return
	}
	c.Fields++
	c.labels = c.labels || d.Theirs.Label != ""
	for _, d.Kind = range [...]Kind{Place, Text, Label} {
		if c.differs(d) {
			c.explain(d)
			if d.Kind == Place && otherBytes(d) {
				return
			}
		}
	}
}

// otherBytes reports whether the items of d cannot but have different texts,
// since they are of different bytes.
func otherBytes(d *Difference) bool {
	theirs := d.Theirs
	switch kind := field.Lookup(theirs.Name)[0].Kind; {
	case theirs.Length == 0 || kind == field.Protocol:
		return false
	case kind == field.Bytes:
		data, from := d.Frame.Data, d.Frame.Start()+theirs.Offset
		to := from + theirs.Length
		return to <= len(data) && hex.EncodeToString(data[from:to]) == strings.ReplaceAll(theirs.Text, ":", "")
	}
	return theirs.Offset != d.Ours.Offset
}

// differs reports whether the two items of d differ in what d.Kind says.
func (c *Comparison) differs(d *Difference) bool {
	theirs, ours := d.Theirs, d.Ours
	switch d.Kind {
	case Place:
		return theirs.Length != ours.Length || theirs.Offset != ours.Offset && ours.Length > 0
	case Text:
		return theirs.Text != ours.Text && !c.sameText(theirs.Name, theirs.Text, ours.Text)
	}
	return theirs.Label != "" && ours.Label != "" && theirs.Label != ours.Label && c.series == V40
}

// explain finds the rule for d.
func (c *Comparison) explain(d *Difference) {
	name := d.name()
	rules, known := c.rules[name]
	if !known {
		for _, r := range Rules {
			if r.In&c.series != 0 && r.has(name) {
				rules = append(rules, r)
			}
		}
		c.rules[name] = rules
	}
	for _, r := range rules {
		if r.covers(d) {
			c.Used[r.ID]++
			return
		}
	}
	c.unexplained("%s", c.describe(d))
}

func (c *Comparison) unexplained(format string, args ...any) {
	c.Unexplained++
	if len(c.Samples) < maxSamples {
		c.Samples = append(c.Samples, fmt.Sprintf(format, args...))
	}
}

// describe says in words what differs.
func (c *Comparison) describe(d *Difference) string {
	at := fmt.Sprintf("%s, packet %d, %s (%v)", c.file, d.Frame.Number, d.name(), d.Kind)
	if d.Frame.Has(ibwire.BTH) {
		at += fmt.Sprintf(", opcode %#02x", uint8(d.Frame.BTH.OpCode))
	}
	return fmt.Sprintf("%s: Wireshark has %s, we have %s", at, d.Theirs.describe(d.Kind), d.Ours.describe(d.Kind))
}

func (i *Item) describe(k Kind) string {
	switch {
	case i == nil:
		return "nothing"
	case k == Label:
		return fmt.Sprintf("%q", i.Label)
	}
	return fmt.Sprintf("%q at [%d,%d)", i.Text, i.Offset, i.end())
}
