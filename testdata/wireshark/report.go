package wireshark

import (
	"fmt"
	"strings"
)

// Report returns what c has found, as Markdown.
func (c *Comparison) Report() string {
	var b strings.Builder
	fmt.Fprintf(&b, "- Wireshark: %s\n- frames: %d\n- fields compared: %d\n", c.Version, c.Frames, c.Fields)
	explained := 0
	for _, n := range c.Used {
		explained += n
	}
	fmt.Fprintf(&b, "- differences that a rule explains: %d\n- differences that none explains: %d\n\n", explained, c.Unexplained)
	b.WriteString("| rule | differences | Wireshark | here | fact |\n|---|---|---|---|---|\n")
	for _, r := range Rules {
		if n := c.Used[r.ID]; n > 0 {
			fmt.Fprintf(&b, "| %s | %d | %s | %s | %s |\n", r.ID, n, r.Wireshark, r.We, r.Fact)
		}
	}
	return b.String()
}
