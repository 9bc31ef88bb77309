package bth_test

import (
	"fmt"

	"github.com/google/gopacket"

	"github.com/ibwire/ibwire/bth"
	"github.com/ibwire/ibwire/ext"
)

// A parser without allocations. All extension headers are one layer, and the
// BTH tells it which of them follow.
func Example() {
	data := []byte{
		0x16, 0x50, 0xff, 0xff, 0x00, 0x00, 0x00, 0x11, 0x80, 0x00, 0x00, 0x64, // BTH: SEND Last with Invalidate, PadCnt 1
		0xde, 0xad, 0xbe, 0xef, // IETH
		'a', 'b', 'c', 0, // payload and pad
		0x96, 0x25, 0xb7, 0x5a, // ICRC
	}
	var (
		x       ext.Headers
		b       = bth.BTH{Ext: &x}
		payload gopacket.Payload
		decoded []gopacket.LayerType
	)
	parser := gopacket.NewDecodingLayerParser(bth.LayerTypeBTH, &b, &x, &payload)
	if err := parser.DecodeLayers(data, &decoded); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(decoded)
	fmt.Printf("%s to QP %#x, PSN %d, ICRC %08x\n", b.OpCode.Info(), b.DestQP, b.PSN, b.ICRC)
	fmt.Printf("invalidates %#x: %q\n", x.IETH.RKey, string(payload))
	// Output:
	// [BTH IETH Payload]
	// RC Send Last Invalidate to QP 0x11, PSN 100, ICRC 9625b75a
	// invalidates 0xdeadbeef: "abc"
}
