package main

import "time"

// A fileOrder looks whether files are given in the order of their times. A nil
// one does not.
type fileOrder struct {
	name, before string    // of the file at hand, and of the one before that has times
	begun        bool      // the file at hand has had a time
	latest       time.Time // of the file at hand
	end          time.Time // of the one before, its latest
}

// file begins a file.
func (o *fileOrder) file(name string) {
	if o == nil {
		return
	}
	if o.begun {
		o.before, o.end = o.name, o.latest
	}
	o.name, o.begun, o.latest = name, false, time.Time{}
}

// packet takes the time of a packet. It returns what is to be said: a file that
// begins before the end of another one is in the wrong place, and one that begins
// at its own end is given twice.
func (o *fileOrder) packet(at time.Time) (warning string) {
	if o == nil || at.IsZero() {
		return ""
	}
	if !o.begun && (at.Before(o.end) || at.Equal(o.end) && o.name == o.before) {
		warning = o.name + ": begins before the end of " + o.before + ": files are to be given once, in the order of their times"
	}
	o.begun = true
	if at.After(o.latest) {
		o.latest = at
	}
	return warning
}
