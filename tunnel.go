package ibwire

import (
	"github.com/google/gopacket/layers"

	"github.com/ibwire/ibwire/linktype"
)

// Sizes of the headers of tunnels, in bytes; of those that vary, the least.
const (
	mplsSize      = 4
	greSize       = 4
	erspanIISize  = 8
	erspanIIISize = 12
	vxlanSize     = 8
	geneveSize    = 8
)

// tunnels are the headers behind which another packet begins.
const tunnels = MPLS | GRE | ERSPANII | ERSPANIII | VXLAN | Geneve | Mirror

// Inner returns the packet inside the mirrors and tunnels of a packet, the
// innermost one, and what it begins with. It returns false if the packet is in
// none, and if what is inside is not known.
//
// The bytes are all that the header outside has left for it: what is behind its
// own end, such as padding, is with them.
func (p *Packet) Inner() (link linktype.Type, data []byte, ok bool) {
	if p.inner == 0 {
		return 0, nil, false
	}
	h := p.Headers[p.inner]
	switch h.Layer {
	case Ethernet:
		link = linktype.Ethernet
	case LRH:
		link = linktype.InfiniBand
	case IPv4:
		link = linktype.IPv4
	case IPv6:
		link = linktype.IPv6
	default:
		return 0, nil, false
	}
	return link, p.Data[h.Offset:p.innerEnd], true
}

// tunnel notes that the next n bytes are header l of a tunnel, or of several.
func (p *Packet) tunnel(l Layer, n int) {
	p.add(l, n, p.rest[n:])
	p.enter = true
	if p.left != unknown {
		p.left -= n
	}
}

func (p *Packet) decodeTunnel(l Layer) (Layer, error) {
	switch l {
	case MPLS:
		return p.decodeMPLS(), nil
	case GRE:
		return p.decodeGRE()
	case ERSPANII:
		_ = p.ERSPANII.DecodeFromBytes(p.rest, &p.Truncation) // fails for nothing
		p.tunnel(ERSPANII, erspanIISize)
		return Ethernet, nil
	case ERSPANIII:
		return p.decodeERSPANIII()
	case Geneve:
		return p.decodeGeneve()
	}
	_ = p.VXLAN.DecodeFromBytes(p.rest, &p.Truncation) // fails for nothing but its length
	p.tunnel(VXLAN, vxlanSize)
	return Ethernet, nil
}

// decodeMPLS decodes a label. What is behind the last one is not said anywhere:
// as in gopacket it is IP if it looks like IP.
func (p *Packet) decodeMPLS() Layer {
	label := be.Uint32(p.rest)
	p.MPLS = layers.MPLS{
		BaseLayer: layers.BaseLayer{Contents: p.rest[:mplsSize], Payload: p.rest[mplsSize:]},
		Label:     label >> 12, TrafficClass: uint8(label >> 9 & 7), StackBottom: label&0x100 != 0, TTL: uint8(label),
	}
	p.tunnel(MPLS, mplsSize)
	if !p.MPLS.StackBottom {
		return MPLS
	}
	return p.guessIP()
}

// decodeGRE decodes the fields itself: gopacket v1.1.19 reads past the end of
// headers that are cut, and allocates for routes.
func (p *Packet) decodeGRE() (Layer, error) {
	g, b := &p.GRE, p.rest
	*g = layers.GRE{
		ChecksumPresent: b[0]&0x80 != 0, RoutingPresent: b[0]&0x40 != 0, KeyPresent: b[0]&0x20 != 0, SeqPresent: b[0]&0x10 != 0,
		StrictSourceRoute: b[0]&0x08 != 0, AckPresent: b[1]&0x80 != 0, RecursionControl: b[0] & 7, Flags: b[1] >> 3, Version: b[1] & 7,
		Protocol: layers.EthernetType(be.Uint16(b[2:])),
	}
	n := greSize
	word := func(present bool) (v uint32) { // the next four bytes; 0 where they are cut off
		if present {
			if n += 4; n <= len(b) {
				v = be.Uint32(b[n-4:])
			}
		}
		return v
	}
	sum := word(g.ChecksumPresent || g.RoutingPresent)
	g.Checksum, g.Offset = uint16(sum>>16), uint16(sum)
	g.Key, g.Seq = word(g.KeyPresent), word(g.SeqPresent)
	for route := g.RoutingPresent; route; {
		entry := word(true) // address family, offset, length of what follows
		n += int(entry & 0xff)
		route = entry>>16 != 0 || entry&0xff != 0
	}
	g.Ack = word(g.AckPresent)
	if n > len(b) {
		return 0, p.cut(GRE, n)
	}
	g.BaseLayer = layers.BaseLayer{Contents: b[:n], Payload: b[n:]}
	p.tunnel(GRE, n)
	if g.Protocol == layers.EthernetTypeERSPAN && !g.SeqPresent {
		return Ethernet, nil // ERSPAN of type I
	}
	return byEtherType(g.Protocol), nil
}

// decodeERSPANIII decodes no more of ERSPAN of type III than what is inside.
func (p *Packet) decodeERSPANIII() (Layer, error) {
	const frameType, ip = 0x7c00, 2 << 10 // of the word at byte 8, with a flag at its end
	n, word := erspanIIISize, be.Uint16(p.rest[10:])
	if word&1 != 0 {
		n += 8 // a sub-header of the platform
	}
	if n > len(p.rest) {
		return 0, p.cut(ERSPANIII, n)
	}
	p.tunnel(ERSPANIII, n)
	if word&frameType == ip {
		return p.guessIP(), nil
	}
	return Ethernet, nil
}

// decodeGeneve decodes the fields itself: gopacket v1.1.19 reads past the end of
// headers that are cut, and keeps the options of earlier packets. The options are
// not taken apart.
func (p *Packet) decodeGeneve() (Layer, error) {
	b := p.rest
	n := geneveSize + int(b[0]&0x3f)*4
	if n > len(b) {
		return 0, p.cut(Geneve, n)
	}
	p.Geneve = layers.Geneve{
		BaseLayer: layers.BaseLayer{Contents: b[:n], Payload: b[n:]},
		Version:   b[0] >> 6, OptionsLength: b[0] & 0x3f * 4, OAMPacket: b[1]&0x80 != 0, CriticalOption: b[1]&0x40 != 0,
		Protocol: layers.EthernetType(be.Uint16(b[2:])), VNI: be.Uint32(b[4:]) >> 8,
	}
	p.tunnel(Geneve, n)
	return byEtherType(p.Geneve.Protocol), nil
}

// guessIP returns the IP header that the rest looks like, or 0.
func (p *Packet) guessIP() Layer {
	switch {
	case len(p.rest) > 0 && p.rest[0]>>4 == 4 && p.rest[0]&0xf >= 5:
		return IPv4
	case len(p.rest) > 0 && p.rest[0]>>4 == 6:
		return IPv6
	}
	return 0
}
