package capture

import (
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/ibwire/ibwire/linktype"
)

// Values and the top bit of Interface.Resolution.
const (
	microseconds uint8 = 6
	nanoseconds  uint8 = 9
	binaryBit    uint8 = 0x80
)

// An iface is an Interface with what is worked out from it once.
type iface struct {
	Interface
	link      linktype.Type // of the records
	units     uint64        // of time in a second, 0 if they do not fit
	ancillary []any         // for gopacket: link
	unknown   bool          // its description is damaged
	more      bool          // it is described by more than Interface has
}

// addInterface adds an interface. The LinkType of in is as in the file.
func (r *Reader) addInterface(in Interface) *iface {
	f := iface{Interface: in, link: in.LinkType, units: unitsPerSecond(in.Resolution)}
	if slices.Contains(r.infiniband, f.link) {
		f.link = linktype.InfiniBand
	}
	f.ancillary = []any{f.link}
	r.ifaces = append(r.ifaces, f)
	return &r.ifaces[len(r.ifaces)-1]
}

// unitsPerSecond returns 0 if they do not fit into 64 bits.
func unitsPerSecond(resolution uint8) uint64 {
	n := resolution &^ binaryBit
	if resolution&binaryBit != 0 {
		return 1 << n // 0 from 64 on
	}
	units := uint64(1)
	for range n {
		hi, lo := bits.Mul64(units, 10)
		if hi != 0 {
			return 0
		}
		units = lo
	}
	return units
}

// time returns the time of the count t of units since 1970. It rounds down.
func (f *iface) time(t uint64) time.Time {
	var sec, ns uint64
	switch f.units {
	case 1e6: // dividing by a constant is much faster
		sec, ns = t/1e6, t%1e6*1e3
	case 1e9:
		sec, ns = t/1e9, t%1e9
	case 0: // so fine that all of t is less than two seconds
		base := 10.0
		if f.Resolution&binaryBit != 0 {
			base = 2
		}
		ns = uint64(float64(t) * 1e9 / math.Pow(base, float64(f.Resolution&^binaryBit)))
	default:
		sec = t / f.units
		hi, lo := bits.Mul64(t%f.units, 1e9)
		ns, _ = bits.Div64(hi, lo, f.units)
	}
	return time.Unix(int64(sec)+f.TimeOffset, int64(ns)).UTC()
}
