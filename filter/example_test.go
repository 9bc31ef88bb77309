package filter_test

import (
	"errors"
	"fmt"
	"io"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/capture"
	"github.com/ibwire/ibwire/field"
	"github.com/ibwire/ibwire/filter"
)

// The packets of a capture that a filter selects.
func Example() {
	f, err := filter.Compile("infiniband.aeth.syndrome.opcode == Nak && infiniband.bth.opcode < 0x20")
	if err != nil {
		panic(err)
	}
	r, err := capture.Open("../testdata/rocev1.pcap")
	if err != nil {
		panic(err)
	}
	defer r.Close()
	frame := field.Frame{Packet: &ibwire.Packet{}} // used for all packets
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			panic(err)
		}
		// What the capture says of the packet, for the fields of frame.
		frame.Advance(rec.Time)
		frame.Number, frame.Length, frame.Captured = int(rec.Number), rec.Length, len(rec.Data)
		_ = frame.Decode(rec.LinkType, rec.Data) // of a packet that is cut, what is there counts
		if f.Match(&frame) {
			fmt.Println(frame.Number, frame.BTH.OpCode, frame.BTH.PSN)
		}
	}
	// Output:
	// 16 Reliable Connection (RC) - RDMA READ response Last 4741494
	// 18 Reliable Connection (RC) - Acknowledge 13797409
}

func ExampleError() {
	_, err := filter.Compile("infiniband.bth.opcode == 4 && infiniband.bth.destq == 7")
	fmt.Println(err)
	var e *filter.Error
	if errors.As(err, &e) {
		fmt.Println(e.Pointer())
	}
	// Output:
	// filter: column 31: no field is named "infiniband.bth.destq"; is it infiniband.bth.destqp or infiniband.bth.se or infiniband.bth.fecn?
	// infiniband.bth.opcode == 4 && infiniband.bth.destq == 7
	//                               ^~~~~~~~~~~~~~~~~~~~
}
