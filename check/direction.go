package check

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"net/netip"
	"slices"

	"github.com/ibwire/ibwire"
)

// A Checker says once, instead of for each packet, that the ICRCs from one address
// to another are all wrong. So it keeps wrong ICRCs until a right one of the same
// direction comes, or the capture ends. What it keeps is bounded.
const (
	// minDirection is how many wrong ICRCs make a direction. Fewer are reported by
	// themselves.
	minDirection = 3
	// maxDirections is for how many directions wrong ICRCs are kept. Those of others
	// are counted.
	maxDirections = 1 << 14
	// maxHeld is how many wrong ICRCs are kept of a direction, and maxHeldOfAll of
	// all. If a right one comes behind more of them, these are reported as a number.
	maxHeld      = 256
	maxHeldOfAll = 1 << 16
	// goodBits is the size of the set of directions with right ICRCs, as a power of
	// 2. Each has two bits in it. One that is taken for such a direction only costs
	// that its wrong ICRCs are reported one by one: of those beside 3,000 others, 1
	// in 2,000.
	goodBits = 18
)

// A direction is two addresses: GIDs, IP addresses or LIDs, in up to 16 bytes.
type direction struct {
	kind     ibwire.Layer // the header that they are from
	from, to [16]byte
}

// addresses returns the addresses of a packet, as they stand in the innermost
// header that has any.
func addresses(in *Input) (kind ibwire.Layer, from, to []byte) {
	for i := len(in.Headers) - 1; i >= 0; i-- {
		h := &in.Headers[i]
		b := in.Data[h.Offset:]
		switch h.Layer {
		case ibwire.GRH, ibwire.IPv6:
			return h.Layer, b[8:24], b[24:40]
		case ibwire.IPv4:
			return h.Layer, b[12:16], b[16:20]
		case ibwire.LRH:
			return h.Layer, b[6:8], b[2:4]
		}
	}
	return 0, nil, nil
}

// directionOf returns the direction of a packet.
func directionOf(in *Input) direction {
	kind, from, to := addresses(in)
	d := direction{kind: kind}
	copy(d.from[:], from)
	copy(d.to[:], to)
	return d
}

// hash returns a number for the direction of a packet that has its bits all over.
func hash(in *Input) uint64 { return hashOf(addresses(in)) }

// hash returns the same for a direction.
func (d *direction) hash() uint64 {
	n := len(d.from)
	switch d.kind {
	case ibwire.LRH:
		n = 2
	case ibwire.IPv4:
		n = 4
	}
	return hashOf(d.kind, d.from[:n], d.to[:n])
}

func hashOf(kind ibwire.Layer, from, to []byte) uint64 {
	h := uint64(kind)
	switch len(from) {
	case 2:
		h = mix(h, uint64(be.Uint16(from))<<16|uint64(be.Uint16(to)))
	case 4:
		h = mix(h, uint64(be.Uint32(from))<<32|uint64(be.Uint32(to)))
	case 16:
		h = mix(mix(h, be.Uint64(from)), be.Uint64(from[8:]))
		h = mix(mix(h, be.Uint64(to)), be.Uint64(to[8:]))
	}
	return mix(h, 0)
}

// mix adds v to a hash. Multiplication by an odd number spreads differences
// upwards, so they are brought down again.
func mix(h, v uint64) uint64 {
	const odd = 0x9e3779b97f4a7c15
	h = (h ^ v) * odd
	return h ^ h>>32
}

// String returns the addresses, as "from 10.0.0.1 to 10.0.0.2".
func (d direction) String() string { return d.source() + " to " + d.address(d.to) }

func (d direction) source() string { return "from " + d.address(d.from) }

func (d direction) address(a [16]byte) string {
	switch d.kind {
	case ibwire.LRH:
		return fmt.Sprintf("LID %d", be.Uint16(a[:]))
	case ibwire.IPv4:
		return netip.AddrFrom4([4]byte(a[:4])).String()
	}
	return netip.AddrFrom16(a).String()
}

// A wrongICRC is what is kept of a packet.
type wrongICRC struct {
	packet          int64
	value, expected uint32
}

// A suspect is a direction without a right ICRC so far.
type suspect struct {
	direction
	wrong []wrongICRC // the first ones
	more  int64       // besides these
	last  int64       // packet
}

// directions knows in which directions ICRCs were right, and which have wrong ones
// alone.
type directions struct {
	good     [1 << goodBits / 64]uint64
	suspects map[direction]*suspect
	held     int // wrong ICRCs of all suspects
	over     struct {
		first int64 // packet
		more  int64 // wrong ICRCs of directions that there was no room for
	}
}

