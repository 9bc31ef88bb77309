package ibwire

import (
	"math/bits"

	"github.com/ibwire/ibwire/opcode"
)

// A Layer is a kind of header, and a set of them: each is a bit.
type Layer uint64

// Headers that a Packet can hold.
const (
	ERF    Layer = 1 << iota
	ERFExt       // one of a record's extension headers
	ERFSub       // a record's sub-header
	LinuxSLL
	LinuxSLL2
	Ethernet
	VLAN
	IPv4
	IPv6
	IPv6Ext // any IPv6 extension header
	UDP
	MPLS // any label of a stack
	GRE
	ERSPANII
	ERSPANIII // type I has no header
	VXLAN
	Geneve
	LRH
	RWH
	Mirror // what a switch puts in front of a mirrored packet
	FlowControl
	GRH
	BTH
	RDETH // from here on as in opcode.HeaderSet
	XRCETH
	DETH
	DCCETH
	FETH
	RETH
	AtomicETH
	AETH
	AtomicAckETH
	ImmDt
	IETH
	CNP

	numLayers = iota
)

var layerNames = [numLayers]string{
	"ERF", "ERF extension header", "ERF sub-header", "Linux cooked", "Linux cooked v2", "Ethernet", "VLAN", "IPv4", "IPv6", "IPv6 extension header", "UDP",
	"MPLS", "GRE", "ERSPAN II", "ERSPAN III", "VXLAN", "Geneve", "LRH", "RWH", "Mirror", "FlowControl", "GRH", "BTH",
}

// extLayer returns the Layer of an extension header.
func extLayer(h opcode.HeaderSet) Layer { return Layer(h) << (bits.TrailingZeros64(uint64(RDETH))) }

// extSet returns the extension headers of a Layer.
func extSet(l Layer) opcode.HeaderSet {
	return opcode.HeaderSet(l>>bits.TrailingZeros64(uint64(RDETH))) & opcode.AllHeaders
}

// String returns the names of the headers in l, as "LRH BTH RETH", in the order
// in which they are declared.
func (l Layer) String() string {
	s := ""
	for ; l != 0; l &= l - 1 {
		i := bits.TrailingZeros64(uint64(l))
		name := ""
		if i < numLayers {
			name = layerNames[i]
		}
		if name == "" {
			name = extSet(l & -l).String()
		}
		if s != "" && name != "" {
			s += " "
		}
		s += name
	}
	return s
}
