package wireshark

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
)

// protocolsOff are dissectors of what a payload may hold. They go by guesses or
// by UDP ports, and hide fields of InfiniBand where they are wrong.
var protocolsOff = []string{"tftp", "rpcordma", "smb_direct", "nvme-rdma", "lnet", "iser", "smc", "fcoib", "infiniband_sdp"}

// heuristicsOff are guesses of protocols that are wanted elsewhere: at Ethernet
// frames in payloads.
var heuristicsOff = []string{"eth_over_ib", "mellanox_eoib"}

// preferences let it look into first fragments, as this module does.
var preferences = []string{"ip.defragment:FALSE", "ipv6.defragment:FALSE"}

// Command is the one command line of tshark.
func Command(args ...string) *exec.Cmd {
	all := []string{"-n"} // no names of hosts and ports
	for _, p := range preferences {
		all = append(all, "-o", p)
	}
	for _, p := range protocolsOff {
		all = append(all, "--disable-protocol", p)
	}
	for _, h := range heuristicsOff {
		all = append(all, "--disable-heuristic", h)
	}
	cmd := exec.Command("tshark", append(all, args...)...)
	cmd.Env = append(os.Environ(), "TZ=UTC", "LC_ALL=C.UTF-8")
	return cmd
}

// ErrNoTshark says that there is no tshark on PATH.
var ErrNoTshark = errors.New("tshark is not on PATH")

var versionLine = regexp.MustCompile(`^TShark \(Wireshark\) (\d+\.\d+\.\d+)`)

// TsharkVersion returns the version of the tshark on PATH, as "4.0.17".
func TsharkVersion() (string, error) {
	if _, err := exec.LookPath("tshark"); err != nil {
		return "", ErrNoTshark
	}
	out, err := exec.Command("tshark", "-v").Output()
	if err != nil {
		return "", fmt.Errorf("tshark -v: %w", err)
	}
	m := versionLine.FindSubmatch(out)
	if m == nil {
		return "", fmt.Errorf("tshark -v: no version in %q", out)
	}
	return string(m[1]), nil
}

// TsharkFields returns the names of all fields and protocols that the tshark on
// PATH has.
func TsharkFields() (map[string]bool, error) {
	out, err := exec.Command("tshark", "-G", "fields").Output()
	if err != nil {
		return nil, fmt.Errorf("tshark -G fields: %w", err)
	}
	all := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		if cells := strings.Split(line, "\t"); len(cells) > 2 {
			all[strings.TrimSpace(cells[2])] = true
		}
	}
	return all, nil
}

// A DamageError is what tshark says of a file that it has not read to its end.
type DamageError struct{ Text string }

func (e *DamageError) Error() string { return "tshark: " + e.Text }

var rootWarning = regexp.MustCompile(`(?m)^Running as user .*\n`)

// Tshark is the Dissector of the tshark on PATH.
func Tshark(path string, each func(number int, items []Item) error) error {
	cmd := Command("-r", path, "-T", "pdml")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("tshark: %w", err)
	}
	err = readPDML(bufio.NewReaderSize(out, maxLine), each)
	if err != nil {
		_ = cmd.Process.Kill() // it would wait for a reader
	}
	_, _ = io.Copy(io.Discard, out)
	if waited := cmd.Wait(); err == nil && waited != nil {
		err = &DamageError{strings.TrimSpace(rootWarning.ReplaceAllString(stderr.String(), ""))}
	}
	return err
}
