//go:build unix

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/testdata"
)

// Where a conversion is stopped while it waits, the file has its name and all
// packets before; nothing else is left.
func TestConvertInterrupt(t *testing.T) {
	ibwire := build(t)
	header, all := packets(t)
	part := append(header[:24:24], bytes.Join(all[:3], nil)...)
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		dir := t.TempDir()
		c := exec.CommandContext(soon(t), ibwire, "convert", "-", filepath.Join(dir, "out.pcap"))
		in, err := c.StdinPipe()
		require.NoError(t, err)
		require.NoError(t, c.Start())
		_, err = in.Write(append(part[:len(part):len(part)], all[3][:20]...)) // the fourth is not whole
		require.NoError(t, err)
		require.Eventually(t, func() bool { // until what came is written, and it waits
			left, _ := filepath.Glob(filepath.Join(dir, ".ibwire-*"))
			if len(left) != 1 {
				return false
			}
			info, err := os.Stat(left[0])
			return err == nil && info.Size() == int64(len(part))
		}, time.Minute, 5*time.Millisecond)
		require.NoFileExists(t, filepath.Join(dir, "out.pcap"))
		require.NoError(t, c.Process.Signal(s))
		require.Error(t, c.Wait())
		require.Equal(t, exitInterrupted, c.ProcessState.ExitCode())
		require.Equal(t, part, readFile(t, filepath.Join(dir, "out.pcap")))
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Len(t, entries, 1)
	}
}

// The same while packets come without end.
func TestConvertInterruptWhileWriting(t *testing.T) {
	header, all := packets(t)
	path := filepath.Join(t.TempDir(), "out.erf")
	c := exec.CommandContext(soon(t), build(t), "convert", "-", path)
	c.Stdin = io.MultiReader(bytes.NewReader(header), &endless{data: bytes.Join(all, nil)})
	require.NoError(t, c.Start())
	require.Eventually(t, func() bool {
		left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".ibwire-*"))
		return len(left) == 1
	}, time.Minute, time.Millisecond)
	require.NoError(t, c.Process.Signal(syscall.SIGTERM))
	_ = c.Wait() // copying to its standard input fails
	require.Equal(t, exitInterrupted, c.ProcessState.ExitCode())
	file := readFile(t, path)
	for len(file) > 0 { // whole records to the end
		n := int(file[10])<<8 + int(file[11])
		require.GreaterOrEqual(t, len(file), n)
		file = file[n:]
	}
}

// What cannot be written leaves nothing, and what was there as it was. The limit
// of the size of files is a full disk that needs no disk of its own.
func TestConvertFullDisk(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.pcap")
	require.NoError(t, os.WriteFile(path, []byte("as it was"), 0o644))
	c := exec.CommandContext(soon(t), "sh", "-c", `trap '' XFSZ; ulimit -f 8; exec "$@"`, "sh", build(t), "convert", testdata.Path(t, "native.pcap"), path)
	out, err := c.CombinedOutput()
	require.Error(t, err)
	require.Equal(t, exitError, c.ProcessState.ExitCode())
	require.Equal(t, "ibwire: writing "+path+": file too large\n", string(out))
	require.Equal(t, "as it was", string(readFile(t, path)))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1)
}

func TestConvertToDevice(t *testing.T) {
	native := testdata.Path(t, "native.pcap")
	_, errs, status := command(t, nil, "convert", native, "/dev/full")
	require.Equal(t, exitError, status)
	require.Equal(t, "ibwire: writing /dev/full: no space left on device\n", errs)
	require.Empty(t, good(t, "convert", native, "/dev/null"))

	fifo := filepath.Join(t.TempDir(), "fifo")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	got := make(chan []byte)
	go func() {
		b, _ := os.ReadFile(fifo)
		got <- b
	}()
	good(t, "convert", native, fifo)
	require.Equal(t, readFile(t, native), <-got)
}

// The file that is read is not written, by whatever name or way: it could be the
// only one, and what is left of it less than there was.
func TestConvertOntoItself(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	native := readFile(t, testdata.Path(t, "native.pcap"))
	require.NoError(t, os.WriteFile(at("a.pcap"), native, 0o600))
	require.NoError(t, os.Symlink("a.pcap", at("link.pcap")))
	require.NoError(t, os.Symlink("link.pcap", at("links.pcap")))
	require.NoError(t, os.Link(at("a.pcap"), at("hard.pcap")))
	for _, c := range []struct{ in, out string }{
		{"a.pcap", "a.pcap"}, {"a.pcap", "link.pcap"}, {"link.pcap", "a.pcap"}, {"a.pcap", "links.pcap"}, {"a.pcap", "hard.pcap"},
	} {
		_, errs, status := command(t, nil, "convert", "--first", "500", at(c.in), at(c.out))
		require.Equal(t, exitError, status, c)
		require.Equal(t, "ibwire: "+at(c.out)+" is the file that is read; write to another one\n", errs)
	}
	in, err := os.Open(at("a.pcap"))
	require.NoError(t, err)
	defer in.Close()
	_, errs, status := command(t, in, "convert", "-", at("hard.pcap"))
	require.Equal(t, exitError, status)
	require.Contains(t, errs, "hard.pcap is the file that is read")
	out, err := os.OpenFile(at("a.pcap"), os.O_WRONLY|os.O_APPEND, 0)
	require.NoError(t, err)
	defer out.Close()
	var said bytes.Buffer
	require.Equal(t, exitError, run([]string{"convert", at("a.pcap"), "-"}, stdio{out: out, err: &said}))
	require.Equal(t, "ibwire: standard output is the file that is read; write to another one\n", said.String())

	require.Equal(t, native, readFile(t, at("a.pcap")))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 4)
}

