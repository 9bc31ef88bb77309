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
	"github.com/ibwire/ibwire/filter"
	"github.com/ibwire/ibwire/linktype"
)

// A printer writes packets in one of the forms that there are.
type printer interface {
	begin(dst []byte) []byte
	// file begins a capture.
	file(dst []byte, name string) []byte
	// packet writes a packet; err is what ended its decoding early.
	packet(dst []byte, p *packet, err error) []byte
	end(dst []byte) []byte
}

// A packet is what a printer is given.
type packet struct {
	field.Frame
	linkType   linktype.Type
	digits     int       // of the fraction in the packet's time
	recordTime time.Time // of the record or block, which may hold another time
}

// A listing takes the packets of files to a printer.
type listing struct {
	std     stdio
	out     *output
	printer printer
	options []capture.Option
	skip    int64          // packets to leave out
	count   int64          // packets to take, 0 for all
	decap   bool           // show what is inside mirrors and tunnels alone
	filter  *filter.Filter // of what is shown so, the packets to write; nil for all
	order   *fileOrder     // nil where it does not matter

	in         io.Reader // the file at hand
	packet     packet
	inParallel bool // it is listed by several goroutines
	bar        *progress
	failed     error // what Run returns where no more is to be said
}

// errEnough ends a listing that has written as many packets as it should.
var errEnough = errors.New("enough")

// files lists the packets of files, of each as far as it can be read.
func (l *listing) files(paths []string) error {
	l.std.stop.last(func() { l.end() })
	l.out.buf = l.printer.begin(l.out.buf)
	for _, path := range paths {
		err := l.file(path)
		if l.out.err != nil || l.std.stop.isAsked() || err == errEnough {
			break
		}
		if err != nil {
			l.say(err.Error())
			l.failed = errReported
		}
	}
	switch err := l.end(); {
	case err == errNoReader:
		return nil
	case err != nil:
		return fmt.Errorf("writing the output: %w", err)
	case l.std.stop.isAsked():
		return errInterrupted
	}
	return l.failed
}

// end ends the output.
func (l *listing) end() error {
	l.out.buf = l.printer.end(l.out.buf)
	return l.out.flush()
}

// say writes an error or a warning, behind what has been listed before it.
func (l *listing) say(text string) {
	l.out.flush()
	l.bar.clear()
	fmt.Fprintf(l.std.err, "ibwire: %s\n", printable(strings.TrimPrefix(text, "capture: ")))
}

// maxWarnings is how many warnings about a file are written out.
const maxWarnings = 20

// warn writes a warning about a file.
func (l *listing) warn(e *capture.Error, number int64) {
	if number <= maxWarnings {
		l.say(e.Error())
	}
	if e.Lost {
		l.failed = errReported
	}
}

// file lists the packets of a file.
func (l *listing) file(path string) error { return l.open(path, l.packets) }

// open opens a file for read, which reads the packets.
func (l *listing) open(path string, read func(r *capture.Reader, name string) error) error {
	in, name := l.std.in, "standard input"
	if path != "-" {
		l.out.flush() // the wait for a FIFO may be long
		f, err := openFile(path, os.O_RDONLY, l.std.stop)
		if err != nil {
			return err
		}
		defer f.Close()
		in, name = f, path
	}
	l.in = in
	if info, err := os.Stat(path); path != "-" && err == nil && info.IsDir() {
		return fmt.Errorf("%s: is a directory", path)
	}
	warnings := int64(0)
	warned := capture.OnWarning(func(e *capture.Error) {
		warnings++
		l.warn(e, warnings)
	})
	options := append([]capture.Option{capture.Named(name), warned}, l.options...)
	src := io.Reader(&input{r: in, out: l.out, stop: l.std.stop})
	if l.inParallel = l.mayFork(in); l.inParallel {
		src = in // which nobody waits for; and it is read by a goroutine that must not write
	}
	r, err := capture.NewReader(src, options...)
	if err != nil {
		return err
	}
	defer r.Close()
	l.bar = newProgress(l.std, in, r)
	err = read(r, name)
	l.bar.clear()
	if warnings > maxWarnings {
		l.say(fmt.Sprintf("%s: %d more warnings", name, warnings-maxWarnings))
	}
	return err
}

// packets lists the packets that are still to come from r.
func (l *listing) packets(r *capture.Reader, name string) error {
	l.out.buf = l.printer.file(l.out.buf, name)
	l.order.file(name)
	if l.inParallel {
		return l.batches(r, l.printer.(forker))
	}
	p := &l.packet
	p.Frame = field.Frame{Packet: p.Packet}
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		l.bar.at(rec)
		if w := l.order.packet(rec.Time); w != "" {
			l.say(w)
		}
		if l.skip > 0 {
			l.skip--
			p.Advance(local(rec.Time))
			continue
		}
		p.digits = digits(r, rec)
		err = p.take(rec, l.decap)
		if l.filter == nil || l.filter.Match(&p.Frame) {
			if err := l.write(err); err != nil {
				return err
			}
		}
		if l.count--; l.count == 0 {
			return errEnough
		}
		if l.std.stop.isAsked() {
			return nil
		}
	}
}

// take makes p the packet of a record, or the innermost one in that. It returns
// what ended the decoding early.
func (p *packet) take(rec *capture.Record, decap bool) error {
	p.Advance(local(rec.Time))
	p.Number, p.Length, p.Captured = int(rec.Number), rec.Length, len(rec.Data)
	p.linkType, p.recordTime = rec.LinkType, rec.RecordTime
	err := p.Decode(rec.LinkType, rec.Data)
	if decap {
		err = p.decap(err)
	}
	return err
}

// local returns a time as tshark shows it. That of a packet which has none stays.
func local(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.Local()
}

// write writes the packet; decoding is what ended its decoding early.
func (l *listing) write(decoding error) error {
	l.out.buf = l.printer.packet(l.out.buf, &l.packet, decoding)
	if l.out.each && len(l.out.buf) > 0 { // to the terminal that the progress is on
		l.bar.clear()
		l.bar = nil
	}
	return l.out.packetDone()
}

// decap makes of a packet the innermost one in it, if it is in a mirror or
// tunnel. err is what Decode has returned for it, and what it returns.
func (p *packet) decap(err error) error {
	link, data, ok := p.Inner()
	if !ok {
		return err
	}
	missing := max(p.Len()-p.CapLen(), 0) // at the end, of both
	p.linkType, p.Captured, p.Length = link, len(data), len(data)+missing
	return p.Decode(link, data)
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
