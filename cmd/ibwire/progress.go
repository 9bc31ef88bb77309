package main

import (
	"os"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/ibwire/ibwire/capture"
)

// A progress shows on a terminal how far the reading of a file has come, where
// the output goes elsewhere or is still to come. A nil progress shows nothing.
type progress struct {
	bar   *progressbar.ProgressBar
	count int
}

// newProgress returns nil unless there is a terminal to show it on, and a file
// whose size is known.
func newProgress(std stdio, in any, r *capture.Reader) *progress {
	f, ok := in.(*os.File)
	if !ok || !isTerminal(std.err) || r.Compression() != "" {
		return nil
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return &progress{bar: progressbar.NewOptions64(info.Size(),
		progressbar.OptionSetWriter(std.err),
		progressbar.OptionSetDescription(info.Name()),
		progressbar.OptionShowBytes(true),
		progressbar.OptionThrottle(200*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)}
}

// at is called with each packet.
func (p *progress) at(rec *capture.Record) {
	if p == nil {
		return
	}
	if p.count++; p.count%1024 == 0 {
		p.to(rec.Offset)
	}
}

// to is called with how far it is.
func (p *progress) to(offset int64) {
	if p != nil {
		_ = p.bar.Set64(offset) // what cannot be shown is not missed
	}
}

// clear takes the bar away, until it is drawn again.
func (p *progress) clear() {
	if p != nil {
		_ = p.bar.Clear()
	}
}
