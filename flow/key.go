package flow

import (
	"cmp"
	"fmt"
	"net/netip"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/lrh"
	"github.com/ibwire/ibwire/opcode"
)

// An Endpoint is an end of a flow: a GID or an IP address, or a LID where the
// packet has no GRH. The other one is zero.
type Endpoint struct {
	Addr netip.Addr // GIDs are of 16 bytes, also where they map an IPv4 address
	LID  lrh.LID
}

// String returns the address, or the LID in decimal.
func (e Endpoint) String() string {
	if e.Addr.IsValid() {
		return e.Addr.String()
	}
	return e.LID.String()
}

// A Key names a flow. Keys can be compared with ==. VLAN tags, tunnels and UDP
// source ports are no part of it.
type Key struct {
	Encapsulation ibwire.Encapsulation
	Transport     opcode.Transport // as the opcode has it; CNPs are flows of their own
	Src, Dst      Endpoint
	DestQP        uint32 // 24 bits
	SrcQP         uint32 // 24 bits, of UD alone, where the DETH has it
}

// String returns k as "RRoCE 192.0.2.1 > 192.0.2.2 RC QP=0x000012".
func (k Key) String() string {
	s := fmt.Sprintf("%v %v > %v %v QP=0x%06x", k.Encapsulation, k.Src, k.Dst, k.Transport, k.DestQP)
	if k.Transport == opcode.UD {
		s += fmt.Sprintf(" SrcQP=0x%06x", k.SrcQP)
	}
	return s
}

// An address is an Endpoint as it is looked up: plain bytes are hashed faster
// than a netip.Addr. LIDs and IPv4 addresses stand at the end of it.
type address [16]byte

// ends are the two addresses of a flow, and what they are.
type ends struct {
	src, dst address
	kind     addressKind
	encap    ibwire.Encapsulation
}

type addressKind uint8

const (
	lid addressKind = iota
	ip4
	ip16
)

// A compact is a Key as it is looked up.
type compact struct {
	ends
	transport     opcode.Transport
	destQP, srcQP uint32
}

// compactOf returns the key of a packet that has a BTH. It returns false if
// headers that belong to the key are cut off.
func compactOf(p *ibwire.Packet) (c compact, ok bool) {
	c.encap = p.Encapsulation()
	switch in := p.Inside(); {
	case in&ibwire.GRH != 0:
		c.kind, c.src, c.dst = ip16, p.GRH.SGID.As16(), p.GRH.DGID.As16()
	case in&ibwire.LRH != 0:
		c.src[14], c.src[15] = byte(p.LRH.SLID>>8), byte(p.LRH.SLID)
		c.dst[14], c.dst[15] = byte(p.LRH.DLID>>8), byte(p.LRH.DLID)
	case in&ibwire.IPv4 != 0:
		c.kind = ip4
		copy(c.src[12:], p.IPv4.SrcIP)
		copy(c.dst[12:], p.IPv4.DstIP)
	case in&ibwire.IPv6 != 0:
		c.kind = ip16
		copy(c.src[:], p.IPv6.SrcIP)
		copy(c.dst[:], p.IPv6.DstIP)
	default:
		return c, false
	}
	c.transport, c.destQP = p.BTH.OpCode.Transport(), p.BTH.DestQP
	if c.transport == opcode.UD && p.BTH.OpCode.Assigned() {
		if !p.Ext.Present.Has(opcode.DETH) {
			return c, false
		}
		c.srcQP = p.Ext.DETH.SrcQP
	}
	return c, true
}

// endpoint returns a as a user sees it.
func (k addressKind) endpoint(a address) Endpoint {
	switch k {
	case lid:
		return Endpoint{LID: lrh.LID(a[14])<<8 | lrh.LID(a[15])}
	case ip4:
		return Endpoint{Addr: netip.AddrFrom4([4]byte(a[12:]))}
	}
	return Endpoint{Addr: netip.AddrFrom16(a)}
}

// key returns c as a user sees it.
func (c *compact) key() Key {
	return Key{c.encap, c.transport, c.kind.endpoint(c.src), c.kind.endpoint(c.dst), c.destQP, c.srcQP}
}

// compact is the reverse of compact.key.
func (k Key) compact() compact {
	c := compact{transport: k.Transport, destQP: k.DestQP, srcQP: k.SrcQP}
	c.encap = k.Encapsulation
	c.src, c.kind = k.Src.address()
	c.dst, _ = k.Dst.address()
	return c
}

func (e Endpoint) address() (a address, kind addressKind) {
	switch {
	case !e.Addr.IsValid():
		a[14], a[15] = byte(e.LID>>8), byte(e.LID)
		return a, lid
	case e.Addr.Is4():
		four := e.Addr.As4()
		copy(a[12:], four[:])
		return a, ip4
	}
	return e.Addr.As16(), ip16
}

// unordered returns e with the lesser address as source, and whether e had it so.
func (e ends) unordered() (ends, bool) {
	if cmp.Compare(string(e.src[:]), string(e.dst[:])) <= 0 {
		return e, true
	}
	e.src, e.dst = e.dst, e.src
	return e, false
}
