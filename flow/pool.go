package flow

// none is the index of no item.
const none = -1

// A pool holds items that are named by index, and uses again the room of those
// that were freed. So an item costs no allocation.
type pool[T any] struct {
	items []T
	free  []int32
	used  int
}

// take returns the index of a zero item.
func (p *pool[T]) take() int32 {
	p.used++
	if n := len(p.free); n > 0 {
		i := p.free[n-1]
		p.free = p.free[:n-1]
		var zero T
		p.items[i] = zero
		return i
	}
	var zero T
	p.items = append(p.items, zero)
	return int32(len(p.items) - 1)
}

func (p *pool[T]) put(i int32) {
	p.used--
	p.free = append(p.free, i)
}

// at returns item i. It is good until the next take.
func (p *pool[T]) at(i int32) *T { return &p.items[i] }
