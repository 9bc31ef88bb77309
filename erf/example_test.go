package erf_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/google/gopacket"

	"github.com/ibwire/ibwire/erf"
)

// Write a record to a file and read the file again.
func Example() {
	var file bytes.Buffer
	w := erf.NewWriter(&file)
	r := &erf.Record{
		Timestamp: erf.TimestampOf(time.Date(2026, 1, 2, 3, 4, 5, 678_901_234, time.UTC)),
		Type:      erf.TypeInfinibandLink,
		Flags:     erf.FlagVLen | 1,
	}
	if err := w.WriteRecord(r, []byte{0x00, 0x12, 0x04, 0x56, 0x77, 0x88}); err != nil {
		fmt.Println(err)
		return
	}

	f, err := erf.NewReader(&file)
	if err != nil {
		fmt.Println(err)
		return
	}
	var rec erf.Record
	for {
		data, ci, err := f.ZeroCopyReadPacketData()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			fmt.Println(err)
			return
		}
		if err := rec.DecodeFromBytes(data, gopacket.NilDecodeFeedback); err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(ci.Timestamp.Format(time.RFC3339Nano), "interface", ci.InterfaceIndex)
		fmt.Printf("%v, record of %d bytes, packet % x\n", rec.Type, rec.RLen, rec.Payload)
	}
	// Output:
	// 2026-01-02T03:04:05.678901234Z interface 1
	// INFINIBAND_LINK, record of 24 bytes, packet 00 12 04 56 77 88
}
