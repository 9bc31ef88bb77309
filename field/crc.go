package field

import "github.com/ibwire/ibwire"

// What is said of a CRC has the numbers and words of tshark's other checksums, as
// of ip.checksum. Only this, and the tree, needs a CRC to be computed: its value
// by itself is read from the packet.

// statusNumbers are the numbers of a Status, as in ip.checksum.status.
var statusNumbers = [...]uint64{ibwire.Bad: 0, ibwire.Good: 1, ibwire.Unverified: 2, ibwire.NotPresent: 3}

var statusNames = [...]string{"Bad", "Good", "Unverified", "Not present"}

func statusOf(c ibwire.CRC) Value { return Value{Num: statusNumbers[c.Status]} }

func statusName(dst []byte, v Value) []byte { return append(dst, statusNames[v.Num]...) }

// calculatedICRC finds what the ICRC should be, unless nobody can say it.
func calculatedICRC(f *Frame) (Value, bool) {
	c := f.ICRC()
	return Value{Num: uint64(c.Expected)}, c.Present() && (c.Status != ibwire.Unverified || c.Expected != 0)
}

func icrcNote(dst []byte, v Value) []byte { return appendVerdict(dst, v, v.Frame.ICRC()) }

func vcrcNote(dst []byte, v Value) []byte { return appendVerdict(dst, v, v.Frame.VCRC()) }

// appendVerdict follows a CRC in the tree.
func appendVerdict(dst []byte, v Value, c ibwire.CRC) []byte {
	switch c.Status {
	case ibwire.Good:
		return append(dst, " [correct]"...)
	case ibwire.Unverified:
		return append(dst, " [unverified]"...)
	}
	dst = append(dst, " incorrect, should be "...)
	return appendHexNumber(dst, uint64(c.Expected), hexDigits[v.Field.Kind])
}
