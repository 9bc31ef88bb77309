// Command cnprate tells how many CNPs throttle each flow, and how many of its
// packets are marked CE, in each interval of time, as comma-separated values:
//
//	cnprate capture.pcap 100ms
package main

import (
	"cmp"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/capture"
	"github.com/ibwire/ibwire/flow"
)

// A cell is an interval, counted since 1970, of the flow with an ID.
type cell struct{ interval, flow int64 }

type counts struct {
	key     flow.Key
	cnp, ce int
}

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: cnprate FILE INTERVAL")
	}
	interval, err := time.ParseDuration(os.Args[2])
	if err != nil || interval <= 0 {
		log.Fatal("want an interval as 100ms")
	}
	r, err := capture.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()

	cells := map[cell]*counts{}
	table := flow.New(flow.OnEvent(func(e *flow.Event) {
		f := e.Flow
		if e.Kind == flow.CongestionNotice && e.Subject != nil {
			f = e.Subject // the flow that the CNP throttles
		} else if e.Kind != flow.CongestionNotice && e.Kind != flow.CongestionMark {
			return
		}
		at := cell{e.Time.UnixNano() / int64(interval), f.ID}
		c := cells[at]
		if c == nil {
			c = &counts{key: f.Key}
			cells[at] = c
		}
		if e.Kind == flow.CongestionNotice {
			c.cnp++
		} else {
			c.ce++
		}
	}))
	var p ibwire.Packet
	for rec, err := r.Next(); err != io.EOF; rec, err = r.Next() {
		if err != nil {
			log.Fatal(err)
		}
		_ = p.Decode(rec.LinkType, rec.Data)
		table.Add(&p, rec.Number, rec.Time, rec.Length)
	}
	fmt.Println("time,flow,cnps,ce")
	order := func(a, b cell) int { return cmp.Or(cmp.Compare(a.interval, b.interval), cmp.Compare(a.flow, b.flow)) }
	for _, at := range slices.SortedFunc(maps.Keys(cells), order) {
		c := cells[at]
		fmt.Printf("%s,%v,%d,%d\n", time.Unix(0, at.interval*int64(interval)).UTC().Format(time.RFC3339Nano), c.key, c.cnp, c.ce)
	}
}
