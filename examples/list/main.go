// Command list prints the InfiniBand packets of a pcap file: where they go, what
// they are, and how much they carry.
package main

import (
	"fmt"
	"io"
	"log"
	"os"

	"github.com/google/gopacket"
	"github.com/google/gopacket/pcapgo"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/bth"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: list FILE.pcap")
	}
	ibwire.Register() // now gopacket knows InfiniBand
	f, err := os.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	r, err := pcapgo.NewReader(f)
	if err != nil {
		log.Fatal(err)
	}
	source := gopacket.NewPacketSource(r, r.LinkType())
	for {
		packet, err := source.NextPacket() // Packets() would hide errors
		if err == io.EOF {
			return
		} else if err != nil {
			log.Fatal(err)
		}
		b, ok := packet.Layer(bth.LayerTypeBTH).(*bth.BTH)
		if !ok {
			continue
		}
		payload := 0
		if app := packet.ApplicationLayer(); app != nil {
			payload = len(app.Payload())
		}
		fmt.Printf("QP 0x%06x PSN %8d %s, %d bytes\n", b.DestQP, b.PSN, b.OpCode.Info(), payload)
	}
}
