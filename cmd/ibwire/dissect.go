package main

import (
	"errors"
	"fmt"
	"slices"
)

// dissect lists the packets of captures. Its flags are tshark's where tshark has
// them.
type dissect struct {
	Files []string `arg:"" optional:"" name:"file" help:"Captures: pcap, pcapng or ERF, also compressed with gzip, bzip2, zstd or xz; - is standard input."`
	packetFlags
	Read []string `short:"r" placeholder:"FILE" sep:"none" help:"A capture, as an argument is."`

	Verbose      bool     `short:"V" help:"Show every layer and field as a tree."`
	Format       string   `short:"T" enum:"text,fields,csv,json,ndjson" default:"text" placeholder:"FORMAT" help:"What to write: text (the default); fields, those of -e with tabs between; csv, those of -e; json or ndjson, those of -e or all."`
	Field        []string `short:"e" placeholder:"NAME" sep:"none" help:"A field to write, and again for more of them; 'ibwire fields' lists all."`
	FieldOptions []string `short:"E" placeholder:"KEY=VALUE" sep:"none" help:"For -T fields: separator=CHAR (/t tab, /s space), header=y|n, occurrence=f|l|a (first, last, all), aggregator=CHAR, quote=d|s|n."`
	Skip         int64    `placeholder:"N" help:"Leave out the first N packets."`
	Hex          bool     `short:"x" help:"Show the bytes of each packet."`
	Time         string   `short:"t" enum:"r,a,ad,d,e" default:"r" placeholder:"FORM" help:"The time column: r since the first packet (the default), d since the packet before, a time of day, ad with the date, e since 1970."`
	Decap        bool     `help:"Show only the innermost packet of those that are in the mirror of a switch or in a tunnel: InfiniBand port mirrors, ERSPAN, GRE, VXLAN, Geneve, MPLS."`
}

// Help is shown below the flags.
func (dissect) Help() string {
	return `Examples:
  ibwire dissect capture.pcap
  ibwire dissect -V -c 1 capture.pcap
  ibwire dissect -T fields -e frame.number -e infiniband.bth.opcode capture.erf.gz
  ibwire dissect -Y 'infiniband.aeth.syndrome.opcode == Nak' capture.pcap
  ibwire dissect -Y 'infiniband.bth.destqp in {0x12, 0x15} && frame.len > 100' capture.pcap
  ibdump -w - | ibwire dissect -

` + exitHelp
}

// Run runs the command.
func (d *dissect) Run(std stdio) error {
	files := slices.Concat(d.Read, d.Files)
	if len(files) == 0 {
		return errors.New("dissect: no file is given; - is standard input")
	}
	p, err := d.printer()
	if err != nil {
		return err
	}
	l := listing{std: std, out: newOutput(std.out), printer: p, skip: d.Skip, decap: d.Decap}
	if err := d.apply("dissect", &l); err != nil {
		return err
	}
	return l.files(files)
}

// printer returns the printer that the flags ask for.
func (d *dissect) printer() (printer, error) {
	switch {
	case d.Format != "text" && (d.Verbose || d.Hex):
		return nil, errors.New("dissect: -V and -x are for -T text")
	case (d.Format == "fields" || d.Format == "csv") && len(d.Field) == 0:
		return nil, errors.New("dissect: -T " + d.Format + " needs fields, each with -e; 'ibwire fields' lists them")
	case d.Format == "text" && len(d.Field) > 0:
		return nil, errors.New("dissect: -e needs -T fields, csv, json or ndjson")
	case d.Skip < 0:
		return nil, fmt.Errorf("dissect: --skip %d: want 0 or more", d.Skip)
	case len(d.FieldOptions) > 0 && d.Format != "fields":
		return nil, errors.New("dissect: -E is for -T fields")
	}
	switch d.Format {
	case "fields":
		return newFieldsPrinter(d.Field, d.FieldOptions)
	case "csv":
		return newCSVPrinter(d.Field)
	case "json", "ndjson":
		return newJSONPrinter(d.Field, d.Format == "json")
	}
	return &textPrinter{tree: d.Verbose, hex: d.Hex, time: newTimeColumn(d.Time)}, nil
}
