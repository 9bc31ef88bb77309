package main

import (
	"crypto/rand"
	"errors"
	"fmt"
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

// createFile begins to write the file path, or standard output if that is "-". It
// writes straight to what is no regular file, such as a pipe or a device. The file
// that in reads is refused: what would be left of it is what could be converted.
func createFile(path string, in io.Reader, std stdio) (*outFile, error) {
	if path == "-" {
		if f, ok := std.out.(*os.File); ok {
			if info, err := f.Stat(); err == nil && isRead(info, in) {
				return nil, errSameFile("standard output")
			}
		}
		return &outFile{w: std.out, name: "standard output"}, nil
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return createTemporary(path, followLinks(path), 0)
	} else if err != nil {
		return nil, err
	}
	if isRead(info, in) {
		return nil, errSameFile(path)
	}
	f, err := openFile(path, os.O_WRONLY, std.stop) // so that it may be written
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return &outFile{w: f, f: f, name: path}, nil
	}
	f.Close()
	target, err := filepath.EvalSymlinks(path) // or the link would be replaced
	if err != nil {
		return nil, err
	}
	return createTemporary(path, target, info.Mode().Perm())
}

// isRead reports whether info is of the regular file that in reads.
func isRead(info fs.FileInfo, in io.Reader) bool {
	f, ok := in.(*os.File)
	if !ok || !info.Mode().IsRegular() {
		return false
	}
	read, err := f.Stat()
	return err == nil && os.SameFile(info, read)
}

func errSameFile(name string) error {
	return fmt.Errorf("%s is the file that is read; write to another one", name)
}

// followLinks returns the name of the file that is not there yet behind links that
// lead to it.
func followLinks(path string) string {
	const most = 40 // Linux takes more for a loop
	for range most {
		to, err := os.Readlink(path)
		if err != nil {
			return path
		}
		if !filepath.IsAbs(to) {
			dir, _ := filepath.Split(path) // Join would take a link away with ".."
			to = dir + to
		}
		path = to
	}
	return path
}

// createTemporary creates a file beside target, which it will be. A mode of 0 is
// that of new files. Errors name path.
func createTemporary(path, target string, mode fs.FileMode) (*outFile, error) {
	// os.CreateTemp would not heed the umask.
	dir, _ := filepath.Split(target)
	temporary := dir + ".ibwire-" + rand.Text()
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, fmt.Errorf("%s: creating a file in its directory: %w", path, cause(err))
	}
	o := &outFile{w: f, f: f, name: path, path: target, temporary: temporary}
	if mode != 0 {
		err = f.Chmod(mode)
	}
	if err != nil {
		o.discard()
		return nil, fmt.Errorf("%s: setting its permissions: %w", path, cause(err))
	}
	return o, nil
}

// cause returns what is behind an error that names a file, which may be the
// temporary one.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
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
