package fuzz_test

import (
	"encoding/binary"
	"testing"

	"github.com/google/gopacket"
	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/bth"
	"github.com/ibwire/ibwire/grh"
	"github.com/ibwire/ibwire/linktype"
	"github.com/ibwire/ibwire/opcode"
	"github.com/ibwire/ibwire/testdata/paths"
)

func TestMain(m *testing.M) {
	ibwire.Register()
	m.Run()
}

var be = binary.BigEndian

// memory is that of all paths. What it holds before a check is decided by the
// input, so that one that fails always does.
var memory = paths.New()

// checkFrame decodes a frame behind another one and requires all that must hold
// of it.
func checkFrame(t *testing.T, link linktype.Type, before, data []byte) {
	before, data = before[:len(before):len(before)], data[:len(data):len(data)] // reading behind it is a panic
	limit(t, len(before)+len(data), func() {
		memory.Forget(link, before)
		memory.Check(t, link, data)
		if first, ok := paths.FirstLayer(link); ok {
			paths.CheckSerialize(t, first, data)
		}
	})
}

// A target is what FuzzERF and the like do with their input.
type target struct {
	link linktype.Type
	// before is a packet with many headers, which the memory holds when the input
	// comes.
	before []byte
	// wrap puts headers in front of the input, where no link type begins with it.
	wrap  func(data []byte) []byte
	first gopacket.LayerType // of the input, if it is wrapped
}

func (x target) check(t *testing.T, data []byte) {
	if x.wrap == nil {
		checkFrame(t, x.link, x.before, data)
		return
	}
	data = data[:min(len(data), maxUDP)]
	wrapped := x.wrap(data)
	checkFrame(t, x.link, x.before, wrapped)
	if len(data) > 0 { // of nothing, a packet that is wrapped says nothing
		x.checkAlone(t, data, wrapped)
	}
}

// checkAlone requires that the input alone decodes to what it does behind the
// headers in front of it.
func (x target) checkAlone(t *testing.T, data, wrapped []byte) {
	outer, _ := paths.FirstLayer(x.link)
	all := gopacket.NewPacket(wrapped, outer, gopacket.Default)
	alone := memory.CheckLayers(t, x.first, data)
	gopacket.NewPacket(data, x.first, gopacket.DecodeOptions{NoCopy: true, SkipDecodeRecovery: true}) // from here on all is this module's
	paths.CheckSerialize(t, x.first, data)
	want := paths.Layers(alone)
	got := paths.Layers(all)
	require.GreaterOrEqual(t, len(got), len(want))
	require.Equal(t, want, got[len(got)-len(want):])
	require.Equal(t, paths.Error(alone), paths.Error(all))
	require.Equal(t, alone.Metadata().Truncated, all.Metadata().Truncated)
}

// inEthernet makes a frame of RoCE v1 of what begins with a GRH.
func inEthernet(data []byte) []byte {
	return append(be.AppendUint16(make([]byte, 12), uint16(grh.EtherType)), data...)
}

// maxUDP is the most bytes behind a UDP header in IPv4.
const maxUDP = 0xffff - 20 - 8

// inUDP makes a frame of RoCE v2 of what begins with a BTH.
func inUDP(data []byte) []byte {
	b := []byte{0x45, 0}
	b = be.AppendUint16(b, uint16(20+8+len(data)))
	b = append(b, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2)
	b = be.AppendUint16(append(b, 0xc0, 0), uint16(ibwire.UDPPort))
	b = be.AppendUint16(b, uint16(8+len(data)))
	return append(append(b, 0, 0), data...)
}

// targetOf returns the target of packets that begin with a header.
func targetOf(t testing.TB, header string) target {
	switch header {
	case "ERF":
		return target{link: linktype.ERF, before: find(t, "erf-types.pcap", "type 21, INFINIBAND, extension headers")}
	case "LRH":
		return target{link: linktype.InfiniBand, before: find(t, "native.pcap", writeImm)}
	case "GRH":
		return target{link: linktype.Ethernet, before: find(t, "rocev1.pcap", writeImm), wrap: inEthernet, first: grh.LayerTypeGRH}
	case "BTH":
		write := append([]byte{byte(opcode.RCWriteOnlyImm), 0x30}, make([]byte, 60)...)
		return target{link: linktype.IPv4, before: inUDP(write), wrap: inUDP, first: bth.LayerTypeBTH}
	}
	return target{link: linktype.Ethernet, before: find(t, "ether.pcap", "QinQ, RoCE v2")}
}

// writeImm is a packet with many headers.
const writeImm = "RC RDMA WRITE Only with Immediate"

// fuzz runs the target of a header with the frames that begin with it as seeds.
func fuzz(f *testing.F, header string) {
	x := targetOf(f, header)
	for _, data := range seeds(f, header) {
		f.Add(data)
	}
	f.Fuzz(x.check)
}

func FuzzERF(f *testing.F)      { fuzz(f, "ERF") }
func FuzzLRH(f *testing.F)      { fuzz(f, "LRH") }
func FuzzGRH(f *testing.F)      { fuzz(f, "GRH") }
func FuzzBTH(f *testing.F)      { fuzz(f, "BTH") }
func FuzzEthernet(f *testing.F) { fuzz(f, "Ethernet") }

// The packets of testdata, from each header on.
func TestFrames(t *testing.T) {
	for _, header := range []string{"ERF", "LRH", "GRH", "BTH", "Ethernet"} {
		t.Run(header, func(t *testing.T) {
			x := targetOf(t, header)
			for _, data := range seeds(t, header) {
				x.check(t, data)
			}
		})
	}
}
