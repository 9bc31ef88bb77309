// Command psngaps finds the gaps in the PSNs of a capture, and tells of each
// where it is and who has lost the packets:
//
//	psngaps capture.pcap
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
	if len(os.Args) != 2 {
		log.Fatal("usage: psngaps FILE")
	}
	r, err := capture.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()

	table := flow.New(flow.OnEvent(report))
	var p ibwire.Packet
	for {
		rec, err := r.Next()
		if err == io.EOF {
			break
		} else if err != nil {
			log.Print(err) // what came before it is good
			break
		}
		_ = p.Decode(rec.LinkType, rec.Data) // headers that are cut make no gap
		table.Add(&p, rec.Number, rec.Time, rec.Length)
	}
	table.Close() // gaps that are still open are told of here

	missed := table.Totals().Verdicts[flow.CaptureMissed]
	fmt.Printf("%d gaps; the capture has missed %d PSNs\n", table.Totals().Events[flow.Gap], missed)
}

// report writes a gap when it is found, and when it is known what has become of it.
func report(e *flow.Event) {
	what := "requests"
	if e.Response {
		what = "READ responses"
	}
	switch e.Kind {
	case flow.Gap:
		fmt.Printf("packet %d: %v: %s: PSN %d to %d are missing\n", e.Number, e.Flow.Key, what, e.PSN, e.Last)
	case flow.GapClosed:
		fmt.Printf("packet %d: %v: %s: PSN %d to %d: %v\n", e.Number, e.Flow.Key, what, e.PSN, e.Last, e.Verdict)
	}
}
