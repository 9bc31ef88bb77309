package wireshark

import (
	"strings"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/opcode"
)

// extension are the fields of the extension headers, syndrome those of which an
// AETH has one or the other, and behindThem what is behind the headers.
var (
	extension = []string{
		"infiniband.reserved", "infiniband.rdeth", "infiniband.rdeth.eecnxt",
		"infiniband.deth", "infiniband.deth.q_key", "infiniband.deth.srcqp",
		"infiniband.feth", "infiniband.feth.sel", "infiniband.feth.plt",
		"infiniband.reth", "infiniband.reth.va", "infiniband.reth.r_key", "infiniband.reth.dmalen",
		"infiniband.atomiceth", "infiniband.atomiceth.swapdt", "infiniband.atomiceth.cmpdt",
		"infiniband.aeth", "infiniband.aeth.*", "infiniband.atomicacketh", "infiniband.atomicacketh.origremdt",
		"infiniband.immdt", "infiniband.ieth",
	}
	syndrome = []string{
		"infiniband.aeth.syndrome.credit_count", "infiniband.aeth.syndrome.timer",
		"infiniband.aeth.syndrome.reserved_value", "infiniband.aeth.syndrome.error_code",
	}
	behindThem = []string{"infiniband.payload", "infiniband.invariant.crc", "infiniband.variant.crc"}
)

// unknownRules are about opcodes whose headers Wireshark does not know.
var unknownRules = []*Rule{
	{
		ID: "opcode-name", In: V40, Kind: Label, Fields: []string{"infiniband.bth.opcode"},
		When: func(d *Difference) bool {
			return d.code().Assigned() && strings.HasPrefix(d.Theirs.Label, "Opcode: Unknown (")
		},
		Wireshark: "Unknown",
		We:        "the name",
		Fact:      "FLUSH and ATOMIC WRITE (IBTA annex A19), CNP 0x81 (annex A17)",
	},
	{
		ID: "unknown-vendor", In: Both, Kind: Theirs, Fields: []string{"infiniband.vendor"},
		When: func(d *Difference) bool {
			r := d.read()
			return d.isUnknown() && d.code().Assigned() && d.Theirs.Offset == r.headers && (d.Theirs.Length == 4 || d.Theirs.end() == r.captured)
		},
		Wireshark: "everything behind the BTH as vendor specific, CRCs included",
		We:        "headers, payload, pad and CRCs",
		Fact:      "XRC, FLUSH, ATOMIC WRITE and CNP have headers, and every packet has its ICRC where the length says",
	},
	{
		ID: "unknown-headers", In: Both, Kind: Ours, Fields: extension,
		When:      func(d *Difference) bool { return d.isUnknown() && d.Ours.Offset >= d.bthEnd() },
		Wireshark: "no extension headers",
		We:        "those of the opcode",
		Fact:      "as unknown-vendor",
	},
	{
		ID: "unknown-end", In: Both, Kind: Ours, Fields: behindThem,
		When:      (*Difference).isUnknown,
		Wireshark: "no payload, no CRCs",
		We:        "them",
		Fact:      "as unknown-vendor",
	},
	{
		ID: "feth-reserved", In: V44, Kind: Theirs, Fields: []string{"infiniband.feth.reserved27"},
		When:      func(d *Difference) bool { return d.code().Headers().Has(opcode.FETH) },
		Wireshark: "27 reserved bits",
		We:        "26 reserved bits",
		Fact:      "as feth-bits",
	},
	{
		ID: "feth-bits", In: V44, Kind: Text, Fields: []string{"infiniband.feth.sel", "infiniband.feth.plt"},
		When:      func(d *Difference) bool { return d.code().Headers().Has(opcode.FETH) },
		Wireshark: "selectivity in 0x18, placement in 0x07",
		We:        "selectivity in 0x30, placement in 0x0f",
		Fact:      "Linux (rxe) has these masks, and sends and receives the packets",
	},
	{
		ID: "aeth-credits", In: V40, Kind: Label, Fields: []string{"infiniband.aeth.syndrome.credit_count"},
		When:      func(d *Difference) bool { return strings.HasPrefix(d.Ours.Label, d.Theirs.Label+" (") },
		Wireshark: "the code",
		We:        "the code, and the credits behind it",
		Fact:      "the code stands for a number of credits, as Linux reads it",
	},
}

