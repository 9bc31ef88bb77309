package field

import (
	"strconv"
	"strings"

	"github.com/ibwire/ibwire/erf"
	"github.com/ibwire/ibwire/ext"
	"github.com/ibwire/ibwire/lrh"
	"github.com/ibwire/ibwire/opcode"
)

func appendDecimal(dst []byte, n uint64) []byte { return strconv.AppendUint(dst, n, 10) }

func appendFloat(dst []byte, x float64, decimals int) []byte {
	return strconv.AppendFloat(dst, x, 'f', decimals, 64)
}

// namesOf returns the names of values 0 to 255. Those that begin with unnamed are
// none.
func namesOf(name func(int) string, unnamed string) (s [256]string) {
	for i := range s {
		if n := name(i); !strings.HasPrefix(n, unnamed) {
			s[i] = n
		}
	}
	return s
}

// Names that other packages have, worked out once, so that a tree allocates
// nothing.
var (
	opcodeNames     = namesOf(func(i int) string { return opcode.Opcode(i).String() }, "Opcode(")
	erfTypeNames    = namesOf(func(i int) string { return erf.Type(i & 0x7f).String() }, "Type(")
	nakCodeNames    = namesOf(func(i int) string { return ext.NakCode(i).String() }, "NakCode(")
	syndromeNames   = namesOf(func(i int) string { return ext.SyndromeType(i).String() }, "SyndromeType(")
	selectionNames  = namesOf(func(i int) string { return ext.Selectivity(i).String() }, "Selectivity(")
	placementNames  = namesOf(func(i int) string { return ext.Placement(i).String() }, "Placement(")
	flowControlName = namesOf(func(i int) string { return lrh.FlowControlOp(i).String() }, "FlowControlOp(")
	rnrTimerNames   = namesOf(rnrTimer, "-")
)

func opcodeName(n uint64) string    { return opcodeNames[n] }
func erfTypeName(n uint64) string   { return erfTypeNames[n] }
func nakCodeName(n uint64) string   { return nakCodeNames[n] }
func syndromeName(n uint64) string  { return syndromeNames[n] }
func selectionName(n uint64) string { return selectionNames[n] }
func placementName(n uint64) string { return placementNames[n] }
func flowControlOp(n uint64) string { return flowControlName[n] }
func rnrTimerName(n uint64) string  { return rnrTimerNames[n] }

// rnrTimer returns the time that a timer code of an RNR Nak stands for.
func rnrTimer(code int) string {
	const rnrNak = 0x20
	ms := float64(ext.Syndrome(rnrNak|code&0x1f).RNRTimer()) / 1e6
	return strconv.FormatFloat(ms, 'f', 2, 64) + " ms"
}

// list returns a function that names 0, 1, ...
func list(names ...string) func(uint64) string {
	return func(n uint64) string {
		if n < uint64(len(names)) {
			return names[n]
		}
		return ""
	}
}

// Names in extension headers of ERF.
var (
	rawRate     = list("reserved", "oc3/stm1", "oc12/stm4", "oc48/stm16", "oc192/stm64")
	rawLinkType = list("raw SONET", "raw SDH", "SONET spe", "SDH spe", "ds3", "SONET spe w/o POH", "SDH spe w/o POH",
		"SONET line mode 2", "SDH line mode 2", "raw bit-level", "raw 10Gbe 66b")
	channelSize = list("unused field", "VC-3 / STS-1", "VC-4 / STS-3", "VC-4-4c / STS-12", "VC-4-16c / STS-48", "VC-4-64c / STS-192")
	channelRate = list("Reserved", "STM-0 / STS-1", "STM-1 / STS-3", "STM-4 / STS-12", "STM-16 / STS-48", "STM-64 / STS-192")
	channelType = list("SOH / TOH", "POH", "Container", "POS Packet", "ATM Cell", "Positive justification bytes", "Raw demultiplexed channel")
	hashType    = list("Not set", "Non-IP (Src/Dst MACs, EtherType)", "2-tuple (Src/Dst IPs)", "3-tuple (Src/Dst IPs, IP Protocol)",
		"4-tuple (Src/Dst IPs, IP Protocol, Interface ID)", "5-tuple (Src/Dst IPs, IP Protocol, Src/Dst L4 Ports)",
		"6-tuple (Src/Dst IPs, IP Protocol, Src/Dst L4 Ports, Interface ID)")
	stackType = list("Not set", "Non-IP", "No VLAN, IPv4", "No VLAN, IPv6", "One VLAN, IPv4", "One VLAN, IPv6", "Two VLANs, IPv4", "Two VLANs, IPv6")
)

// erfExtName has two names that differ from those of package erf.
func erfExtName(n uint64) string {
	switch t := erf.ExtType(n); t {
	case erf.ExtBFS:
		return "BFS Filter/Hash"
	case erf.ExtClassification, erf.ExtInterceptID, erf.ExtRawLink, erf.ExtChannelised, erf.ExtSignature, erf.ExtPacketID,
		erf.ExtFlowID, erf.ExtHostID, erf.ExtAnchorID, erf.ExtEntropy:
		return t.String()
	}
	return ""
}

// Names in headers outside InfiniBand.
var (
	vlanPriority = list("Best Effort (default)", "Background", "Excellent Effort", "Critical Applications",
		"Video, < 100ms latency and jitter", "Voice, < 10ms latency and jitter", "Internetwork Control", "Network Control")
	vlanDEI   = list("Ineligible", "Eligible")
	notSetSet = list("Not set", "Set")
	ecnName   = list("Not ECN-Capable Transport", "ECN-Capable Transport codepoint '01'", "ECN-Capable Transport codepoint '10'", "Congestion Experienced")
	ecnShort  = list("Not-ECT", "ECT(1)", "ECT(0)", "CE")
	noYes     = list("No", "Yes")
	sllPacket = list("Unicast to us", "Broadcast", "Multicast", "Unicast to another host", "Sent by us")
)

