package check

import (
	"cmp"
	"fmt"
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
	// are reported as they come.
	maxDirections = 1024
	// maxHeld is how many wrong ICRCs are kept of a direction. If a right one comes
	// behind more of them, these are reported as a number.
	maxHeld = 256
	// goodBits is how many directions with right ICRCs are told apart, as a power
	// of 2. Two that are taken for one only cost that wrong ICRCs are reported one
	// by one.
	goodBits = 16
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

// hash returns goodBits bits for the direction of a packet.
func hash(in *Input) uint64 {
	kind, from, to := addresses(in)
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
	return h >> (64 - goodBits)
}

// mix adds v to a hash. Multiplication by an odd number spreads differences
// upwards, so it is the high bits that count.
func mix(h, v uint64) uint64 {
	const odd = 0x9e3779b97f4a7c15
	return (h ^ v ^ h>>32) * odd
}

// String returns the addresses, as "from 10.0.0.1 to 10.0.0.2".
func (d direction) String() string { return "from " + d.address(d.from) + " to " + d.address(d.to) }

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
}

// right notes that an ICRC was right, and returns what was kept of its direction
// so far, or nil.
func (ds *directions) right(in *Input) *suspect {
	h := hash(in)
	ds.good[h/64] |= 1 << (h % 64)
	if len(ds.suspects) == 0 {
		return nil
	}
	d := directionOf(in)
	s := ds.suspects[d]
	delete(ds.suspects, d)
	return s
}

// hold keeps a wrong ICRC. It reports false if it is to be reported at once.
func (ds *directions) hold(in *Input, w wrongICRC) bool {
	if h := hash(in); ds.good[h/64]&(1<<(h%64)) != 0 {
		return false
	}
	d := directionOf(in)
	s := ds.suspects[d]
	if s == nil {
		if len(ds.suspects) == maxDirections {
			return false
		}
		if ds.suspects == nil {
			ds.suspects = map[direction]*suspect{}
		}
		s = &suspect{direction: d}
		ds.suspects[d] = s
	}
	s.last = w.packet
	if len(s.wrong) < maxHeld {
		s.wrong = append(s.wrong, w)
	} else {
		s.more++
	}
	return true
}

// end returns the suspects in the order of their first packets, and forgets all.
func (ds *directions) end() []*suspect {
	byPacket := func(a, b *suspect) int { return cmp.Compare(a.wrong[0].packet, b.wrong[0].packet) }
	list := slices.SortedFunc(maps.Values(ds.suspects), byPacket)
	*ds = directions{}
	return list
}
