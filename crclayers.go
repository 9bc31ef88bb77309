package ibwire

import (
	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"

	"github.com/ibwire/ibwire/bth"
	"github.com/ibwire/ibwire/crc"
	"github.com/ibwire/ibwire/erf"
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
	var record *erf.Record
	for _, l := range packet.Layers() {
		switch l := l.(type) {
		case *erf.Record:
			record = l
		case *lrh.LRH:
			u.lrh = l
		case *grh.GRH:
			u.grh = l
		case *bth.BTH:
			b, end = l, at+bth.Size+len(l.Payload)+len(l.Pad)
		}
		n := len(l.LayerContents())
		u.headers = append(u.headers, Header{layerOf(l), at, n})
		at += n
	}
	if b == nil || !b.HasICRC {
		return CRC{}
	}
	return u.icrc(new(crc.ICRC), end, b.ICRC).in(record)
}

// VCRC verifies the variant CRC of a packet of gopacket's, as Packet.VCRC does:
// that of the LRH of the innermost packet in it.
func VCRC(packet gopacket.Packet) CRC {
	c, at := CRC{}, 0
	var before Layer
	enter := false
	var record *erf.Record
	for _, l := range packet.Layers() {
		if l, ok := l.(*erf.Record); ok {
			record = l
		}
		kind := layerOf(l)
		switch {
		case kind&tunnels != 0:
			enter = true
		case kind != 0 && (enter || kind&(IPv4|IPv6) != 0 && before&(IPv4|IPv6|IPv6Ext) != 0):
			c, enter = CRC{}, false // another packet begins
		}
		if l, ok := l.(*lrh.LRH); ok && l.HasVCRC {
			c = vcrc(l, packet.Data()[at:])
		}
		at += len(l.LayerContents())
		before = kind
	}
	return c.in(record)
}

// layerOf returns what a layer of gopacket's is to a Packet, if it may stand in
// front of a BTH, and else 0.
func layerOf(l gopacket.Layer) Layer {
	switch l.(type) {
	case *layers.Ethernet:
		return Ethernet
	case *layers.Dot1Q:
		return VLAN
	case *layers.IPv4:
		return IPv4
	case *layers.IPv6:
		return IPv6
	case *layers.IPv6HopByHop, *layers.IPv6Routing, *layers.IPv6Fragment, *layers.IPv6Destination:
		return IPv6Ext
	case *layers.UDP:
		return UDP
	case *layers.MPLS:
		return MPLS
	case *layers.GRE:
		return GRE
	case *layers.ERSPANII:
		return ERSPANII
	case *layers.VXLAN:
		return VXLAN
	case *layers.Geneve:
		return Geneve
	case *lrh.LRH:
		return LRH
	case *lrh.RWH:
		return RWH
	case *lrh.Mirror:
		return Mirror
	case *grh.GRH:
		return GRH
	case *bth.BTH:
		return BTH
	}
	return 0
}
