package field

import (
	"iter"
	"math/bits"
)

// Values returns the values of a frame in the order of the packet: what the
// capture file says, the headers, and what is behind them. The values of a name
// that is an Alias are among them.
func (f *Frame) Values() iter.Seq[Value] {
	return func(yield func(Value) bool) { f.each(yield) }
}

func (f *Frame) each(yield func(Value) bool) {
	if !f.find(frameRows, yield) {
		return
	}
	var v Value
	last := f.lastInfiniBand()
	for h := range f.Headers {
		for _, fd := range byLayer[bits.TrailingZeros64(uint64(f.Headers[h].Layer))] {
			if fd.value(f, h, &v) && !yield(v) {
				return
			}
		}
		// What is behind all headers belongs to InfiniBand, also where another
		// protocol's headers are in between.
		if h == last && !f.find(endRows, yield) {
			return
		}
	}
	f.find(restRows, yield)
}

// find yields the values of rows with no layer. It returns false to stop.
func (f *Frame) find(rows []Field, yield func(Value) bool) bool {
	var v Value
	for i := range rows {
		if rows[i].virtual(f, &v) && !yield(v) {
			return false
		}
	}
	return true
}
