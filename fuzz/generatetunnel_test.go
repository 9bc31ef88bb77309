package fuzz_test

import (
	"github.com/ibwire/ibwire/erf"
	"github.com/ibwire/ibwire/linktype"
	"github.com/ibwire/ibwire/lrh"
)

// EtherTypes of what is in tunnels, and of tunnels.
const (
	typeMPLS      = 0x8847
	typeEthernet  = 0x6558
	typeERSPANII  = 0x88be
	typeERSPANIII = 0x22eb
)

// tunnel puts the packet into a tunnel or a mirror of some kind, if there is one
// for it.
func (m *made) tunnel(c *choices, kind byte) {
	switch m.link {
	case linktype.InfiniBand:
		m.front(c.bytes(lrh.MirrorSize)...)
		m.front(be.AppendUint16([]byte{0, c.byte()}, uint16(lrh.MirrorEtherType))...)
		m.native(c, lrh.LNHRaw)
	case linktype.Ethernet:
		m.overEthernet(c, kind)
	case linktype.IPv4, linktype.IPv6:
		etherType := map[linktype.Type]uint16{linktype.IPv4: typeIPv4, linktype.IPv6: typeIPv6}[m.link]
		if kind&1 == 0 {
			m.gre(c, etherType)
			return
		}
		label := uint32(c.uint(4))
		m.front(be.AppendUint32(nil, label|0x100)...)
		for range pick(c, 0, 1, 2) {
			m.front(be.AppendUint32(nil, label&^0x100)...)
		}
		if c.byte()&1 == 0 {
			m.ethernet(c, typeMPLS)
		} else {
			m.ip4(c, protocolMPLS)
			m.carryIP(c, typeIPv4, linktype.IPv4, erf.TypeIPv4)
		}
	}
}

// overEthernet puts a frame of Ethernet into a tunnel.
func (m *made) overEthernet(c *choices, kind byte) {
	switch kind % 6 {
	case 0:
		m.front(c.bytes(8)...)
		m.overUDP(c, 4789)
	case 1:
		options := c.upTo(3)
		m.front(c.bytes(options * 4)...)
		m.front(append(be.AppendUint16([]byte{c.byte()&0xc0 | byte(options), c.byte()}, typeEthernet), c.bytes(4)...)...)
		m.overUDP(c, 6081)
	case 2:
		m.gre(c, typeEthernet)
	case 3: // of type I or II
		if kind >= 128 {
			m.front(c.bytes(8)...)
		}
		m.greWith(c, typeERSPANII, kind>>7<<4)
	case 4:
		b := c.bytes(12)
		if b[11]&1 != 0 {
			b = append(b, c.bytes(8)...)
		}
		m.front(b...)
		m.gre(c, typeERSPANIII)
	default:
		m.ethernet(c, typeEthernet)
	}
}

func (m *made) overUDP(c *choices, port uint16) {
	m.udp(c, port)
	m.ip4(c, protocolUDP)
	m.carryIP(c, typeIPv4, linktype.IPv4, erf.TypeIPv4)
}

// gre puts GRE and IP in front, with the fields that the flags announce.
func (m *made) gre(c *choices, etherType uint16) { m.greWith(c, etherType, c.byte()&0x10) }

// greWith is gre, with or without a sequence number: flag 0x10.
func (m *made) greWith(c *choices, etherType uint16, sequence byte) {
	flags := c.byte()&0xa0 | sequence
	ack := c.byte() & 0x80
	var fields []byte
	for _, f := range []byte{flags & 0x80, flags & 0x20, flags & 0x10, ack} {
		if f != 0 {
			fields = append(fields, c.bytes(4)...)
		}
	}
	if c.rarely() { // routes, of which there may be none
		flags |= 0x40
	}
	m.front(append(be.AppendUint16([]byte{flags, ack}, etherType), fields...)...)
	m.ip4(c, protocolGRE)
	m.carryIP(c, typeIPv4, linktype.IPv4, erf.TypeIPv4)
}
