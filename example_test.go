package ibwire_test

import (
	"fmt"
	"net"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/bth"
	"github.com/ibwire/ibwire/linktype"
	"github.com/ibwire/ibwire/opcode"
)

// Build a frame of RoCE v2. Lengths, pad and checksums are set on the way, the
// ICRC at the end.
func ExampleFinish() {
	eth := &layers.Ethernet{
		SrcMAC: net.HardwareAddr{2, 0, 0, 0, 0, 1}, DstMAC: net.HardwareAddr{2, 0, 0, 0, 0, 2},
		EthernetType: layers.EthernetTypeIPv4,
	}
	ip := &layers.IPv4{
		Version: 4, IHL: 5, TTL: 64, Protocol: layers.IPProtocolUDP,
		SrcIP: net.IP{192, 0, 2, 1}, DstIP: net.IP{192, 0, 2, 2},
	}
	udp := &layers.UDP{SrcPort: 49152, DstPort: ibwire.UDPPort}
	if err := udp.SetNetworkLayerForChecksum(ip); err != nil {
		fmt.Println(err)
		return
	}
	b := &bth.BTH{OpCode: opcode.RCSendOnly, PKey: 0xffff, DestQP: 0x11, PSN: 100}

	buf := gopacket.NewSerializeBuffer()
	opts := gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}
	if err := gopacket.SerializeLayers(buf, opts, eth, ip, udp, b, gopacket.Payload("hello")); err != nil {
		fmt.Println(err)
		return
	}
	if err := ibwire.Finish(linktype.Ethernet, buf.Bytes()); err != nil {
		fmt.Println(err)
		return
	}

	var p ibwire.Packet
	if err := p.Decode(linktype.Ethernet, buf.Bytes()); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s to QP %#x: %q, PadCnt %d\n", p.BTH.OpCode.Info(), p.BTH.DestQP, p.Payload, p.BTH.PadCnt)
	fmt.Printf("ICRC %08x: %v\n", p.ICRC().Value, p.ICRC().Status)
	// Output:
	// RC Send Only to QP 0x11: "hello", PadCnt 3
	// ICRC 745e25fb: Good
}
