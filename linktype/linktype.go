// Package linktype names what the packets of a capture file begin with, by the
// numbers of the libpcap registry.
package linktype

import (
	"fmt"
	"math"
	"strconv"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
)

// A Type says what a packet begins with: a LINKTYPE_ value of the registry of
// libpcap. It has 16 bits, where the LinkType of gopacket v1.1.19 has eight.
type Type uint16

// Link types that InfiniBand packets come in.
const (
	Ethernet   Type = 1
	RawBSD     Type = 12 // Raw, as BSD systems number it in their files
	RawOpenBSD Type = 14
	Raw        Type = 101 // IPv4 or IPv6
	LinuxSLL   Type = 113 // Linux cooked capture
	User0      Type = 147 // first of 16 for private use
	User15     Type = 162 // last of 16
	ERF        Type = 197
	IPv4       Type = 228
	IPv6       Type = 229
	InfiniBand Type = 247 // from the LRH
	LinuxSLL2  Type = 276 // Linux cooked capture v2
)

// linkTypeNames has the names of the registry without "LINKTYPE_".
var linkTypeNames = map[Type]string{
	0:          "NULL",
	Ethernet:   "ETHERNET",
	6:          "IEEE802_5",
	8:          "SLIP",
	9:          "PPP",
	10:         "FDDI",
	50:         "PPP_HDLC",
	51:         "PPP_ETHER",
	100:        "ATM_RFC1483",
	RawBSD:     "RAW",
	RawOpenBSD: "RAW",
	Raw:        "RAW",
	104:        "C_HDLC",
	105:        "IEEE802_11",
	107:        "FRELAY",
	108:        "LOOP",
	LinuxSLL:   "LINUX_SLL",
	117:        "PFLOG",
	119:        "IEEE802_11_PRISM",
	122:        "IP_OVER_FC",
	123:        "SUNATM",
	127:        "IEEE802_11_RADIOTAP",
	139:        "MTP2_WITH_PHDR",
	140:        "MTP2",
	141:        "MTP3",
	142:        "SCCP",
	163:        "IEEE802_11_AVS",
	187:        "BLUETOOTH_HCI_H4",
	189:        "USB_LINUX",
	192:        "PPI",
	195:        "IEEE802_15_4_WITHFCS",
	ERF:        "ERF",
	201:        "BLUETOOTH_HCI_H4_WITH_PHDR",
	220:        "USB_LINUX_MMAPPED",
	224:        "FC_2",
	225:        "FC_2_WITH_FRAME_DELIMS",
	227:        "CAN_SOCKETCAN",
	IPv4:       "IPV4",
	IPv6:       "IPV6",
	230:        "IEEE802_15_4_NOFCS",
	239:        "NFLOG",
	240:        "NETANALYZER",
	241:        "NETANALYZER_TRANSPARENT",
	242:        "IPOIB",
	InfiniBand: "INFINIBAND",
	248:        "SCTP",
	249:        "USBPCAP",
	251:        "BLUETOOTH_LE_LL",
	252:        "WIRESHARK_UPPER_PDU",
	253:        "NETLINK",
	255:        "BLUETOOTH_BREDR_BB",
	256:        "BLUETOOTH_LE_LL_WITH_PHDR",
	258:        "PKTAP",
	271:        "VSOCK",
	274:        "ETHERNET_MPACKET",
	LinuxSLL2:  "LINUX_SLL2",
}

// String returns the name of t, or "LinkType(300)" if it has none here.
func (t Type) String() string {
	if name := linkTypeNames[t]; name != "" {
		return name
	}
	if t.IsUser() {
		return "USER" + strconv.Itoa(int(t-User0))
	}
	return "LinkType(" + strconv.Itoa(int(t)) + ")"
}

// Decode implements gopacket.Decoder, so that a Type can be given to
// gopacket.NewPacket. It is an error if gopacket has no layer for t; ERF and
// InfiniBand need a call of ibwire.Register.
func (t Type) Decode(data []byte, p gopacket.PacketBuilder) error {
	if t > math.MaxUint8 {
		return fmt.Errorf("linktype: no layer for link type %d (%v)", uint16(t), t)
	}
	return layers.LinkType(t).Decode(data, p)
}

// IsUser reports whether t is for private use.
func (t Type) IsUser() bool { return User0 <= t && t <= User15 }
