package field_test

import (
	"fmt"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/field"
	"github.com/ibwire/ibwire/linktype"
)

// Chosen fields of a packet, as text and as JSON.
func Example() {
	data := []byte{ // the sample packet of the specification, an RDMA WRITE
		0x70, 0x12, 0x37, 0x5c, 0x00, 0x0e, 0x17, 0xd2, 0x0a, 0x20, 0x24, 0x87, 0x00, 0x87, 0xb1, 0xb3,
		0x00, 0x0d, 0xec, 0x2a, 0x01, 0x71, 0x0a, 0x1c, 0x01, 0x5d, 0x40, 0x02, 0x38, 0xf2, 0x7a, 0x05,
		0x00, 0x00, 0x00, 0x0e, 0xbb, 0x88, 0x4d, 0x85, 0xfd, 0x5c, 0xfb, 0xa4, 0x72, 0x8b, 0xc0, 0x69,
		0x0e, 0xd4, 0x00, 0x00, 0x96, 0x25, 0xb7, 0x5a, 0x45, 0xfa,
	}
	cols, err := field.NewColumns("infiniband.lrh.slid", "infiniband.bth.destqp", "infiniband.bth.psn", "infiniband.pad", "infiniband.invariant.crc")
	if err != nil {
		panic(err)
	}
	frame := &field.Frame{Packet: &ibwire.Packet{}, Number: 1, Length: len(data), Captured: len(data)}
	if err := frame.Decode(linktype.InfiniBand, data); err != nil {
		panic(err)
	}
	fmt.Println(string(cols.AppendRow(nil, frame, &field.Format{Separator: ' '})))
	fmt.Println(string(cols.AppendJSON(nil, frame)))
	for v := range frame.Values() {
		if v.Field.Name == "infiniband.reth.dmalen" {
			fmt.Println(string(v.AppendLabel(nil)), "at byte", v.Offset)
		}
	}
	// Output:
	// 6098 0x87b1b3 912426 0000 0x9625b75a
	// {"infiniband.lrh.slid":6098,"infiniband.bth.destqp":8892851,"infiniband.bth.psn":912426,"infiniband.pad":"00:00","infiniband.invariant.crc":2519054170}
	// DMA Length: 14 (0x0000000e) at byte 32
}
