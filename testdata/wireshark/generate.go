package wireshark

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"time"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/google/gopacket/pcapgo"

	"github.com/ibwire/ibwire/bth"
	"github.com/ibwire/ibwire/erf"
	"github.com/ibwire/ibwire/grh"
	"github.com/ibwire/ibwire/lrh"
	"github.com/ibwire/ibwire/opcode"
)

// A Carrier is what carries the packets of a generated capture.
type Carrier struct {
	Name     string
	linkType layers.LinkType
	frame    func(g *generator, message []byte) []byte
}

// Carriers are those that are generated.
var Carriers = []Carrier{
	{"LNH 2", layers.LinkType(erfLinkType), func(g *generator, m []byte) []byte { return g.native(lrh.LNHLocal, m) }},
	{"LNH 3", layers.LinkType(erfLinkType), func(g *generator, m []byte) []byte { return g.native(lrh.LNHGlobal, m) }},
	{"RoCE v1", layers.LinkTypeEthernet, (*generator).rocev1},
	{"RoCE v2, IPv4", layers.LinkTypeEthernet, (*generator).rocev2IPv4},
	{"RoCE v2, IPv6", layers.LinkTypeEthernet, (*generator).rocev2IPv6},
}

const erfLinkType = 197

// sizes are the lengths of payloads that are generated.
var sizes = [...]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 64, 256, 4096}

// pads are the values of PadCnt, each of which comes with every size.
const pads = 4

// PerRound is how many frames of a carrier there are in a round: each opcode
// with each payload size and each PadCnt, and random values in everything else.
const PerRound = 256 * len(sizes) * pads

// Generate writes frames of a carrier to a file. A seed always gives the same
// ones. Of a round, every step-th frame is written.
func Generate(path string, c Carrier, seed uint64, step int) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := pcapgo.NewWriterNanos(f)
	const snapLen = 1 << 18
	if err := w.WriteFileHeader(snapLen, c.linkType); err != nil {
		return err
	}
	g := &generator{Rand: rand.New(rand.NewPCG(seed, uint64(c.linkType))), buffer: gopacket.NewSerializeBuffer()}
	for n := g.IntN(step); n < PerRound; n += step {
		size := sizes[n/pads%len(sizes)]
		frame := c.frame(g, g.message(opcode.Opcode(n/pads/len(sizes)), size, n%pads, c.linkType == erfLinkType))
		ci := gopacket.CaptureInfo{Timestamp: generatedTime(n), CaptureLength: len(frame), Length: len(frame)}
		if err := w.WritePacket(ci, frame); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// generatedTime returns the time of frame n.
func generatedTime(n int) time.Time {
	const start = 1_700_000_000
	return time.Unix(start, int64(n)*1001).UTC()
}

// A generator makes up frames.
type generator struct {
	*rand.Rand
	buffer gopacket.SerializeBuffer
}

// octets returns n random bytes.
func (g *generator) octets(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(g.Uint32())
	}
	return b
}

func (g *generator) bool() bool { return g.IntN(2) == 0 }

// layers returns headers and what is behind them as bytes.
func (g *generator) layers(headers ...gopacket.SerializableLayer) []byte {
	if err := gopacket.SerializeLayers(g.buffer, gopacket.SerializeOptions{}, headers...); err != nil {
		panic(fmt.Sprint("wireshark: generated header: ", err)) // every value fits its bits
	}
	return append([]byte(nil), g.buffer.Bytes()...)
}

// message returns what begins with a BTH and ends with an ICRC. The extension
// headers have random values, and so has the ICRC: nobody here verifies it. In
// native packets bytes fill up the last word.
func (g *generator) message(o opcode.Opcode, size, pad int, words bool) []byte {
	n := o.Headers().Size() + size + pad
	if words {
		n += -n & 3
	}
	h := &bth.BTH{
		OpCode: o, SE: g.bool(), MigReq: g.bool(), PadCnt: uint8(pad), TVer: uint8(g.IntN(1 << 4)),
		PKey: uint16(g.Uint32()), FECN: g.bool(), BECN: g.bool(), Rsv6: uint8(g.IntN(1 << 6)),
		DestQP: g.queuePair(), AckReq: g.bool(), Rsv7: uint8(g.IntN(1 << 7)), PSN: uint32(g.IntN(1 << 24)),
	}
	return g.layers(h, gopacket.Payload(g.octets(n+icrcSize)))
}

