// Command count counts the opcodes per destination queue pair in a capture of
// native InfiniBand (link type 247), with a parser that allocates nothing.
package main

import (
	"cmp"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"slices"

	"github.com/google/gopacket"
	"github.com/google/gopacket/pcapgo"

	"github.com/ibwire/ibwire/bth"
	"github.com/ibwire/ibwire/ext"
	"github.com/ibwire/ibwire/grh"
	"github.com/ibwire/ibwire/lrh"
	"github.com/ibwire/ibwire/opcode"
)

// key is what is counted.
type key struct {
	destQP uint32
	opcode opcode.Opcode
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: count FILE.pcap")
	}
	f, err := os.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	r, err := pcapgo.NewReader(f)
	if err != nil {
		log.Fatal(err)
	}
	if r.LinkType() != lrh.LinkType {
		log.Fatalf("link type %d, want %d: packets that begin with an LRH", r.LinkType(), lrh.LinkType)
	}

	var (
		l       lrh.LRH
		g       grh.GRH
		x       ext.Headers
		b       = bth.BTH{Ext: &x} // the BTH tells x which headers follow
		payload gopacket.Payload
		decoded []gopacket.LayerType
		count   = map[key]int{}
	)
	parser := gopacket.NewDecodingLayerParser(lrh.LayerTypeLRH, &l, &g, &b, &x, &payload)
	for {
		data, _, err := r.ZeroCopyReadPacketData()
		if err == io.EOF {
			break
		} else if err != nil {
			log.Fatal(err)
		}
		// An error ends a packet early; what is in decoded is good all the same.
		_ = parser.DecodeLayers(data, &decoded)
		if slices.Contains(decoded, bth.LayerTypeBTH) {
			count[key{b.DestQP, b.OpCode}]++
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(count), func(a, b key) int {
		return cmp.Or(cmp.Compare(a.destQP, b.destQP), cmp.Compare(a.opcode, b.opcode))
	}) {
		fmt.Printf("0x%06x %4d %s\n", k.destQP, count[k], k.opcode.Info())
	}
}
