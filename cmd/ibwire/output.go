package main

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/term"
)

// outputSize is how much an output gathers before it writes.
const outputSize = 64 << 10

// An output gathers what is written to a file or a pipe, and writes each packet
// at once to a terminal.
type output struct {
	w    io.Writer
	buf  []byte
	each bool
	err  error // the first of w
}

func newOutput(w io.Writer) *output {
	return &output{w: w, each: isTerminal(w), buf: make([]byte, 0, 2*outputSize)}
}

// packetDone is called behind each packet. It returns the error of the output.
func (o *output) packetDone() error {
	if o.each || len(o.buf) >= outputSize {
		return o.flush()
	}
	return o.err
}

// flush writes what has been gathered. It returns the first error that there has
// been; that nobody reads any more is none to speak of.
func (o *output) flush() error {
	if o.err == nil && len(o.buf) > 0 {
		_, o.err = o.w.Write(o.buf)
		if errors.Is(o.err, syscall.EPIPE) {
			o.err = errNoReader
		}
	}
	o.buf = o.buf[:0]
	return o.err
}

// errNoReader is the error of an output that nobody reads any more.
var errNoReader = errors.New("nobody reads the output")

func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// An input reads a capture. Before each read, which may wait, it flushes the
// output, so that what comes slowly is shown as it comes.
type input struct {
	r    io.Reader
	out  *output
	stop *interrupt
}

func (i *input) Read(p []byte) (int, error) {
	i.out.flush() // its error comes again behind the packet
	i.stop.mayEnd()
	defer i.stop.mustNotEnd()
	if i.stop.isAsked() { // in between, so nobody ends the wait that would begin
		return 0, errInterrupted
	}
	return i.r.Read(p)
}

// An interrupt ends the program when the user asks for it: between two packets,
// or while it waits for input, but never within its output. A nil interrupt
// does nothing.
type interrupt struct {
	asked   atomic.Bool
	working sync.Mutex // held but while the program waits for input
	finish  func()     // ends the output
}

// newInterrupt takes over SIGINT and SIGTERM, unless they are ignored, as shells
// have it with SIGINT for programs in the background. A second one ends the
// program as ever.
func newInterrupt() *interrupt {
	var signals []os.Signal
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		if !signal.Ignored(s) {
			signals = append(signals, s)
		}
	}
	if signals == nil { // Notify would take them for all
		return nil
	}
	i := &interrupt{finish: func() {}}
	i.working.Lock()
	ask := make(chan os.Signal, 1)
	signal.Notify(ask, signals...)
	go func() {
		<-ask
		signal.Stop(ask)
		i.asked.Store(true)
		if i.working.TryLock() { // it waits, and all packets are written
			i.finish()
			os.Exit(exitInterrupted)
		}
	}()
	return i
}

// last has f called at the end that comes while the program waits.
func (i *interrupt) last(f func()) {
	if i != nil {
		i.finish = f
	}
}

func (i *interrupt) mayEnd() {
	if i != nil {
		i.working.Unlock()
	}
}

func (i *interrupt) mustNotEnd() {
	if i != nil {
		i.working.Lock()
	}
}

// isAsked reports whether the user has asked for the end.
func (i *interrupt) isAsked() bool { return i != nil && i.asked.Load() }
