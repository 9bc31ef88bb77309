package main

import (
	"crypto/rand"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// An outFile is a file that is being written. A regular file has another name
// until it is whole.
type outFile struct {
	w         io.Writer
	name      string   // for messages
	f         *os.File // nil for standard output and when it is done
	path      string   // what f will be called
	temporary string   // what it is called so far, "" if it keeps its name
}

// createFile begins to write the file path, or out if that is "-". It writes
// straight to what is no regular file, such as a pipe or a device.
func createFile(path string, out io.Writer) (*outFile, error) {
	if path == "-" {
		return &outFile{w: out, name: "standard output"}, nil
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // or the link would be replaced
	}
	mode := fs.FileMode(0)
	if info, err := os.Stat(path); err == nil {
		f, err := os.OpenFile(path, os.O_WRONLY, 0) // so that it may be written
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() {
			return &outFile{w: f, f: f, name: path}, nil
		}
		f.Close()
		mode = info.Mode().Perm()
	}
	// os.CreateTemp would not heed the umask.
	temporary := filepath.Join(filepath.Dir(path), ".ibwire-"+rand.Text())
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	if mode != 0 {
		err = f.Chmod(mode)
	}
	o := &outFile{w: f, f: f, name: path, path: path, temporary: temporary}
	if err != nil {
		o.discard()
		return nil, err
	}
	return o, nil
}

// commit ends the file and gives it its name.
func (o *outFile) commit() error {
	if o.f == nil {
		return nil
	}
	if err := o.f.Close(); err != nil {
		return err
	}
	if o.temporary != "" {
		if err := os.Rename(o.temporary, o.path); err != nil {
			return err
		}
	}
	o.f = nil
	return nil
}

// discard takes away a file that has not been committed.
func (o *outFile) discard() {
	if o.f == nil {
		return
	}
	o.f.Close()
	if o.temporary != "" {
		os.Remove(o.temporary)
	}
	o.f = nil
}

// Write gathers p, and writes when much has been gathered.
func (o *output) Write(p []byte) (int, error) {
	o.buf = append(o.buf, p...)
	return len(p), o.packetDone()
}
