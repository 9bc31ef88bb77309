package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/google/gopacket/layers"

	"github.com/ibwire/ibwire/capture"
	"github.com/ibwire/ibwire/linktype"
	"github.com/ibwire/ibwire/lrh"
)

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
func userDLTs(values []uint16) ([]capture.Option, error) {
	if len(values) == 0 {
		return nil, nil
	}
	var types []linktype.Type
	for _, v := range values {
		t := linktype.Type(v)
		if !t.IsUser() {
			return nil, fmt.Errorf("--user-dlt %d: want a link type for private use, %d to %d", v, linktype.User0, linktype.User15)
		}
		types = append(types, t)
	}
	return []capture.Option{capture.UserInfiniband(types...)}, nil
}

// registerMirrors does what the values of --mirror-type ask for.
func registerMirrors(values []uint16) error {
	const least = 0x600 // below are lengths of Ethernet frames
	for _, v := range values {
		if v < least {
			return fmt.Errorf("--mirror-type %#x: want an EtherType, 0x600 to 0xffff", v)
		}
		lrh.RegisterMirror(layers.EthernetType(v))
	}
	return nil
}
