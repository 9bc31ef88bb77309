// Command lrhcheck reads captures of native InfiniBand and reports each LRH that
// cannot be right: LIDs out of their ranges, fields that must be zero, a PktLen
// that is not what was captured.
package main

import (
	"fmt"
	"io"
	"log"
	"os"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/capture"
	"github.com/ibwire/ibwire/lrh"
)

func main() {
	for _, path := range os.Args[1:] {
		if err := check(path); err != nil {
			log.Fatal(err)
		}
	}
}

func check(path string) error {
	r, err := capture.Open(path)
	if err != nil {
		return err
	}
	defer r.Close()
	var p ibwire.Packet
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		_ = p.Decode(rec.LinkType, rec.Data) // the LRH is there or it is not
		if !p.Has(ibwire.LRH) {
			continue
		}
		for _, finding := range findings(&p.LRH) {
			fmt.Printf("packet %d: %s\n", rec.Number, finding)
		}
	}
}

// findings says what is wrong with an LRH.
func findings(l *lrh.LRH) (f []string) {
	if l.LVer != 0 {
		f = append(f, fmt.Sprintf("LVer is %d, not 0", l.LVer))
	}
	if l.DLID.IsReserved() {
		f = append(f, "DLID is 0, which is reserved")
	}
	if l.SLID.IsMulticast() {
		f = append(f, fmt.Sprintf("SLID %#04x is a multicast LID", uint16(l.SLID)))
	}
	if l.Rsv2 != 0 || l.Rsv5 != 0 {
		f = append(f, fmt.Sprintf("reserved bits are set: %#x, %#x", l.Rsv2, l.Rsv5))
	}
	have := lrh.Size + len(l.Payload)
	if want := 4 * int(l.PktLen); want != have {
		f = append(f, fmt.Sprintf("PktLen says %d bytes, %d are there", want, have))
	} else if len(l.Trailer) > 0 {
		f = append(f, fmt.Sprintf("%d bytes are behind the packet that PktLen does not count", len(l.Trailer)))
	}
	return f
}
