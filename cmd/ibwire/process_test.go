package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/testdata"
)

// build builds the command and returns its path.
func build(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ibwire")
	out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput()
	require.NoError(t, err, string(out))
	return path
}

// soon ends what goes on for ever.
func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// packets returns a pcap file cut into its header and its packets.
func packets(t *testing.T) (header []byte, packets [][]byte) {
	t.Helper()
	return packetsOf(t, testdata.Path(t, "native.pcap"))
}

// packetsOf returns the header and the packets of a pcap file, each with its own.
func packetsOf(t *testing.T, path string) (header []byte, packets [][]byte) {
	t.Helper()
	data := readFile(t, path)
	header, data = data[:24:24], data[24:]
	for len(data) > 0 {
		n := 16 + int(data[8]) + int(data[9])<<8
		packets, data = append(packets, data[:n]), data[n:]
	}
	return header, packets
}

// fileOf returns the path of a new pcap file.
func fileOf(t *testing.T, header []byte, packets ...[]byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.pcap")
	require.NoError(t, os.WriteFile(path, append(header, bytes.Join(packets, nil)...), 0o600))
	return path
}

// A packet that comes through a pipe is shown before the next one comes, though
// the output is no terminal; an interrupt ends the wait, with what was shown
// intact.
func TestPipeAndInterrupt(t *testing.T) {
	c := exec.CommandContext(soon(t), build(t), "dissect", "-")
	in, err := c.StdinPipe()
	require.NoError(t, err)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())

	header, all := packets(t)
	_, err = in.Write(header)
	require.NoError(t, err)
	r := bufio.NewReader(out)
	for _, p := range all[:3] {
		_, err = in.Write(p)
		require.NoError(t, err)
		line, err := r.ReadString('\n') // waits for ever if the line is held back
		require.NoError(t, err)
		require.Contains(t, line, "RC Send")
	}
	require.NoError(t, c.Process.Signal(syscall.SIGINT))
	rest, err := io.ReadAll(r)
	require.NoError(t, err)
	require.Empty(t, rest)
	require.Error(t, c.Wait())
	require.Equal(t, exitInterrupted, c.ProcessState.ExitCode())
}

// An interrupt in the middle of a listing ends it behind a packet.
func TestInterruptWhileListing(t *testing.T) {
	header, all := packets(t)
	c := exec.CommandContext(soon(t), build(t), "dissect", "-T", "ndjson", "-")
	c.Stdin = io.MultiReader(bytes.NewReader(header), &endless{data: bytes.Join(all, nil)})
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	r := bufio.NewReader(out)
	for range 100 {
		_, err := r.ReadString('\n')
		require.NoError(t, err)
	}
	require.NoError(t, c.Process.Signal(syscall.SIGINT))
	rest, err := io.ReadAll(r)
	require.NoError(t, err)
	if len(rest) > 0 { // or it had written just these lines
		require.Equal(t, "}\n", string(rest[len(rest)-2:]))
	}
	_ = c.Wait() // copying to its standard input fails
	require.Equal(t, exitInterrupted, c.ProcessState.ExitCode())
}

// endless reads data again and again.
type endless struct {
	data []byte
	at   int
}

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, e.data[e.at:])
	e.at = (e.at + n) % len(e.data)
	return n, nil
}

// An array of JSON is whole where an interrupt ends the wait.
func TestInterruptOfJSON(t *testing.T) {
	c := exec.CommandContext(soon(t), build(t), "dissect", "-T", "json", "-e", "frame.number", "-")
	in, err := c.StdinPipe()
	require.NoError(t, err)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	header, all := packets(t)
	_, err = in.Write(append(header[:24:24], bytes.Join(all[:2], nil)...))
	require.NoError(t, err)
	r := bufio.NewReader(out)
	got := ""
	for range 3 {
		line, err := r.ReadString('\n')
		require.NoError(t, err)
		got += line
	}
	require.NoError(t, c.Process.Signal(syscall.SIGINT))
	rest, err := io.ReadAll(r)
	require.NoError(t, err)
	require.Equal(t, "[\n{\"frame.number\":1}\n,{\"frame.number\":2}\n]\n", got+string(rest))
	require.Error(t, c.Wait())
	require.Equal(t, exitInterrupted, c.ProcessState.ExitCode())
}

// A reader that goes away, as head does, is no error to speak of.
func TestClosedPipe(t *testing.T) {
	c := exec.CommandContext(soon(t), build(t), "dissect", "-")
	header, all := packets(t)
	c.Stdin = io.MultiReader(bytes.NewReader(header), &endless{data: bytes.Join(all, nil)})
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	_, err = bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.NoError(t, out.Close())
	_ = c.Wait()
	require.Empty(t, errs.String())
	require.Equal(t, syscall.SIGPIPE, c.ProcessState.Sys().(syscall.WaitStatus).Signal())
}
