package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math/bits"
	"slices"

	"github.com/ibwire/ibwire/capture"
	"github.com/ibwire/ibwire/linktype"
)

// A conversion takes the packets of a file to another one.
type conversion struct {
	listing
	path       string         // of the file to write
	format     capture.Format // "": that of the source
	resolution uint8          // of times, 0: as in the source
	link       linktype.Type  // 0: as in the source
	first      int64          // number of the first packet to write
	decap      *decap         // nil to leave packets as they are; in place of that of the listing

	file    *outFile // nil before the source is known to be a capture
	writer  *capture.Writer
	lost    [32]int64        // packets by the bit of capture.Loss
	notHeld map[string]int64 // packets left out, by reason
	counts  func() capture.Counts
}

// run writes what can be read of the file in.
func (v *conversion) run(in string) error {
	err := v.open(in, v.packets)
	if v.file == nil {
		return err
	}
	if v.out.err == nil {
		if err != nil && err != errEnough && !v.std.stop.isAsked() {
			v.say(err.Error())
			v.failed = errReported
		}
		v.finish()
	}
	v.file.discard() // what is not finished
	switch {
	case v.out.err == errNoReader:
		return nil
	case v.out.err != nil:
		return v.writeError(v.out.err)
	case v.std.stop.isAsked():
		return errInterrupted
	}
	return v.failed
}

// packets writes the packets of r.
func (v *conversion) packets(r *capture.Reader, _ string) error {
	if v.format == "" {
		v.format = r.Format()
	}
	var err error
	if v.file, err = createFile(v.path, v.in, v.std); err != nil {
		return err
	}
	v.out.w, v.counts = v.file.w, r.Counts
	v.std.stop.last(func() { v.finish() })
	options := []capture.WriterOption{capture.From(r), capture.OnLoss(v.countLoss)}
	if v.link != 0 {
		options = append(options, capture.As(v.link))
	}
	if v.resolution != 0 {
		options = append(options, capture.TimeResolution(v.resolution))
	}
	v.writer = capture.NewWriter(v.out, v.format, options...)
	for !v.std.stop.isAsked() {
		rec, err := r.Next()
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		v.bar.at(rec)
		if rec.Number < v.first {
			v.packet.Advance(local(rec.Time))
			continue
		}
		if v.selects(rec) {
			if err := v.write(rec); err != nil {
				return err
			}
		}
		if v.count--; v.count == 0 {
			return errEnough
		}
	}
	return nil
}

// selects tells whether the filter selects what is written of a packet.
func (v *conversion) selects(rec *capture.Record) bool {
	if v.filter == nil {
		return true
	}
	_ = v.packet.take(rec, v.decap != nil) // fields that are cut have no value
	return v.filter.Match(&v.packet.Frame)
}

// write writes a packet, or counts it as one that cannot be held.
func (v *conversion) write(rec *capture.Record) error {
	inner, loss := v.decap.open(rec)
	err := v.writer.Write(inner)
	if e, ok := errors.AsType[*capture.NotHeldError](err); ok {
		v.notHeld[e.Reason]++
		v.failed = errReported
		return nil
	}
	v.countLoss(inner, loss)
	return err
}

// countLoss counts a packet of which something is lost.
func (v *conversion) countLoss(_ *capture.Record, loss capture.Loss) {
	if loss&capture.LossFormat != 0 { // and with it all packets
		v.failed = errReported
	}
	for ; loss != 0; loss &= loss - 1 {
		v.lost[bits.TrailingZeros32(uint32(loss))]++
	}
}

// finish makes the file whole, gives it its name and tells what is lost. An
// error is that of v.out.
func (v *conversion) finish() {
	v.writer.Close()
	if v.out.flush() != nil {
		return
	}
	if v.out.err = v.file.commit(); v.out.err != nil {
		return
	}
	target := string(v.format)
	if v.link != 0 && v.format != capture.FormatERF {
		target += " of link type " + v.link.String()
	}
	for i, n := range v.lost {
		if n > 0 {
			v.say(fmt.Sprintf("%s: %s does not hold %v", number(n, "packet"), target, capture.Loss(1<<i)))
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(v.notHeld)) {
		v.say(fmt.Sprintf("%s left out: %s", number(v.notHeld[reason], "packet"), reason))
	}
	counts := v.counts()
	if counts.Pads > 0 {
		v.say(fmt.Sprintf("%s without a packet left out", number(counts.Pads, "PAD record")))
	}
	if counts.Blocks > 0 {
		v.say(fmt.Sprintf("%s without a packet left out", number(counts.Blocks, "pcapng block")))
	}
}

func number(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// writeError returns the error for one of the file that is written, without the
// name that it had so far.
func (v *conversion) writeError(err error) error {
	return fmt.Errorf("writing %s: %w", v.file.name, cause(err))
}
