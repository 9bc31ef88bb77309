// Command ibwire takes captures of InfiniBand apart: native packets, RoCE v1 and
// RoCE v2, in pcap and ERF files.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/ibwire/ibwire"
)

// Exit statuses.
const (
	exitOK    = 0
	exitError = 2 // a file could not be read to its end, or the call is wrong
)

// A command is one of ibwire's commands.
type command struct {
	name, args, about string
	run               func(io command, args []string, std stdio) error
}

// stdio is what a command reads and writes.
type stdio struct {
	in       io.Reader
	out, err io.Writer
}

// commands has a row for each command.
var commands = []command{
	{"dissect", "[-V] FILE...", "list the packets of captures, or with -V every layer and field of them", dissect},
}

func main() {
	ibwire.Register()
	os.Exit(run(os.Args[1:], stdio{os.Stdin, os.Stdout, os.Stderr}))
}

// run runs the command that args name and returns the exit status.
func run(args []string, std stdio) int {
	if len(args) == 0 {
		usage(std.err)
		return exitError
	}
	switch args[0] {
	case "-h", "-help", "--help", "help":
		usage(std.out)
		return exitOK
	}
	for _, c := range commands {
		if c.name != args[0] {
			continue
		}
		switch err := c.run(c, args[1:], std); {
		case err == nil, errors.Is(err, flag.ErrHelp):
			return exitOK
		case errors.Is(err, errReported):
			return exitError
		default:
			fmt.Fprintln(std.err, "ibwire:", err)
			return exitError
		}
	}
	fmt.Fprintf(std.err, "ibwire: there is no command %q; ibwire help lists them\n", args[0])
	return exitError
}

// errReported is the error of a command that has said already what is wrong.
var errReported = errors.New("reported")

func usage(w io.Writer) {
	fmt.Fprint(w, "ibwire takes captures of InfiniBand apart.\n\nusage:\n")
	for _, c := range commands {
		fmt.Fprintf(w, "  ibwire %s %s\n        %s\n", c.name, c.args, c.about)
	}
	fmt.Fprint(w, `
FILE is a pcap file (link type 197 ERF, 247 InfiniBand, 1 Ethernet) or a raw ERF
file, or - for standard input. The exit status is 2 if a file could not be read
to its end.

example:
  ibwire dissect -V testdata/native.pcap
`)
}

// flags returns the flag set of a command.
func (c command) flags(std stdio) *flag.FlagSet {
	f := flag.NewFlagSet(c.name, flag.ContinueOnError)
	f.SetOutput(std.err)
	f.Usage = func() {
		fmt.Fprintf(std.err, "usage: ibwire %s %s\n%s\n", c.name, c.args, strings.ToUpper(c.about[:1])+c.about[1:]+".")
		f.PrintDefaults()
	}
	return f
}
