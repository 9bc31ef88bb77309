package field

import (
	"time"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/lrh"
)

// A Frame is a decoded packet and what the capture file says of it. Like the
// Packet it may be used for one packet after the other.
type Frame struct {
	*ibwire.Packet
	Number int // from 1

	// Times, which Advance sets: zero where there is none.
	Time     time.Time
	First    time.Time // of the first packet of the capture
	Previous time.Time // of the packet before

	// Length is how long the packet was, Captured how much of it the capture
	// holds. They count as the capture file does: Len and CapLen have them as
	// tshark has, where a record of ERF is no part of the packet.
	Length   int
	Captured int
}

// Advance sets the times of the next packet of a capture, which has the time t.
// The zero time is that of a packet that has none, and moves nothing else.
func (f *Frame) Advance(t time.Time) {
	if !f.Time.IsZero() {
		f.Previous = f.Time
	}
	if f.Time = t; f.First.IsZero() {
		f.First = t
	}
}

// Len returns the length of the packet on the wire. An ERF record has its own,
// which does not count the record's headers.
func (f *Frame) Len() int {
	if f.Has(ibwire.ERF) {
		return int(f.ERF.WLen)
	}
	return f.Length
}

// CapLen returns how many bytes of the packet were captured.
func (f *Frame) CapLen() int {
	if f.Has(ibwire.ERF) {
		return len(f.ERF.Payload)
	}
	return f.Captured
}

// Start returns where the packet begins in Data: behind the headers of an ERF
// record. This is where Wireshark counts offsets from.
func (f *Frame) Start() int {
	n := 0
	for _, h := range f.Headers {
		if h.Layer&(ibwire.ERF|ibwire.ERFExt|ibwire.ERFSub) == 0 {
			break
		}
		n = h.Offset + h.Length
	}
	return n
}

// whole returns the bytes of the packet, from Start on.
func (f *Frame) whole() []byte {
	start := f.Start()
	if f.Has(ibwire.ERF) {
		return f.Data[start : start+len(f.ERF.Payload)]
	}
	return f.Data[start:]
}

// givenEnd returns where the bytes end that the protocol of header h was given:
// at the first end of those that the length fields in front of it give, or at the
// end of the packet.
func (f *Frame) givenEnd(h int) int {
	end := f.Start() + len(f.whole())
	for i, header := range f.Headers[:h] {
		next := f.Headers[i+1]
		// A length that has no room for the next header was not believed.
		if counted := header.Offset + f.counts(i); counted >= next.Offset+next.Length {
			end = min(end, counted)
		}
	}
	return end
}

// counts returns how many bytes the length field of header h counts, from the
// header's first on; 0 if it has none.
func (f *Frame) counts(h int) int {
	switch f.Headers[h].Layer {
	case ibwire.IPv4:
		return int(f.uint16At(h, 2))
	case ibwire.IPv6:
		return f.Headers[h].Length + int(f.uint16At(h, 4))
	case ibwire.UDP:
		return int(f.uint16At(h, 4))
	case ibwire.LRH:
		return int(f.uint16At(h, 4)&0x7ff) * 4
	}
	return 0
}

// given returns the bytes that the protocol of header h was given, and whether
// they are all that the length fields count.
func (f *Frame) given(h int) (b []byte, whole bool) {
	end := f.givenEnd(h)
	whole = true
	for i, header := range f.Headers[:h] {
		whole = whole && header.Offset+f.counts(i) <= f.Start()+len(f.whole())
	}
	return f.Data[f.Headers[h].Offset:end], whole
}

// infiniBand are the headers of InfiniBand.
const infiniBand = ibwire.LRH | ibwire.RWH | ibwire.Mirror | ibwire.FlowControl | ibwire.GRH | ibwire.BTH |
	ibwire.RDETH | ibwire.XRCETH | ibwire.DETH | ibwire.DCCETH | ibwire.FETH | ibwire.RETH | ibwire.AtomicETH |
	ibwire.AETH | ibwire.AtomicAckETH | ibwire.ImmDt | ibwire.IETH | ibwire.CNP

// isInfiniBand reports whether header h is one of InfiniBand; h may be out of
// range.
func (f *Frame) isInfiniBand(h int) bool {
	return h >= 0 && h < len(f.Headers) && f.Headers[h].Layer&infiniBand != 0
}

// lastInfiniBand returns the index of the last header of InfiniBand, or -1.
func (f *Frame) lastInfiniBand() int {
	for h := len(f.Headers) - 1; h >= 0; h-- {
		if f.isInfiniBand(h) {
			return h
		}
	}
	return -1
}

// behind returns where the last header ends.
func (f *Frame) behind() int {
	if n := len(f.Headers); n > 0 {
		return f.Headers[n-1].Offset + f.Headers[n-1].Length
	}
	return 0
}

// icrcAt returns where the ICRC is if there is one, and what is behind payload
// and pad if not.
func (f *Frame) icrcAt() int { return f.behind() + len(f.Payload) + len(f.Pad) }

// gapAt returns where the transport's part of the packet ends.
func (f *Frame) gapAt() int {
	if f.HasICRC() {
		return f.icrcAt() + 4
	}
	return f.icrcAt()
}

// vcrcAt returns where the VCRC of a native packet is.
func (f *Frame) vcrcAt() int {
	return f.Offset(ibwire.LRH) + lrh.Size + len(f.LRH.Payload)
}

// trailerAt returns where the trailer is.
func (f *Frame) trailerAt() int {
	switch {
	case !f.Has(ibwire.LRH):
		return f.gapAt()
	case f.LRH.HasVCRC:
		return f.vcrcAt() + 2
	}
	return f.vcrcAt()
}

// byteAt returns a byte of header h.
func (f *Frame) byteAt(h, offset int) byte { return f.Data[f.Headers[h].Offset+offset] }

// uint16At returns two bytes of header h, or in front of it.
func (f *Frame) uint16At(h, offset int) uint16 {
	at := f.Headers[h].Offset + offset
	return uint16(f.Data[at])<<8 | uint16(f.Data[at+1])
}

// uint32At returns four bytes of header h.
func (f *Frame) uint32At(h, offset int) uint32 {
	return uint32(f.uint16At(h, offset))<<16 | uint32(f.uint16At(h, offset+2))
}
