package capture

import (
	"io"
	"runtime"
	"sync"
	"time"
)

// A Batch is packets of a file, one behind the other, that one goroutine works on.
type Batch[T any] struct {
	// Records are valid until the batch is done.
	Records []Record
	// First and Previous are the times of the first packet of the file and of the
	// last one in front of the batch, of those that have a time.
	First, Previous time.Time
	// Result is for what comes of the work. It stays as it is from one batch to
	// another one, so that its memory can be used again.
	Result T

	data     []byte // that Records point into
	warnings []*Error
	err      error // what ended the file, behind Records
	ready    chan struct{}
}

const (
	// maxWorkers is how many goroutines work at most: more would find nothing to
	// do, since reading is left to one.
	maxWorkers = 6
	// parallelSize is the size of a batch in bytes, but for one with a larger record.
	parallelSize = 128 << 10
)

// Parallel reads r to its end. work is called for batches of packets by as many
// goroutines as the program may run at once, at most 6; done is called for the
// same batches in the order of the file, by the goroutine that has called
// Parallel, which is also the one that warnings are given to.
//
// Every packet is in exactly one batch. Parallel returns the error that ended the
// file before its end, as Next does, and nil at its end; the packets in front of
// it have been done. An error of done ends it at once: no batch is done any more,
// and the error is returned as soon as what is being read has been read.
//
// It pays where the work on a packet takes longer than to find its end, and it
// holds packets back until a batch is full, which in a pipe may take long. Until
// it returns, r is in use. It needs about 300 KiB for each goroutine twice.
func Parallel[T any](r *Reader, work func(*Batch[T]), done func(*Batch[T]) error) error {
	n := min(runtime.GOMAXPROCS(0), maxWorkers)
	p := &parallel[T]{
		r: r, onWarning: r.onWarning, free: make(chan *Batch[T], 2*n+1), work: make(chan *Batch[T], 2*n+1), order: make(chan *Batch[T], 2*n+1),
		stop: make(chan struct{}),
	}
	for range cap(p.free) {
		p.free <- &Batch[T]{ready: make(chan struct{}, 1)}
	}
	if r.onWarning != nil {
		r.onWarning = func(e *Error) { p.batch.warnings = append(p.batch.warnings, e) }
		defer func() { r.onWarning = p.onWarning }()
	}
	p.next()
	p.batch.data = r.buf.data
	r.buf.swap = p.swap
	defer func() { r.buf.swap = nil }()
	var running sync.WaitGroup
	running.Go(p.read)
	for range n {
		running.Go(func() {
			for b := range p.work {
				work(b)
				b.ready <- struct{}{}
			}
		})
	}
	err := p.deliver(done)
	close(p.stop)
	running.Wait()
	return err
}

// A parallel is the way of batches: they are filled by read, worked on, and
// delivered in the order in which they were filled.
type parallel[T any] struct {
	r                 *Reader
	onWarning         func(*Error) // of r
	free, work, order chan *Batch[T]
	stop              chan struct{}

	batch           *Batch[T] // that read fills
	first, previous time.Time
}

// deliver takes batches to done.
func (p *parallel[T]) deliver(done func(*Batch[T]) error) error {
	for b := range p.order {
		<-b.ready
		for _, e := range b.warnings {
			p.onWarning(e)
		}
		if err := done(b); err != nil {
			return err
		}
		if b.err != nil {
			return b.err
		}
		p.free <- b
	}
	return nil
}

// read fills batches until the file ends, or nobody wants more of them.
func (p *parallel[T]) read() {
	defer close(p.order)
	defer close(p.work)
	for {
		rec, err := p.r.Next()
		if p.stopped() {
			return
		}
		if err != nil {
			if err != io.EOF {
				p.batch.err = err
			}
			p.send()
			return
		}
		p.r.buf.handed = true
		p.batch.Records = append(p.batch.Records, *rec)
		if !rec.Time.IsZero() {
			if p.previous = rec.Time; p.first.IsZero() {
				p.first = rec.Time
			}
		}
	}
}

func (p *parallel[T]) stopped() bool {
	select {
	case <-p.stop:
		return true
	default:
		return false
	}
}

// swap gives the buffer new memory for that of the batch, which is full.
func (p *parallel[T]) swap() []byte {
	p.send()
	p.next()
	if len(p.batch.data) < parallelSize {
		p.batch.data = make([]byte, parallelSize)
	}
	return p.batch.data
}

// send sends the batch on its way. There is room for every batch everywhere.
func (p *parallel[T]) send() {
	p.order <- p.batch
	p.work <- p.batch
}

// next takes a batch that is free. If nobody wants one any more, it is a new one,
// since what is in the others may still be worked on.
func (p *parallel[T]) next() {
	select {
	case p.batch = <-p.free:
	case <-p.stop:
		p.batch = &Batch[T]{}
	}
	b := p.batch
	b.Records, b.warnings, b.err = b.Records[:0], b.warnings[:0], nil
	b.First, b.Previous = p.first, p.previous
}
