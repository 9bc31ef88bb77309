//go:build unix

package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/testdata"
)

// endedBy runs a command that never ends, sends it a signal and returns its exit
// status, -1 if it was the signal that ended it. That may happen to a command that
// has not begun yet, so it gets more time to.
func endedBy(t *testing.T, s syscall.Signal, path string, args ...string) int {
	t.Helper()
	for wait := 50 * time.Millisecond; ; wait *= 2 {
		c := exec.CommandContext(soon(t), path, args...)
		require.NoError(t, c.Start())
		time.Sleep(wait)
		require.NoError(t, c.Process.Signal(s), args)
		_ = c.Wait() // the status says it
		status := c.ProcessState.Sys().(syscall.WaitStatus)
		if !status.Signaled() || status.Signal() != s || wait > 5*time.Second {
			return c.ProcessState.ExitCode()
		}
	}
}

// A FIFO that nobody has at the other end is waited for, and the wait can be ended.
func TestInterruptOfFIFO(t *testing.T) {
	ibwire, native := build(t), testdata.Path(t, "native.pcap")
	dir := t.TempDir()
	fifo, out := filepath.Join(dir, "fifo"), filepath.Join(dir, "out.pcap")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	for _, args := range [][]string{
		{"dissect", fifo},
		{"check", fifo},
		{"convert", fifo, out},
		{"convert", native, fifo},
	} {
		for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
			require.Equal(t, exitInterrupted, endedBy(t, s, ibwire, args...), "%s: %v", args, s)
		}
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1)
}

// While a FIFO is waited for, all packets of the files before it are shown.
func TestOutputBeforeFIFO(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	c := exec.CommandContext(soon(t), build(t), "dissect", testdata.Path(t, "native.pcap"), fifo)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	r := bufio.NewReader(out)
	for range 180 {
		_, err := r.ReadString('\n') // waits for ever if the line is held back
		require.NoError(t, err)
	}
	require.NoError(t, c.Process.Signal(syscall.SIGTERM))
	require.Error(t, c.Wait())
	require.Equal(t, exitInterrupted, c.ProcessState.ExitCode())
}

// A hang-up that is ignored, as under nohup, ends nothing.
func TestIgnoredHangUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.pcap")
	c := exec.CommandContext(soon(t), "sh", "-c", `trap '' HUP; exec "$@"`, "sh", build(t), "convert", "-", path)
	in, err := c.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	header, all := packets(t)
	_, err = in.Write(append(header[:24:24], all[0]...))
	require.NoError(t, err)
	require.Eventually(t, func() bool { // until it has begun
		left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".ibwire-*"))
		return len(left) == 1
	}, time.Minute, 5*time.Millisecond)
	require.NoError(t, c.Process.Signal(syscall.SIGHUP))
	_, err = in.Write(all[1])
	require.NoError(t, err)
	require.NoError(t, in.Close())
	require.NoError(t, c.Wait())
	require.Equal(t, append(header[:24:24], bytes.Join(all[:2], nil)...), readFile(t, path))
}
