package check

import (
	"fmt"
	"slices"

	"github.com/ibwire/ibwire"
)

// Options say which rules a Checker applies.
type Options struct {
	Info   bool     // those of severity Info too
	Only   []string // if there are any, the rules with these codes alone, also of severity Info; icrc without icrc-direction reports each wrong ICRC
	Ignore []string // codes of rules to leave out; icrc-direction: nothing is said of ICRCs in directions where all are wrong
}

// Counts are what a Checker has seen of a capture.
type Counts struct {
	Packets    int64
	InfiniBand int64 // of these
	// ICRC and VCRC count packets with a BTH, and with an LRH, by what is known of
	// their CRC: the index is an ibwire.Status. They stay 0 where the rule is left
	// out. Of a packet that the capture has cut no CRC is Bad.
	ICRC, VCRC [numStatuses]int64
}

func (c *Counts) add(more *Counts) {
	c.Packets += more.Packets
	c.InfiniBand += more.InfiniBand
	for i := range numStatuses {
		c.ICRC[i] += more.ICRC[i]
		c.VCRC[i] += more.VCRC[i]
	}
}

const numStatuses = int(ibwire.Bad) + 1

// A group is rules about the same packets.
type group struct {
	needs ibwire.Layer
	state state
	find  []func(*Input) string // those of rules, in a row, as they are called for each packet
	rules []*Rule
}

// A Checker applies rules to the packets of a capture, one after the other. It
// allocates nothing for packets that break none. It belongs to one goroutine. New
// makes one; the zero value has no rules.
type Checker struct {
	groups []group
	// The rules about CRCs, nil if they are left out. They are applied apart, as
	// they count.
	icrc, icrcDirection, vcrc, vcrcVL *Rule
	forgive                           bool // directions in which all ICRCs are wrong

	counts     Counts
	directions directions
}

// New returns a Checker. An unknown code is an error that names the nearest one.
func New(o Options) (*Checker, error) {
	for _, code := range slices.Concat(o.Only, o.Ignore) {
		if _, err := Lookup(code); err != nil {
			return nil, err
		}
	}
	c := &Checker{forgive: slices.Contains(o.Ignore, codeICRCDirection)}
	apart := map[string]**Rule{codeICRC: &c.icrc, codeICRCDirection: &c.icrcDirection, codeVCRC: &c.vcrc, codeVCRCVL: &c.vcrcVL}
	for _, r := range all {
		if !o.has(r) {
			continue
		}
		if to, ok := apart[r.Code]; ok {
			*to = r
			continue
		}
		c.add(r)
	}
	return c, nil
}

// has reports whether r is to be applied.
func (o *Options) has(r *Rule) bool {
	switch {
	case slices.Contains(o.Ignore, r.Code):
		return false
	case len(o.Only) == 0:
		return o.Info || r.Severity > Info
	}
	return slices.Contains(o.Only, r.Code)
}

// add adds r to the group of its kind.
func (c *Checker) add(r *Rule) {
	i := slices.IndexFunc(c.groups, func(g group) bool { return g.needs == r.needs && g.state == r.state })
	if i < 0 {
		i = len(c.groups)
		c.groups = append(c.groups, group{needs: r.needs, state: r.state})
	}
	g := &c.groups[i]
	g.find, g.rules = append(g.find, r.find), append(g.rules, r)
}

// Counts returns what has been seen so far.
func (c *Checker) Counts() Counts { return c.counts }

// Append appends to dst what of the packet breaks a rule, in the order of the
// table. in is best one value for all packets, so that it is allocated once.
//
// A wrong ICRC may be kept back until more of its direction is seen; then it is
// appended for a later packet, or by End.
func (c *Checker) Append(dst []Finding, in *Input) []Finding {
	in.prepare()
	c.counts.Packets++
	if in.state&infiniBand == 0 {
		return dst
	}
	c.counts.InfiniBand++
	n := len(dst)
	for i := range c.groups {
		g := &c.groups[i]
		if in.has&g.needs != g.needs || in.state&g.state != g.state {
			continue
		}
		for k, find := range g.find {
			if text := find(in); text != "" {
				dst = append(dst, Finding{g.rules[k], in.Number, text, 1})
			}
		}
	}
	if len(dst)-n > 1 {
		slices.SortFunc(dst[n:], func(a, b Finding) int { return slices.Index(all, a.Rule) - slices.Index(all, b.Rule) })
	}
	if (c.icrc != nil || c.icrcDirection != nil) && in.has&ibwire.BTH != 0 {
		dst = c.appendICRC(dst, in)
	}
	if c.vcrc != nil && in.has&ibwire.LRH != 0 {
		c.counts.VCRC[in.vcrcStatus()]++
		dst = c.appendRule(dst, c.vcrc, in)
	}
	return c.appendRule(dst, c.vcrcVL, in)
}

