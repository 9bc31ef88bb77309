package fuzz_test

import (
	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/erf"
	"github.com/ibwire/ibwire/grh"
	"github.com/ibwire/ibwire/linktype"
)

// EtherTypes.
const (
	typeIPv4 = 0x0800
	typeIPv6 = 0x86dd
	typeVLAN = 0x8100
	typeQinQ = 0x88a8
)

// roceV2 puts UDP and IP in front, and what carries them in any kind of capture.
func (m *made) roceV2(c *choices) {
	m.udp(c, uint16(ibwire.UDPPort))
	if c.byte()&1 == 1 {
		m.ip6(c, protocolUDP)
		m.carryIP(c, typeIPv6, linktype.IPv6, erf.TypeIPv6)
	} else {
		m.ip4(c, protocolUDP)
		m.carryIP(c, typeIPv4, linktype.IPv4, erf.TypeIPv4)
	}
}

func (m *made) carryIP(c *choices, etherType uint16, link linktype.Type, record erf.Type) {
	switch c.byte() % 8 {
	case 0:
		m.link = linktype.Raw
	case 1:
		m.link = link
	case 2:
		m.front(be.AppendUint16(make([]byte, 14), etherType)...)
		m.link = linktype.LinuxSLL
	case 3:
		m.front(append(be.AppendUint16(nil, etherType), make([]byte, 18)...)...)
		m.link = linktype.LinuxSLL2
	case 4:
		m.erf(c, record)
	default:
		m.ethernet(c, etherType)
	}
}

// ethernet puts Ethernet and VLAN tags in front, padding or a frame check
// sequence behind, and at times an ERF record around.
func (m *made) ethernet(c *choices, etherType uint16) {
	m.link = linktype.Ethernet
	for range pick(c, 0, 0, 0, 1, 2, 3) {
		m.front(be.AppendUint16([]byte{c.byte(), c.byte()}, etherType)...)
		etherType = pick(c, uint16(typeVLAN), typeQinQ)
	}
	m.front(be.AppendUint16(c.bytes(12), etherType)...)
	m.back(c.bytes(pick(c, 0, 0, 4, 6)))
	if c.rarely() {
		m.erf(c, pick(c, erf.TypeETH, erf.TypeColorETH, erf.TypeDSMColorETH, erf.TypeColorHashETH))
	}
}

// behindEtherType puts in front what an EtherType says.
func (m *made) behindEtherType(c *choices, etherType uint16) {
	switch etherType {
	case uint16(grh.EtherType):
		m.grh(c)
	case typeIPv4:
		m.udp(c, uint16(ibwire.UDPPort))
		m.ip4(c, protocolUDP)
	case typeIPv6:
		m.udp(c, uint16(ibwire.UDPPort))
		m.ip6(c, protocolUDP)
	case typeVLAN:
		m.grh(c)
		m.front(be.AppendUint16([]byte{0, c.byte()}, uint16(grh.EtherType))...)
	}
}

func (m *made) udp(c *choices, dst uint16) {
	src := 0xc000 | uint16(c.byte())
	if c.rarely() {
		src, dst = dst, uint16(c.uint(2))
	}
	b := be.AppendUint16(be.AppendUint16(nil, src), dst)
	b = be.AppendUint16(b, uint16(8+m.size()+c.off()))
	m.front(be.AppendUint16(b, 0)...)
}

func (m *made) ip4(c *choices, protocol byte) {
	options := c.bytes(pick(c, 0, 0, 0, 4, 8, 40))
	if len(options) > 0 && !c.rarely() {
		options[0], options[1] = 0x94, byte(len(options)) // one that is well formed
	}
	fragment := uint16(0)
	if c.rarely() {
		fragment = uint16(c.uint(2))
	}
	b := []byte{0x40 | byte(5+len(options)/4), c.byte()}
	b = be.AppendUint16(b, uint16(20+len(options)+m.size()+c.off()))
	b = be.AppendUint16(append(b, 0, 1), fragment)
	b = append(b, 64, c.orAny(protocol), 0, 0, 10, 0, 0, 1, 10, 0, 0, 2)
	m.front(append(b, options...)...)
}

// Protocols of IP.
const (
	protocolUDP  = 17
	protocolGRE  = 47
	protocolMPLS = 137
)

// orAny is a byte, rarely another.
func (c *choices) orAny(b byte) byte {
	if c.rarely() {
		return c.byte()
	}
	return b
}

// ip6 puts an IPv6 header and extension headers in front.
func (m *made) ip6(c *choices, protocol byte) {
	next := c.orAny(protocol)
	for range pick(c, 0, 0, 0, 1, 2) {
		kind := pick[byte](c, 0, 43, 44, 60)
		b := c.bytes(8 + 8*c.upTo(1))
		b[0], b[1] = next, byte(len(b)/8-1+c.off())
		if kind == 44 && !c.rarely() {
			b[2], b[3] = 0, 0 // no fragment, though it says it is one
		}
		m.front(b...)
		next = kind
	}
	b := be.AppendUint32(nil, 6<<28|uint32(c.uint(2)))
	b = be.AppendUint16(b, uint16(m.size()+c.off()))
	m.front(append(append(b, next, 64), c.bytes(32)...)...)
}