func etherTypeName(n uint64) string {
	switch n {
	case 0x0800:
		return "IPv4"
	case 0x0806:
		return "ARP"
	case 0x6558:
		return "Transparent Ethernet bridging"
	case 0x8100:
		return "802.1Q Virtual LAN"
	case 0x86dd:
		return "IPv6"
	case 0x8808:
		return "MAC Control"
	case 0x8809:
		return "Slow Protocols"
	case 0x8847:
		return "MPLS label switched packet"
	case 0x8848:
		return "MPLS multicast label switched packet"
	case 0x88a8:
		return "802.1ad Provider Bridge (Q-in-Q)"
	case 0x88cc:
		return "802.1 Link Layer Discovery Protocol (LLDP)"
	case 0x8915:
		return "RDMA over Converged Ethernet"
	}
	return ""
}

func ipProtoName(n uint64) string {
	switch n {
	case 0:
		return "IPv6 Hop-by-Hop Option"
	case 1:
		return "ICMP"
	case 2:
		return "IGMP"
	case 4:
		return "IPIP"
	case 6:
		return "TCP"
	case 17:
		return "UDP"
	case 41:
		return "IPv6"
	case 43:
		return "Routing Header for IPv6"
	case 44:
		return "Fragment Header for IPv6"
	case 47:
		return "Generic Routing Encapsulation"
	case 58:
		return "ICMPv6"
	case 59:
		return "No Next Header for IPv6"
	case 60:
		return "Destination Options for IPv6"
	case 137:
		return "MPLS in IP"
	}
	return ""
}

// dscpName returns the long name of a DSCP, dscpShort the one behind the whole
// field.
func dscpName(n uint64) string {
	switch {
	case n == 0:
		return "Default"
	case n == 1:
		return "Lower Effort"
	case n == 44:
		return "Voice Admit"
	case n == 46:
		return "Expedited Forwarding"
	case n%8 == 0:
		return classSelectors[n/8]
	case n >= 10 && n < 40 && n%8 >= 2 && n%2 == 0:
		return assuredForwarding[n/8-1][n%8/2-1]
	}
	return ""
}

var classSelectors = [...]string{
	1: "Class Selector 1", "Class Selector 2", "Class Selector 3", "Class Selector 4", "Class Selector 5", "Class Selector 6", "Class Selector 7",
}

var assuredForwarding = [...][3]string{
	{"Assured Forwarding 11", "Assured Forwarding 12", "Assured Forwarding 13"},
	{"Assured Forwarding 21", "Assured Forwarding 22", "Assured Forwarding 23"},
	{"Assured Forwarding 31", "Assured Forwarding 32", "Assured Forwarding 33"},
	{"Assured Forwarding 41", "Assured Forwarding 42", "Assured Forwarding 43"},
}

func dscpShort(dst []byte, n uint64) []byte {
	switch name := dscpName(n); {
	case n == 0:
		return append(dst, "CS0"...)
	case n == 1:
		return append(dst, "LE"...)
	case n == 44:
		return append(dst, "VOICE-ADMIT"...)
	case n == 46:
		return append(dst, "EF PHB"...)
	case strings.HasPrefix(name, "Class"):
		return append(append(dst, "CS"...), name[len(name)-1:]...)
	case strings.HasPrefix(name, "Assured"):
		return append(append(dst, "AF"...), name[len(name)-2:]...)
	}
	return append(dst, "Unknown"...)
}

func hardwareTypeName(n uint64) string {
	switch n {
	case 1:
		return "Ethernet"
	case 32:
		return "InfiniBand"
	case 519:
		return "Raw IP"
	case 772:
		return "Loopback"
	}
	return ""
}

// Names in the headers of tunnels.
var (
	erspanVersion   = list("", "Type II", "Type III")
	erspanEncap     = list("Originally without VLAN tag", "Originally ISL encapsulated", "Originally 802.1Q encapsulated", "VLAN tag preserved in frame")
	erspanState     = list("Good or unknown integrity", "Short frame", "Oversized frame", "CRC or alignment error")
	erspanTruncated = list("Not truncated", "Truncated")
	erspanFrame     = list("Ethernet", "", "IP")
	erspanUnit      = list("100 microseconds", "100 nanoseconds", "IEEE 1588", "Custom granularity")
)

// greProtoName has names of its own for some EtherTypes.
func greProtoName(n uint64) string {
	switch n {
	case 0x0800:
		return "IP"
	case 0x22eb:
		return "ERSPAN III"
	case 0x880b:
		return "PPP"
	case 0x88be:
		return "ERSPAN"
	case 0x0806, 0x6558, 0x86dd, 0x8847:
		return etherTypeName(n)
	}
	return ""
}

func mplsLabelName(n uint64) string {
	switch n {
	case 0:
		return "IPv4 Explicit-Null"
	case 1:
		return "Router Alert"
	case 2:
		return "IPv6 Explicit-Null"
	case 3:
		return "Implicit-Null"
	case 7:
		return "Entropy Label Indicator (ELI)"
	case 13:
		return "Generic Associated Channel Label (GAL)"
	case 14:
		return "OAM Alert"
	}
	return ""
}
