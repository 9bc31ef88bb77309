package check

import (
	"slices"
	"time"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/erf"
	"github.com/ibwire/ibwire/grh"
	"github.com/ibwire/ibwire/linktype"
	"github.com/ibwire/ibwire/lrh"
	"github.com/ibwire/ibwire/opcode"
)

// An Input is what rules look at: a packet, and what its capture says of it. Of
// the latter all may be left out, and is then not known.
type Input struct {
	*ibwire.Packet
	Number   int64         // of the packet
	LinkType linktype.Type // as Decode was given it
	Length   int           // bytes that the packet had on the wire, with ERF headers if it has any; 0 if not known
	Time     time.Time     // of the record or block in the file, beside the time in an ERF record; zero if not known

	// MTU is the largest payload that the path takes, in bytes; 0 stands for the
	// largest that there is.
	MTU int

	has    ibwire.Layer // headers that can be believed to be there
	state  state
	end    int  // of the packet in Data, without the padding of its record
	cut    bool // the capture did not keep all of the packet
	buffer []byte
}

// A state is a set of what is known of a packet.
type state uint16

const (
	// infiniBand: the packet is InfiniBand, or begins like it and is cut.
	infiniBand state = 1 << iota
	// native: the BTH is that of an LRH, not of a raw packet.
	native
	// whole: nothing is missing, and no length contradicts another one, so that
	// the payload is known.
	whole
	// doubtful: it is not whole, or bytes are behind it. Only then a length can be
	// wrong.
	doubtful
	// known: the headers behind the BTH are. Of the opcodes of RD they are not:
	// Mellanox uses them for a transport whose headers are not public.
	known
	// special: one of the LIDs is not a port's.
	special
	// management: the packet is to QP0 or QP1.
	management
	// marked: the ERF record has flags besides those of healthy records, or says
	// that packets were lost.
	marked
)

// transport are the BTH and what follows it.
const transport = ibwire.BTH | ibwire.RDETH | ibwire.XRCETH | ibwire.DETH | ibwire.DCCETH | ibwire.FETH | ibwire.RETH |
	ibwire.AtomicETH | ibwire.AETH | ibwire.AtomicAckETH | ibwire.ImmDt | ibwire.IETH | ibwire.CNP

// fits reports whether r is about such a packet.
func (in *Input) fits(r *Rule) bool { return in.has&r.needs == r.needs && in.state&r.state == r.state }

// prepare finds out what rules go by.
func (in *Input) prepare() {
	in.has, in.state = in.Layers(), doubtful
	if in.has&ibwire.UDP != 0 && !in.toRoCE() && in.behindUDP() {
		in.has &^= transport // somebody's UDP packet, who happens to use the port as his own
	}
	in.end = len(in.Data)
	if in.has&ibwire.ERF != 0 {
		in.prepareERF()
	} else {
		in.cut = in.Length > len(in.Data)
		if in.Length > 0 {
			in.end = min(in.end, in.Length)
		}
	}
	if in.has&ibwire.LRH != 0 && (!in.LRH.DLID.IsUnicast() || !in.LRH.SLID.IsUnicast()) {
		in.state |= special
	}
	if in.has&ibwire.BTH != 0 {
		in.prepareTransport()
	}
	if in.state&infiniBand == 0 && in.isInfiniBand() {
		in.state |= infiniBand
	}
}

// prepareERF finds out what rules about a packet in an ERF record go by.
func (in *Input) prepareERF() {
	in.end -= len(in.ERF.Trailer)
	in.cut = in.ERF.Missing() > 0 || in.ERF.IsCut()
	if in.ERF.Flags&^(erf.FlagInterface|erf.FlagVLen) != 0 || in.ERF.LCtr != 0 {
		in.state |= marked
	}
}

// prepareTransport finds out what rules about a packet with a BTH go by.
func (in *Input) prepareTransport() {
	in.state |= infiniBand
	if in.has&ibwire.LRH != 0 && in.LRH.LNH >= lrh.LNHLocal {
		in.state |= native
	}
	if in.BTH.OpCode.Assigned() && in.BTH.OpCode.Transport() != opcode.RD {
		in.state |= known
	}
	if !in.Truncated && !in.HasICRC() {
		in.has &^= transport &^ ibwire.BTH // the length leaves no room for them and an ICRC
	}
	if in.BTH.DestQP <= maxManagementQP {
		in.state |= management
	}
	// A trailer may be part of the packet, where the length field is too small.
	if !in.cut && !in.Truncated && in.HasICRC() && len(in.Gap) == 0 && (len(in.Trailer) == 0 || in.ICRC().Status == ibwire.Good) {
		in.state |= whole
		if len(in.Trailer) == 0 {
			in.state &^= doubtful
		}
	}
}

// isInfiniBand reports whether the packet is InfiniBand, also if it is cut in
// front of the BTH.
func (in *Input) isInfiniBand() bool {
	switch {
	case in.has&(ibwire.LRH|ibwire.FlowControl|ibwire.GRH) != 0, in.LinkType == linktype.InfiniBand:
		return true
	case in.has&ibwire.UDP != 0:
		return in.toRoCE()
	case in.has&ibwire.ERF != 0:
		return in.ERF.Type == erf.TypeInfiniband || in.ERF.Type == erf.TypeInfinibandLink
	case in.has&ibwire.VLAN != 0:
		return in.VLAN.Type == grh.EtherType
	}
	return in.has&ibwire.Ethernet != 0 && in.Ethernet.EthernetType == grh.EtherType
}

// toRoCE reports whether the UDP packet goes to RoCE v2. To a Packet the source
// port alone will do.
func (in *Input) toRoCE() bool {
	return in.UDP.DstPort == ibwire.UDPPort || slices.Contains(in.Ports, uint16(in.UDP.DstPort))
}

// behindUDP reports whether the BTH is behind a UDP header.
func (in *Input) behindUDP() bool {
	i := slices.IndexFunc(in.Headers, func(h ibwire.Header) bool { return h.Layer == ibwire.BTH })
	return i > 0 && in.Headers[i-1].Layer == ibwire.UDP
}

// isFragment reports whether the packet is a fragment of an IP packet.
func (in *Input) isFragment() bool {
	const moreFragments = 1
	if in.has&ibwire.IPv4 != 0 && (in.IPv4.Flags&moreFragments != 0 || in.IPv4.FragOffset != 0) {
		return true
	}
	return in.has&ibwire.IPv6Ext != 0 && in.Truncated && !in.cut // the only sign that is left of a fragment header
}

// size returns how many bytes of a native packet are there, from the LRH through
// what is behind its VCRC.
func (in *Input) size() int { return in.end - in.Offset(ibwire.LRH) }
