// Command bench compares ibwire with tshark as whole processes, and with itself:
// stats with check, and check on one processor and on a tenth of the packets. It
// prints tables in Markdown for the README.
//
//	go run ./testdata/bench SMALL LARGE
//
// SMALL and LARGE are captures of native packets that tshark reads, of packets of
// about 100 bytes and of some KB, 100 MB or more each: shorter runs measure how
// programs start.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/ibwire/ibwire/capture"
	"github.com/ibwire/ibwire/testdata/wireshark"
)

// columns are the fields that both programs write.
var columns = []string{
	"frame.number", "infiniband.bth.opcode", "infiniband.bth.destqp", "infiniband.bth.psn",
	"infiniband.lrh.slid", "infiniband.lrh.dlid", "infiniband.invariant.crc",
}

func main() {
	runs := flag.Int("n", 5, "runs of each program, one after the other in turn")
	flag.Parse()
	if flag.NArg() != 2 || *runs < 1 {
		fmt.Fprintln(os.Stderr, "usage: bench [-n RUNS] SMALL LARGE")
		os.Exit(2)
	}
	if err := run(*runs, flag.Arg(0), flag.Arg(1)); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(runs int, small, large string) error {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{runs: runs, ibwire: filepath.Join(dir, "ibwire")}
	if out, err := exec.Command("go", "build", "-o", b.ibwire, "./cmd/ibwire").CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	version, err := wireshark.TsharkVersion()
	if err != nil {
		return err
	}
	fmt.Printf("%s, %d processors, %s, tshark %s, medians of %d runs in turn.\n\n", processor(), runtime.NumCPU(), runtime.Version(), version, runs)
	if err := b.againstTshark(small, large); err != nil {
		return err
	}
	if err := b.statsAgainstCheck(small, large); err != nil {
		return err
	}
	return b.againstItself(dir, small, large)
}

// processor returns the name of the processor.
func processor() string {
	info, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(info)) {
		if name, ok := strings.CutPrefix(line, "model name"); ok {
			return strings.TrimLeft(strings.TrimSpace(name), ": ")
		}
	}
	return runtime.GOARCH
}

// A bench runs programs.
type bench struct {
	runs   int
	ibwire string
}

// A program is a command line, to be run again and again.
type program func() *exec.Cmd

// fields is ibwire with the columns, of a file.
func (b *bench) fields(file string) program { return b.ibwireOn(0, withColumns("dissect", "-r", file)) }

// check is ibwire check on at most some processors; 0 is all.
func (b *bench) check(file string, processors int) program {
	return b.ibwireOn(processors, []string{"check", file})
}

func (b *bench) stats(file string) program { return b.ibwireOn(0, []string{"stats", file}) }

func (b *bench) ibwireOn(processors int, args []string) program {
	return func() *exec.Cmd {
		cmd := exec.Command(b.ibwire, args...)
		if processors > 0 {
			cmd.Env = append(os.Environ(), fmt.Sprint("GOMAXPROCS=", processors))
		}
		return cmd
	}
}

func tshark(file string) program {
	return func() *exec.Cmd { return wireshark.Command(withColumns("-r", file)...) }
}

func withColumns(args ...string) []string {
	args = append(args, "-T", "fields")
	for _, c := range columns {
		args = append(args, "-e", c)
	}
	return args
}

// A result is what runs of a program have come to.
type result struct {
	times []time.Duration
	peak  int64 // the largest resident memory, in KiB
}

func (r *result) median() time.Duration {
	slices.Sort(r.times)
	return r.times[len(r.times)/2]
}

// inTurn runs programs in turn, each once untimed before.
func (b *bench) inTurn(programs ...program) ([]*result, error) {
	results := make([]*result, len(programs))
	for i := range results {
		results[i] = &result{}
	}
	for turn := range b.runs + 1 {
		for i, p := range programs {
			cmd := p()
			cmd.Stderr = nil
			start := time.Now()
			err := cmd.Run()
			taken := time.Since(start)
			const findings = 1
			if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && !(ok && exit.ExitCode() == findings) {
				return nil, fmt.Errorf("%v: %w", cmd.Args, err)
			}
			if turn == 0 {
				continue
			}
			results[i].times = append(results[i].times, taken)
			usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
			results[i].peak = max(results[i].peak, usage.Maxrss)
		}
	}
	return results, nil
}

