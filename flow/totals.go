package flow

import (
	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/opcode"
)

// A Count counts packets.
type Count struct {
	Packets int64
	Bytes   int64 // of whole frames, by the length that Add is given
	Payload int64 // bytes behind the headers, without pads, by the length fields
}

func (c *Count) add(length, payload int) {
	c.Packets++
	c.Bytes += int64(length)
	c.Payload += int64(payload)
}

// Totals are the counts of all packets that a Table was given.
type Totals struct {
	All            Count
	Encapsulations [ibwire.RoCEv2 + 1]Count
	Transports     [opcode.Manufacturer + 1]Count // of packets with a BTH
	Opcodes        [256]Count                     // of packets with a BTH

	// NoBTH counts packets without a BTH: of other protocols, raw packets, flow
	// control packets, later fragments, and packets that are cut before it.
	NoBTH int64
	// NoFlow counts packets with a BTH that belong to a flow that cannot be told:
	// the DETH is cut off, or there are no addresses.
	NoFlow int64
	// NoTime counts packets without a time, and Backwards those whose time is
	// before that of the packet before.
	NoTime, Backwards int64

	Flows           int64 // flows opened, also those that have been evicted since
	EvictedFlows    int64 // for lack of room
	EvictedMessages int64 // messages given up for lack of room, also whole ones that waited for an acknowledge
	EvictedGaps     int64 // open gaps given up for lack of room, which are Unresolved

	Events   [numEventKinds]int64 // by EventKind
	Messages [numStatuses]int64   // by Status
	// Verdicts has the PSNs that were missing, of requests and READ responses, by
	// Verdict. Those of CaptureMissed tell how complete the capture is.
	Verdicts [numVerdicts]int64

	// NAKs has the NAKs by code, and RNRs the RNR NAKs by timer code.
	NAKs [32]int64
	RNRs [32]int64
	// CNPs has the congestion notifications, and UnknownCNPs those for which no
	// flow was found that they throttle.
	CNPs, UnknownCNPs int64
}

func (t *Totals) add(p *ibwire.Packet, length int) {
	payload := 0
	if p.Inside()&ibwire.BTH != 0 {
		payload = p.PayloadLen
		t.Transports[p.BTH.OpCode.Transport()].add(length, payload)
		t.Opcodes[p.BTH.OpCode].add(length, payload)
	} else {
		t.NoBTH++
	}
	t.All.add(length, payload)
	t.Encapsulations[p.Encapsulation()].add(length, payload)
}
