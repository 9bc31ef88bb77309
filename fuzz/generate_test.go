package fuzz_test

import (
	"slices"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/erf"
	"github.com/ibwire/ibwire/grh"
	"github.com/ibwire/ibwire/linktype"
	"github.com/ibwire/ibwire/lrh"
	"github.com/ibwire/ibwire/opcode"
)

// A made packet is one that choices have made up: its headers from the outermost
// on, then what is behind them. It uses no serializer of this module's.
type made struct {
	link  linktype.Type
	parts [][]byte
}

func (m *made) bytes() []byte { return slices.Concat(m.parts...) }

// size is the length of all parts.
func (m *made) size() (n int) {
	for _, p := range m.parts {
		n += len(p)
	}
	return n
}

// front puts a header in front, and back bytes behind.
func (m *made) front(header ...byte) { m.parts = slices.Insert(m.parts, 0, header) }
func (m *made) back(b []byte)        { m.parts = append(m.parts, b) }

// makePacket makes a packet that a capture could hold, though lengths in it may
// be wrong by a little.
func makePacket(c *choices) *made {
	m := &made{}
	tunnels := c.bytes(pick(c, 0, 0, 0, 0, 1, 2)) // of which kinds, before the input is used up
	m.transport(c)
	switch c.byte() % 8 {
	case 0:
		m.native(c, lrh.LNHLocal)
	case 1:
		m.grh(c)
		m.native(c, lrh.LNHGlobal)
	case 2:
		m.raw(c)
	case 3:
		m.parts = [][]byte{c.bytes(pick(c, lrh.FlowControlSize, 8))}
		m.erf(c, erf.TypeInfinibandLink)
	case 4:
		m.grh(c)
		m.ethernet(c, uint16(grh.EtherType))
	default:
		m.roceV2(c)
	}
	for _, kind := range tunnels {
		m.tunnel(c, kind)
	}
	if c.rarely() {
		m.link = linktype.Type(c.uint(2))
	}
	return m
}

// transport makes a BTH with what belongs behind it, through the ICRC.
func (m *made) transport(c *choices) {
	o := opcode.Opcode(c.byte())
	payload := c.bytes(pick(c, 0, 4, 32, 1, 2, 3, 7, 60, 256, 1024))
	pad := -len(payload) & 3
	padCnt := pad
	if c.rarely() {
		padCnt = c.upTo(3)
	}
	b := []byte{byte(o), c.byte()&0xcf | byte(padCnt)<<4}
	b = be.AppendUint16(b, 0xffff-uint16(c.byte()))
	b = be.AppendUint32(b, uint32(c.uint(4)))
	b = be.AppendUint32(b, uint32(c.uint(4)))
	m.back(b)
	for h := range o.Headers().All() {
		m.back(c.bytes(h.Size()))
	}
	m.back(payload)
	m.back(make([]byte, pad))
	m.back(be.AppendUint32(nil, 0x1c1c1c1c))
}

// grh puts a GRH in front.
func (m *made) grh(c *choices) {
	next := byte(grh.NxtHdrIBA)
	if c.rarely() {
		next = c.byte()
	}
	b := append([]byte{0x60 | c.byte()&0xf, c.byte(), 0, c.byte()}, 0, 0, next, 64)
	be.PutUint16(b[4:], uint16(m.size()+c.off()))
	m.front(append(b, c.bytes(32)...)...)
}

// native puts an LRH in front and the VCRC behind, and at times an ERF record
// around them.
func (m *made) native(c *choices, lnh lrh.LNH) {
	m.link = linktype.InfiniBand
	words := uint16((lrh.Size+m.size())/4 + c.off())
	b := []byte{c.byte(), c.byte()&0xfc | byte(lnh)}
	b = be.AppendUint16(b, uint16(c.uint(2)))
	b = be.AppendUint16(b, uint16(c.byte())&0xf8<<8|words&0x7ff)
	m.front(be.AppendUint16(b, uint16(c.uint(2)))...)
	m.back([]byte{0x5c, 0x5c}[:pick(c, 2, 2, 2, 0, 1)])
	m.back(c.bytes(pick(c, 0, 0, 0, 4, 1)))
	if c.byte()&1 == 1 {
		m.erf(c, erf.TypeInfiniband)
	}
}

// raw makes a native packet of another transport, which may lead to InfiniBand
// all the same.
func (m *made) raw(c *choices) {
	if c.byte()&1 == 1 {
		m.udp(c, uint16(ibwire.UDPPort))
		m.ip6(c, protocolUDP)
		m.native(c, lrh.LNHIPv6)
		return
	}
	etherType := pick(c, uint16(grh.EtherType), 0x0800, 0x86dd, 0x8100, 0x0806)
	m.behindEtherType(c, etherType)
	m.front(be.AppendUint16([]byte{0, 0}, etherType)...)
	m.native(c, lrh.LNHRaw)
}

// erf puts the header of a record in front, with extension headers and what
// belongs to its type.
func (m *made) erf(c *choices, t erf.Type) {
	m.link = linktype.ERF
	if c.rarely() {
		t = erf.Type(c.byte() & 0x7f)
	}
	wlen := m.size() + c.off()
	m.front(c.bytes(t.SubHeaderSize())...)
	more := byte(t)
	var ext []byte
	for range pick(c, 0, 0, 1, 2, 3) {
		ext = append(ext, c.bytes(erf.ExtHeaderSize)...)
		ext[len(ext)-erf.ExtHeaderSize] |= 0x80
		more |= 0x80
	}
	if len(ext) > 0 {
		ext[len(ext)-erf.ExtHeaderSize] &= 0x7f
	}
	m.back(make([]byte, pick(c, 0, 0, 2, 6)))
	b := append(c.bytes(8), more, c.byte())
	b = be.AppendUint16(b, uint16(erf.HeaderSize+len(ext)+m.size()+c.off()))
	b = be.AppendUint16(b, uint16(c.byte()))
	m.front(append(be.AppendUint16(b, uint16(wlen)), ext...)...)
}
