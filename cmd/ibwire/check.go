package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/check"
)

// checkCommand tells what is wrong with the packets of captures.
type checkCommand struct {
	packetFlags
	Files []string `arg:"" optional:"" name:"file" help:"Captures: pcap, pcapng or ERF, also compressed with gzip, bzip2, zstd or xz; - is standard input."`

	List   bool     `help:"List the rules, and stop."`
	Info   bool     `help:"Apply rules of severity info too, which healthy captures may break."`
	Only   []string `placeholder:"CODE" help:"Apply these rules alone. Without icrc-direction, icrc reports each wrong ICRC."`
	Ignore []string `placeholder:"CODE" help:"Leave out these rules. Without icrc-direction, nothing is said of ICRCs from one address to another that are all wrong."`
	MTU    int      `name:"mtu" default:"4096" placeholder:"N" help:"The MTU of the path: 256, 512, 1024, 2048 or 4096 bytes of payload (the default)."`
	Format string   `short:"T" enum:"text,json" default:"text" placeholder:"FORMAT" help:"What to write: text (the default), a line for each finding; or json, an object."`
}

// Help is shown below the flags.
func (checkCommand) Help() string {
	return `Examples:
  ibwire check capture.pcap
  ibwire check --only icrc,vcrc capture.erf.gz
  ibwire check --ignore icrc-direction --mtu 1024 capture.pcap
  ibwire check -Y 'infiniband.bth.destqp == 0x12' capture.pcap
  ibwire check --list

The exit status is 0 if nothing is found, 1 if there are findings of severity
error or warning, 2 if something could not be read to its end, and 130 if SIGINT,
SIGTERM or SIGHUP ended the run.`
}

// errFindings is the error of a command that has found something.
var errFindings = errors.New("findings")

// Run runs the command.
func (c *checkCommand) Run(std stdio) error {
	if c.List {
		return listRules(std.out)
	}
	if err := c.validate(); err != nil {
		return fmt.Errorf("check: %w", err)
	}
	checker, err := check.New(check.Options{Info: c.Info, Only: c.Only, Ignore: c.Ignore})
	if err != nil {
		return fmt.Errorf("%w; 'ibwire check --list' lists them", err)
	}
	f := &findings{checker: checker, input: check.Input{MTU: c.MTU}, report: textReport{}, totals: map[*check.Rule]int64{}}
	if c.Format == "json" {
		f.report = &jsonReport{}
	}
	l := listing{std: std, out: newOutput(std.out), printer: f}
	if err := c.apply("check", &l); err != nil {
		return err
	}
	if err := l.files(c.Files); err != nil {
		return err
	}
	if f.bad {
		return errFindings
	}
	return nil
}

// validate reports what of the flags cannot be.
func (c *checkCommand) validate() error {
	if len(c.Files) == 0 {
		return errors.New("no file is given; - is standard input")
	}
	switch c.MTU {
	case 256, 512, 1024, 2048, 4096:
		return nil
	}
	return fmt.Errorf("--mtu %d: want 256, 512, 1024, 2048 or 4096", c.MTU)
}

// listRules writes the table of rules.
func listRules(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, r := range check.Rules() {
		fmt.Fprintf(w, "%s\t%v\t%s\t%s\n", r.Code, r.Severity, r.Text, r.Source)
	}
	return w.Flush()
}

// findings is the printer of check: it writes what is wrong with each packet, and
// at the end how much that was.
type findings struct {
	checker *check.Checker
	input   check.Input
	report  report
	name    string          // of the file
	found   []check.Finding // of one packet
	totals  map[*check.Rule]int64
	bad     bool // there was an error or a warning
}

// A report is a form to write findings in.
type report interface {
	begin(dst []byte) []byte
	finding(dst []byte, file string, f *check.Finding) []byte
	summary(dst []byte, totals []total, counts check.Counts) []byte
}

// A total is how often a rule was broken.
type total struct {
	*check.Rule
	count int64
}

func (f *findings) begin(dst []byte) []byte { return f.report.begin(dst) }

