// Command csv writes chosen fields of a capture as comma-separated values, a row
// a packet. The fields have the names that tshark gives them:
//
//	csv capture.pcap frame.number infiniband.bth.opcode infiniband.bth.psn
package main

import (
	"bufio"
	"io"
	"log"
	"os"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/capture"
	"github.com/ibwire/ibwire/field"
)

func main() {
	if len(os.Args) < 3 {
		log.Fatal("usage: csv FILE FIELD...")
	}
	columns, err := field.NewColumns(os.Args[2:]...)
	if err != nil {
		log.Fatal(err)
	}
	r, err := capture.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()

	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	csv := &field.Format{CSV: true}
	row := append(columns.AppendHeader(nil, csv), '\n')
	f := field.Frame{Packet: &ibwire.Packet{}}
	for {
		out.Write(row)
		rec, err := r.Next()
		if err == io.EOF {
			return
		} else if err != nil {
			out.Flush()
			log.Fatal(err)
		}
		f.Advance(rec.Time)
		f.Number, f.Length, f.Captured = int(rec.Number), rec.Length, len(rec.Data)
		_ = f.Decode(rec.LinkType, rec.Data) // fields that are cut have no value
		row = append(columns.AppendRow(row[:0], &f, csv), '\n')
	}
}
