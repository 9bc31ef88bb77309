package opcode_test

import (
	"fmt"

	"github.com/ibwire/ibwire/opcode"
)

func Example() {
	o := opcode.Opcode(0x4b)
	fmt.Println(o)
	fmt.Println(o.Transport(), "|", o.Operation(), "|", o.Operation().Position())
	for h := range o.Headers().All() {
		fmt.Println(h, h.Size())
	}
	// Output:
	// Reliable Datagram (RD) - RDMA WRITE Only with Immediate
	// RD | RDMA WRITE Only with Immediate | Only
	// RDETH 4
	// DETH 8
	// RETH 16
	// ImmDt 4
}
