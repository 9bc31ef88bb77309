package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/ibwire/ibwire/capture"
	"github.com/ibwire/ibwire/field"
	"github.com/ibwire/ibwire/linktype"
)

// A printer writes packets in one of the forms that there are.
type printer interface {
	begin(dst []byte) []byte
	// packet writes a packet; err is what ended its decoding early.
	packet(dst []byte, p *packet, err error) []byte
	end(dst []byte) []byte
}

// A packet is what a printer is given.
type packet struct {
	field.Frame
	linkType linktype.Type
	digits   int // of the fraction in the packet's time
}

// A listing takes the packets of files to a printer.
type listing struct {
	std     stdio
	out     *output
	printer printer
	options []capture.Option
	skip    int64 // packets to leave out
	count   int64 // packets to write, 0 for all

	packet packet
	failed error // what Run returns where no more is to be said
}

// errEnough ends a listing that has written as many packets as it should.
var errEnough = errors.New("enough")

// files lists the packets of files, of each as far as it can be read.
func (l *listing) files(paths []string) error {
	l.out.buf = l.printer.begin(l.out.buf)
	for _, path := range paths {
		err := l.file(path)
		if l.out.err != nil || l.std.stop.isAsked() || err == errEnough {
			break
		}
		if err != nil {
			l.say(err)
			l.failed = errReported
		}
	}
	l.out.buf = l.printer.end(l.out.buf)
	switch err := l.out.flush(); {
	case err == errNoReader:
		return nil
	case err != nil:
		return fmt.Errorf("writing the output: %w", err)
	case l.std.stop.isAsked():
		return errInterrupted
	}
	return l.failed
}

// say writes an error or a warning, behind what has been listed before it.
func (l *listing) say(err error) {
	l.out.flush()
	fmt.Fprintf(l.std.err, "ibwire: %s\n", strings.TrimPrefix(err.Error(), "capture: "))
}

// file lists the packets of a file.
func (l *listing) file(path string) error {
	in, name := l.std.in, "standard input"
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		in, name = f, path
	}
	warned := capture.OnWarning(func(e *capture.Error) {
		l.say(e)
		if errors.Is(e, capture.ErrDamaged) {
			l.failed = errReported
		}
	})
	options := append([]capture.Option{capture.Named(name), warned}, l.options...)
	r, err := capture.NewReader(&input{r: in, out: l.out, stop: l.std.stop}, options...)
	if err != nil {
		return err
	}
	defer r.Close()
	bar := newProgress(l.std, in, r)
	defer bar.end()
	return l.packets(r, bar)
}

// packets lists the packets that are still to come from r.
func (l *listing) packets(r *capture.Reader, bar *progress) error {
	p := &l.packet
	for p.Previous = (time.Time{}); ; p.Previous = instant(p.Time) {
		rec, err := r.Next()
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		bar.at(rec)
		p.Number, p.Time, p.Length, p.Captured = int(rec.Number), rec.Time, rec.Length, len(rec.Data)
		if rec.Number == 1 {
			p.First, p.Previous = instant(p.Time), instant(p.Time)
		}
		if l.skip > 0 {
			l.skip--
			continue
		}
		p.linkType, p.digits = rec.LinkType, digits(r, rec)
		err = p.Decode(rec.LinkType, rec.Data)
		l.out.buf = l.printer.packet(l.out.buf, p, err)
		if err := l.out.packetDone(); err != nil {
			return err
		}
		if l.count--; l.count == 0 {
			return errEnough
		}
		if l.std.stop.isAsked() {
			return nil
		}
	}
}

// instant returns what later packets are measured from: the time of a packet, and
// 1970 for one that has none, as tshark has it.
func instant(t time.Time) time.Time {
	if t.IsZero() {
		return time.Unix(0, 0)
	}
	return t
}

// digits returns how many digits of a second the time of a packet has: six
// where the file counts microseconds, else nine.
func digits(r *capture.Reader, rec *capture.Record) int {
	const microseconds = 6
	if rec.LinkType != linktype.ERF && r.Resolution(rec.Interface) == microseconds {
		return microseconds
	}
	return 9
}
