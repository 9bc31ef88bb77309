package main

import (
	"math"
	"runtime/debug"

	"github.com/ibwire/ibwire/flow"
)

// analysisFlags are the flags of commands that follow flows.
type analysisFlags struct {
	packetFlags
	Files []string `arg:"" name:"file" help:"Captures, in the order of their times: pcap, pcapng or ERF, also compressed with gzip, bzip2, zstd or xz; - is standard input."`
	Pair  []string `placeholder:"A=B" sep:"none" help:"Two queue pairs that are connected, ADDRESS,QP=ADDRESS,QP, as 192.0.2.1,0x11=192.0.2.2,0x22, with IP addresses, GIDs or LIDs. Others are found by their ACKs."`
}

// An analysis takes packets to a table of flows. They are numbered through all
// files.
type analysis struct {
	from   *listing
	table  *flow.Table
	pairs  *givenPairs
	before int64 // packets in earlier files
	newest int64 // ID of the newest flow
}

// newAnalysis returns the analysis of what l reads.
func newAnalysis(l *listing, f *analysisFlags, options ...flow.Option) (a analysis, err error) {
	if debug.SetMemoryLimit(-1) == math.MaxInt64 { // the user has set none
		debug.SetMemoryLimit(memory)
	}
	l.order = &fileOrder{}
	a = analysis{from: l, table: flow.New(options...)}
	a.pairs, err = newGivenPairs(a.table, f.Pair)
	return a, err
}

// memory is what a table of flows keeps to. Up to here garbage need not be waited
// for, beyond it is collected more often.
const memory = 256 << 20

func (a *analysis) nextFile() { a.before += int64(a.from.packet.Number) }

func (a *analysis) add(p *packet) *flow.Flow {
	f := a.table.Add(p.Packet, a.before+int64(p.Number), p.Time, p.Length)
	if f != nil && f.ID > a.newest {
		a.newest = f.ID
		a.pairs.flow(f.Key)
	}
	return f
}

// finish says, behind the last of the output, what the user may not have meant.
func (a *analysis) finish(dst []byte) []byte {
	a.from.out.buf = dst
	for _, w := range a.pairs.unused() {
		a.from.say(w)
	}
	return a.from.out.buf
}

// rowFlags are the flags of commands that write a table.
type rowFlags struct {
	analysisFlags
	Format string `short:"T" enum:"csv,json,ndjson" default:"csv" placeholder:"FORMAT" help:"What to write: csv (the default), names first; ndjson, an object a line; or json, an array of them."`
}

// flows writes a row for each flow.
type flows struct{ rowFlags }

// Help is shown below the flags.
func (flows) Help() string {
	return `Examples:
  ibwire flows capture.pcap
  ibwire flows -T ndjson capture.pcap
  ibwire flows -Y 'ip.addr == 192.0.2.1' capture.erf.gz

A flow is one direction: it is written when its counts are final, at the end of
the capture, in the order of first packets. -Y chooses packets before flows are
followed, so a filter that takes a part of a flow makes gaps in it.

` + exitHelp + columnHelp + flowColumns.help()
}

// Run runs the command.
func (f *flows) Run(std stdio) error {
	return writeRows(&f.rowFlags, "flows", std, flowColumns, flow.OnFlow)
}

// messages writes a row for each message.
type messages struct{ rowFlags }

// Help is shown below the flags.
func (messages) Help() string {
	return `Examples:
  ibwire messages capture.pcap
  ibwire messages -T ndjson capture.pcap | jq 'select(.latency_us > 1000)'
  ibwire messages -Y 'ip.addr == 192.0.2.1' capture.erf.gz

A message is what one work request sends: First, Middles and Last, or an Only; a
READ with its responses. It is written when it has ended, one of a reliable
transport when it is acknowledged. -Y chooses packets before messages are put
together, so a filter that takes a part of a flow breaks them.

` + exitHelp + columnHelp + messageColumns.help()
}

// Run runs the command.
func (m *messages) Run(std stdio) error {
	return writeRows(&m.rowFlags, "messages", std, messageColumns, flow.OnMessage)
}

// exitHelp tells the exit statuses of commands that find nothing wrong.
const exitHelp = `The exit status is 2 if something could not be read to its end, and 130 if SIGINT,
SIGTERM or SIGHUP ended the run.
`

// columnHelp stands above the columns of a table.
const columnHelp = `
Columns, the same in every release, with new ones behind. What is not known is
empty in CSV and null in JSON. Times have nine digits behind the point; in JSON
they are numbers, of which a program that reads them as floating point keeps
about seven. Queue pairs, keys and addresses are hexadecimal in CSV, and numbers
in JSON.
`

// writeRows writes a table of what on has the flow.Table deliver.
func writeRows[T any](f *rowFlags, command string, std stdio, c columns[T], on func(func(T)) flow.Option) error {
	r := &rowPrinter[T]{columns: c, format: f.Format}
	l := &listing{std: std, out: newOutput(std.out), printer: r}
	if err := f.apply(command, l); err != nil {
		return err
	}
	var err error
	if r.analysis, err = newAnalysis(l, &f.analysisFlags, on(r.row)); err != nil {
		return err
	}
	return l.files(f.Files)
}

// A rowPrinter writes a row for each message or flow.
type rowPrinter[T any] struct {
	analysis
	columns columns[T]
	format  string
	dst     []byte // what rows are appended to
	rows    int
}

// row writes a row. At the end there are many at once.
func (r *rowPrinter[T]) row(v T) {
	switch r.rows++; {
	case r.format == "csv":
		r.dst = r.columns.appendCSV(r.dst, v)
	case r.format == "json" && r.rows > 1:
		r.dst = append(r.columns.appendJSON(append(r.dst, ','), v), '\n')
	default:
		r.dst = append(r.columns.appendJSON(r.dst, v), '\n')
	}
	if len(r.dst) >= outputSize {
		out := r.from.out
		out.buf = r.dst
		out.flush() // its error is found behind the packet
		r.dst = out.buf
	}
}

func (r *rowPrinter[T]) begin(dst []byte) []byte {
	switch r.format {
	case "csv":
		return r.columns.appendHeader(dst)
	case "json":
		return append(dst, "[\n"...)
	}
	return dst
}

func (r *rowPrinter[T]) file(dst []byte, _ string) []byte {
	r.nextFile()
	return dst
}

func (r *rowPrinter[T]) packet(dst []byte, p *packet, _ error) []byte {
	r.dst = dst
	r.add(p)
	return r.dst
}

func (r *rowPrinter[T]) end(dst []byte) []byte {
	r.dst = dst
	r.table.Close()
	if r.format == "json" {
		r.dst = append(r.dst, "]\n"...)
	}
	return r.finish(r.dst)
}
