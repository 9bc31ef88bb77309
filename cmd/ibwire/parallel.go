package main

import (
	"io"
	"os"
	"runtime"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/capture"
	"github.com/ibwire/ibwire/field"
	"github.com/ibwire/ibwire/filter"
)

// A forker is a printer that several goroutines can print for. What a packet comes
// to is small, as long as the packet at most, so that much of it may wait.
type forker interface {
	printer
	// fork returns a printer for packets that one goroutine has.
	fork() printer
	// join takes in what a fork has met, in the order of the file.
	join(dst []byte, fork printer) []byte
}

// A worked is what comes of a batch of packets.
type worked struct {
	packet  packet
	printer printer
	filter  *filter.Filter // nil for all packets
	buf     []byte
}

// mayFork reports whether the packets of in can be listed by several goroutines:
// all of them, from a file, since a pipe may let one wait, and not to a terminal,
// where each shall be seen as soon as it can.
func (l *listing) mayFork(in io.Reader) bool {
	f, isFile := in.(*os.File)
	_, ok := l.printer.(forker)
	if !isFile || !ok || l.skip > 0 || l.count > 0 || l.out.each || runtime.GOMAXPROCS(0) == 1 {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode().IsRegular()
}

// batches lists the packets that are still to come from r, several at once.
func (l *listing) batches(r *capture.Reader, p forker) error {
	return capture.Parallel(r, func(b *capture.Batch[worked]) {
		l.work(b, p)
	}, func(b *capture.Batch[worked]) error {
		if n := len(b.Records); n > 0 {
			l.bar.to(b.Records[n-1].Offset)
		}
		if err := l.out.write(b.Result.buf); err != nil {
			return err
		}
		l.out.buf = p.join(l.out.buf, b.Result.printer)
		if l.std.stop.isAsked() {
			return errInterrupted
		}
		return l.out.packetDone()
	})
}

// work lists the packets of a batch.
func (l *listing) work(b *capture.Batch[worked], from forker) {
	w := &b.Result
	p := &w.packet
	if w.printer == nil {
		w.printer = from.fork()
		p.Packet = &ibwire.Packet{Ports: l.packet.Ports}
		if l.filter != nil {
			w.filter, _ = filter.Compile(l.filter.String()) // as it has been before
		}
	}
	p.Frame = field.Frame{Packet: p.Packet, First: local(b.First), Time: local(b.Previous)}
	w.buf = w.buf[:0]
	for i := range b.Records {
		err := p.take(&b.Records[i], l.decap)
		if w.filter == nil || w.filter.Match(&p.Frame) {
			w.buf = w.printer.packet(w.buf, p, err)
		}
	}
}
