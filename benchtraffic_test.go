package ibwire_test

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/bth"
	"github.com/ibwire/ibwire/erf"
	"github.com/ibwire/ibwire/grh"
	"github.com/ibwire/ibwire/lrh"
	"github.com/ibwire/ibwire/opcode"
)

// A share is a kind of packet and how many of 100 are of it. Payloads are of 0
// to twice the given length, and of 0 where it is 0.
type share struct {
	percent, payload int
	opcode           opcode.Opcode
}

// mixes are what the benchmarks decode: traffic of short messages, of about 100
// bytes a packet, and bulk transfer, of about 1900. One packet in 11 has a GRH.
// The kinds are drawn at random, as they come from many flows at once.
var mixes = map[string][]share{
	"small": {
		{19, 0, opcode.RCAcknowledge}, {9, 0, opcode.RCReadRequest},
		{6, 128, opcode.RCWriteFirst}, {6, 128, opcode.RCWriteMiddle}, {6, 64, opcode.RCWriteLast}, {5, 80, opcode.RCWriteOnly},
		{4, 128, opcode.RCReadResponseFirst}, {4, 128, opcode.RCReadResponseMiddle}, {4, 64, opcode.RCReadResponseLast},
		{5, 64, opcode.RCReadResponseOnly}, {4, 0, opcode.RCAtomicAcknowledge}, {2, 0, opcode.RCFetchAdd}, {2, 0, opcode.RCCmpSwap},
		{3, 128, opcode.RCSendFirst}, {3, 128, opcode.RCSendMiddle}, {3, 64, opcode.RCSendLast}, {3, 80, opcode.RCSendOnly},
		{5, 80, opcode.UDSendOnly}, {2, 80, opcode.UCWriteOnly}, {1, 80, opcode.UCSendOnly}, {1, 16, opcode.NativeCNP},
		{1, 80, opcode.XRCWriteOnly}, {1, 80, opcode.RCWriteOnlyImm}, {1, 80, opcode.RCSendOnlyImm},
	},
	"large": {
		{35, 2400, opcode.RCWriteMiddle}, {19, 2400, opcode.RCSendMiddle}, {11, 2400, opcode.RCReadResponseMiddle},
		{10, 0, opcode.RCAcknowledge}, {5, 2400, opcode.RCWriteFirst}, {4, 1200, opcode.RCWriteLast}, {3, 0, opcode.RCReadRequest},
		{3, 2400, opcode.RCSendFirst}, {3, 1200, opcode.RCSendLast}, {2, 1400, opcode.RCWriteOnly},
		{1, 2400, opcode.RCReadResponseFirst}, {1, 1200, opcode.RCReadResponseLast}, {1, 0, opcode.RCAtomicAcknowledge},
		{1, 0, opcode.RCFetchAdd}, {1, 1400, opcode.RCSendOnly},
	},
	"SEND":  {{100, 80, opcode.RCSendOnly}}, // LRH, BTH, payload and nothing else
	"WRITE": {{100, 80, opcode.RCWriteOnly}},
}

// traffic returns n native packets of a mix, from the LRH through the VCRC.
func traffic(b *testing.B, mix string, n int) [][]byte {
	var kinds []share
	for _, s := range mixes[mix] {
		for range s.percent {
			kinds = append(kinds, s)
		}
	}
	require.Len(b, kinds, 100)
	withGRH := mix == "small" || mix == "large"
	r := rand.New(rand.NewPCG(1, 2))
	packets := make([][]byte, n)
	for i := range packets {
		kind := kinds[r.IntN(len(kinds))]
		packets[i] = native(b, r, kind.opcode, withGRH && r.IntN(11) == 0, r.IntN(2*kind.payload+1))
	}
	return packets
}

