package wireshark

import (
	"strconv"
	"strings"
	"time"

	"github.com/ibwire/ibwire/field"
)

// sameText reports whether two texts of a field are the same value. Ours are
// those of tshark 4.0 with -T fields. Its PDML has colons in bytes and no text
// for a protocol; later versions write other things in another way too, and
// there the value counts.
func (c *Comparison) sameText(name, theirs, ours string) bool {
	rows := field.Lookup(name)
	if len(rows) == 0 {
		return false
	}
	kind := rows[0].Kind
	switch {
	case kind == field.Protocol, kind == field.None:
		return theirs == ""
	case kind == field.Bytes:
		return strings.ReplaceAll(theirs, ":", "") == ours
	case c.series == V40:
		return false
	case kind == field.Bool:
		return theirs == "True" && ours == "1" || theirs == "False" && ours == "0"
	case kind == field.AbsoluteTime:
		return sameTime(theirs, ours)
	case kind.IsNumber():
		a, errA := strconv.ParseUint(theirs, 0, 64)
		b, errB := strconv.ParseUint(ours, 0, 64)
		return a == b && errA == nil && errB == nil
	}
	return false
}

func sameTime(theirs, ours string) bool {
	a, errA := time.Parse("2006-01-02 15:04:05.999999999-0700", theirs)
	b, errB := time.Parse("Jan _2, 2006 15:04:05.999999999 MST", ours)
	return errA == nil && errB == nil && a.Equal(b)
}
