package erf

import (
	"errors"
	"fmt"
	"io"
)

// ErrRecordLength says that the length field of a record cannot be true, so
// that nobody can tell where the next record begins.
var ErrRecordLength = errors.New("erf: impossible record length")

// A HeaderError says that the headers of a record are cut short. It wraps
// io.ErrUnexpectedEOF.
type HeaderError struct {
	Part string // "extension header", "sub-header", or "" for the first 16 bytes
	Need int    // bytes from the start of the record through this part
	Have int    // bytes that are there
}

func (e *HeaderError) Error() string {
	part := e.Part
	if part != "" {
		part += ": "
	}
	return fmt.Sprintf("erf: %sneed %d bytes, have %d: %v", part, e.Need, e.Have, e.Unwrap())
}

// Unwrap returns io.ErrUnexpectedEOF.
func (e *HeaderError) Unwrap() error { return io.ErrUnexpectedEOF }

// A RecordError says where and why a Reader could not read a record.
type RecordError struct {
	Record int    // number of the record, from 1
	Offset int64  // of the record's first byte in the file
	Need   int    // bytes the record needs, as far as known
	Have   int    // bytes that are there, or the record length if it is too small
	Rest   []byte // bytes of this record that are there (at most Need)
	Err    error  // io.ErrUnexpectedEOF, ErrRecordLength or the error of the file below
}

func (e *RecordError) Error() string {
	if e.Err == ErrRecordLength {
		return fmt.Sprintf("erf: record %d at byte %d: record length %d is less than %d", e.Record, e.Offset, e.Have, e.Need)
	}
	return fmt.Sprintf("erf: record %d at byte %d: need %d bytes, have %d: %v", e.Record, e.Offset, e.Need, e.Have, e.Err)
}

// Unwrap returns Err.
func (e *RecordError) Unwrap() error { return e.Err }
