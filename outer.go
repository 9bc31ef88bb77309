package ibwire

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"slices"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"

	"github.com/ibwire/ibwire/grh"
)

// Sizes of headers outside InfiniBand, in bytes.
const (
	ethernetSize = 14
	vlanSize     = 4
	ipv4Size     = 20
	ipv6Size     = 40
	ipv6ExtSize  = 8 // the least
	udpSize      = 8
	sllSize      = 16
	sll2Size     = 20
)

var be = binary.BigEndian

// outerSize has the least length of the headers that decodeOuter knows.
func outerSize(l Layer) int {
	switch l {
	case Ethernet:
		return ethernetSize
	case LinuxSLL:
		return sllSize
	case LinuxSLL2:
		return sll2Size
	case VLAN:
		return vlanSize
	case IPv4:
		return ipv4Size
	case IPv6:
		return ipv6Size
	case IPv6Ext:
		return ipv6ExtSize
	case MPLS:
		return mplsSize
	case GRE:
		return greSize
	case ERSPANII:
		return erspanIISize
	case ERSPANIII:
		return erspanIIISize
	case VXLAN:
		return vxlanSize
	case Geneve:
		return geneveSize
	}
	return udpSize
}

// decodeOuter decodes a header that leads to InfiniBand. Those that gopacket has
// a layer for are decoded by it.
func (p *Packet) decodeOuter(l Layer) (Layer, error) {
	if need := outerSize(l); len(p.rest) < need {
		return 0, p.cut(l, need)
	}
	switch l {
	case Ethernet:
		_ = p.Ethernet.DecodeFromBytes(p.rest, &p.Truncation) // fails for nothing but its length
		p.add(Ethernet, ethernetSize, p.Ethernet.Payload)
		return byEtherType(p.Ethernet.EthernetType), nil
	case LinuxSLL:
		p.add(LinuxSLL, sllSize, p.rest[sllSize:])
		return byEtherType(layers.EthernetType(be.Uint16(p.Data[p.at-2:]))), nil
	case LinuxSLL2:
		p.add(LinuxSLL2, sll2Size, p.rest[sll2Size:])
		return byEtherType(layers.EthernetType(be.Uint16(p.Data[p.at-sll2Size:]))), nil
	case VLAN:
		_ = p.VLAN.DecodeFromBytes(p.rest, &p.Truncation) // likewise
		p.add(VLAN, vlanSize, p.VLAN.Payload)
		return byEtherType(p.VLAN.Type), nil
	case IPv4:
		return p.decodeIPv4()
	case IPv6:
		return p.decodeIPv6()
	case IPv6Ext:
		return p.decodeIPv6Ext()
	case UDP:
		return p.decodeUDP()
	}
	return p.decodeTunnel(l)
}

// cut returns the error about header l, of which bytes are missing.
func (p *Packet) cut(l Layer, need int) error {
	p.SetTruncated()
	return fmt.Errorf("ibwire: %v needs %d bytes, have %d: %w", l, need, len(p.rest), io.ErrUnexpectedEOF)
}

// byEtherType returns the header that an EtherType announces, or 0.
func byEtherType(t layers.EthernetType) Layer {
	switch t {
	case layers.EthernetTypeIPv4:
		return IPv4
	case layers.EthernetTypeIPv6:
		return IPv6
	case layers.EthernetTypeDot1Q, layers.EthernetTypeQinQ:
		return VLAN
	case grh.EtherType:
		return GRH
	case layers.EthernetTypeTransparentEthernetBridging:
		return Ethernet
	case layers.EthernetTypeMPLSUnicast, layers.EthernetTypeMPLSMulticast:
		return MPLS
	case layers.EthernetTypeERSPAN:
		return ERSPANII
	case etherTypeERSPANIII:
		return ERSPANIII
	}
	return 0
}

// etherTypeERSPANIII announces ERSPAN of type III, which gopacket v1.1.19 does
// not know.
const etherTypeERSPANIII layers.EthernetType = 0x22eb

// decodeIPv4 decodes the fields itself: to gopacket v1.1.19 an option or a length
// that cannot be true is an error, and here it is no reason to stop. The options
// are not taken apart.
func (p *Packet) decodeIPv4() (Layer, error) {
	ip, b := &p.IPv4, p.rest
	size := max(int(b[0]&0xf)*4, ipv4Size)
	if len(b) < size {
		return 0, p.cut(IPv4, size)
	}
	fragment := be.Uint16(b[6:])
	*ip = layers.IPv4{
		BaseLayer: layers.BaseLayer{Contents: b[:size]},
		Version:   b[0] >> 4, IHL: b[0] & 0xf, TOS: b[1], Length: be.Uint16(b[2:]), Id: be.Uint16(b[4:]),
		Flags: layers.IPv4Flag(fragment >> 13), FragOffset: fragment & 0x1fff,
		TTL: b[8], Protocol: layers.IPProtocol(b[9]), Checksum: be.Uint16(b[10:]),
		SrcIP: net.IP(b[12:16]), DstIP: net.IP(b[16:20]),
	}
	n := int(ip.Length) - size
	switch ip.Payload = b[size:]; {
	case ip.Length == 0: // of a packet that the adapter was to cut into several
	case n < 0, n > len(ip.Payload):
		p.SetTruncated()
	default:
		ip.Payload = ip.Payload[:n]
	}
	p.add(IPv4, size, ip.Payload)
	p.believe(n)
	return p.behindIP(ip.Protocol, ip.FragOffset, ip.Flags&layers.IPv4MoreFragments != 0)
}

