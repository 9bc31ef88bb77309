// Command nakwatch reads a capture from a pipe and writes each NAK and RNR NAK as
// it comes, with the connection that it is about:
//
//	tcpdump -i mlx5_0 -w - | nakwatch
package main

import (
	"fmt"
	"io"
	"log"
	"os"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/capture"
	"github.com/ibwire/ibwire/flow"
)

func main() {
	r, err := capture.NewReader(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	// It may run for long: a flow that is no longer heard of makes room.
	table := flow.New(flow.OnEvent(report), flow.MaxFlows(10_000))
	var p ibwire.Packet
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return
		} else if err != nil {
			log.Fatal(err)
		}
		_ = p.Decode(rec.LinkType, rec.Data) // an AETH that is cut is no NAK
		table.Add(&p, rec.Number, rec.Time, rec.Length)
	}
}

func report(e *flow.Event) {
	what := ""
	switch e.Kind {
	case flow.NAK:
		what = "NAK, " + e.Code.String()
	case flow.RNRNAK:
		what = fmt.Sprintf("RNR NAK, wait %v", e.Timer)
	default:
		return
	}
	fmt.Printf("%s packet %d: %s, PSN %d, from %v", e.Time.UTC().Format("15:04:05.000000"), e.Number, what, e.PSN, e.Flow.Key.Src)
	if e.Subject != nil {
		fmt.Printf(", refuses %v (%v)", e.Subject.Key, e.Pairing)
	} else {
		fmt.Printf(" to queue pair 0x%06x", e.Flow.Key.DestQP)
	}
	fmt.Println()
}
