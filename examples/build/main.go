// Command build makes InfiniBand packets, RDMA WRITEs with immediate data, with
// all lengths and CRCs, and writes them to standard output: native ones as an ERF
// file or, with the argument roce, RoCE v1 and v2 as a pcap file.
package main

import (
	"io"
	"log"
	"net"
	"net/netip"
	"os"
	"time"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/google/gopacket/pcapgo"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/bth"
	"github.com/ibwire/ibwire/erf"
	"github.com/ibwire/ibwire/ext"
	"github.com/ibwire/ibwire/grh"
	"github.com/ibwire/ibwire/linktype"
	"github.com/ibwire/ibwire/lrh"
	"github.com/ibwire/ibwire/opcode"
)

func main() {
	write := native
	if len(os.Args) > 1 && os.Args[1] == "roce" {
		write = roce
	}
	if err := write(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// built is when the packets are said to have been captured.
var built = time.Unix(1700000000, 0)

// message returns the layers of the InfiniBand transport, from the BTH on.
func message() []gopacket.SerializableLayer {
	payload := gopacket.Payload("hello")
	return []gopacket.SerializableLayer{
		&bth.BTH{OpCode: opcode.RCWriteOnlyImm, PKey: 0xffff, DestQP: 0x11, PSN: 100, AckReq: true},
		&ext.RETH{VA: 0x1000, RKey: 7, DMALen: uint32(len(payload))},
		&ext.ImmDt{Data: 42},
		payload,
	}
}

// route returns a GRH.
func route() *grh.GRH {
	return &grh.GRH{
		IPVer: 6, NxtHdr: grh.NxtHdrIBA, HopLmt: 64,
		SGID: netip.MustParseAddr("fe80::1"), DGID: netip.MustParseAddr("fe80::2"),
	}
}

// serialize returns a packet of the layers outside a message and the message.
func serialize(outside ...gopacket.SerializableLayer) ([]byte, error) {
	buf := gopacket.NewSerializeBuffer()
	opts := gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}
	err := gopacket.SerializeLayers(buf, opts, append(outside, message()...)...)
	return buf.Bytes(), err
}

// native writes two native packets, without a GRH and with one.
func native(out io.Writer) error {
	w := erf.NewWriter(out)
	for _, outside := range [][]gopacket.SerializableLayer{
		{&lrh.LRH{LNH: lrh.LNHLocal, SLID: 1, DLID: 2}},
		{&lrh.LRH{LNH: lrh.LNHGlobal, SLID: 1, DLID: 2}, route()},
	} {
		packet, err := serialize(outside...)
		if err != nil {
			return err
		}
		record := &erf.Record{Type: erf.TypeInfiniband, Flags: erf.FlagVLen, Timestamp: erf.TimestampOf(built)}
		if err := w.WriteRecord(record, packet); err != nil {
			return err
		}
	}
	return nil
}

// roce writes a frame of RoCE v1 and one of RoCE v2.
func roce(out io.Writer) error {
	w := pcapgo.NewWriter(out)
	if err := w.WriteFileHeader(65535, layers.LinkTypeEthernet); err != nil {
		return err
	}
	eth := layers.Ethernet{SrcMAC: net.HardwareAddr{2, 0, 0, 0, 0, 1}, DstMAC: net.HardwareAddr{2, 0, 0, 0, 0, 2}, EthernetType: grh.EtherType}
	v1, err := serialize(&eth, route())
	if err != nil {
		return err
	}
	eth.EthernetType = layers.EthernetTypeIPv4
	ip := &layers.IPv4{Version: 4, IHL: 5, TTL: 64, Protocol: layers.IPProtocolUDP, SrcIP: net.IP{192, 0, 2, 1}, DstIP: net.IP{192, 0, 2, 2}}
	udp := &layers.UDP{SrcPort: 49152, DstPort: ibwire.UDPPort}
	if err := udp.SetNetworkLayerForChecksum(ip); err != nil {
		return err
	}
	v2, err := serialize(&eth, ip, udp)
	if err != nil {
		return err
	}
	// IP and UDP are gopacket's, so the ICRC is still missing.
	if err := ibwire.Finish(linktype.Ethernet, v2); err != nil {
		return err
	}
	for _, frame := range [][]byte{v1, v2} {
		ci := gopacket.CaptureInfo{Timestamp: built, CaptureLength: len(frame), Length: len(frame)}
		if err := w.WritePacket(ci, frame); err != nil {
			return err
		}
	}
	return nil
}
