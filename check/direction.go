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

// directionOf returns the direction of a packet: that of the innermost header with
// addresses.
func directionOf(in *Input) direction {
	for i := len(in.Headers) - 1; i >= 0; i-- {
		d := direction{kind: in.Headers[i].Layer}
		switch d.kind {
		case ibwire.GRH:
			d.from, d.to = in.GRH.SGID.As16(), in.GRH.DGID.As16()
		case ibwire.IPv6:
			copy(d.from[:], in.IPv6.SrcIP)
			copy(d.to[:], in.IPv6.DstIP)
		case ibwire.IPv4:
			copy(d.from[:], in.IPv4.SrcIP)
			copy(d.to[:], in.IPv4.DstIP)
		case ibwire.LRH:
			be.PutUint16(d.from[:], uint16(in.LRH.SLID))
			be.PutUint16(d.to[:], uint16(in.LRH.DLID))
		default:
			continue
		}
		return d
	}
	return direction{}
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

// hash returns goodBits bits for each direction. Multiplication by an odd number
// spreads differences upwards, so the high bits are taken.
func (d *direction) hash() uint64 {
	const odd = 0x9e3779b97f4a7c15
	h := uint64(d.kind)
	for _, v := range [...]uint64{be.Uint64(d.from[:]), be.Uint64(d.from[8:]), be.Uint64(d.to[:]), be.Uint64(d.to[8:])} {
		h = (h ^ v ^ h>>32) * odd
	}
	return h >> (64 - goodBits)
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

// right notes that an ICRC of d was right, and returns what was kept of d so far,
// or nil.
func (ds *directions) right(d *direction) *suspect {
	h := d.hash()
	ds.good[h/64] |= 1 << (h % 64)
	if len(ds.suspects) == 0 {
		return nil
	}
	s := ds.suspects[*d]
	delete(ds.suspects, *d)
	return s
}

// hold keeps a wrong ICRC of d. It reports false if it is to be reported at once.
func (ds *directions) hold(d *direction, w wrongICRC) bool {
	if h := d.hash(); ds.good[h/64]&(1<<(h%64)) != 0 {
		return false
	}
	s := ds.suspects[*d]
	if s == nil {
		if len(ds.suspects) == maxDirections {
			return false
		}
		if ds.suspects == nil {
			ds.suspects = map[direction]*suspect{}
		}
		s = &suspect{direction: *d}
		ds.suspects[*d] = s
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
