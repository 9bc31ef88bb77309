package main

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/google/gopacket/layers"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/capture"
	"github.com/ibwire/ibwire/filter"
	"github.com/ibwire/ibwire/linktype"
	"github.com/ibwire/ibwire/lrh"
)

// packetFlags say which packets of a capture are taken, and for what.
type packetFlags struct {
	Filter   string   `name:"display-filter" short:"Y" placeholder:"FILTER" help:"Only packets that this display filter selects, in Wireshark's language, as 'infiniband.bth.destqp == 0x12'."`
	Count    *int64   `short:"c" placeholder:"N" help:"Stop after N packets; those that -Y does not select count too, as in tshark."`
	DecodeAs []string `short:"d" placeholder:"udp.port==N" sep:"none" help:"Take UDP port N for RoCE v2, besides 4791."`
	UserDLT  []int    `name:"user-dlt" placeholder:"N" help:"Take link type N (147-162, for private use) for InfiniBand."`

	MirrorType []int `placeholder:"N" help:"Take what follows EtherType N in a raw packet for a port mirror of a switch, as what follows 0x1123."`
}

// apply makes l heed the flags of a command.
func (f *packetFlags) apply(command string, l *listing) (err error) {
	if f.Count != nil {
		if l.count = *f.Count; l.count < 1 {
			return fmt.Errorf("%s: -c %d: want 1 or more", command, l.count)
		}
	}
	if f.Filter != "" {
		if l.filter, err = filter.Compile(f.Filter); err != nil {
			return err
		}
	}
	l.packet.Packet = &ibwire.Packet{}
	if l.packet.Ports, err = ports(f.DecodeAs); err != nil {
		return err
	}
	if l.options, err = userDLTs(f.UserDLT); err != nil {
		return err
	}
	return registerMirrors(f.MirrorType)
}

// ports reads the values of -d, udp.port==N as tshark has it, where ",infiniband"
// may follow.
func ports(values []string) ([]uint16, error) {
	var ports []uint16
	for _, v := range values {
		text, isPort := strings.CutPrefix(v, "udp.port==")
		text, protocol, named := strings.Cut(text, ",")
		n, err := strconv.ParseUint(text, 10, 16)
		if !isPort || err != nil || n == 0 || named && protocol != "infiniband" {
			return nil, fmt.Errorf("-d %s: want udp.port==N with a port of 1 to 65535, as udp.port==14791", v)
		}
		ports = append(ports, uint16(n))
	}
	return ports, nil
}

// userDLTs returns the option that the values of --user-dlt stand for.
func userDLTs(values []int) ([]capture.Option, error) {
	if len(values) == 0 {
		return nil, nil
	}
	var types []linktype.Type
	for _, v := range values {
		t := linktype.Type(v)
		if int(t) != v || !t.IsUser() {
			return nil, fmt.Errorf("--user-dlt %d: want a link type for private use, %d to %d", v, linktype.User0, linktype.User15)
		}
		types = append(types, t)
	}
	return []capture.Option{capture.UserInfiniband(types...)}, nil
}

// registerMirrors does what the values of --mirror-type ask for.
func registerMirrors(values []int) error {
	const least, most = 0x600, 0xffff // below are lengths of Ethernet frames
	for _, v := range values {
		if v < least || v > most {
			return fmt.Errorf("--mirror-type %#x: want an EtherType, %#x to %#x", v, least, most)
		}
		lrh.RegisterMirror(layers.EthernetType(v))
	}
	return nil
}

// decodeNumber reads the value of a flag that is a number. A negative one is not
// taken for a flag: the command says what it wants.
func decodeNumber(ctx *kong.DecodeContext, target reflect.Value) error {
	t := ctx.Scan.Pop()
	if t.IsEOL() {
		return errors.New("want a whole number")
	}
	n, err := strconv.ParseInt(t.String(), 0, 64)
	switch {
	case errors.Is(err, strconv.ErrRange) || err == nil && target.OverflowInt(n):
		return fmt.Errorf("%s is out of range", t)
	case err != nil:
		return fmt.Errorf("want a whole number, not %q", t)
	}
	target.SetInt(n)
	return nil
}
