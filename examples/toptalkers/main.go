// Command toptalkers lists the queue pairs that most bytes are sent to, with who
// sends them:
//
//	toptalkers capture.pcap 10
package main

import (
	"cmp"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"strconv"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/capture"
	"github.com/ibwire/ibwire/flow"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: toptalkers FILE N")
	}
	n, err := strconv.Atoi(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	r, err := capture.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()

	var talkers []*flow.Flow
	table := flow.New(flow.OnFlow(func(f *flow.Flow) { talkers = append(talkers, f) }))
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

	slices.SortStableFunc(talkers, func(a, b *flow.Flow) int { return cmp.Compare(b.Bytes, a.Bytes) })
	all := table.Totals().All.Bytes
	for _, f := range talkers[:min(n, len(talkers))] {
		rate := "-"
		if d := f.End().Sub(f.Start()).Seconds(); d > 0 {
			rate = strconv.FormatFloat(float64(f.Bytes)*8/d/1e6, 'f', 3, 64)
		}
		fmt.Printf("%8d bytes %5.1f %% %8s Mbit/s  %v\n", f.Bytes, 100*float64(f.Bytes)/float64(all), rate, f.Key)
	}
}
