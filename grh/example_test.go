package grh_test

import (
	"encoding/hex"
	"fmt"

	"github.com/google/gopacket"

	"github.com/ibwire/ibwire/grh"
)

// A RoCE v1 packet behind its Ethernet header: an acknowledge.
func Example() {
	data, _ := hex.DecodeString("6020000000141b40" +
		"00000000000000000000ffff0f000002" + "00000000000000000000ffff0f000002" +
		"1140ffff0000010900a788c0" + "00000005" + "25f0c038")
	packet := gopacket.NewPacket(data, grh.LayerTypeGRH, gopacket.NoCopy)
	g := packet.Layer(grh.LayerTypeGRH).(*grh.GRH)
	fmt.Println(g.SGID, g.DGID, g.TClass, g.PayLen)
	for _, l := range packet.Layers() {
		fmt.Println(l.LayerType(), len(l.LayerContents()))
	}
	// Output:
	// ::ffff:15.0.0.2 ::ffff:15.0.0.2 2 20
	// GRH 40
	// BTH 12
	// AETH 4
}
