// Command latency tells how long requests wait for their answer: each message that
// takes longer than a limit, and the distribution of all, by flow:
//
//	latency capture.pcap 1ms
package main

import (
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/capture"
	"github.com/ibwire/ibwire/flow"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: latency FILE LIMIT")
	}
	limit, err := time.ParseDuration(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	r, err := capture.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()

	slow := func(m *flow.Message) {
		if d, ok := m.Latency(); ok && d > limit {
			fmt.Printf("packet %d: %v of %d bytes to %v waits %v for its answer\n", m.FirstPacket, m.Operation, m.Bytes, m.Flow.Key.Dst, d)
		}
	}
	table := flow.New(flow.OnMessage(slow), flow.OnFlow(distribution))
	var p ibwire.Packet
	for {
		rec, err := r.Next()
		if err == io.EOF {
			break
		} else if err != nil {
			log.Print(err) // what came before it is good
			break
		}
		_ = p.Decode(rec.LinkType, rec.Data)
		table.Add(&p, rec.Number, rec.Time, rec.Length)
	}
	table.Close()
}

// distribution writes the latencies of a flow. A nil Latency has no samples.
func distribution(f *flow.Flow) {
	for _, l := range []struct {
		name string
		*flow.Latency
	}{
		{"request to ACK", f.Latency.ACK},
		{"READ to first response", f.Latency.ReadFirst},
		{"READ to last response", f.Latency.ReadLast},
		{"ATOMIC to acknowledge", f.Latency.Atomic},
	} {
		if l.Count() > 0 {
			fmt.Printf("%v: %s: %d, median %v, 99 %% %v, longest %v\n", f.Key, l.name, l.Count(), l.Median(), l.P99(), l.Max())
		}
	}
}
