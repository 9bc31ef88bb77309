package capture_test

import (
	"bytes"
	"fmt"
	"io"
	"time"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/google/gopacket/pcapgo"

	"github.com/ibwire/ibwire/capture"

	"github.com/ibwire/ibwire/linktype"
)

// Read the packets of a file. capture.Open does the same with a path.
func Example() {
	var file bytes.Buffer
	w := pcapgo.NewWriter(&file)
	packet := []byte{0x00, 0x12, 0x04, 0x56, 0x77, 0x88}
	ci := gopacket.CaptureInfo{Timestamp: time.Unix(1600000000, 250000000), CaptureLength: len(packet), Length: 40}
	if err := w.WriteFileHeader(64, layers.LinkType(linktype.InfiniBand)); err != nil {
		fmt.Println(err)
		return
	}
	for range 2 {
		if err := w.WritePacket(ci, packet); err != nil {
			fmt.Println(err)
			return
		}
	}

	r, err := capture.NewReader(&file)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	fmt.Println(r.Format())
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return
		} else if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(rec.Number, rec.Offset, rec.Time.Format(time.RFC3339Nano), rec.LinkType, rec.Length)
		fmt.Printf("% x\n", rec.Data)
	}
	// Output:
	// pcap
	// 1 24 2020-09-13T12:26:40.25Z INFINIBAND 40
	// 00 12 04 56 77 88
	// 2 46 2020-09-13T12:26:40.25Z INFINIBAND 40
	// 00 12 04 56 77 88
}

// Things that are wrong but do not end the file are passed on by OnWarning.
func ExampleOnWarning() {
	file := []byte("\xd4\xc3\xb2\xa1\x02\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xf7\x00\x10\x00")
	r, err := capture.NewReader(bytes.NewReader(file), capture.OnWarning(func(e *capture.Error) {
		fmt.Println(e)
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = r.Next()
	fmt.Println(err)
	// Output:
	// capture: packet 1 at byte 20: found reserved bits 0x100000 in the link-type word, expected none: damaged file; read as link type INFINIBAND
	// EOF
}

// Take the packets out of ERF records. What is lost with the records is told.
func ExampleWriter() {
	record := []byte("\x00\x00\x00\x80\x00\x10\x5e\x5f\x15\x10\x00\x16\x00\x07\x00\x06\x00\x12\x04\x56\x77\x88")
	r, err := capture.NewReader(bytes.NewReader(record))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	var file bytes.Buffer
	w := capture.NewWriter(&file, capture.FormatPcap, capture.From(r), capture.As(linktype.InfiniBand),
		capture.OnLoss(func(rec *capture.Record, l capture.Loss) { fmt.Printf("packet %d: %v\n", rec.Number, l) }))
	for {
		rec, err := r.Next()
		if err == io.EOF {
			break
		} else if err != nil {
			fmt.Println(err)
			return
		}
		if err := w.Write(rec); err != nil {
			fmt.Println(err)
		}
	}
	if err := w.Close(); err != nil {
		fmt.Println(err)
	}
	fmt.Printf("% x\n% x\n", file.Bytes()[:24], file.Bytes()[24:])
	// Output:
	// packet 1: ERF flags, the ERF loss counter
	// 4d 3c b2 a1 02 00 04 00 00 00 00 00 00 00 00 00 ff ff 00 00 f7 00 00 00
	// 00 10 5e 5f 00 65 cd 1d 06 00 00 00 06 00 00 00 00 12 04 56 77 88
}
