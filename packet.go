package ibwire

import (
	"github.com/google/gopacket/layers"

	"github.com/ibwire/ibwire/bth"
	"github.com/ibwire/ibwire/erf"
	"github.com/ibwire/ibwire/ext"
	"github.com/ibwire/ibwire/grh"
	"github.com/ibwire/ibwire/lrh"
)

// A Packet is a packet taken apart into one value. It is for large captures: the
// same Packet decodes one packet after the other and, once it has grown to what
// they need, allocates nothing but the error about a header that is cut. The zero
// value is ready.
//
// The structs hold the headers that Has reports; the others are left over from
// earlier packets. A header that occurs more than once, as outside and inside a
// tunnel, is there as it is innermost; Headers tells where all of them are.
// Slices point into the data that was decoded.
//
// A Packet belongs to one goroutine, and is not to be copied: it points into
// itself.
type Packet struct {
	// Ports are UDP ports that carry RoCE v2 besides 4791.
	Ports []uint16

	// Data is what Decode was given.
	Data []byte

	ERF         erf.Record
	Ethernet    layers.Ethernet
	VLAN        layers.Dot1Q
	IPv4        layers.IPv4
	IPv6        layers.IPv6
	UDP         layers.UDP
	MPLS        layers.MPLS // the innermost label
	GRE         layers.GRE  // without its routes
	ERSPANII    layers.ERSPANII
	VXLAN       layers.VXLAN
	Geneve      layers.Geneve // without its options
	LRH         lrh.LRH
	RWH         lrh.RWH
	Mirror      lrh.Mirror
	FlowControl lrh.FlowControl
	GRH         grh.GRH
	BTH         bth.BTH
	Ext         ext.Headers // RDETH to CNP

	// Headers are the headers in the order of the packet, and where they are.
	Headers []Header

	// Payload is what is behind the last header and in front of pad and ICRC. In
	// a packet that was cut it is all that is there behind the headers: bytes
	// beyond PayloadLen are of the pad and the ICRC. In a packet that does not
	// lead to InfiniBand it is all that was not looked into.
	Payload []byte
	// PayloadLen is the length of the payload by the length field that counts,
	// also where the capture holds less. It is len(Payload) where no length field
	// can be believed.
	PayloadLen int
	// Pad is the pad behind the payload.
	Pad []byte
	// Gap is what lies between the end that an inner length field gives, as PayLen
	// or an IP length, and the one that PktLen gives.
	Gap []byte
	// Trailer is what lies behind the packet in its frame: Ethernet padding, a
	// frame check sequence, bytes behind the VCRC. The padding of an ERF record is
	// ERF.Trailer.
	Trailer []byte
	// Cut is what is there of a header that is cut, which Decode has returned as
	// an error.
	Cut []byte
	// Truncation has the field Truncated, and is what the headers tell of it.
	bth.Truncation

	has   Layer
	rest  []byte            // what is not decoded yet
	at    int               // where it begins in Data
	frame int               // where the frame ends in Data, by what the record or the capture holds of it
	left  int               // bytes behind the last header by a length field, through the ICRC; -1 if none can be believed
	local int               // where the packet of the LRH ends in Data, without VCRC
	proto layers.IPProtocol // of what is behind an IP header

	enter    bool  // the next header is the first one inside a tunnel
	inner    int   // index of the first header inside all tunnels
	innerEnd int   // where what is inside ends in Data
	inside   Layer // the headers from there on

	sums sums
}

// A Header is a header of a packet: bytes [Offset, Offset+Length) of its data.
type Header struct {
	Layer  Layer
	Offset int
	Length int
}

// Has reports whether the packet has every header of l, whole.
func (p *Packet) Has(l Layer) bool { return p.has&l == l }

// Layers returns the set of headers of the packet.
func (p *Packet) Layers() Layer { return p.has }

// Offset returns where the header of kind l begins in Data, the innermost one,
// or -1.
func (p *Packet) Offset(l Layer) int {
	for i := len(p.Headers) - 1; i >= 0; i-- {
		if p.Headers[i].Layer == l {
			return p.Headers[i].Offset
		}
	}
	return -1
}

// IPProtocol returns what is behind the innermost IP header and its extension
// headers, if the packet has an IP header.
func (p *Packet) IPProtocol() layers.IPProtocol { return p.proto }

// An Encapsulation is what carries a packet of the InfiniBand transport.
type Encapsulation uint8

//go:generate go tool -modfile=tools.mod stringer -linecomment -type=Encapsulation,Status -output=string.go

// Encapsulations.
const (
	NotInfiniBand Encapsulation = iota // not InfiniBand
	Native                             // InfiniBand
	RoCEv1                             // RoCE
	RoCEv2                             // RRoCE
)

// Encapsulation returns what carries the packet, which inside a tunnel or mirror
// is the innermost one. A packet with an LRH is native whatever follows, and so
// is a flow control packet.
func (p *Packet) Encapsulation() Encapsulation {
	switch {
	case p.inside&(LRH|FlowControl) != 0:
		return Native
	case p.inside&GRH != 0:
		return RoCEv1
	case p.inside&BTH != 0:
		return RoCEv2
	}
	return NotInfiniBand
}

// Inside returns the set of headers of the innermost packet: those behind all
// mirrors and tunnels. In a packet without any, or where no header was found
// inside, it is that of all headers.
func (p *Packet) Inside() Layer { return p.inside }
