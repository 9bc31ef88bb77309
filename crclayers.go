package ibwire

import (
	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"

	"github.com/ibwire/ibwire/bth"
	"github.com/ibwire/ibwire/crc"
	"github.com/ibwire/ibwire/grh"
	"github.com/ibwire/ibwire/lrh"
)

// ICRC verifies the invariant CRC of a packet of gopacket's, as Packet.ICRC does:
// that of the innermost BTH in it. It allocates; for large captures there is
// Packet.
func ICRC(packet gopacket.Packet) CRC {
	u := under{data: packet.Data()}
	at, end := 0, 0
	var b *bth.BTH
	for _, l := range packet.Layers() {
		kind := Layer(0)
		switch l := l.(type) {
		case *lrh.LRH:
			kind, u.lrh = LRH, l
		case *lrh.RWH:
			kind = RWH
		case *grh.GRH:
			kind, u.grh = GRH, l
		case *layers.IPv4:
			kind = IPv4
		case *layers.IPv6:
			kind = IPv6
		case *layers.IPv6HopByHop, *layers.IPv6Routing, *layers.IPv6Fragment, *layers.IPv6Destination:
			kind = IPv6Ext
		case *layers.UDP:
			kind = UDP
		case *bth.BTH:
			kind, b = BTH, l
			end = at + bth.Size + len(l.Payload) + len(l.Pad)
		}
		n := len(l.LayerContents())
		if b == nil || kind == BTH {
			u.headers = append(u.headers, Header{kind, at, n})
		}
		at += n
	}
	if b == nil || !b.HasICRC {
		return CRC{}
	}
	return u.icrc(new(crc.ICRC), end, b.ICRC)
}

// VCRC verifies the variant CRC of a packet of gopacket's, as Packet.VCRC does:
// that of the innermost LRH in it.
func VCRC(packet gopacket.Packet) CRC {
	c, at := CRC{}, 0
	for _, l := range packet.Layers() {
		if l, ok := l.(*lrh.LRH); ok {
			c = CRC{}
			if l.HasVCRC {
				c = vcrc(l, packet.Data()[at:])
			}
		}
		at += len(l.LayerContents())
	}
	return c
}
