package filter

import "github.com/ibwire/ibwire/field"

// A Filter selects packets. It is for one goroutine at a time: like a Packet, it
// is used for one packet after the other and keeps what it needs for each.
type Filter struct {
	text string
	test test
}

// Compile makes a filter of its text. The empty text selects all packets. The
// error is an *Error.
func Compile(text string) (*Filter, error) {
	root, err := parse(text)
	if err != nil {
		return nil, err
	}
	f := &Filter{text: text, test: func(*field.Frame) bool { return true }}
	if root == nil {
		return f, nil
	}
	c := &compiler{text}
	if f.test, err = c.test(root); err != nil {
		return nil, err
	}
	return f, nil
}

// Match reports whether the filter selects a packet. Of a packet that could not
// be decoded to its end, what was decoded counts.
func (f *Filter) Match(frame *field.Frame) bool { return f.test(frame) }

// String returns the text of the filter.
func (f *Filter) String() string { return f.text }