func (f *findings) file(dst []byte, name string) []byte {
	dst = f.endFile(dst)
	f.name = printable(name)
	return dst
}

func (f *findings) packet(dst []byte, p *packet, _ error) []byte {
	f.found = f.checker.Append(f.found[:0], f.take(p))
	return f.write(dst)
}

// take returns what the rules look at of a packet.
func (f *findings) take(p *packet) *check.Input {
	in := &f.input
	in.Packet, in.Number, in.LinkType, in.Length, in.Time = p.Packet, int64(p.Number), p.linkType, p.Length, p.recordTime
	return in
}

// A fork finds what is wrong with the packets of one goroutine, and writes
// nothing.
type fork struct {
	findings
}

func (f *findings) fork() printer {
	return &fork{findings{checker: f.checker.Fork(), input: check.Input{MTU: f.input.MTU}}}
}

func (f *fork) packet(dst []byte, p *packet, _ error) []byte {
	f.found = f.checker.Append(f.found, f.take(p))
	return dst
}

func (f *findings) join(dst []byte, from printer) []byte {
	other := from.(*fork)
	f.found = f.checker.Merge(append(f.found[:0], other.found...), other.checker)
	clear(other.found)
	other.found = other.found[:0]
	return f.write(dst)
}

// endFile writes what can be said at the end of a file.
func (f *findings) endFile(dst []byte) []byte {
	f.found = f.checker.End(f.found[:0])
	return f.write(dst)
}

// write writes the findings that there are.
func (f *findings) write(dst []byte) []byte {
	for i := range f.found {
		one := &f.found[i]
		f.totals[one.Rule] += one.Count
		f.bad = f.bad || one.Severity > check.Info
		dst = f.report.finding(dst, f.name, one)
	}
	return dst
}

func (f *findings) end(dst []byte) []byte {
	dst = f.endFile(dst)
	var totals []total
	for _, r := range check.Rules() {
		if n := f.totals[r]; n > 0 {
			totals = append(totals, total{r, n})
		}
	}
	return f.report.summary(dst, totals, f.checker.Counts())
}

// textReport writes a line for each finding.
type textReport struct{}

func (textReport) begin(dst []byte) []byte { return dst }

func (textReport) finding(dst []byte, file string, f *check.Finding) []byte {
	dst = append(append(dst, file...), ": packet "...)
	dst = strconv.AppendInt(dst, f.Packet, 10)
	for _, part := range [...]string{f.Severity.String(), f.Code, f.Text} {
		dst = append(append(dst, ": "...), part...)
	}
	return append(dst, '\n')
}

func (textReport) summary(dst []byte, totals []total, counts check.Counts) []byte {
	if len(totals) > 0 {
		dst = append(dst, '\n')
	}
	for _, t := range totals {
		dst = fmt.Appendf(dst, "%7d  %-7v  %s\n", t.count, t.Severity, t.Code)
	}
	if len(totals) > 0 {
		dst = append(dst, '\n')
	}
	dst = fmt.Appendf(dst, "packets: %d, InfiniBand: %d", counts.Packets, counts.InfiniBand)
	if len(totals) == 0 && counts.InfiniBand > 0 {
		dst = append(dst, ", no findings"...)
	}
	dst = append(dst, '\n')
	dst = appendCRCs(dst, "ICRC", counts.ICRC[:])
	return appendCRCs(dst, "VCRC", counts.VCRC[:])
}

// crcStatuses are the words for what is known of a CRC, in the order to write.
var crcStatuses = []struct {
	ibwire.Status
	word string
}{{ibwire.Good, "good"}, {ibwire.Bad, "bad"}, {ibwire.Unverified, "unverified"}, {ibwire.NotPresent, "absent"}}

// appendCRCs appends what is known of a kind of CRCs, as "ICRC: 10 good, 1 bad".
func appendCRCs(dst []byte, name string, counts []int64) []byte {
	var parts []string
	for _, s := range crcStatuses {
		if n := counts[s.Status]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s.word))
		}
	}
	if parts == nil {
		return dst
	}
	return fmt.Appendf(dst, "%s: %s\n", name, strings.Join(parts, ", "))
}
