package main

import "github.com/ibwire/ibwire/field"

// A timeColumn writes the time of a packet in one of tshark's forms.
type timeColumn struct {
	seconds *field.Column // of a time in seconds
	layout  string        // of a time of day, without its fraction
}

// newTimeColumn returns the time column of -t.
func newTimeColumn(form string) timeColumn {
	switch form {
	case "a":
		return timeColumn{layout: "15:04:05"}
	case "ad":
		return timeColumn{layout: "2006-01-02 15:04:05"}
	}
	name := map[string]string{"r": "frame.time_relative", "d": "frame.time_delta", "e": "frame.time_epoch"}[form]
	column, err := field.NewColumn(name)
	if err != nil {
		panic(err) // the table of fields has lost one of them
	}
	return timeColumn{seconds: column}
}

// append writes the time with as many digits as the file has; nothing for a
// packet without a time.
func (t timeColumn) append(dst []byte, p *packet) []byte {
	switch {
	case p.Time.IsZero():
		return dst
	case t.seconds == nil:
		return p.Time.AppendFormat(dst, t.layout+".000000000"[:p.digits+1])
	}
	for v := range t.seconds.Values(&p.Frame) {
		dst = v.AppendText(dst) // with nine digits
	}
	return dst[:len(dst)-9+p.digits]
}