// againstTshark compares with tshark -T fields.
func (b *bench) againstTshark(small, large string) error {
	fmt.Printf("| command | capture | tshark -T fields takes | ibwire, peak MiB | tshark, peak MiB |\n|---|---|---|---|---|\n")
	for _, c := range []struct {
		name, capture string
		ours          program
		file          string
	}{
		{"ibwire dissect -T fields", "small", b.fields(small), small},
		{"ibwire dissect -T fields", "large", b.fields(large), large},
		{"ibwire check", "small", b.check(small, 0), small},
		{"ibwire check", "large", b.check(large, 0), large},
	} {
		r, err := b.inTurn(c.ours, tshark(c.file))
		if err != nil {
			return err
		}
		fmt.Printf("| `%s` | %s | %.1f times as long | %d | %d |\n", c.name, c.capture, ratio(r[1], r[0]), r[0].peak>>10, r[1].peak>>10)
	}
	return nil
}

func ratio(a, b *result) float64 { return float64(a.median()) / float64(b.median()) }

// statsAgainstCheck compares two commands that both read every packet.
func (b *bench) statsAgainstCheck(small, large string) error {
	fmt.Printf("\n| `ibwire stats` | small | large |\n|---|---|---|\n")
	var times, memory []string
	for _, file := range []string{small, large} {
		r, err := b.inTurn(b.stats(file), b.check(file, 0))
		if err != nil {
			return err
		}
		times = append(times, fmt.Sprintf("%.2f", ratio(r[0], r[1])))
		memory = append(memory, fmt.Sprintf("%d MiB", r[0].peak>>10))
	}
	fmt.Printf("| stats against check, times as long | %s |\n", strings.Join(times, " | "))
	fmt.Printf("| peak memory of stats | %s |\n", strings.Join(memory, " | "))
	return nil
}

// againstItself compares with one processor and with a tenth of the packets.
func (b *bench) againstItself(dir, small, large string) error {
	fmt.Printf("\n| `ibwire check` | small | large |\n|---|---|---|\n")
	var processors, packets, memory []string
	for i, file := range []string{small, large} {
		r, err := b.inTurn(b.check(file, 1), b.check(file, 2))
		if err != nil {
			return err
		}
		processors = append(processors, fmt.Sprintf("%.2f", ratio(r[0], r[1])))
		tenth := filepath.Join(dir, fmt.Sprint("tenth", i, ".pcap"))
		part, err := begin(file, tenth)
		if err != nil {
			return err
		}
		if r, err = b.inTurn(b.check(file, 0), b.check(tenth, 0)); err != nil {
			return err
		}
		packets = append(packets, fmt.Sprintf("%.1f", ratio(r[0], r[1])*part*10))
		memory = append(memory, fmt.Sprintf("%d MiB, %d MiB", r[1].peak>>10, r[0].peak>>10))
	}
	fmt.Printf("| two processors against one, times as fast | %s |\n", strings.Join(processors, " | "))
	fmt.Printf("| ten times the packets, times as long | %s |\n", strings.Join(packets, " | "))
	fmt.Printf("| peak memory, a tenth of the packets and all | %s |\n", strings.Join(memory, " | "))
	return nil
}

// begin copies the first tenth of the packets of a file, and returns what part of
// its bytes that is.
func begin(from, to string) (part float64, err error) {
	info, err := os.Stat(from)
	if err != nil {
		return 0, err
	}
	r, err := capture.Open(from)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	f, err := os.Create(to)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	out := bufio.NewWriterSize(f, 1<<20)
	w := capture.NewWriter(out, r.Format(), capture.From(r))
	end := info.Size() / 10
	for {
		rec, err := r.Next()
		if err != nil {
			return 0, err
		}
		if rec.Offset >= end {
			return float64(rec.Offset) / float64(info.Size()), out.Flush()
		}
		if err := w.Write(rec); err != nil {
			return 0, err
		}
	}
}
