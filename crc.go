package ibwire

import (
	"slices"

	"github.com/google/gopacket/layers"

	"github.com/ibwire/ibwire/bth"
	"github.com/ibwire/ibwire/crc"
	"github.com/ibwire/ibwire/erf"
	"github.com/ibwire/ibwire/grh"
	"github.com/ibwire/ibwire/lrh"
)

// A Status tells what is known of a CRC. The names are Wireshark's.
type Status uint8

// Values of Status. Wireshark's numbers for them, which the fields of package field
// have, are 3, 2, 1 and 0.
const (
	NotPresent Status = iota // Not present
	Unverified               // Unverified
	Good                     // Good
	Bad                      // Bad
)

// A CRC is a CRC of a packet: the one that stands in it, and the one that should.
// Both are the bytes on the wire read big-endian, as Wireshark prints them.
//
// It is Unverified, instead of Bad, where it does not fit but nobody can say that
// it should: where length fields contradict each other, or bytes are left behind
// the packet which one of them may have missed, so that the CRC may stand
// elsewhere; where an ERF record does not hold all of the packet, and its padding
// may be taken for a CRC; and where it is not settled what the CRC covers, as with
// IPv6 extension headers.
type CRC struct {
	Status   Status
	Value    uint32 // 0 if the CRC is not present
	Expected uint32 // 0 if the CRC is not present or cannot be computed
}

// Present reports whether the CRC stands in the packet.
func (c CRC) Present() bool { return c.Status != NotPresent }

// sums is what a Packet keeps of its CRCs once somebody has asked.
type sums struct {
	icrcKnown, vcrcKnown bool
	icrc, vcrc           CRC
	calculator           crc.ICRC
}

// HasICRC reports whether the packet has an ICRC. A packet has none if it was
// cut, if it is a fragment, and if it is of another transport.
func (p *Packet) HasICRC() bool { return p.Has(BTH) && p.BTH.HasICRC }

// HasVCRC reports whether the packet, the innermost one, is native and has a VCRC.
// Captures without it are usual.
func (p *Packet) HasVCRC() bool { return p.inside&LRH != 0 && p.LRH.HasVCRC }

// ICRC returns the invariant CRC, and verifies it when it is first asked for.
func (p *Packet) ICRC() CRC {
	s := &p.sums
	if !p.HasICRC() {
		return CRC{}
	}
	if !s.icrcKnown {
		end := p.at + len(p.Payload) + len(p.Pad)
		u := under{p.Headers, p.Data, &p.LRH, &p.GRH, p.Ports}
		s.icrc, s.icrcKnown = u.icrc(&s.calculator, end, p.BTH.ICRC).in(p.record()), true
	}
	return s.icrc
}

// VCRC returns the variant CRC of a native packet, 16 bits, and verifies it when
// it is first asked for.
func (p *Packet) VCRC() CRC {
	s := &p.sums
	if !p.HasVCRC() {
		return CRC{}
	}
	if !s.vcrcKnown {
		s.vcrc, s.vcrcKnown = vcrc(&p.LRH, p.Data[p.Offset(LRH):]).in(p.record()), true
	}
	return s.vcrc
}

// record returns the ERF record that holds the packet, or nil.
func (p *Packet) record() *erf.Record {
	if p.Has(ERF) {
		return &p.ERF
	}
	return nil
}

// in returns c as it is in an ERF record, which may be nil.
func (c CRC) in(r *erf.Record) CRC {
	if c.Status == Bad && r != nil && r.IsCut() {
		c.Status = Unverified
	}
	return c
}

// vcrc verifies the VCRC of the packet that begins with l, at the front of data.
func vcrc(l *lrh.LRH, data []byte) CRC {
	n := int(l.PktLen) * 4
	doubt := len(l.Trailer) > 0
	if l.LNH == lrh.LNHGlobal {
		payLen := int(be.Uint16(data[lrh.Size+4:]))
		doubt = doubt || lrh.Size+grh.Size+payLen != n
	}
	return verdict(uint32(l.VCRC), uint32(crc.VCRC(data[:n])), doubt)
}

// verdict compares a CRC with the expected one. doubt says that the lengths leave
// it open where the CRC is, or that it is not settled what it covers.
func verdict(value, expected uint32, doubt bool) CRC {
	switch {
	case value == expected:
		return CRC{Good, value, expected}
	case doubt:
		return CRC{Unverified, value, expected}
	}
	return CRC{Bad, value, expected}
}

// under is what a BTH stands on.
type under struct {
	headers []Header // of the packet; those behind the innermost BTH do not matter
	data    []byte   // of the packet
	lrh     *lrh.LRH // if there is one
	grh     *grh.GRH // likewise
	ports   []uint16 // of UDP that carry RoCE v2 besides 4791
}

// icrc verifies the ICRC of a value at data[end:].
func (u *under) icrc(c *crc.ICRC, end int, value uint32) CRC {
	h, udp, doubt := u.carrier()
	if h < 0 {
		return CRC{Unverified, value, 0}
	}
	var expected uint32
	ok := false
	covered := u.data[u.headers[h].Offset:end]
	switch u.headers[h].Layer {
	case LRH:
		doubt = doubt || len(u.lrh.Trailer) > 0
		expected, ok = c.Native(covered)
	case GRH:
		doubt = doubt || len(u.grh.Trailer) > 0
		if h > 0 && u.headers[h-1].Layer == LRH {
			doubt = doubt || len(u.lrh.Trailer) > 0
		}
		expected, ok = c.RoCEv1(covered)
	case IPv4, IPv6:
		at := u.headers[udp].Offset
		doubt = doubt || !u.toRoCE(at) || !lengthsAgree(covered, at-u.headers[h].Offset)
		expected, ok = c.RoCEv2(covered)
	}
	if !ok {
		return CRC{Unverified, value, 0}
	}
	return verdict(value, expected, doubt)
}

// carrier returns the index of the header that the ICRC begins with, -1 if the
// packet does not begin so early, and that of the UDP header if it is of IP. What
// it covers is not settled where IPv6 has extension headers, and where the
// transport is inside a raw packet.
func (u *under) carrier() (h, udp int, doubt bool) {
	for h = len(u.headers) - 1; u.headers[h].Layer != BTH; {
		h--
	}
	for h--; h >= 0; h-- {
		switch u.headers[h].Layer {
		case UDP:
			udp = h
		case IPv6Ext:
			doubt = true
		case GRH:
			return h, 0, h > 0 && u.headers[h-1].Layer == RWH
		case IPv4, IPv6:
			return h, udp, doubt || h > 0 && u.headers[h-1].Layer&(LRH|RWH) != 0
		default:
			return h, 0, false
		}
	}
	return -1, 0, false
}

// toRoCE reports whether the UDP header at a place leads to RoCE v2 by its
// destination port. If only the source port does, it may be somebody else's.
func (u *under) toRoCE(at int) bool {
	port := be.Uint16(u.data[at+2:])
	return port == uint16(UDPPort) || slices.Contains(u.ports, port) || layers.UDPPort(port).LayerType() == bth.LayerTypeBTH
}

// lengthsAgree reports whether the length fields of an IP packet and of the UDP
// header in it both say that it ends with the ICRC behind covered.
func lengthsAgree(covered []byte, udp int) bool {
	n := len(covered) + crc.ICRCSize
	length := int(be.Uint16(covered[2:]))
	if covered[0]>>4 == 6 {
		length = ipv6Size + int(be.Uint16(covered[4:]))
	}
	return length == n && int(be.Uint16(covered[udp+4:])) == n-udp
}
