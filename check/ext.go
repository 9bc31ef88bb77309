package check

import (
	"fmt"

	"github.com/ibwire/ibwire/ext"
	"github.com/ibwire/ibwire/opcode"
)

// The length of a FLUSH may mean nothing, so there is no rule for it.
func dmaLenMax(in *Input) string {
	const maxDMALen = 1 << 31
	n := in.Ext.RETH.DMALen
	switch in.BTH.OpCode.Operation() {
	case opcode.Flush, opcode.AtomicWrite:
		return ""
	}
	if n <= maxDMALen {
		return ""
	}
	return fmt.Sprintf("DMALen is %d, more than 2^31", n)
}

func writeOnlyDMALen(in *Input) string {
	n := in.Ext.RETH.DMALen
	switch in.BTH.OpCode.Operation() {
	case opcode.WriteOnly, opcode.WriteOnlyImm:
		if int64(n) != int64(len(in.Payload)) {
			return fmt.Sprintf("DMALen is %d, but the payload of the WRITE Only has %s", n, count(len(in.Payload)))
		}
	}
	return ""
}

func writeFirstDMALen(in *Input) string {
	n := in.Ext.RETH.DMALen
	if in.BTH.OpCode.Operation() != opcode.WriteFirst || int64(n) > int64(len(in.Payload)) {
		return ""
	}
	return fmt.Sprintf("DMALen is %d, but the payload of the WRITE First has %s already", n, count(len(in.Payload)))
}

func atomicVA(in *Input) string {
	if in.Ext.AtomicETH.VA%8 == 0 {
		return ""
	}
	return fmt.Sprintf("VA is 0x%016x, no multiple of 8", in.Ext.AtomicETH.VA)
}

func atomicWritePayload(in *Input) string {
	if in.BTH.OpCode.Operation() != opcode.AtomicWrite || len(in.Payload) == 8 {
		return ""
	}
	return fmt.Sprintf("the payload of the ATOMIC WRITE has %s, not 8", count(len(in.Payload)))
}

func aethReserved(in *Input) string {
	s := in.Ext.AETH.Syndrome
	if !s.Reserved() {
		return ""
	}
	return fmt.Sprintf("the syndrome is 0x%02x: its top bit is set", uint8(s))
}

func aethType(in *Input) string {
	s := in.Ext.AETH.Syndrome
	if s.Type() != ext.ReservedType {
		return ""
	}
	return fmt.Sprintf("the syndrome is 0x%02x: its type is 2, which is reserved", uint8(s))
}

func aethNak(in *Input) string {
	const lastNak = 4 // Invalid RD Request
	s := in.Ext.AETH.Syndrome
	if code, ok := s.NakCode(); !ok || code <= lastNak {
		return ""
	}
	return fmt.Sprintf("the syndrome is 0x%02x: the code of the Nak is %d, which is reserved", uint8(s), s.Value())
}
