package main

import (
	"fmt"
	"os"

	"github.com/ibwire/ibwire/cmd/ibwire/plot"
)

// A picture is the file of --plot. A nil picture is none.
type picture struct {
	*plot.Recorder
	file *outFile
	path string
}

// newPicture begins a picture of a flow, or of all if that is 0. A path that is one
// of the captures is refused.
func newPicture(path string, flow int64, std stdio, captures []string) (*picture, error) {
	if path == "" {
		return nil, nil
	}
	for _, c := range captures {
		if there, err := os.Stat(path); err == nil {
			if info, err := os.Stat(c); err == nil && os.SameFile(there, info) {
				return nil, errSameFile(path)
			}
		}
	}
	file, err := createFile(path, nil, std)
	if err != nil {
		return nil, err
	}
	return &picture{plot.New(flow, captures...), file, path}, nil
}

// finish writes the picture and gives it its name.
func (p *picture) finish() error {
	if p == nil {
		return nil
	}
	defer p.file.discard()
	out := newOutput(p.file.w)
	if err := p.WriteSVG(out); err != nil {
		return fmt.Errorf("stats: --plot %s: %w", p.path, err)
	}
	err := out.flush()
	if err == nil {
		err = p.file.commit()
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", p.path, err)
	}
	return nil
}