// rdRules are about RD, which Wireshark reads as Mellanox DC: with a BTH of 20
// bytes.
var rdRules = []*Rule{
	{
		ID: "rd-bth", In: Both, Kind: Place, Fields: []string{"infiniband.bth"},
		When: func(d *Difference) bool {
			return d.isRD() && d.Theirs.Offset == d.Ours.Offset && d.Theirs.Length == d.Ours.Length+dcSize
		},
		Wireshark: "a BTH of 20 bytes",
		We:        "a BTH of 12 bytes",
		Fact:      "the BTH has 12 bytes in every transport (IBTA Vol 1, 9.2; Linux, NFStest, scapy)",
	},
	{
		ID: "rd-bth-cut", In: Both, Kind: Ours,
		Fields: []string{"infiniband.bth", "infiniband.bth.*", "infiniband.reserved"},
		When: func(d *Difference) bool {
			return d.isRD() && d.Ours.end() <= d.bthEnd() && d.bthEnd()+dcSize > d.read().captured
		},
		Wireshark: "nothing of a BTH that has less than 20 bytes",
		We:        "the BTH",
		Fact:      "as rd-bth",
	},
	{
		ID: "rd-shift", In: Both, Kind: Place, Fields: extension,
		When: func(d *Difference) bool {
			return d.isRD() && d.Theirs.Length == d.Ours.Length && d.Theirs.Offset == d.Ours.Offset+d.rdShift()
		},
		Wireshark: "extension headers 8 bytes further on; the AETH of an acknowledge 4, since it forgets the RDETH",
		We:        "extension headers behind the BTH",
		Fact:      "as rd-bth",
	},
	{
		ID: "rd-vendor", In: Both, Kind: Place | Ours, Fields: []string{"infiniband.vendor"},
		When: func(d *Difference) bool {
			at := d.bthEnd() + dcSize
			switch {
			case !d.isRD():
				return false
			case d.Theirs == nil:
				return at+4 > d.read().captured
			}
			return d.Theirs.Offset == at && (d.Theirs.Length == 4 || d.Theirs.end() == d.Ours.end())
		},
		Wireshark: "what is behind the BTH of an opcode that is not known 8 bytes further on, if there is so much",
		We:        "what is behind the BTH",
		Fact:      "as rd-bth",
	},
	{
		ID: "rd-syndrome", In: Both, Kind: Theirs | Ours, Fields: syndrome,
		When: func(d *Difference) bool {
			return d.isRD() && d.code().Headers().Has(opcode.AETH)
		},
		Wireshark: "the field that the type in a wrong byte calls for",
		We:        "the field of the AETH's type",
		Fact:      "as rd-shift",
	},
	{
		ID: "rd-overrun", In: Both, Kind: Ours, Fields: extension,
		When:      func(d *Difference) bool { return d.isRD() && d.read().overrun && d.Ours.Offset >= d.bthEnd() },
		Wireshark: "no more headers, since there are no bytes for them 8 bytes further on",
		We:        "all headers",
		Fact:      "as rd-shift",
	},
	{
		ID: "rd-ack", In: Both, Kind: Ours,
		Fields: []string{"infiniband.rdeth", "infiniband.rdeth.eecnxt", "infiniband.reserved"},
		When: func(d *Difference) bool {
			return d.isRD() && d.code() == opcode.RDAcknowledge && d.Ours.Offset >= d.bthEnd()
		},
		Wireshark: "no RDETH in an acknowledge",
		We:        "the RDETH",
		Fact:      "RDETH and AETH (NFStest's table follows IBTA 1.3, table 38); Wireshark names the sequence so too",
	},
	{
		ID: "rd-resync", In: Both, Kind: Ours,
		Fields: []string{
			"infiniband.rdeth", "infiniband.rdeth.eecnxt", "infiniband.reserved",
			"infiniband.deth", "infiniband.deth.q_key", "infiniband.deth.srcqp",
		},
		When: func(d *Difference) bool {
			return d.isRD() && d.code() == opcode.RDResync && d.Ours.Offset >= d.bthEnd()
		},
		Wireshark: "a DC connect header of 16 bytes without fields, or with SE none",
		We:        "RDETH and DETH",
		Fact:      "RESYNC of RD has the two (NFStest)",
	},
}

func (d *Difference) code() opcode.Opcode { return d.Frame.BTH.OpCode }

func (d *Difference) read() reading { return read(d.Frame, d.series) }

// bthEnd returns where the BTH ends.
func (d *Difference) bthEnd() int {
	const size = 12
	return d.Frame.Offset(ibwire.BTH) - d.Frame.Start() + size
}

func (d *Difference) isUnknown() bool {
	return d.Frame.Has(ibwire.BTH) && !mapped(d.code(), d.series)
}

// isRD reports whether it is a packet of RD whose opcode Wireshark knows.
func (d *Difference) isRD() bool {
	return d.Frame.Has(ibwire.BTH) && d.code().Transport() == opcode.RD
}

// rdShift is how far Wireshark is off in extension headers of RD.
func (d *Difference) rdShift() int {
	if d.code() == opcode.RDAcknowledge {
		return dcSize - opcode.RDETH.Size()
	}
	return dcSize
}