func (c *Checker) appendRule(dst []Finding, r *Rule, in *Input) []Finding {
	if r != nil && in.fits(r) {
		if text := r.find(in); text != "" {
			dst = append(dst, Finding{r, in.Number, text, 1})
		}
	}
	return dst
}

// appendICRC verifies the ICRC, or appends what was known of its direction.
func (c *Checker) appendICRC(dst []Finding, in *Input) []Finding {
	sum, status := in.ICRC(), in.icrcStatus()
	c.counts.ICRC[status]++
	switch status {
	case ibwire.Good:
		if s := c.directions.right(in); s != nil {
			dst = c.appendWrong(dst, s)
		}
	case ibwire.Bad:
		byDirection := c.icrcDirection != nil || c.forgive
		held := byDirection && c.directions.hold(in, wrongICRC{in.Number, sum.Value, sum.Expected})
		if !held && c.icrc != nil {
			dst = append(dst, Finding{c.icrc, in.Number, icrcText(sum.Value, sum.Expected), 1})
		}
	}
	return dst
}

// appendWrong appends the wrong ICRCs of a direction.
func (c *Checker) appendWrong(dst []Finding, s *suspect) []Finding {
	if c.icrc == nil {
		return dst
	}
	for _, w := range s.wrong {
		dst = append(dst, Finding{c.icrc, w.packet, icrcText(w.value, w.expected), 1})
	}
	if s.more > 0 {
		dst = append(dst, Finding{c.icrc, s.last, fmt.Sprintf("%d more ICRCs %v are wrong, the last one in this packet", s.more, s.direction), s.more})
	}
	return dst
}

// Fork returns a Checker with the same rules that has seen nothing, for another
// goroutine: of packets behind those of c, which Merge tells c of.
func (c *Checker) Fork() *Checker {
	return &Checker{groups: c.groups, icrc: c.icrc, icrcDirection: c.icrcDirection, vcrc: c.vcrc, vcrcVL: c.vcrcVL, forgive: c.forgive}
}

// Merge takes in what a Fork has seen since it was made or merged, and appends
// what that allows to be said of ICRCs that were kept back. Forks are merged in
// the order of the packets.
func (c *Checker) Merge(dst []Finding, fork *Checker) []Finding {
	c.counts.add(&fork.counts)
	fork.counts = Counts{}
	for _, s := range c.directions.merge(&fork.directions) {
		dst = c.appendWrong(dst, s)
	}
	return dst
}

// End appends what can be said at the end of a capture. The Checker is then ready
// for another one, its counts go on.
func (c *Checker) End(dst []Finding) []Finding {
	over := c.directions.over
	for from, list := range c.directions.end() {
		n := int64(0)
		for _, s := range list {
			n += int64(len(s.wrong)) + s.more
		}
		if n < minDirection {
			for _, s := range list {
				dst = c.appendWrong(dst, s)
			}
			continue
		}
		to := list[0].String()
		if len(list) > 1 {
			to = fmt.Sprintf("%s to %d addresses", from, len(list))
		}
		dst = c.appendDirection(dst, list[0].wrong[0].packet,
			fmt.Sprintf("all %d ICRCs %s are wrong: likely captured at the sender, before the adapter filled them in", n, to))
	}
	if over.more > 0 {
		dst = c.appendDirection(dst, over.first, fmt.Sprintf("%d more ICRCs are wrong, to and from more addresses than are told apart", over.more))
	}
	return dst
}

func (c *Checker) appendDirection(dst []Finding, packet int64, text string) []Finding {
	if c.icrcDirection == nil {
		return dst
	}
	return append(dst, Finding{c.icrcDirection, packet, text, 1})
}
