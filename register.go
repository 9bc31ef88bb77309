package ibwire

import (
	"sync"

	"github.com/google/gopacket/layers"

	"github.com/ibwire/ibwire/bth"
	"github.com/ibwire/ibwire/erf"
	"github.com/ibwire/ibwire/grh"
	"github.com/ibwire/ibwire/lrh"
)

// UDPPort is the UDP port of RoCE v2: a BTH follows the UDP header.
const UDPPort layers.UDPPort = 4791

// Register makes gopacket's own layers lead to InfiniBand, for the whole
// process: link type 197 to an ERF record and 247 to an LRH, EtherType 0x8915
// to a GRH, UDP port 4791 to a BTH. As gopacket has it, a UDP packet goes by its
// destination port, and by its source port only where the destination port
// means nothing to gopacket.
//
// Call it at the start of the program, before packets are decoded; calling it
// again does nothing. Without it gopacket behaves as if this module were not
// there, and the layers can still be used by their layer types.
func Register() { register() }

var register = sync.OnceFunc(func() {
	layers.LinkTypeMetadata[erf.LinkType] = layers.EnumMetadata{
		DecodeWith: erf.LayerTypeERF, Name: "ERF", LayerType: erf.LayerTypeERF,
	}
	layers.LinkTypeMetadata[lrh.LinkType] = layers.EnumMetadata{
		DecodeWith: lrh.LayerTypeLRH, Name: "InfiniBand", LayerType: lrh.LayerTypeLRH,
	}
	layers.EthernetTypeMetadata[grh.EtherType] = layers.EnumMetadata{
		DecodeWith: grh.LayerTypeGRH, Name: "RoCE", LayerType: grh.LayerTypeGRH,
	}
	layers.RegisterUDPPortLayerType(UDPPort, bth.LayerTypeBTH)
})
