// Command ibwire takes captures of InfiniBand apart: native packets, RoCE v1 and
// RoCE v2, in pcap, pcapng and ERF files.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/alecthomas/kong"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/filter"
)

// Exit statuses.
const (
	exitOK          = 0
	exitFindings    = 1   // something is wrong with packets
	exitError       = 2   // something could not be read to its end, or the call is wrong
	exitInterrupted = 130 // as shells have it for SIGINT, here for all signals
)

// A cli is the command line.
type cli struct {
	Dissect  dissect          `cmd:"" help:"List the packets of captures, or show every field of them."`
	Check    checkCommand     `cmd:"" help:"Tell what is wrong with the packets of captures: CRCs, lengths, values."`
	Stats    stats            `cmd:"" help:"Count packets, follow flows, and tell whether the capture is complete."`
	Flows    flows            `cmd:"" help:"Write a row for each flow, as CSV or JSON."`
	Messages messages         `cmd:"" help:"Write a row for each message, as CSV or JSON."`
	Events   events           `cmd:"" help:"Write a row for each gap, retransmission, NAK, CNP and the like, as CSV or JSON."`
	Convert  convert          `cmd:"" help:"Write a capture in another format or with another link type, or a part of it."`
	Fields   fields           `cmd:"" help:"List the fields that a packet can have."`
	Version  kong.VersionFlag `help:"Print the version."`
}

// stdio is what a command reads and writes.
type stdio struct {
	in       io.Reader
	out, err io.Writer
	stop     *interrupt // nil where there is none to ask for
}

// errReported is the error of a command that has said what is wrong.
var errReported = errors.New("reported")

// errInterrupted is the error of a command that was told to stop.
var errInterrupted = errors.New("interrupted")

func main() {
	ibwire.Register()
	// Little lives long here, so that collecting it often costs nothing, and keeps
	// the memory below 32 MiB.
	debug.SetGCPercent(25)
	os.Exit(run(os.Args[1:], stdio{os.Stdin, os.Stdout, os.Stderr, newInterrupt()}))
}

// exit is what kong's wish to exit becomes on its way to run.
type exit int

// run runs the command that args name and returns the exit status.
func run(args []string, std stdio) (status int) {
	defer func() {
		if code, ok := recover().(exit); ok {
			status = int(code)
		}
	}()
	var c cli
	parser := kong.Must(&c,
		kong.Name("ibwire"),
		kong.Description("ibwire takes captures of InfiniBand apart: native packets, RoCE v1 and RoCE v2, in pcap, pcapng and ERF files."),
		kong.Vars{"version": version()},
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, Summary: true}),
		kong.Writers(std.out, std.err),
		kong.KindMapper(reflect.Int, kong.MapperFunc(decodeNumber)),
		kong.KindMapper(reflect.Int64, kong.MapperFunc(decodeNumber)),
		kong.Exit(func(code int) { panic(exit(code)) }),
	)
	switch {
	case len(args) == 0:
		args = []string{"--help"}
	case args[0] == "help":
		args = append(slices.Clone(args[1:]), "--help")
	}
	ctx, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintf(std.err, "ibwire: %s; see ibwire --help\n", printable(err.Error()))
		return exitError
	}
	switch err := ctx.Run(std); {
	case err == nil:
		return exitOK
	case errors.Is(err, errFindings):
		return exitFindings
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	case errors.Is(err, errReported):
		return exitError
	default:
		fmt.Fprintf(std.err, "ibwire: %s\n", printable(err.Error()))
		var e *filter.Error
		if errors.As(err, &e) {
			for line := range strings.Lines(e.Pointer() + "\n") {
				fmt.Fprintf(std.err, "  %s\n", printable(strings.TrimSuffix(line, "\n")))
			}
		}
		return exitError
	}
}

// printable returns s with what would control a terminal written as in Go: file
// names come from anywhere.
func printable(s string) string {
	if strings.IndexFunc(s, unicode.IsControl) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unicode.IsControl(r) {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// version returns the version that the command was built from.
func version() string {
	v := "unknown version"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		v = info.Main.Version
	}
	return "ibwire " + v
}
