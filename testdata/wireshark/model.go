package wireshark

import (
	"encoding/binary"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/bth"
	"github.com/ibwire/ibwire/field"
	"github.com/ibwire/ibwire/grh"
	"github.com/ibwire/ibwire/lrh"
	"github.com/ibwire/ibwire/opcode"
)

// A reading is how Wireshark reads a packet from its BTH on. Where it differs
// from this module, rules tell by it whether it does so in the known way. Places
// are counted as in an Item.
type reading struct {
	end      int  // where it takes the packet to end: the end of the frame
	captured int  // where the captured bytes end
	headers  int  // where the headers that it reads end
	overrun  bool // it stops in them, for want of bytes
	refused  bool // it shows no payload, since the length is more than is captured
	mad      bool // it takes the payload for a management datagram

	payload, icrc, vcrc span
}

// A span is the bytes [from, to); from is negative if there are none.
type span struct{ from, to int }

const (
	icrcSize = 4
	vcrcSize = 2

	madSize   = 256
	madHeader = 24 // is part of it
	rmppRest  = 8  // of the RMPP header, behind what every type of it has
)

// read returns how Wireshark reads a packet with a BTH.
func read(f *field.Frame, s Series) reading {
	start, code := f.Start(), f.BTH.OpCode
	none := span{-1, -1}
	r := reading{end: reportedEnd(f) - start, payload: none, icrc: none, vcrc: none}
	r.captured = min(f.CapLen(), r.end)
	at := f.Offset(ibwire.BTH) - start
	length := theirBTHSize(code) + theirHeaders(f, s)
	r.headers = at + length
	if r.overrun = r.headers > r.captured; r.overrun || !mapped(code, s) {
		return r
	}
	left := int(theirLength(f, r.end-at) - uint16(length))
	at = r.headers
	if hasPayload(code) {
		at = r.readPayload(f, at, left, s)
	}
	r.readCRCs(at)
	return r
}

// theirLength returns the length from the BTH on, in Wireshark's 16 bits.
func theirLength(f *field.Frame, rest int) uint16 {
	switch {
	case !f.Has(ibwire.LRH):
		return uint16(rest)
	case f.Has(ibwire.GRH):
		return f.LRH.PktLen*4 - lrh.Size - grh.Size
	}
	return f.LRH.PktLen*4 - lrh.Size
}

// readPayload returns where Wireshark goes on behind the payload.
func (r *reading) readPayload(f *field.Frame, at, left int, s Series) int {
	if at+left > r.captured {
		r.refused = true
		return at
	}
	if r.mad = isManagement(f, s); r.mad {
		if at+madSize > r.captured {
			r.overrun = at+1 >= r.captured // it looks for the class
			return at
		}
		return at + madSize
	}
	tail := icrcSize
	if f.Has(ibwire.LRH) {
		tail += vcrcSize
	}
	behind := r.end - tail
	end := behind
	if r.end-at < tail {
		end = r.end
	}
	if end = min(end, r.captured); end > at {
		r.payload = span{at, end}
	}
	return behind
}

// readCRCs finds the CRCs at the end of the frame.
func (r *reading) readCRCs(at int) {
	if r.overrun {
		return
	}
	switch r.end - at {
	case icrcSize + vcrcSize:
		r.icrc, r.vcrc = span{at, at + icrcSize}, span{at + icrcSize, r.end}
	case icrcSize:
		r.icrc = span{at, r.end}
	case vcrcSize:
		r.vcrc = span{at, r.end}
	}
	if r.icrc.to > r.captured {
		r.icrc, r.vcrc = span{-1, -1}, span{-1, -1}
	}
	if r.vcrc.to > r.captured {
		r.vcrc = span{-1, -1}
	}
}

// reportedEnd returns where Wireshark takes a packet to end in f.Data: where the
// frame ends, or the first of the IP packets and UDP datagrams around it.
func reportedEnd(f *field.Frame) int {
	const ipv6Size = 40
	end := f.Length
	if f.Has(ibwire.ERF) {
		end = f.Start() + int(f.ERF.WLen)
	}
	if f.Has(ibwire.LRH) {
		return end
	}
	for _, h := range f.Headers {
		length := func(at int) int { return h.Offset + int(binary.BigEndian.Uint16(f.Data[h.Offset+at:])) }
		switch h.Layer {
		case ibwire.IPv4:
			end = min(end, length(2))
		case ibwire.IPv6:
			end = min(end, length(4)+ipv6Size)
		case ibwire.UDP:
			end = min(end, length(4))
		}
	}
	return end
}

// theirBTHSize is the length of the BTH for Wireshark, which takes RD for
// Mellanox DC and a BTH there to be 8 bytes longer.
func theirBTHSize(o opcode.Opcode) int {
	if o.Transport() == opcode.RD {
		return bth.Size + dcSize
	}
	return bth.Size
}

const dcSize = 8

// mapped reports whether Wireshark knows which headers an opcode has.
func mapped(o opcode.Opcode, s Series) bool {
	switch o {
	case opcode.RCFlush, opcode.RCAtomicWrite, opcode.RDFlush, opcode.RDAtomicWrite:
		return s == V44
	}
	switch o.Transport() {
	case opcode.RC, opcode.UC, opcode.RD, opcode.UD:
		return o.Assigned()
	}
	return false
}

// theirHeaders returns the length of the headers that Wireshark reads behind
// the BTH.
func theirHeaders(f *field.Frame, s Series) int {
	o := f.BTH.OpCode
	switch {
	case !mapped(o, s), o == opcode.RDResync && f.BTH.SE:
		return 0
	case o == opcode.RDResync: // DC: Connect
		return opcode.DCCETH.Size()
	case o == opcode.RDAcknowledge:
		return opcode.AETH.Size()
	case o == opcode.RDFlush, o == opcode.RDAtomicWrite:
		return (o.Headers() &^ opcode.DETH).Size()
	}
	return o.Headers().Size()
}

// hasPayload reports whether Wireshark looks for a payload.
func hasPayload(o opcode.Opcode) bool {
	switch o {
	case opcode.RCAcknowledge, opcode.RCAtomicAcknowledge, opcode.RCCmpSwap, opcode.RCFetchAdd, opcode.RCFlush,
		opcode.RDReadRequest, opcode.RDAcknowledge, opcode.RDAtomicAcknowledge, opcode.RDCmpSwap, opcode.RDFetchAdd, opcode.RDFlush:
		return false
	}
	return true
}

// isManagement reports whether Wireshark takes the payload for a management
// datagram: by a queue pair, whatever the opcode.
func isManagement(f *field.Frame, s Series) bool {
	const srcQP = 5 // in the DETH
	o := f.BTH.OpCode
	if f.BTH.DestQP <= 1 {
		return true
	}
	if !o.Headers().Has(opcode.DETH) || o == opcode.RDResync || o == opcode.RDFlush || o == opcode.RDAtomicWrite {
		return false
	}
	at := f.Offset(ibwire.BTH) + theirBTHSize(o) + (o.Headers() & opcode.RDETH).Size() + srcQP
	return f.Data[at] == 0 && f.Data[at+1] == 0 && f.Data[at+2] <= 1
}