// decodeIPv6 decodes the fields itself: gopacket v1.1.19 takes hop-by-hop
// options into its IPv6 layer, takes the packet for truncated by their length,
// and allocates.
func (p *Packet) decodeIPv6() (Layer, error) {
	ip, b := &p.IPv6, p.rest
	first := be.Uint32(b)
	ip.Version, ip.TrafficClass, ip.FlowLabel = uint8(first>>28), uint8(first>>20), first&0xfffff
	ip.Length, ip.NextHeader, ip.HopLimit = be.Uint16(b[4:]), layers.IPProtocol(b[6]), b[7]
	ip.SrcIP, ip.DstIP, ip.HopByHop = net.IP(b[8:24]), net.IP(b[24:40]), nil
	n := int(ip.Length)
	payload := b[ipv6Size:]
	if n > len(payload) {
		p.SetTruncated()
	} else {
		payload = payload[:n]
	}
	ip.BaseLayer = layers.BaseLayer{Contents: b[:ipv6Size], Payload: payload}
	p.add(IPv6, ipv6Size, payload)
	p.believe(n)
	return p.behindIP(ip.NextHeader, 0, false)
}

// Extension headers of IPv6 by their protocol numbers.
const (
	ipv6HopByHop    = layers.IPProtocolIPv6HopByHop
	ipv6Routing     = layers.IPProtocolIPv6Routing
	ipv6Fragment    = layers.IPProtocolIPv6Fragment
	ipv6Destination = layers.IPProtocolIPv6Destination
)

func (p *Packet) decodeIPv6Ext() (Layer, error) {
	b, n := p.rest, ipv6ExtSize
	var offset uint16
	more := false
	if p.proto == ipv6Fragment {
		offset, more = be.Uint16(b[2:])>>3, b[3]&1 != 0
	} else {
		n += int(b[1]) * 8
	}
	if len(b) < n {
		return 0, p.cut(IPv6Ext, n)
	}
	p.add(IPv6Ext, n, b[n:])
	if p.left != unknown {
		p.left -= n
	}
	return p.behindIP(layers.IPProtocol(b[0]), offset, more)
}

// behindIP returns the header that proto announces, or 0. Of a fragment the
// first has one; and since its end is not the end of the packet, it is taken for
// cut, as it is by the length field of UDP.
func (p *Packet) behindIP(proto layers.IPProtocol, offset uint16, more bool) (Layer, error) {
	p.proto = proto
	if offset != 0 {
		return 0, nil
	}
	if more {
		p.SetTruncated()
		p.left = unknown // the length of IP is that of the fragment
	}
	switch proto {
	case layers.IPProtocolUDP:
		return UDP, nil
	case layers.IPProtocolGRE:
		return GRE, nil
	case layers.IPProtocolMPLSInIP:
		return MPLS, nil
	case layers.IPProtocolIPv4:
		p.enter = true
		return IPv4, nil
	case layers.IPProtocolIPv6:
		p.enter = true
		return IPv6, nil
	case ipv6HopByHop, ipv6Routing, ipv6Fragment, ipv6Destination:
		if p.Headers[len(p.Headers)-1].Layer != IPv4 {
			return IPv6Ext, nil
		}
	}
	return 0, nil
}

func (p *Packet) decodeUDP() (Layer, error) {
	u, ip, cut := &p.UDP, p.left, p.Truncated            // ip: UDP and what follows, by the length of IP
	if u.DecodeFromBytes(p.rest, &p.Truncation) != nil { // the length is less than the header's
		u.Payload = p.rest[udpSize:]
		p.SetTruncated()
	}
	p.add(UDP, udpSize, u.Payload)
	p.believe(int(u.Length) - udpSize)
	if ip != unknown && ip-udpSize < p.left {
		// Where the two lengths differ the shorter one counts. UDP did not know.
		p.left, p.Truncated = ip-udpSize, cut
	}
	next := p.byPort(u.DstPort)
	if next == 0 && u.DstPort.LayerType() == gopacket.LayerTypePayload {
		next = p.byPort(u.SrcPort)
	}
	return next, nil
}

// UDP ports of tunnels.
const (
	vxlanPort  layers.UDPPort = 4789
	genevePort layers.UDPPort = 6081
)

// byPort returns the header that a UDP port stands for, or 0. As in gopacket, the
// source port counts only where the destination port means nothing.
func (p *Packet) byPort(port layers.UDPPort) Layer {
	switch {
	case port == UDPPort, slices.Contains(p.Ports, uint16(port)):
		return BTH
	case port == vxlanPort:
		return VXLAN
	case port == genevePort:
		return Geneve
	}
	return 0
}
