package capture

import (
	"fmt"
	"math/bits"
	"strings"
)

// A Loss says what of a packet a file that is written does not hold. It is a set
// of bits.
type Loss uint32

// What may be lost. Padding of ERF records is never a loss.
const (
	LossFlags        Loss = 1 << iota // ERF flags other than the interface, where they are not 4
	LossExtHeaders                    // ERF extension headers
	LossCounter                       // the loss counter of an ERF record, where it is not 0
	LossColor                         // the color of an ERF record, 0 too
	LossSubHeader                     // the sub-header of an ERF record, where it is not 0
	LossTrailer                       // bytes behind the packet that are no padding
	LossInterface                     // which interface of several the packet came from
	LossRecordLength                  // rlen of an ERF record, which is not what is there
	LossLength                        // the length on the wire
	LossFCSLen                        // the length of the frame check sequence
	LossRecordTime                    // one of the times in the ERF record and around it, which differ
	LossPrecision                     // the last digits of the time
	LossTime                          // the time: there is none, or it is out of range; another one is written, 1970 or one in range
	LossPad                           // that there is a packet: files of ERF records have none in PAD records
	LossFormat                        // that the file is one of ERF records: nothing tells but its first times, and these jump
	LossOptions                       // comments and other options in pcapng
	LossModified                      // the additional fields of a modified pcap file
	LossDescription                   // what describes the interface or section in pcapng, such as names, comments, filters
)

var lossNames = [...]string{
	"ERF flags",
	"ERF extension headers",
	"the ERF loss counter",
	"the ERF color",
	"the ERF sub-header",
	"bytes behind the packet",
	"the interface",
	"the ERF record length, which is not that of the record",
	"the length on the wire",
	"the length of the frame check sequence",
	"a time other than that in the ERF record",
	"the last digits of the time",
	"a missing time or one out of range, and has another one instead",
	"PAD records as packets",
	"times that jump so much at its beginning, and will not be taken for ERF",
	"comments and other options of pcapng",
	"the fields of a modified pcap file",
	"all that describes the interface or section",
}

// String names what is lost, as what a file does not hold: "ERF flags, the
// interface".
func (l Loss) String() string {
	var names []string
	for ; l != 0; l &= l - 1 {
		if i := bits.TrailingZeros32(uint32(l)); i < len(lossNames) {
			names = append(names, lossNames[i])
		} else {
			names = append(names, fmt.Sprintf("Loss(%#x)", 1<<i))
		}
	}
	return strings.Join(names, ", ")
}

// A NotHeldError says why a file that is written cannot hold a packet.
type NotHeldError struct {
	Packet int64  // its number in the source
	Reason string // the same for all packets of its kind
}

func (e *NotHeldError) Error() string {
	return fmt.Sprintf("capture: packet %d is not written: %s", e.Packet, e.Reason)
}

// notHeld returns the error for a packet.
func notHeld(rec *Record, format string, args ...any) error {
	return &NotHeldError{rec.Number, fmt.Sprintf(format, args...)}
}