// A file that was there may be behind a link, and keeps its permissions; a new one
// has those of the umask.
func TestConvertOntoAnother(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "a.pcap"), filepath.Join(dir, "link.pcap")
	native := readFile(t, testdata.Path(t, "native.pcap"))
	require.NoError(t, os.WriteFile(path, []byte("as it was"), 0o600))
	require.NoError(t, os.Chmod(path, 0o640))
	require.NoError(t, os.Symlink("a.pcap", link))
	good(t, "convert", testdata.Path(t, "native.pcap"), link)
	require.Equal(t, native, readFile(t, path))
	info, err := os.Lstat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o640), info.Mode())
	info, err = os.Lstat(link)
	require.NoError(t, err)
	require.Equal(t, os.ModeSymlink, info.Mode().Type())

	umask := syscall.Umask(0o027)
	defer syscall.Umask(umask)
	good(t, "convert", path, filepath.Join(dir, "new.pcap"))
	info, err = os.Stat(filepath.Join(dir, "new.pcap"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o640), info.Mode())
}

// Of a damaged file, what is before the damage is written whole. What is no
// capture leaves nothing.
func TestConvertDamaged(t *testing.T) {
	dir := t.TempDir()
	native := readFile(t, testdata.Path(t, "native.pcap"))
	path := filepath.Join(dir, "out.pcap")
	_, errs, status := command(t, bytes.NewReader(native[:len(native)-1]), "convert", "-", path)
	require.Equal(t, exitError, status)
	require.Contains(t, errs, "ibwire: standard input: packet 180 at byte ")
	got := readFile(t, path)
	require.Equal(t, native[:len(got)], got)
	require.Len(t, testdata.Frames(t, path), 179)

	_, errs, status = command(t, bytes.NewReader([]byte("nothing that is known")), "convert", "-", path)
	require.Equal(t, exitError, status)
	require.Contains(t, errs, "not a capture file")
	require.Equal(t, got, readFile(t, path))
	_, errs, status = command(t, bytes.NewReader(native), "convert", "-", dir)
	require.Equal(t, exitError, status)
	require.Contains(t, errs, "is a directory")
	path = filepath.Join(dir, "no", "such.pcap")
	_, errs, status = command(t, bytes.NewReader(native), "convert", "-", path)
	require.Equal(t, exitError, status)
	require.Equal(t, "ibwire: "+path+": creating a file in its directory: no such file or directory\n", errs)
}

// Where OUT is a link to a file that is not there yet, that file is created, and
// the link stays.
func TestConvertToDanglingLink(t *testing.T) {
	native := testdata.Path(t, "native.pcap")
	for _, c := range []struct{ name, to, target string }{
		{"file", "new.pcap", "new.pcap"},
		{"directory", "sub/new.pcap", "sub/new.pcap"},
		{"above a linked directory", "deep/../new.pcap", "sub/new.pcap"},
		{"absolute", "DIR/sub/new.pcap", "sub/new.pcap"},
		{"another link", "next.pcap", "sub/new.pcap"},
	} {
		dir := t.TempDir()
		at := func(name string) string { return filepath.Join(dir, name) }
		require.NoError(t, os.MkdirAll(at("sub/deep"), 0o700))
		require.NoError(t, os.Symlink("sub/deep", at("deep")))
		require.NoError(t, os.Symlink("sub/new.pcap", at("next.pcap")))
		require.NoError(t, os.Symlink(strings.Replace(c.to, "DIR", dir, 1), at("link.pcap")))
		good(t, "convert", native, at("link.pcap"))
		info, err := os.Lstat(at(c.target))
		require.NoError(t, err, c.name)
		require.True(t, info.Mode().IsRegular(), c.name)
		require.Equal(t, readFile(t, native), readFile(t, at(c.target)), c.name)
		info, err = os.Lstat(at("link.pcap"))
		require.NoError(t, err)
		require.Equal(t, os.ModeSymlink, info.Mode().Type(), c.name)
	}

	dir := t.TempDir()
	for from, to := range map[string]string{"a": "b", "b": "a", "nowhere": "no/such.pcap"} {
		require.NoError(t, os.Symlink(to, filepath.Join(dir, from)))
	}
	for name, want := range map[string]string{
		"a":       "too many levels of symbolic links\n",
		"nowhere": "creating a file in its directory: no such file or directory\n",
	} {
		_, errs, status := command(t, nil, "convert", native, filepath.Join(dir, name))
		require.Equal(t, exitError, status, name)
		require.Contains(t, errs, filepath.Join(dir, name)+": "+want)
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 3)
}
