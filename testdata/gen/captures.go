package main

import (
	"encoding/binary"
	"strings"
)

// A capture is one file, together with its expected decoding.
type capture struct {
	name     string
	format   format
	packets  []packet
	fieldsOf string // the only layer whose fields are expected; empty: all layers
}

// captures leaves out fields that another capture expects for the same packets,
// or that have no part in what a capture is for.
func captures() []capture {
	bigEndian := pcap{linkInfiniBand, magicMicroseconds, binary.BigEndian}
	nanoseconds := pcap{linkInfiniBand, magicNanoseconds, binary.LittleEndian}
	return []capture{
		{"native.pcap", plain(linkInfiniBand), nativePackets(), ""},
		{"native.erf.pcap", plain(linkERF), nativeRecords(unpadded), "ERF"},
		{"native-padded.erf", erfFile{}, nativeRecords(padded), "ERF"},
		{"rocev1.pcap", plain(linkEthernet), rocev1Packets(), ""},
		{"rocev2-ipv4.pcap", plain(linkEthernet), rocev2IPv4Packets(), ""},
		{"rocev2-ipv6.pcap", plain(linkEthernet), rocev2IPv6Packets(), ""},
		{"raw.pcap", bigEndian, rawPackets(), ""},
		{"erf-types.pcap", plain(linkERF), erfTypePackets(unpadded), ""},
		{"erf-types-padded.erf", erfFile{}, erfTypePackets(padded), "ERF"},
		{"pads.pcap", nanoseconds, padNativePackets(), ""},
		{"pads-roce.pcap", plain(linkEthernet), padRoCEPackets(), ""},
		{"opcodes-unassigned.pcap", plain(linkInfiniBand), otherOpcodePackets(), "BTH"},
		{"lengths.pcap", plain(linkInfiniBand), lengthPackets(), ""},
		{"cuts.pcap", plain(linkEthernet), cutEthernetPackets(), ""},
		{"cuts-native.erf.pcap", plain(linkERF), cutNativePackets(), ""},
		{"ether.pcap", plain(linkEthernet), framePackets(), ""},
		{"tunnels.pcap", plain(linkEthernet), tunnelPackets(), ""},
		{"mirror.pcap", plain(linkInfiniBand), mirrorPackets(), ""},
		{"mirror.erf.pcap", plain(linkERF), mirrorRecords(), "ERF"},
	}
}

// files returns the contents of every file by its name.
func files() map[string][]byte {
	all := map[string][]byte{}
	for _, c := range captures() {
		all[c.name] = c.format.encode(c.packets)
		var want []byte
		for i, p := range c.packets {
			want = append(want, p.want(i+1, c.fieldsOf)...)
		}
		all[strings.TrimSuffix(c.name, ".pcap")+".want.jsonl"] = want
	}
	return all
}
