package capture

import (
	"errors"
	"fmt"
	"strings"
)

// What an Error is about, beside io.ErrUnexpectedEOF for a file that is cut
// short and the errors of the reader below.
var (
	// ErrFormat says that the input is no capture file that this package reads.
	ErrFormat = errors.New("not a capture file")
	// ErrDamaged says that a length or a reference in the file cannot be true.
	ErrDamaged = errors.New("damaged file")
)

// An Error says what could not be read, and where. It is also what a warning
// is.
type Error struct {
	File   string // as given to Open, "standard input" for "-", empty from NewReader
	Packet int64  // number of the packet that is missing or would have come next, 0 if none is known
	Offset int64  // of the record or block in the file, decompressed
	Found  string
	Want   string
	Hint   string // what it means or what to do about it
	Lost   bool   // the packet or block is not delivered; in a warning, what is behind it is
	Err    error  // ErrFormat, ErrDamaged, io.ErrUnexpectedEOF or the error of the reader below
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("capture: ")
	if e.File != "" {
		fmt.Fprintf(&b, "%s: ", e.File)
	}
	if e.Packet > 0 {
		fmt.Fprintf(&b, "packet %d at byte %d: ", e.Packet, e.Offset)
	}
	fmt.Fprintf(&b, "found %s, expected %s: %v", e.Found, e.Want, e.Err)
	if e.Hint != "" {
		fmt.Fprintf(&b, "; %s", e.Hint)
	}
	return b.String()
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }
