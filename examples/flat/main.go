// Command flat reads a capture from standard input, of any kind that there is,
// and prints how many packets and payload bytes each opcode has. It decodes all
// packets into one value and so allocates nothing for them:
//
//	ibdump -w - | flat
package main

import (
	"fmt"
	"io"
	"log"
	"os"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/capture"
	"github.com/ibwire/ibwire/opcode"
)

func main() {
	r, err := capture.NewReader(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	var (
		p       ibwire.Packet
		packets [256]int
		bytes   [256]int
		bad     int
	)
	for {
		rec, err := r.Next()
		if err == io.EOF {
			break
		} else if err != nil {
			log.Print(err) // what came before it is good
			break
		}
		if p.Decode(rec.LinkType, rec.Data) != nil {
			bad++ // a header is cut; those before it are decoded
		}
		if p.Has(ibwire.BTH) {
			packets[p.BTH.OpCode]++
			bytes[p.BTH.OpCode] += p.PayloadLen // also where the capture is cut
		}
	}
	for o, n := range packets {
		if n > 0 {
			fmt.Printf("%5d packets %7d bytes  %s\n", n, bytes[o], opcode.Opcode(o).Info())
		}
	}
	fmt.Printf("%5d packets with a header that is cut\n", bad)
}
