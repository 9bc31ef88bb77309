package flow_test

import (
	"fmt"
	"time"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/flow"
	"github.com/ibwire/ibwire/linktype"
	"github.com/ibwire/ibwire/opcode"
)

// A WRITE of three packets, of which the network loses the second one.
func Example() {
	table := flow.New(
		flow.OnEvent(func(e *flow.Event) {
			if e.Kind == flow.GapClosed {
				fmt.Printf("packet %d: PSN %d, %v\n", e.Number, e.PSN, e.Verdict)
			}
		}),
		flow.OnMessage(func(m *flow.Message) {
			latency, _ := m.Latency()
			fmt.Printf("%v of %d bytes is %v after %v\n", m.Operation, m.Bytes, m.Status, latency)
		}))

	var p ibwire.Packet
	for i, f := range []frame{
		{op: opcode.RCWriteFirst, qp: 0x22, psn: 500, payload: 1024, dma: 2100},
		{op: opcode.RCWriteLast, qp: 0x22, psn: 502, payload: 52},
		{op: opcode.RCAcknowledge, qp: 0x11, psn: 501, syndrome: 0x60, reverse: true}, // NAK
		{op: opcode.RCWriteMiddle, qp: 0x22, psn: 501, payload: 1024},
		{op: opcode.RCWriteLast, qp: 0x22, psn: 502, payload: 52},
		{op: opcode.RCAcknowledge, qp: 0x11, psn: 502, msn: 1, reverse: true},
	} {
		data := f.appendTo(nil) // packets come from capture.Reader
		if err := p.Decode(linktype.Ethernet, data); err != nil {
			fmt.Println(err)
		}
		table.Add(&p, int64(i+1), epoch.Add(time.Duration(i)*time.Microsecond), len(data))
	}
	table.Close()

	for f := range table.Flows() {
		fmt.Println(f.Key, f.Packets, "packets,", f.Requests.Gaps, "gaps,", f.Requests.Retransmissions, "sent again")
	}
	// Output:
	// packet 5: PSN 501, lost by the network
	// RDMA WRITE of 2100 bytes is complete after 5µs
	// RRoCE 192.0.2.1 > 192.0.2.2 RC QP=0x000022 4 packets, 1 gaps, 1 sent again
	// RRoCE 192.0.2.2 > 192.0.2.1 RC QP=0x000011 2 packets, 0 gaps, 0 sent again
}
