package erf

import (
	"math"
	"time"
)

// A Timestamp is a time in seconds since 1970 as a fixed-point number with 32
// bits on each side of the point. It is little-endian in the record.
type Timestamp uint64

const nanosecond = 1e9

// TimestampOf returns the Timestamp nearest to t: the first or the last one if
// t is before 1970 or after February 2106.
func TimestampOf(t time.Time) Timestamp {
	sec := t.Unix()
	switch {
	case sec < 0:
		return 0
	case sec > math.MaxUint32:
		return math.MaxUint64
	}
	// Less than 2^32 for 999,999,999 ns too, so it never carries.
	frac := (uint64(t.Nanosecond())<<32 + nanosecond/2) / nanosecond
	return Timestamp(uint64(sec)<<32 | frac)
}

// Time returns t in UTC, rounded to the nearest nanosecond. A fraction close to
// the whole gives the next second.
func (t Timestamp) Time() time.Time {
	ns := (uint64(uint32(t))*nanosecond + 1<<31) >> 32
	return time.Unix(int64(t>>32), int64(ns)).UTC()
}

// String returns t in the format time.RFC3339Nano.
func (t Timestamp) String() string { return t.Time().Format(time.RFC3339Nano) }
