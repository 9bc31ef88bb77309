package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/google/gopacket"

	"github.com/ibwire/ibwire/erf"
)

// dissect lists the packets of captures.
func dissect(c command, args []string, std stdio) error {
	flags := c.flags(std)
	verbose := flags.Bool("V", false, "show every layer and field")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return errReported
	}
	if flags.NArg() == 0 {
		flags.Usage()
		return errReported
	}
	show := showLine
	if *verbose {
		show = showTree
	}
	out := bufio.NewWriter(std.out)
	var failed error
	for _, path := range flags.Args() {
		err := dissectFile(path, std.in, func(p packet) { show(out, p) })
		if err := out.Flush(); err != nil {
			return err
		}
		if err != nil {
			fmt.Fprintf(std.err, "ibwire: %s: %v\n", path, err)
			failed = errReported
		}
	}
	return failed
}

// A packet is a packet of a capture, as it is shown.
type packet struct {
	gopacket.Packet
	number   int // from 1
	time     time.Time
	first    time.Time // of the first packet of the file
	length   int       // on the wire
	captured int
}

// dissectFile calls show with each packet of a file.
func dissectFile(path string, stdin io.Reader, show func(packet)) error {
	s, err := open(path, stdin)
	if err != nil {
		return err
	}
	defer s.file.Close()
	var first time.Time
	for {
		data, ci, err := s.next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
		p := packet{
			Packet: gopacket.NewPacket(data, s.reader.LinkType(), gopacket.NoCopy),
			number: s.packet, time: ci.Timestamp, length: ci.Length, captured: ci.CaptureLength,
		}
		// What the record says counts more than the file around it.
		if r, ok := p.Layer(erf.LayerTypeERF).(*erf.Record); ok {
			p.time, p.length = r.Timestamp.Time(), int(r.WLen)
			p.captured = p.length - r.Missing()
		}
		if s.packet == 1 {
			first = p.time
		}
		p.first = first
		show(p)
	}
}
