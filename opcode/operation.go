package opcode

import "strconv"

// An Operation is the meaning of an opcode's low five bits, which RC, UC, RD,
// UD and XRC share.
type Operation uint8

// Operations, numbered as on the wire. 0x15, 0x18-0x1B, 0x1E and 0x1F are not
// assigned.
const (
	SendFirst          Operation = 0x00
	SendMiddle         Operation = 0x01
	SendLast           Operation = 0x02
	SendLastImm        Operation = 0x03
	SendOnly           Operation = 0x04
	SendOnlyImm        Operation = 0x05
	WriteFirst         Operation = 0x06
	WriteMiddle        Operation = 0x07
	WriteLast          Operation = 0x08
	WriteLastImm       Operation = 0x09
	WriteOnly          Operation = 0x0a
	WriteOnlyImm       Operation = 0x0b
	ReadRequest        Operation = 0x0c
	ReadResponseFirst  Operation = 0x0d
	ReadResponseMiddle Operation = 0x0e
	ReadResponseLast   Operation = 0x0f
	ReadResponseOnly   Operation = 0x10
	Acknowledge        Operation = 0x11
	AtomicAcknowledge  Operation = 0x12
	CmpSwap            Operation = 0x13
	FetchAdd           Operation = 0x14
	Resync             Operation = 0x15 // RD alone
	SendLastInv        Operation = 0x16
	SendOnlyInv        Operation = 0x17
	Flush              Operation = 0x1c
	AtomicWrite        Operation = 0x1d

	// NoOperation stands for the low bits of a CNP, of a manufacturer's opcode
	// and of an unassigned one.
	NoOperation Operation = 0xff
)

//go:generate go tool -modfile=../tools.mod stringer -linecomment -type=Position,Transport -output=string.go

// A Position is the place of a packet in its message.
type Position uint8

// Positions. An operation that takes a single packet is an Only.
const (
	NoPosition Position = iota // No position
	First
	Middle
	Last
	Only
)

var operations = [32]struct {
	name, info string
	position   Position
	response   bool
}{
	SendFirst:          {"SEND First", "Send First", First, false},
	SendMiddle:         {"SEND Middle", "Send Middle", Middle, false},
	SendLast:           {"SEND Last", "Send Last", Last, false},
	SendLastImm:        {"SEND Last with Immediate", "Send Last Immediate", Last, false},
	SendOnly:           {"SEND Only", "Send Only", Only, false},
	SendOnlyImm:        {"SEND Only with Immediate", "Send Only Immediate", Only, false},
	WriteFirst:         {"RDMA WRITE First", "RDMA Write First", First, false},
	WriteMiddle:        {"RDMA WRITE Middle", "RDMA Write Middle", Middle, false},
	WriteLast:          {"RDMA WRITE Last", "RDMA Write Last", Last, false},
	WriteLastImm:       {"RDMA WRITE Last with Immediate", "RDMA Write Last Immediate", Last, false},
	WriteOnly:          {"RDMA WRITE Only", "RDMA Write Only", Only, false},
	WriteOnlyImm:       {"RDMA WRITE Only with Immediate", "RDMA Write Only Immediate", Only, false},
	ReadRequest:        {"RDMA READ Request", "RDMA Read Request", Only, false},
	ReadResponseFirst:  {"RDMA READ response First", "RDMA Read Response First", First, true},
	ReadResponseMiddle: {"RDMA READ response Middle", "RDMA Read Response Middle", Middle, true},
	ReadResponseLast:   {"RDMA READ response Last", "RDMA Read Response Last", Last, true},
	ReadResponseOnly:   {"RDMA READ response Only", "RDMA Read Response Only", Only, true},
	Acknowledge:        {"Acknowledge", "Acknowledge", Only, true},
	AtomicAcknowledge:  {"ATOMIC Acknowledge", "Atomic Acknowledge", Only, true},
	CmpSwap:            {"CmpSwap", "Compare Swap", Only, false},
	FetchAdd:           {"FetchAdd", "Fetch Add", Only, false},
	Resync:             {"RESYNC", "Resync", Only, false},
	SendLastInv:        {"SEND Last with Invalidate", "Send Last Invalidate", Last, false},
	SendOnlyInv:        {"SEND Only with Invalidate", "Send Only Invalidate", Only, false},
	Flush:              {"FLUSH", "Flush", Only, false},
	AtomicWrite:        {"ATOMIC WRITE", "Atomic Write", Only, false},
}

// IsResponse reports whether a responder sends p.
func (p Operation) IsResponse() bool { return int(p) < len(operations) && operations[p].response }

// Position returns the place in the message that p says its packet has.
func (p Operation) Position() Position {
	if int(p) < len(operations) {
		return operations[p].position
	}
	return NoPosition
}

// Info returns the words of Wireshark's Info column, as "Send Only".
func (p Operation) Info() string {
	if int(p) < len(operations) && operations[p].info != "" {
		return operations[p].info
	}
	return p.String()
}

// String returns the name of p as opcode names hold it, as "SEND Only".
func (p Operation) String() string {
	if int(p) < len(operations) && operations[p].name != "" {
		return operations[p].name
	}
	return "Operation(" + strconv.Itoa(int(p)) + ")"
}
