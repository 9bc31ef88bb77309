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

// write writes b behind what has been gathered.
func (o *output) write(b []byte) error {
	if o.flush() == nil && len(b) > 0 {
		gathered := o.buf
		o.buf = b
		o.flush()
		o.buf = gathered
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
	if err := i.stop.mayEnd(); err != nil {
		return 0, err
	}
	defer i.stop.mustNotEnd()
	return i.r.Read(p)
}

// openFile opens a file. A FIFO has it wait for the other end, and there it may be
// interrupted.
func openFile(path string, flag int, stop *interrupt) (*os.File, error) {
	if err := stop.mayEnd(); err != nil {
		return nil, err
	}
	defer stop.mustNotEnd()
	return os.OpenFile(path, flag, 0)
}

// An interrupt ends the program when the user asks for it: between two packets,
// or while it waits for input or for a file to open, but never within its output.
// A nil interrupt does nothing.
type interrupt struct {
	asked   atomic.Bool
	working sync.Mutex // held but while the program waits
	finish  func()     // ends the output
}

// newInterrupt takes over SIGINT, SIGTERM and SIGHUP, unless they are ignored, as
// shells have it with SIGINT for programs in the background, and nohup with
// SIGHUP. A second one ends the program as ever.
func newInterrupt() *interrupt {
	var signals []os.Signal
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
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

// mayEnd is called before a wait in which the program may end. If its end was asked
// for before, it returns errInterrupted, and there must be no wait.
func (i *interrupt) mayEnd() error {
	if i == nil {
		return nil
	}
	i.working.Unlock()
	if i.isAsked() { // in between, so nobody ends the wait that would begin
		i.working.Lock()
		return errInterrupted
	}
	return nil
}

// mustNotEnd is called behind the wait.
func (i *interrupt) mustNotEnd() {
	if i != nil {
		i.working.Lock()
	}
}

// isAsked reports whether the user has asked for the end.
func (i *interrupt) isAsked() bool { return i != nil && i.asked.Load() }
