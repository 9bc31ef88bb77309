// Package opcode names the BTH OpCode values of InfiniBand and tells which
// extension headers each one puts between the BTH and the payload.
//
// It is plain data: it imports nothing but the standard library, so a tool
// that never heard of packets can use it.
//
// To add an opcode: add its constant and its row in table.go, and, if its
// headers come in an order that no sequence has, a row in sequence.go. A
// header of a new kind is a bit and a row in headers.go, declared where it
// stands on the wire.
package opcode

// An Opcode is the first byte of a BTH: bits 7-5 name the transport, bits 4-0
// the operation.
type Opcode uint8

// Transport returns the transport service that o belongs to. Both 0xC0-0xDF
// and 0xE0-0xFF are the manufacturer's.
func (o Opcode) Transport() Transport { return min(Transport(o>>5), Manufacturer) }

// Operation returns what o asks for or answers, which the transports RC, UC,
// RD, UD and XRC encode alike in the low five bits. A CNP, a manufacturer's
// opcode and an unassigned one have NoOperation.
func (o Opcode) Operation() Operation {
	if t := o.Transport(); t == CNP || t == Manufacturer || !o.Assigned() {
		return NoOperation
	}
	return Operation(o & 0x1f)
}

// Assigned reports whether the headers behind o are known. Behind any other
// opcode nothing is guessed: its Sequence is Opaque.
func (o Opcode) Assigned() bool { return sequences[o] != Opaque }

// Sequence returns the number of the header sequence that follows the BTH.
func (o Opcode) Sequence() Sequence { return sequences[o] }

// Headers returns the extension headers that follow the BTH.
func (o Opcode) Headers() HeaderSet { return sets[o] }

// HasPayload reports whether a payload may stand behind the headers of o. It
// may be empty all the same. For an opcode that is not assigned it is true:
// what is there is payload.
func (o Opcode) HasPayload() bool { return sequences[o].HasPayload() }

// IsRequest reports whether o is sent by a requester: it is assigned, not a
// CNP and not a response.
func (o Opcode) IsRequest() bool { return o.Operation() != NoOperation && !o.IsResponse() }

// IsResponse reports whether o is sent by a responder: READ responses and
// acknowledges.
func (o Opcode) IsResponse() bool { return o.Operation().IsResponse() }

// String returns the name that Wireshark 4.4 prints, as "Reliable Connection
// (RC) - SEND Only", or "Opcode(0x99)" if o has none. 0x81, which Wireshark
// does not know, is "CNP (RoCEv2)".
func (o Opcode) String() string {
	if s := table[o].name; s != "" {
		return s
	}
	return "Opcode(0x" + string(hex[o>>4]) + string(hex[o&0xf]) + ")"
}

// Info returns the short name that Wireshark puts into its Info column, as "RC
// Send Only". Where Wireshark has none (RD, which it calls DC there, XRC, CNP)
// it is made in the same manner, and "Unknown OpCode 0x99" for the rest.
func (o Opcode) Info() string { return infos[o] }

// infos is worked out once, so that a listing does not put the same words
// together for every packet.
var infos = func() (s [256]string) {
	for i := range s {
		o := Opcode(i)
		switch op := o.Operation(); {
		case op != NoOperation:
			s[i] = o.Transport().String() + " " + op.Info()
		case o.Assigned():
			s[i] = o.String() // the two CNPs
		default:
			s[i] = "Unknown OpCode 0x" + string(hex[o>>4]) + string(hex[o&0xf])
		}
	}
	return s
}()

const hex = "0123456789abcdef"

// A Transport is the service that an opcode belongs to.
type Transport uint8

// Transports, numbered as the high three bits of the opcode: Reliable
// Connection, Unreliable Connection, Reliable Datagram (Mellanox uses its
// numbers for Dynamically Connected), Unreliable Datagram, congestion
// notification for any transport, Extended Reliable Connection, and 0xC0-0xFF.
const (
	RC Transport = iota
	UC
	RD
	UD
	CNP
	XRC
	Manufacturer
)
