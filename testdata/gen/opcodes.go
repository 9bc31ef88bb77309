package main

import "slices"

// An opcode is what a BTH's OpCode says about the rest of the packet.
type opcode struct {
	code       uint64
	name       string
	extensions string // behind the BTH, in wire order
	payload    bool
}

const (
	rcSendOnly     = 0x04
	rcWriteOnly    = 0x0a
	rcAcknowledge  = 0x11
	rcAtomicAck    = 0x12
	rcSendOnlyInv  = 0x17
	rcFlush        = 0x1c
	rdWriteOnlyImm = 0x4b
	udSendOnly     = 0x64
	udSendOnlyImm  = 0x65
	cnpNative      = 0x80
	cnpRoCE        = 0x81
	xrcFetchAdd    = 0xb4

	firstManufacturer = 0xc0
)

// assigned is typed in by hand and shares nothing with the table of the
// library: a mistake in one of them must show.
var assigned = []opcode{
	{0x00, "RC SEND First", "", true},
	{0x01, "RC SEND Middle", "", true},
	{0x02, "RC SEND Last", "", true},
	{0x03, "RC SEND Last with Immediate", "ImmDt", true},
	{0x04, "RC SEND Only", "", true},
	{0x05, "RC SEND Only with Immediate", "ImmDt", true},
	{0x06, "RC RDMA WRITE First", "RETH", true},
	{0x07, "RC RDMA WRITE Middle", "", true},
	{0x08, "RC RDMA WRITE Last", "", true},
	{0x09, "RC RDMA WRITE Last with Immediate", "ImmDt", true},
	{0x0a, "RC RDMA WRITE Only", "RETH", true},
	{0x0b, "RC RDMA WRITE Only with Immediate", "RETH ImmDt", true},
	{0x0c, "RC RDMA READ Request", "RETH", false},
	{0x0d, "RC RDMA READ response First", "AETH", true},
	{0x0e, "RC RDMA READ response Middle", "", true},
	{0x0f, "RC RDMA READ response Last", "AETH", true},
	{0x10, "RC RDMA READ response Only", "AETH", true},
	{0x11, "RC Acknowledge", "AETH", false},
	{0x12, "RC ATOMIC Acknowledge", "AETH AtomicAckETH", false},
	{0x13, "RC CmpSwap", "AtomicETH", false},
	{0x14, "RC FetchAdd", "AtomicETH", false},
	{0x16, "RC SEND Last with Invalidate", "IETH", true},
	{0x17, "RC SEND Only with Invalidate", "IETH", true},
	{0x1c, "RC FLUSH", "FETH RETH", false},
	{0x1d, "RC ATOMIC WRITE", "RETH", true},

	{0x20, "UC SEND First", "", true},
	{0x21, "UC SEND Middle", "", true},
	{0x22, "UC SEND Last", "", true},
	{0x23, "UC SEND Last with Immediate", "ImmDt", true},
	{0x24, "UC SEND Only", "", true},
	{0x25, "UC SEND Only with Immediate", "ImmDt", true},
	{0x26, "UC RDMA WRITE First", "RETH", true},
	{0x27, "UC RDMA WRITE Middle", "", true},
	{0x28, "UC RDMA WRITE Last", "", true},
	{0x29, "UC RDMA WRITE Last with Immediate", "ImmDt", true},
	{0x2a, "UC RDMA WRITE Only", "RETH", true},
	{0x2b, "UC RDMA WRITE Only with Immediate", "RETH ImmDt", true},

	{0x40, "RD SEND First", "RDETH DETH", true},
	{0x41, "RD SEND Middle", "RDETH DETH", true},
	{0x42, "RD SEND Last", "RDETH DETH", true},
	{0x43, "RD SEND Last with Immediate", "RDETH DETH ImmDt", true},
	{0x44, "RD SEND Only", "RDETH DETH", true},
	{0x45, "RD SEND Only with Immediate", "RDETH DETH ImmDt", true},
	{0x46, "RD RDMA WRITE First", "RDETH DETH RETH", true},
	{0x47, "RD RDMA WRITE Middle", "RDETH DETH", true},
	{0x48, "RD RDMA WRITE Last", "RDETH DETH", true},
	{0x49, "RD RDMA WRITE Last with Immediate", "RDETH DETH ImmDt", true},
	{0x4a, "RD RDMA WRITE Only", "RDETH DETH RETH", true},
	{0x4b, "RD RDMA WRITE Only with Immediate", "RDETH DETH RETH ImmDt", true},
	{0x4c, "RD RDMA READ Request", "RDETH DETH RETH", false},
	{0x4d, "RD RDMA READ response First", "RDETH AETH", true},
	{0x4e, "RD RDMA READ response Middle", "RDETH", true},
	{0x4f, "RD RDMA READ response Last", "RDETH AETH", true},
	{0x50, "RD RDMA READ response Only", "RDETH AETH", true},
	{0x51, "RD Acknowledge", "RDETH AETH", false},
	{0x52, "RD ATOMIC Acknowledge", "RDETH AETH AtomicAckETH", false},
	{0x53, "RD CmpSwap", "RDETH DETH AtomicETH", false},
	{0x54, "RD FetchAdd", "RDETH DETH AtomicETH", false},
	{0x55, "RD RESYNC", "RDETH DETH", false},
	{0x5c, "RD FLUSH", "RDETH FETH RETH", false},
	{0x5d, "RD ATOMIC WRITE", "RDETH RETH", true},

	{0x64, "UD SEND Only", "DETH", true},
	{0x65, "UD SEND Only with Immediate", "DETH ImmDt", true},

	{0x80, "CNP, native", "", false},
	{0x81, "CNP, RoCE v2", "CNP", false},

	{0xa0, "XRC SEND First", "XRCETH", true},
	{0xa1, "XRC SEND Middle", "XRCETH", true},
	{0xa2, "XRC SEND Last", "XRCETH", true},
	{0xa3, "XRC SEND Last with Immediate", "XRCETH ImmDt", true},
	{0xa4, "XRC SEND Only", "XRCETH", true},
	{0xa5, "XRC SEND Only with Immediate", "XRCETH ImmDt", true},
	{0xa6, "XRC RDMA WRITE First", "XRCETH RETH", true},
	{0xa7, "XRC RDMA WRITE Middle", "XRCETH", true},
	{0xa8, "XRC RDMA WRITE Last", "XRCETH", true},
	{0xa9, "XRC RDMA WRITE Last with Immediate", "XRCETH ImmDt", true},
	{0xaa, "XRC RDMA WRITE Only", "XRCETH RETH", true},
	{0xab, "XRC RDMA WRITE Only with Immediate", "XRCETH RETH ImmDt", true},
	{0xac, "XRC RDMA READ Request", "XRCETH RETH", false},
	{0xad, "XRC RDMA READ response First", "AETH", true},
	{0xae, "XRC RDMA READ response Middle", "", true},
	{0xaf, "XRC RDMA READ response Last", "AETH", true},
	{0xb0, "XRC RDMA READ response Only", "AETH", true},
	{0xb1, "XRC Acknowledge", "AETH", false},
	{0xb2, "XRC ATOMIC Acknowledge", "AETH AtomicAckETH", false},
	{0xb3, "XRC CmpSwap", "XRCETH AtomicETH", false},
	{0xb4, "XRC FetchAdd", "XRCETH AtomicETH", false},
	{0xb6, "XRC SEND Last with Invalidate", "XRCETH IETH", true},
	{0xb7, "XRC SEND Only with Invalidate", "XRCETH IETH", true},
	{0xbc, "XRC FLUSH", "XRCETH FETH RETH", false},
	{0xbd, "XRC ATOMIC WRITE", "XRCETH RETH", true},
}

// lookup returns the row of an assigned opcode. Any other opcode has no
// extension headers, and everything behind the BTH is payload.
func lookup(code uint64) opcode {
	i := slices.IndexFunc(assigned, func(o opcode) bool { return o.code == code })
	if i >= 0 {
		return assigned[i]
	}
	return opcode{code: code, payload: true}
}
