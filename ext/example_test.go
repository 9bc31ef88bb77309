package ext_test

import (
	"fmt"

	"github.com/google/gopacket"

	"github.com/ibwire/ibwire/ext"
	"github.com/ibwire/ibwire/opcode"
)

// A Chain decodes the headers that an opcode announces, one layer each.
func ExampleChain() {
	data := []byte{0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0x2a}
	chain := ext.Chain{Headers: opcode.RCWriteOnlyImm.Headers(), Payload: gopacket.LayerTypePayload}
	packet := gopacket.NewPacket(data, chain, gopacket.NoCopy)
	reth := packet.Layer(ext.LayerTypeRETH).(*ext.RETH)
	imm := packet.Layer(ext.LayerTypeImmDt).(*ext.ImmDt)
	fmt.Printf("VA %#x, R_Key %d, %d bytes, immediate %#x\n", reth.VA, reth.RKey, reth.DMALen, imm.Data)
	// Output:
	// VA 0x1000, R_Key 7, 0 bytes, immediate 0x2a
}

func ExampleSyndrome() {
	fmt.Println(ext.Syndrome(0x0e))
	fmt.Println(ext.Syndrome(0x20))
	fmt.Println(ext.Syndrome(0x60))
	// Output:
	// Ack, 128 credits
	// RNR Nak, 655.36ms
	// Nak, PSN Sequence Error
}
