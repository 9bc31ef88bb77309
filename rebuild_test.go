package ibwire_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/bth"
	"github.com/ibwire/ibwire/erf"
	"github.com/ibwire/ibwire/grh"
	"github.com/ibwire/ibwire/lrh"
	"github.com/ibwire/ibwire/testdata"
	"github.com/ibwire/ibwire/testdata/paths"
)

// computed is how a packet is built.
var computed = gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}

// spoil makes wrong what computed has to set right. A UDP checksum of 0 says that
// there is none, and so it stays.
func spoil(l gopacket.Layer) gopacket.SerializeOptions {
	opts := computed
	switch l := l.(type) {
	case *erf.Record:
		opts.FixLengths = false // RLen may count padding that the file has not
	case *lrh.LRH:
		l.PktLen, l.VCRC, l.HasVCRC = 2047, 0x1234, false
	case *grh.GRH:
		l.PayLen = 0xffff
	case *bth.BTH:
		l.PadCnt, l.ICRC, l.HasICRC = 3&^l.PadCnt, 0xdeadbeef, false
	case *layers.IPv4:
		l.Length, l.Checksum = 0, 0
	case *layers.IPv6:
		l.Length = 0
	case *layers.UDP:
		l.Length, opts.ComputeChecksums = 0, l.Checksum != 0
	}
	return opts
}

// rebuild decodes a frame with gopacket, builds it again from the layers, and
// returns what is new in place of it.
func rebuild(t *testing.T, f testdata.Frame) []byte {
	t.Helper()
	first, ok := firstLayer(f)
	require.True(t, ok)
	all := paths.Layers(gopacket.NewPacket(f.Data, first, gopacket.Default))
	buf := gopacket.NewSerializeBuffer()
	for i, l := range slices.Backward(all) {
		if u, ok := l.(*layers.UDP); ok {
			require.NoError(t, u.SetNetworkLayerForChecksum(all[i-1].(gopacket.NetworkLayer)))
		}
		opts := spoil(l)
		if l.LayerType() == layers.LayerTypeEthernet {
			l = gopacket.Payload(l.LayerContents()) // gopacket would pad the frame
		}
		require.NoError(t, l.(gopacket.SerializableLayer).SerializeTo(buf, opts))
	}
	require.NoError(t, ibwire.Finish(linkOf(f), buf.Bytes()))
	return buf.Bytes()
}

// want returns what a packet is to be when it is built again. Behind the packet of
// IP, gopacket has no layer for the rest.
func want(p *ibwire.Packet) string {
	end := len(p.Data)
	if p.Has(ibwire.ERF) {
		end -= len(p.ERF.Trailer)
	}
	if p.Encapsulation() != ibwire.RoCEv2 {
		return string(p.Data)
	}
	return string(p.Data[:end-len(p.Trailer)]) + string(p.Data[end:])
}

// unknownTunnel reports whether a packet is in a tunnel that gopacket does not
// write, as Geneve, or does not read, as ERSPAN of types I and III.
func unknownTunnel(p *ibwire.Packet) bool {
	return p.Has(ibwire.Geneve) || p.Has(ibwire.ERSPANIII) ||
		p.Has(ibwire.GRE) && p.GRE.Protocol == layers.EthernetTypeERSPAN && !p.GRE.SeqPresent
}

// rebuildFile builds the frames of a file whose CRCs are good, and returns how
// many it has built, those that came out the same, and the others.
func rebuildFile(t *testing.T, path string) (same int, other []string) {
	t.Helper()
	var p ibwire.Packet
	for _, f := range testdata.Frames(t, path) {
		_ = p.Decode(linkOf(f), f.Data) // of what is cut, there is no ICRC
		if p.ICRC().Status != good || p.Has(ibwire.LRH) && p.VCRC().Status != good || unknownTunnel(&p) {
			continue
		}
		if p.Has(ibwire.IPv6Ext) { // gopacket writes hop-by-hop options twice
			other = append(other, fmt.Sprintf("%s %d", f.File, f.N))
			continue
		}
		if string(rebuild(t, f)) == want(&p) {
			same++
		} else {
			other = append(other, fmt.Sprintf("%s %d", f.File, f.N))
		}
	}
	return same, other
}

// Each frame whose lengths and CRCs are right is the same when it is built anew.
func TestRebuild(t *testing.T) {
	want := map[string]int{
		"native.pcap": 180, "native.erf.pcap": 180, "native-padded.erf": 180, "opcodes-unassigned.pcap": 167,
		"rocev1.pcap": 90, "rocev2-ipv4.pcap": 90, "rocev2-ipv6.pcap": 90, "ether.pcap": 9, "erf-types.pcap": 16, "erf-types-padded.erf": 16,
		"pads.pcap": 9, "pads-roce.pcap": 18, "lengths.pcap": 6, "raw.pcap": 0, "cuts.pcap": 0, "cuts-native.erf.pcap": 0,
		"tunnels.pcap": 15, "mirror.pcap": 2, "mirror.erf.pcap": 2,
	}
	got := map[string]int{}
	var other []string
	for _, path := range append(testdata.Glob(t, "*.pcap"), testdata.Glob(t, "*.erf")...) {
		n, o := rebuildFile(t, path)
		got[name(path)] = n
		other = append(other, o...)
	}
	require.Equal(t, want, got)
	require.ElementsMatch(t, []string{
		"ether.pcap 7",                                          // the UDP length is less than that of IP
		"ether.pcap 11",                                         // IPv6 with hop-by-hop options
		"pads-roce.pcap 15", "pads-roce.pcap 16", "pads.pcap 8", // PadCnt 2 without payload
		"pads-roce.pcap 17", "pads-roce.pcap 18", "pads.pcap 9", // the same of an Acknowledge
		"pads-roce.pcap 23", "pads-roce.pcap 24", // a PadCnt that does not fit the payload
		"pads-roce.pcap 25", "pads-roce.pcap 26",
		"tunnels.pcap 4", // gopacket has another bit of VXLAN for a policy that was applied
	}, other)
}

func TestRebuildRealPackets(t *testing.T) {
	for file, want := range map[string]int{
		"infiniband-erf-01-31.pcap": 31, "derived-infiniband-01-31.erf": 31, "derived-infiniband-01-31-lt247.pcap": 31,
		"rocev2-huawei-send-001-070.pcap": 56, "hex-pcapplusplus-rxe-read-request.pcap": 1, "hex-scapy-roce-uts.pcap": 2,
		"hex-open-rdma-write-only-rawip.pcap": 1,
	} {
		n, other := rebuildFile(t, testdata.Shared(t, "captures/"+file)[0])
		require.Empty(t, other)
		require.Equal(t, want, n, file)
	}
}
