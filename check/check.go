// Package check tells what is wrong with packets: CRCs that do not fit, lengths
// that contradict each other, values that no receiver takes.
//
// What is checked is one table of rules, in rules.go: one row a rule, each with
// a code, a severity, what must hold, and where that is known from. Rules
// returns it. A Checker applies the rules to the packets of a capture, one after
// the other:
//
//	c, err := check.New(check.Options{})
//	...
//	in := check.Input{Packet: &ibwire.Packet{}}
//	var found []check.Finding
//	for {
//		rec, err := r.Next() // from a capture.Reader
//		...
//		_ = in.Decode(rec.LinkType, rec.Data) // what is cut is no error of the packet
//		in.Number, in.LinkType, in.Length, in.Time = rec.Number, rec.LinkType, rec.Length, rec.RecordTime
//		found = c.Append(found[:0], &in)
//		print(found) // f.Packet, f.Severity, f.Code, f.Text of each
//	}
//	print(c.End(found[:0])) // what could not be said before
//
// # What is no finding
//
// A packet that was cut, or that a length field makes longer than what is there,
// is truncated: of it only whole headers are checked. So is a packet whose
// lengths contradict each other, which is a finding itself. A CRC that is absent
// or unverified is none. A UDP packet whose destination port is not that of RoCE
// v2 is not checked as RoCE.
//
// Values that some specification has, but healthy traffic has not, are of
// severity Info: reserved bits, a PadCnt without payload. And there is no rule at
// all for SLID = DLID (loopback), a GRH on VL15, the SL on VL15, MigReq, FECN and
// BECN, the source QP, the bytes of a pad, a missing AckReq, and the LPCRC of
// link packets, which nobody knows the coverage of.
package check

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/opcode"
)

// A Severity says how bad it is to break a rule.
type Severity uint8

//go:generate go tool -modfile=../tools.mod stringer -linecomment -type=Severity -output=string.go

// Severities.
const (
	// Info is for what healthy captures hold too. A Checker leaves it out unless
	// it is asked.
	Info Severity = iota // info
	// Warning is for what receivers or switches do not take, though a capture
	// tool or a vendor may.
	Warning // warning
	// Error is for what no receiver takes.
	Error // error
)

// A Rule is something that must hold of a packet.
type Rule struct {
	Code     string // its name, which stays as it is
	Severity Severity
	Text     string // what must hold
	Source   string // who says so, or enforces it

	needs ibwire.Layer // headers without which there is nothing to check
	state state        // what must be known of the packet besides
	find  func(*Input) string
}

// Find returns what of the packet breaks the rule, with the values, and "" if
// nothing does, or if the rule is not about such a packet. A rule about more than
// one packet, which only a Checker can find broken, returns "".
func (r *Rule) Find(in *Input) string {
	in.prepare()
	if r.find == nil || !in.fits(r) {
		return ""
	}
	return r.find(in)
}

// A Finding is a rule that a packet breaks.
type Finding struct {
	*Rule
	Packet int64  // its number
	Text   string // how, with the values; what must hold is Rule.Text
	Count  int64  // how often: 1, but for wrong ICRCs that were too many to tell one by one
}

// opcodeText returns an opcode as findings have it: "RC Send Only (0x04)".
func opcodeText(o opcode.Opcode) string { return opcodeTexts[o] }

// opcodeTexts has them ready: they are most of what many findings cost.
var opcodeTexts = func() (texts [256]string) {
	for o := range texts {
		texts[o] = fmt.Sprintf("%s (0x%02x)", opcode.Opcode(o).Info(), o)
	}
	return texts
}()

// count returns "1 byte", "2 bytes".
func count(n int) string {
	if n == 1 {
		return "1 byte"
	}
	return strconv.Itoa(n) + " bytes"
}

// Rules returns all rules, in the order of the table. They are read-only.
func Rules() []*Rule { return slices.Clone(all) }

// Lookup returns the rule with the given code. The error for a code that there is
// not names the one that may have been meant.
func Lookup(code string) (*Rule, error) {
	for _, r := range all {
		if r.Code == code {
			return r, nil
		}
	}
	near := slices.MinFunc(all, func(a, b *Rule) int { return cmp.Compare(distance(code, a.Code), distance(code, b.Code)) })
	if distance(code, near.Code) > len(code)/2 {
		return nil, fmt.Errorf("check: no rule has the code %q", code)
	}
	return nil, fmt.Errorf("check: no rule has the code %q; is it %s?", code, near.Code)
}

// distance returns how many bytes have to be changed, put in or taken out to make
// b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0]++
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