// right notes that an ICRC was right, and returns what was kept of its direction
// so far, or nil.
func (ds *directions) right(in *Input) *suspect {
	ds.setGood(hash(in))
	if len(ds.suspects) == 0 {
		return nil
	}
	d := directionOf(in)
	s := ds.suspects[d]
	if s != nil {
		ds.forget(s)
	}
	return s
}

func (ds *directions) forget(s *suspect) {
	ds.held -= len(s.wrong)
	delete(ds.suspects, s.direction)
}

// hold keeps a wrong ICRC. It reports false if it is to be reported at once.
func (ds *directions) hold(in *Input, w wrongICRC) bool {
	if ds.isGood(hash(in)) {
		return false
	}
	if s := ds.suspect(directionOf(in)); s != nil {
		ds.keep(s, []wrongICRC{w}, 0)
		s.last = w.packet
	} else {
		ds.count(w.packet, 1)
	}
	return true
}

func (ds *directions) setGood(hash uint64) {
	for _, bit := range goodBitsOf(hash) {
		ds.good[bit/64] |= 1 << (bit % 64)
	}
}

func (ds *directions) isGood(hash uint64) bool {
	bits := goodBitsOf(hash)
	return ds.good[bits[0]/64]&(1<<(bits[0]%64)) != 0 && ds.good[bits[1]/64]&(1<<(bits[1]%64)) != 0
}

func goodBitsOf(hash uint64) [2]uint64 {
	return [...]uint64{hash & (1<<goodBits - 1), hash >> (64 - goodBits)}
}

// suspect returns what is kept of a direction, or nil if there is no room for it.
func (ds *directions) suspect(d direction) *suspect {
	s := ds.suspects[d]
	if s == nil && len(ds.suspects) < maxDirections {
		if ds.suspects == nil {
			ds.suspects = map[direction]*suspect{}
		}
		s = &suspect{direction: d}
		ds.suspects[d] = s
	}
	return s
}

// keep keeps wrong ICRCs of a suspect, as many as there is room for, and counts the
// others and more.
func (ds *directions) keep(s *suspect, wrong []wrongICRC, more int64) {
	n := min(len(wrong), maxHeld-len(s.wrong), maxHeldOfAll-ds.held)
	if len(s.wrong) == 0 {
		n = max(n, 1) // it has to have a packet
	}
	s.wrong = append(s.wrong, wrong[:n]...)
	s.more += more + int64(len(wrong)-n)
	ds.held += n
}

// count counts wrong ICRCs of directions that there is no room for.
func (ds *directions) count(first, n int64) {
	if ds.over.more == 0 {
		ds.over.first = first
	}
	ds.over.more += n
}

// merge takes in what next has kept of packets behind those of ds, and forgets it
// there. It returns what need not be kept back any more.
func (ds *directions) merge(next *directions) (said []*suspect) {
	for _, s := range ds.suspects {
		if next.isGood(s.hash()) {
			said = append(said, s)
			ds.forget(s)
		}
	}
	for d, s := range next.suspects {
		if ds.isGood(s.hash()) {
			said = append(said, s)
		} else if kept := ds.suspect(d); kept != nil {
			ds.keep(kept, s.wrong, s.more)
			kept.last = s.last
		} else {
			ds.count(s.wrong[0].packet, int64(len(s.wrong))+s.more)
		}
	}
	if next.over.more > 0 {
		ds.count(next.over.first, next.over.more)
	}
	for i, bits := range next.good {
		ds.good[i] |= bits
	}
	*next = directions{}
	slices.SortFunc(said, byPacket)
	return said
}

// end yields the suspects by where they come from, in the order of their first
// packets, and forgets all.
func (ds *directions) end() iter.Seq2[string, []*suspect] {
	list := slices.SortedFunc(maps.Values(ds.suspects), byPacket)
	*ds = directions{}
	bySource := map[direction][]*suspect{}
	var sources []direction
	for _, s := range list {
		source := direction{kind: s.kind, from: s.from}
		if bySource[source] == nil {
			sources = append(sources, source)
		}
		bySource[source] = append(bySource[source], s)
	}
	return func(yield func(string, []*suspect) bool) {
		for _, source := range sources {
			if !yield(source.source(), bySource[source]) {
				return
			}
		}
	}
}

// byPacket compares the first packets of suspects.
func byPacket(a, b *suspect) int { return cmp.Compare(a.wrong[0].packet, b.wrong[0].packet) }
