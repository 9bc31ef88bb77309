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

func ExampleFilter_Match() {
	f, err := filter.Compile("infiniband.aeth.syndrome.opcode == Nak && infiniband.bth.psn > 0x800000")
	if err != nil {
		panic(err)
	}
	r, err := capture.Open("../testdata/rocev1.pcap")
	if err != nil {
		panic(err)
	}
	defer r.Close()
	frame := field.Frame{Packet: &ibwire.Packet{}}
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			panic(err)
		}
		frame.Number = int(rec.Number)
		if err := frame.Decode(rec.LinkType, rec.Data); err == nil && f.Match(&frame) {
			fmt.Println(rec.Number, frame.BTH.OpCode)
		}
	}
	// Output: 18 Reliable Connection (RC) - Acknowledge
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
