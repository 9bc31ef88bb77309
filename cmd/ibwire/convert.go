package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ibwire/ibwire/capture"
	"github.com/ibwire/ibwire/linktype"
)

// convert writes the packets of a capture to a file of another kind. Its flags
// are editcap's and tshark's where these have them.
type convert struct {
	packetFlags
	In  string `arg:"" name:"in" help:"A capture: pcap, pcapng or ERF, also compressed with gzip, bzip2, zstd or xz; - is standard input."`
	Out string `arg:"" name:"out" help:"The file to write, another one than IN; - is standard output."`

	Format   string `short:"F" placeholder:"FORMAT" help:"What to write: pcap (times in microseconds), nsecpcap (nanoseconds), pcapng or erf. Without -F, what the extension of OUT says (.pcap, .cap, .pcapng, .erf), else the format of IN, and times as fine as in IN."`
	LinkType string `placeholder:"TYPE" help:"The link type of all packets: erf (197), infiniband (247), ethernet (1), ipv4 (228) or ipv6 (229). Without it, each packet keeps its own."`
	First    int64  `default:"1" placeholder:"N" help:"Begin with packet N; the first is 1."`
	Decap    bool   `help:"Write the innermost packet of those that are in the mirror of a switch or in a tunnel: InfiniBand port mirrors, ERSPAN, GRE, VXLAN, Geneve, MPLS. ERF records that stay such get flags 5, as ibdump has it; packets that are put in new ones 4."`
}

// Help is shown below the flags.
func (convert) Help() string {
	return `Examples:
  ibwire convert capture.pcap capture.erf
  ibwire convert --link-type infiniband capture.erf native.pcap
  ibwire convert --first 1000 --count 50 big.pcapng.zst part.pcapng
  ibwire convert -Y 'infiniband.bth.destqp == 0x12' capture.pcap part.pcap
  ibdump -w - | ibwire convert -F pcapng - - | wireshark -k -i -

ERF records become the packets that they hold, and packets become ERF records of
type 21 (InfiniBand), 2 (Ethernet), 22 (IPv4) or 23 (IPv6). What the file that is
written does not hold is said on standard error, with the number of packets. Of
pcapng, packets and the name, description, snap length and FCS length of interfaces
are kept, and times in microseconds; times in any other unit become nanoseconds.

Files are written in little-endian byte order. Packets without their ERF records,
and pcap and pcapng from ERF files, have times in nanoseconds; -F pcap gives
microseconds. The snap length of pcap from an ERF file, which has none, is 65535.
Link types of --user-dlt become 247. With --decap, -Y goes by the innermost packet.

OUT appears under its name when it is whole: as far as IN could be read, or up to
the last packet before an interrupt. If it cannot be written, nothing is there,
and a file that was there before is left alone.

The exit status is 2 if something could not be read to its end or written, if
packets were left out because OUT cannot hold them, or if OUT is an ERF file that
will not be taken for one; it is 0 if only a part of what was known about packets is
lost, and 130 if SIGINT, SIGTERM or SIGHUP ended the run. A pcap file has one link
type, that of the first packet; packets of others are left out.`
}

// formats are the values of -F and the extensions of files, with the resolution
// of times, 0 for as in the source.
var formats = []struct {
	name       string
	extensions []string
	format     capture.Format
	resolution uint8
}{
	{"pcap", nil, capture.FormatPcap, 6},
	{"nsecpcap", nil, capture.FormatPcap, 9},
	{"pcapng", []string{".pcapng"}, capture.FormatPcapng, 0},
	{"erf", []string{".erf"}, capture.FormatERF, 0},
	{"", []string{".pcap", ".cap"}, capture.FormatPcap, 0},
}

// Run runs the command.
func (c *convert) Run(std stdio) error {
	switch {
	case c.First < 1:
		return fmt.Errorf("convert: --first %d: want 1 or more", c.First)
	case c.Out == "-" && isTerminal(std.out):
		return errors.New("convert: a capture is not for a terminal; give OUT a name, or pipe it on")
	}
	v := &conversion{
		listing: listing{std: std, out: newOutput(nil)},
		path:    c.Out, first: c.First, notHeld: make(map[string]int64),
	}
	err := c.apply("convert", &v.listing)
	if err != nil {
		return err
	}
	if err = c.setFormat(v); err != nil {
		return err
	}
	if v.link, err = c.linkType(); err != nil {
		return err
	}
	if v.format == capture.FormatERF && v.link != 0 && v.link != linktype.ERF {
		return errors.New("convert: an ERF file holds no packets but in ERF records; leave --link-type out")
	}
	if c.Decap {
		v.decap = newDecap(v.link == 0 || v.link == linktype.ERF)
	}
	return v.run(c.In)
}

// setFormat sets the format of v, or leaves it empty for that of IN.
func (c *convert) setFormat(v *conversion) error {
	extension := strings.ToLower(filepath.Ext(c.Out))
	for _, f := range formats {
		if c.Format == f.name && f.name != "" || c.Format == "" && slices.Contains(f.extensions, extension) {
			v.format, v.resolution = f.format, f.resolution
			return nil
		}
	}
	switch {
	case c.Format != "":
		return fmt.Errorf("convert: -F %s: want pcap, nsecpcap, pcapng or erf", c.Format)
	case slices.Contains([]string{".gz", ".bz2", ".zst", ".xz"}, extension):
		return fmt.Errorf("convert: %s: files are not written compressed; write to - and pipe it on", c.Out)
	}
	return nil
}

// linkType returns the value of --link-type, 0 without it.
func (c *convert) linkType() (linktype.Type, error) {
	if c.LinkType == "" {
		return 0, nil
	}
	for _, t := range []linktype.Type{linktype.ERF, linktype.InfiniBand, linktype.Ethernet, linktype.IPv4, linktype.IPv6} {
		if strings.EqualFold(c.LinkType, t.String()) || c.LinkType == strconv.Itoa(int(t)) {
			return t, nil
		}
	}
	return 0, fmt.Errorf("convert: --link-type %s: want erf, infiniband, ethernet, ipv4 or ipv6", c.LinkType)
}
