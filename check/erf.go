package check

import (
	"fmt"
	"time"

	"github.com/ibwire/ibwire/erf"
)

func erfRLen(in *Input) string {
	r := &in.ERF
	if int(r.RLen) >= r.HeaderLen() {
		return ""
	}
	return fmt.Sprintf("rlen is %d, the headers of the record have %d bytes", r.RLen, r.HeaderLen())
}

func erfRLenPacket(in *Input) string {
	r := &in.ERF
	n := r.HeaderLen() + len(r.Payload)
	if int(r.RLen) >= n || int(r.RLen) < r.HeaderLen() { // the latter is a rule of its own
		return ""
	}
	return fmt.Sprintf("rlen is %d, but the record holds %d bytes of headers and packet", r.RLen, n)
}

func erfTruncated(in *Input) string {
	return erfFlag(in, erf.FlagTrunc, "packet cut for lack of buffer")
}
func erfRxError(in *Input) string { return erfFlag(in, erf.FlagRxError, "received with an error") }
func erfDSError(in *Input) string { return erfFlag(in, erf.FlagDSError, "error inside the card") }
func erfFlagsReserved(in *Input) string {
	return erfFlag(in, erf.FlagReserved, "reserved flags are set")
}

func erfFlag(in *Input, mask erf.Flags, meaning string) string {
	if !in.ERF.Flags.Has(mask) {
		return ""
	}
	return fmt.Sprintf("flags are 0x%02x: %s", uint8(in.ERF.Flags), meaning)
}

func erfLoss(in *Input) string {
	if in.ERF.LCtr == 0 || in.ERF.Type.HasColor() {
		return ""
	}
	return fmt.Sprintf("the capture lost %d packets in front of this one", in.ERF.LCtr)
}

// erfTolerance is how far the two times of a packet may be apart: ibdump's time
// of a record runs up to 7.6 µs ahead, and a pcap file may count microseconds.
const erfTolerance = 10 * time.Microsecond

func erfTime(in *Input) string {
	if in.Time.IsZero() {
		return ""
	}
	t := in.ERF.Timestamp.Time()
	d := t.Sub(in.Time)
	if d.Abs() <= erfTolerance {
		return ""
	}
	const layout = "2006-01-02 15:04:05.000000000"
	return fmt.Sprintf("the record's time is %s, that of the file %s", t.UTC().Format(layout), in.Time.UTC().Format(layout))
}