// queuePair returns the number of a queue pair, not seldom one of the two that
// take management datagrams.
func (g *generator) queuePair() uint32 {
	if g.IntN(1<<5) == 0 {
		return uint32(g.IntN(2))
	}
	return uint32(g.IntN(1 << 24))
}

// native returns an ERF record of a native packet.
func (g *generator) native(lnh lrh.LNH, message []byte) []byte {
	if lnh == lrh.LNHGlobal {
		message = g.layers(g.grh(len(message)), gopacket.Payload(message))
	}
	h := &lrh.LRH{
		VL: uint8(g.IntN(1 << 4)), LVer: uint8(g.IntN(1 << 4)), SL: uint8(g.IntN(1 << 4)), Rsv2: uint8(g.IntN(1 << 2)),
		LNH: lnh, DLID: lrh.LID(g.Uint32()), Rsv5: uint8(g.IntN(1 << 5)), SLID: lrh.LID(g.Uint32()),
		PktLen: uint16((lrh.Size + len(message)) / 4),
	}
	packet := g.layers(h, gopacket.Payload(message), gopacket.Payload(g.octets(vcrcSize)))
	record := &erf.Record{
		Timestamp: erf.Timestamp(1_700_000_000<<32 + g.Uint64N(1<<40)), Type: erf.TypeInfiniband, Flags: erf.FlagVLen,
		RLen: uint16(erf.HeaderSize + len(packet)), WLen: uint16(len(packet)),
	}
	return g.layers(record, gopacket.Payload(packet))
}

func (g *generator) grh(length int) *grh.GRH {
	return &grh.GRH{
		IPVer: uint8(g.IntN(1 << 4)), TClass: uint8(g.Uint32()), FlowLabel: uint32(g.IntN(1 << 20)),
		PayLen: uint16(length), NxtHdr: grh.NxtHdrIBA, HopLmt: uint8(g.Uint32()),
		SGID: netip.AddrFrom16([16]byte(g.octets(16))), DGID: netip.AddrFrom16([16]byte(g.octets(16))),
	}
}

func (g *generator) ethernet(t layers.EthernetType) *layers.Ethernet {
	return &layers.Ethernet{SrcMAC: g.octets(6), DstMAC: g.octets(6), EthernetType: t}
}

func (g *generator) rocev1(message []byte) []byte {
	return g.layers(g.ethernet(grh.EtherType), g.grh(len(message)), gopacket.Payload(message))
}

const udpSize = 8

func (g *generator) udp(message []byte) *layers.UDP {
	const first = 0xc000 // as senders of RoCE choose it
	return &layers.UDP{
		SrcPort: layers.UDPPort(first + g.IntN(1<<14)), DstPort: layers.UDPPort(roceV2Port),
		Length: uint16(udpSize + len(message)), Checksum: uint16(g.Uint32()),
	}
}

const roceV2Port = 4791

func (g *generator) rocev2IPv4(message []byte) []byte {
	const size = 20
	ip := &layers.IPv4{
		Version: 4, IHL: size / 4, TOS: uint8(g.Uint32()), Length: uint16(size + udpSize + len(message)), Id: uint16(g.Uint32()),
		TTL: uint8(g.Uint32()), Protocol: layers.IPProtocolUDP, Checksum: uint16(g.Uint32()),
		SrcIP: net.IP(g.octets(4)), DstIP: net.IP(g.octets(4)),
	}
	if g.bool() {
		ip.Flags = layers.IPv4DontFragment
	}
	return g.layers(g.ethernet(layers.EthernetTypeIPv4), ip, g.udp(message), gopacket.Payload(message))
}

func (g *generator) rocev2IPv6(message []byte) []byte {
	ip := &layers.IPv6{
		Version: 6, TrafficClass: uint8(g.Uint32()), FlowLabel: uint32(g.IntN(1 << 20)), Length: uint16(udpSize + len(message)),
		NextHeader: layers.IPProtocolUDP, HopLimit: uint8(g.Uint32()), SrcIP: net.IP(g.octets(16)), DstIP: net.IP(g.octets(16)),
	}
	return g.layers(g.ethernet(layers.EthernetTypeIPv6), ip, g.udp(message), gopacket.Payload(message))
}