// native builds a packet with a payload of n bytes.
func native(b *testing.B, r *rand.Rand, o opcode.Opcode, withGRH bool, n int) []byte {
	l := &lrh.LRH{LNH: lrh.LNHLocal, DLID: lrh.LID(r.IntN(0xbfff)), SLID: lrh.LID(r.IntN(0xbfff))}
	all := []gopacket.SerializableLayer{l}
	if withGRH {
		l.LNH = lrh.LNHGlobal
		all = append(all, &grh.GRH{IPVer: 6, NxtHdr: grh.NxtHdrIBA})
	}
	rest := make([]byte, o.Headers().Size()+n)
	for i := range rest {
		rest[i] = byte(r.Uint32())
	}
	all = append(all, &bth.BTH{OpCode: o, PKey: 0xffff, DestQP: r.Uint32N(1 << 24), PSN: r.Uint32N(1 << 24)}, gopacket.Payload(rest))
	return serialized(b, all...)
}

// udpTraffic returns n packets of Ethernet, IPv4, UDP and a payload of 0 to 160
// bytes of no known protocol.
func udpTraffic(b *testing.B, n int) [][]byte {
	r := rand.New(rand.NewPCG(1, 2))
	packets := make([][]byte, n)
	for i := range packets {
		packets[i] = serialized(b,
			&layers.Ethernet{SrcMAC: make([]byte, 6), DstMAC: make([]byte, 6), EthernetType: layers.EthernetTypeIPv4},
			&layers.IPv4{Version: 4, TTL: 64, Protocol: layers.IPProtocolUDP, SrcIP: make([]byte, 4), DstIP: make([]byte, 4)},
			&layers.UDP{SrcPort: 40000, DstPort: 40001},
			gopacket.Payload(make([]byte, r.IntN(161))),
		)
	}
	return packets
}

func serialized(b *testing.B, all ...gopacket.SerializableLayer) []byte {
	sb := gopacket.NewSerializeBuffer()
	opts := gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}
	for _, l := range all {
		opts.ComputeChecksums = opts.ComputeChecksums && l.LayerType() != layers.LayerTypeUDP // it would need the IP layer
	}
	require.NoError(b, gopacket.SerializeLayers(sb, opts, all...))
	return sb.Bytes()
}

// captureFile writes a capture of a mix, pcap with an ERF record for each packet as
// ibdump writes it, or takes the one that $IBWIRE_BENCH_SMALL or _LARGE names. It
// must be of the same kind, little-endian. At 100 MB it does not fit the caches.
func captureFile(b *testing.B, dir, mix string) string {
	if path := os.Getenv("IBWIRE_BENCH_" + strings.ToUpper(mix)); path != "" {
		return path
	}
	file := make([]byte, 24)
	copy(file, "\xd4\xc3\xb2\xa1\x02\x00\x04\x00")
	le, be := binary.LittleEndian, binary.BigEndian
	le.PutUint32(file[16:], 1<<18)
	le.PutUint32(file[20:], uint32(erf.LinkType))
	packets := traffic(b, mix, 5000)
	order := rand.New(rand.NewPCG(3, 4))
	for i := 0; len(file) < 100<<20; i++ {
		packet := packets[order.IntN(len(packets))]
		size := uint32(erf.HeaderSize + len(packet))
		h := make([]byte, 16+erf.HeaderSize)
		le.PutUint32(h, 1_700_000_000+uint32(i)/1_000_000)
		le.PutUint32(h[4:], uint32(i)%1_000_000)
		le.PutUint32(h[8:], size)
		le.PutUint32(h[12:], size)
		le.PutUint64(h[16:], 1_700_000_000<<32+uint64(i)<<12)
		h[24] = byte(erf.TypeInfiniband)
		be.PutUint16(h[26:], uint16(size+7)&^7)
		be.PutUint16(h[30:], uint16(len(packet)))
		file = append(append(file, h...), packet...)
	}
	path := filepath.Join(dir, mix+".erf.pcap")
	require.NoError(b, os.WriteFile(path, file, 0o600))
	return path
}
