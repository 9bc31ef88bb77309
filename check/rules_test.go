package check_test

import (
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/check"
	"github.com/ibwire/ibwire/linktype"
)

// A ruleTest is a packet and what a rule says of it, "" if nothing.
type ruleTest struct {
	code, name string
	frame      frame
	text       string
}

var ruleTests = []ruleTest{
	{"erf-rlen", "shorter than its header", send.erf("1504", "000f", "0000"), "rlen is 15, the headers of the record have 16 bytes"},
	{"erf-rlen", "just the header", send.erf("1504", "0010", "0000"), ""},
	{"erf-rlen-packet", "less than the packet", send.erf("1504", "0014", "0000"), "rlen is 20, but the record holds 50 bytes of headers and packet"},
	{"erf-rlen-packet", "padding that the file leaves out", send.erf("1504", "0038", "0000"), ""},
	{"erf-rlen-packet", "no more captured than rlen", send.erf("1504", "0014", "0000").cut(30), ""},
	{"erf-truncated", "set", send.erf("150c", "0032", "0000"), "flags are 0x0c: packet cut for lack of buffer"},
	{"erf-truncated", "clear", erfSend, ""},
	{"erf-rx-error", "set", send.erf("1514", "0032", "0000"), "flags are 0x14: received with an error"},
	{"erf-rx-error", "clear", erfSend, ""},
	{"erf-ds-error", "set", send.erf("1524", "0032", "0000"), "flags are 0x24: error inside the card"},
	{"erf-ds-error", "clear", erfSend, ""},
	{"erf-flags-reserved", "set", send.erf("1544", "0032", "0000"), "flags are 0x44: reserved flags are set"},
	{"erf-flags-reserved", "port D", send.erf("1507", "0032", "0000"), ""},
	{"erf-loss", "3", send.erf("1504", "0032", "0003"), "the capture lost 3 packets in front of this one"},
	{"erf-loss", "none", erfSend, ""},
	{"erf-loss", "a color", frame{link: linktype.ERF, data: octets("000000800000005f 0b04 0000 0003 0040" + "0000 0002c9000002 0002c9000001 8915 60")}, ""},
	{"erf-time", "11 µs ahead", atTime(erfSend, -11*time.Microsecond), "the record's time is 2020-07-04 04:05:20.500000000, that of the file 2020-07-04 04:05:20.499989000"},
	{"erf-time", "ibdump", atTime(erfSend, -7600), ""},
	{"erf-time", "no other time", frame{link: erfSend.link, data: erfSend.data}, ""},

	{"truncated", "native", send.snapped(7), "27 of 34 bytes are captured"},
	{"truncated", "ERF", erfSend.cut(7), "27 of 34 bytes are captured"},
	{"truncated", "mirrored", send.cut(7), "PktLen counts 32 bytes, 27 are there"},
	{"truncated", "without CRCs", send.cut(6), "PktLen counts 32 bytes, 28 are there: cut, or captured without CRCs"},
	{"truncated", "RoCE v2, mirrored", roce2(bth("04", "40", qp), eight).cut(9), "the UDP length is 32, 23 bytes are there"},
	{"truncated", "RoCE v1, mirrored", roce1(bth("04", "40", qp), eight).cut(9), "PayLen with the GRH is 64, 55 bytes are there"},
	{"truncated", "GRH cut", roce1(bth("04", "40", qp), eight).cut(60), "a header is cut"},
	{"truncated", "LRH cut", send.cut(29), "a header is cut"},
	{"truncated", "whole", send, ""},
	{"truncated", "without VCRC", send.cut(2), ""},
	{"truncated", "first fragment", roce2(bth("04", "40", qp), eight).with(6, "2000"), ""},
	{"truncated", "UDP to another port", onUDP("12b8", bth("04", "40", qp)).cut(3), ""},
	{"truncated", "UDP length less than the header", roce2(bth("04", "40", qp), eight).with(24, "0004"), ""},

	{"pktlen-short", "5 words", send.with(4, "0005"), "PktLen is 5 words, 20 bytes, but the headers and the ICRC have at least 24"},
	{"pktlen-short", "RETH does not fit", write.with(4, "0009"), "PktLen is 9 words, 36 bytes, but the headers and the ICRC have at least 40"},
	{"pktlen-short", "GRH", routed.with(4, "000f"), "PktLen is 15 words, 60 bytes, but the headers and the ICRC have at least 64"},
	{"pktlen-short", "raw", rawIP.with(4, "0004"), "PktLen is 4 words, 16 bytes, but a raw packet has at least 20"},
	{"pktlen-short", "another NxtHdr", native(global, grh()).with(14, "3a").with(4, "000b"), "PktLen is 11 words, 44 bytes, but the headers have at least 48"},
	{"pktlen-short", "6 words", native(local, bth("04", "40", qp)), ""},
	{"pktlen-short", "raw, 5 words", native(rawHeader, "00001234", eight), ""},
	{"pktlen-short", "RESYNC, which may be another transport's", native(local, bth("55", "40", qp)), ""},
	{"paylen-short", "15", routed.with(12, "000f"), "PayLen is 15, but BTH, extension headers and ICRC have 16 bytes"},
	{"paylen-short", "AETH does not fit", roce1(bth("11", "40", qp), "1f000005").with(18, "0013"), "PayLen is 19, but BTH, extension headers and ICRC have 20 bytes"},
	{"paylen-short", "right", roce1(bth("11", "40", qp), "1f000005"), ""},
	{"paylen-short", "another NxtHdr", routed.with(12, "000f").with(14, "3a"), ""},
	{"udplen-short", "AETH does not fit", roce2(bth("11", "40", qp), "1f000005").with(24, "001b"), "the UDP length is 27, but UDP header, BTH, extension headers and ICRC have 28 bytes"},
	{"udplen-short", "too short for a BTH", onUDP("12b7", "00000000 0000").with(24, "0012"), "the UDP length is 18, but UDP header, BTH, extension headers and ICRC have 24 bytes"},
	{"udplen-short", "right", roce2(bth("11", "40", qp), "1f000005"), ""},
	{"udplen-short", "another port", onUDP("12b8", "0000"), ""},
	{"aeth-reserved", "only room for the ICRC, which is no AETH", roce2(bth("11", "40", qp)).with(40, "ff"), ""},
	{"udplen-short", "0", roce2(bth("04", "40", qp), eight).with(24, "0000"), ""},

	{"pktlen-captured", "too small", hexFrame("00020002000700010440ffff000001230000001030313233343536375f78874e2926"), "PktLen is 7 words, 28 bytes, but the CRCs fit a packet of 32 bytes"},
	{"pktlen-captured", "too big", hexFrame("00020002000900010440ffff000001230000001030313233343536370349f4a3033d"), "PktLen is 9 words, 36 bytes, but the CRCs fit a packet of 32 bytes"},
	{"pktlen-captured", "changed behind the CRCs", send.with(4, "0009"), "PktLen is 9 words, 36 bytes, but the CRCs fit a packet of 32 bytes"},
	{"pktlen-captured", "the same without VCRC", send.with(4, "0007").cut(2), "PktLen is 7 words, 28 bytes, but the CRCs fit a packet of 32 bytes"},
	{"pktlen-captured", "raw", native(rawHeader, "00001234", eight, eight).with(4, "0006"), "PktLen is 6 words, 24 bytes, but the CRCs fit a packet of 28 bytes"},
	{"pktlen-captured", "right", send, ""},
	{"pktlen-captured", "mirrored", send.cut(7), ""},
	{"pktlen-captured", "cut by the capture", send.with(4, "0009").longer(2), ""},
	{"pktlen-captured", "without CRCs", send.cut(6), ""},
	{"pktlen-captured", "a trailer", send.then("eeeeeeeeeeee"), ""},
	{"trailer", "6 bytes", hexFrame("00020002000800010440ffff00000123000000103031323334353637d7a387384a60eeeeeeeeeeee"), "6 bytes behind the packet, whose PktLen is 8 words"},
	{"trailer", "half a VCRC", send.cut(1), "1 byte behind the packet, whose PktLen is 8 words"},
	{"trailer", "none", send, ""},
	{"trailer", "VCRC cut by the capture", send.snapped(1), ""},
	{"trailer", "behind the length on the wire", frame{link: linktype.InfiniBand, data: send.then("eeee").data, length: 34}, ""},
	{"trailer", "padding of a record", frame{link: linktype.ERF, data: erfSend.then("000000000000").data}, ""},
	{"trailer", "Omni-Path, 2060 words", native(local, bth("04", "40", qp), zeros(2060*4-24)), ""},
	{"pktlen-max", "1056", native(local, bth("04", "40", qp), zeros(1056*4-24)), "PktLen is 1056 words, more than 1055"},
	{"pktlen-max", "1055", native(local, bth("04", "40", qp), zeros(1055*4-24)), ""},
	{"pktlen-max", "Omni-Path, 3500 words", native(local, bth("04", "40", qp), zeros(3500*4-24)), ""},
	{"grh-paylen", "4 too big", routed.with(12, "001c"), "PktLen is 18 words, 72 bytes, but with PayLen 28 it is 76"},
	{"grh-paylen", "4 too small", routed.with(12, "0014"), "PktLen is 18 words, 72 bytes, but with PayLen 20 it is 68"},
	{"grh-paylen", "right", routed, ""},
	{"grh-paylen", "cut", routed.snapped(20), ""},

	{"lver", "1", send.with(0, "01"), "LVer is 1, not 0"},
	{"lver", "0", send.with(0, "f0"), ""},
	{"lrh-reserved", "both", send.with(1, "0e").with(4, "f0"), "reserved bits of the LRH are 0x3 and 0x1e, not 0"},
	{"lrh-reserved", "Omni-Path's length bit", send.with(4, "08"), ""},
	{"dlid-zero", "0", send.with(2, "0000"), "DLID is 0, which is reserved"},
	{"dlid-zero", "0xffff", send.with(2, "ffff"), ""},
	{"slid-zero", "0", send.with(6, "0000"), "SLID is 0: a port without a LID"},
	{"slid-zero", "1", send, ""},
	{"slid-multicast", "0xc000", send.with(6, "c000"), "SLID is 0xc000, a multicast LID"},
	{"slid-multicast", "0xbfff", send.with(6, "bfff"), ""},
	{"slid-multicast", "0xffff", send.with(6, "ffff"), ""},
	{"permissive-lid", "to an ordinary QP", send.with(2, "ffff"), "LIDs 0x0001 to 0xffff, but DestQP is 0x000123, not 0"},
	{"permissive-lid", "LID routed SMP", smp.with(6, "ffff"), "LIDs 0xffff to 0x0002, but the class is 0x01, not 0x81"},
	{"permissive-lid", "directed SMP", direct, ""},
	{"permissive-lid", "raw", rawIP.with(2, "ffff"), ""},
	{"permissive-lid", "Omni-Path", smp.with(6, "ffff").with(28, "80"), ""},
	{"permissive-lid", "class cut", direct.snapped(254), ""},
	{"qp0-vl", "VL0", native(local, bth("64", "40", "000000"), mad("00000000", "0101", 256)), "DestQP is 0, but VL is 0, not 15"},
	{"qp0-vl", "VL15", smp, ""},
	{"qp0-vl", "VL changed by the capture point", smp.with(0, "00"), ""},
	{"vl15-qp", "an ordinary QP", native(vl15, bth("04", "40", qp), eight), "VL is 15, but DestQP is 0x000123, not 0"},
	{"vl15-qp", "QP0", smp, ""},
	{"vl15-qp", "raw", native("f0000002", "00001234", eight), ""},
	{"multicast", "RC without GRH", send.with(2, "c000"), "DLID 0xc000 is a multicast LID, but there is no GRH, DestQP is 0x000123, not 0xffffff, the opcode is RC Send Only (0x04), not of UD"},
	{"multicast", "UD", group, ""},
	{"multicast", "UD with Immediate", group.with(48, "65"), ""},
	{"multicast", "0xffff", direct, ""},
	{"multicast", "raw", rawIP.with(2, "c000"), ""},

	{"grh-ipver", "4", routed.with(8, "40"), "IPVer is 4, not 6"},
	{"grh-ipver", "6, with a class", routed.with(8, "6f"), ""},
	{"grh-nxthdr", "0x3a", roce1(bth("04", "40", qp)).with(20, "3a"), "NxtHdr is 0x3a, not 0x1b"},
	{"grh-nxthdr", "0x1b", routed, ""},
	{"sgid-multicast", "ff12::", routed.with(16, "ff12"), "SGID is ff12::2:c903:0:1111, a multicast GID"},
	{"sgid-multicast", "multicast DGID", group.with(32, "ff12"), ""},

	{"tver", "1", send.with(9, "41"), "TVer is 1, not 0"},
	{"tver", "0, with a PadCnt", send.with(9, "70"), ""},
	{"pad-no-payload", "Acknowledge", ack.with(9, "60"), "PadCnt is 2, but there is no payload"},
	{"pad-no-payload", "empty SEND", native(local, bth("04", "60", qp)), "PadCnt is 2, but there is no payload"},
	{"pad-no-payload", "1 byte and pad", native(local, bth("04", "70", qp), "41000000"), ""},
	{"pkey-zero", "0x8000", send.with(10, "8000"), "P_Key is 0x8000"},
	{"pkey-zero", "default", send, ""},
	{"pkey-zero", "QP0", smp.with(10, "0000"), ""},
	{"bth-reserved6", "Huawei", send.with(12, "10"), "the bits behind FECN and BECN are 0x10, not 0"},
	{"bth-reserved6", "FECN and BECN", send.with(12, "c0"), ""},
	{"bth-reserved7", "set", send.with(16, "7f"), "the bits behind AckReq are 0x7f, not 0"},
	{"bth-reserved7", "AckReq", send.with(16, "80"), ""},
	{"ackreq", "UD", ud.with(16, "80"), "AckReq is set in UD Send Only (0x64)"},
	{"ackreq", "Acknowledge", ack.with(16, "80"), "AckReq is set in RC Acknowledge (0x11)"},
	{"ackreq", "RC", send.with(16, "80"), ""},
	{"ackreq", "READ without it", read, ""},
	{"opcode", "0x15", send.with(8, "15"), "opcode 0x15 is not assigned"},
	{"opcode", "manufacturer's", send.with(8, "c0"), ""},
	{"opcode", "of RD", send.with(8, "56"), ""},
	{"cnp", "PSN", roce2(bth("81", "40", qp), zeros(16)).with(32, "40"), "a CNP with BECN true, PSN 16, reserved bytes all zero true, and 0 bytes behind them"},
	{"cnp", "native with 8 bytes", native(local, bth("80", "40", qp), eight), "8 bytes behind the BTH of a CNP, not 0 or 16"},
	{"cnp", "of an adapter", roce2("8140ffff40 000123 00000000", zeros(16)), ""},
	{"cnp", "native", native(local, bth("80", "40", qp)), ""},
	{"cnp", "native with 16 bytes", native(local, bth("80", "40", qp), zeros(16)), ""},
	{"deth-reserved", "1", ud.with(24, "01"), "the byte behind the Q_Key is 0x01, not 0"},
	{"deth-reserved", "0", ud, ""},

	{"payload-mtu", "4100 bytes", roce2(bth("04", "40", qp), zeros(4100)), "the payload has 4100 bytes, more than the MTU of 4096"},
	{"payload-mtu", "260 bytes, MTU 256", withMTU(native(local, bth("04", "40", qp), zeros(260)), 256), "the payload has 260 bytes, more than the MTU of 256"},
	{"payload-mtu", "256 bytes, MTU 256", withMTU(native(local, bth("04", "40", qp), zeros(256)), 256), ""},
	{"payload-mtu", "4096 bytes", roce2(bth("04", "40", qp), zeros(4096)), ""},
	{"payload-words", "5 bytes, no pad", roce2(bth("04", "40", qp), "3132333435"), "payload and pad have 5 bytes, with PadCnt 0: no whole words"},
	{"payload-words", "PadCnt more than there is", roce2(bth("04", "70", qp), "3132"), "payload and pad have 2 bytes, with PadCnt 3: no whole words"},
	{"payload-words", "5 bytes and pad", roce2(bth("04", "70", qp), "3132333435000000"), ""},
	{"payload-words", "cut", roce2(bth("04", "70", qp), "3132333435000000").snapped(6), ""},
	{"first-middle-pad", "First", native(local, bth("00", "70", qp), zeros(256)), "PadCnt is 3 in RC Send First (0x00)"},
	{"first-middle-pad", "Only", native(local, bth("04", "70", qp), zeros(256)), ""},
	{"first-middle-pad", "of RD", native(local, bth("40", "70", qp), zeros(256)), ""},
	{"first-middle-payload", "Middle", native(local, bth("0e", "40", qp), zeros(128)), "the payload of RC RDMA Read Response Middle (0x0e) has 128 bytes, which is no MTU"},
	{"first-middle-payload", "8192 in RoCE", roce2(bth("00", "40", qp), zeros(8192)), "the payload of RC Send First (0x00) has 8192 bytes, which is no MTU"},
	{"first-middle-payload", "256", first, ""},
	{"first-middle-payload", "Only", send, ""},
	{"first-middle-payload", "of RD", native(local, bth("40", "40", qp), zeros(128)), ""},
	{"last-empty", "empty", native(local, bth("02", "40", qp)), "RC Send Last (0x02) has no payload"},
	{"last-empty", "with Immediate", native(local, bth("09", "40", qp), "00000001"), "RC RDMA Write Last Immediate (0x09) has no payload"},
	{"last-empty", "8 bytes", last, ""},
	{"last-empty", "Only", native(local, bth("0b", "40", qp), reth("00000000"), "00000001"), ""},
	{"extra-bytes", "Acknowledge", hexFrame("00020002000800011140ffff00000123000000101f0000059999999964a6c8cde2d3"), "4 bytes between headers and ICRC of RC Acknowledge (0x11)"},
	{"extra-bytes", "none", ack, ""},
	{"extra-bytes", "of RD, which may be DC", native(local, bth("51", "40", qp), zeros(12)), ""},
	{"extra-bytes", "CNP of a vendor", roce2(bth("81", "40", qp), zeros(20)), ""},

	{"dmalen-max", "READ, 2^31+1", read.with(32, "80000001"), "DMALen is 2147483649, more than 2^31"},
	{"dmalen-max", "READ, 2^31", read.with(32, "80000000"), ""},
	{"dmalen-max", "FLUSH", native(local, bth("1c", "40", qp), "00000012", reth("ffffffff")), ""},
	{"write-only-dmalen", "less", write.with(32, "00000007"), "DMALen is 7, but the payload of the WRITE Only has 8 bytes"},
	{"write-only-dmalen", "the pad counted", native(local, bth("0b", "70", qp), reth("00000008"), "00000001", eight), "DMALen is 8, but the payload of the WRITE Only has 5 bytes"},
	{"write-only-dmalen", "right", write, ""},
	{"write-only-dmalen", "pad", native(local, bth("0a", "70", qp), reth("00000005"), eight), ""},
	{"write-only-dmalen", "0", native(local, bth("0b", "40", qp), reth("00000000"), "00000001"), ""},
	{"write-only-dmalen", "cut", write.snapped(8), ""},
	{"write-first-dmalen", "the payload's", first.with(32, "00000100"), "DMALen is 256, but the payload of the WRITE First has 256 bytes already"},
	{"write-first-dmalen", "one more", first.with(32, "00000101"), ""},
	{"atomic-va", "4", atomic.with(20, "0000000000000004"), "VA is 0x0000000000000004, no multiple of 8"},
	{"atomic-va", "8", atomic, ""},
	{"atomic-va", "of RD", native(local, bth("53", "40", qp), zeros(12), "0000000000000004", rkey, zeros(16)), ""},
	{"atomic-write-payload", "4 bytes", native(local, bth("1d", "40", qp), reth("00000004"), "30313233"), "the payload of the ATOMIC WRITE has 4 bytes, not 8"},
	{"atomic-write-payload", "8 bytes", native(local, bth("1d", "40", qp), reth("00000008"), eight), ""},
	{"aeth-reserved", "0x9f", hexFrame("00020002000700011140ffff00000123000000109f00000563500f9af6c3"), "the syndrome is 0x9f: its top bit is set"},
	{"aeth-reserved", "Ack", ack, ""},
	{"aeth-type", "0x45", ack.with(20, "45"), "the syndrome is 0x45: its type is 2, which is reserved"},
	{"aeth-type", "RNR Nak", ack.with(20, "3f"), ""},
	{"aeth-nak", "5", ack.with(20, "65"), "the syndrome is 0x65: the code of the Nak is 5, which is reserved"},
	{"aeth-nak", "4", ack.with(20, "64"), ""},
	{"aeth-nak", "Ack with 5 credits", ack.with(20, "05"), ""},
	{"aeth-nak", "of RD", native(local, bth("51", "40", qp), zeros(4), "65000005"), ""},

	{"mad-opcode", "RC to QP1", send.with(13, "000001"), "DestQP is 1, but the opcode is RC Send Only (0x04), not UD Send Only"},
	{"mad-opcode", "UD with Immediate to QP0", ud.with(8, "65").with(13, "000000"), "DestQP is 0, but the opcode is UD Send Only Immediate (0x65), not UD Send Only"},
	{"mad-opcode", "UD to QP1", gmp, ""},
	{"mad-opcode", "CNP to QP1", native(local, bth("80", "40", "000001")), ""},
	{"mad-opcode", "RC to QP2", send.with(13, "000002"), ""},
	{"mad-length", "252 bytes", native(local, bth("64", "40", "000001"), mad("80010000", "0107", 252)), "DestQP is 1, but the payload has 252 bytes, not 256"},
	{"mad-length", "Omni-Path, 2052 bytes", native(local, bth("64", "40", "000001"), mad("80010000", "8007", 2052)), "DestQP is 1, but the payload has 2052 bytes, not 256"},
	{"mad-length", "Omni-Path, 2048 bytes", native(local, bth("64", "40", "000001"), mad("80010000", "8007", 2048)), ""},
	{"mad-length", "256 bytes", gmp, ""},
	{"mad-length", "another QP", ud, ""},
	{"smp-class", "PerfMgt", smp.with(29, "04"), "DestQP is 0, but BaseVersion is 0x01 and the class 0x04"},
	{"smp-class", "BaseVersion 2", smp.with(28, "02"), "DestQP is 0, but BaseVersion is 0x02 and the class 0x01"},
	{"smp-class", "directed", direct, ""},
	{"smp-class", "Omni-Path", smp.with(28, "80"), ""},
	{"smp-class", "any class to QP1", gmp, ""},
	{"qp1-qkey", "0", gmp.with(20, "00000000"), "DestQP is 1, but the Q_Key is 0x00000000, not 0x80010000"},
	{"qp1-qkey", "right", gmp, ""},
	{"qp1-qkey", "0 on QP0", smp, ""},

	{"icrc", "all other bytes right", hexFrame("00020002000800010440ffff00000123000000103031323334353637010203040506"), "ICRC is 0x01020304, should be 0xd7a38738"},
	{"icrc", "RoCE v2", roce2(bth("04", "40", qp), eight).with(40, "ff"), "ICRC is 0xa00975ad, should be 0x3b5cf30e"},
	{"icrc", "right", send, ""},
	{"icrc", "PktLen wrong", send.with(4, "0007"), ""},
	{"icrc", "cut", send.with(20, "ff").snapped(3), ""},
	{"icrc", "UDP to another port, source port 4791", onUDP("12b8", bth("04", "40", qp), eight).with(20, "12b7"), ""},
	{"vcrc", "all other bytes right", hexFrame("00020002000800010440ffff00000123000000103031323334353637010203040506"), "VCRC is 0x0506, should be 0x04d6"},
	{"vcrc", "right", send, ""},
	{"vcrc", "absent", send.cut(2), ""},
	{"vcrc", "another VL", send.with(0, "30"), ""},
	{"vcrc", "behind the length on the wire", frame{link: linktype.InfiniBand, data: send.with(32, "0000").data, length: 32}, ""},
	{"vcrc-vl", "another VL", send.with(0, "30"), "VCRC 0x4a60 is right for VL 0, but VL is 3"},
	{"vcrc-vl", "wrong for all", send.with(32, "0506"), ""},
	{"vcrc-vl", "right", send, ""},
}

func hexFrame(digits string) frame { return frame{link: linktype.InfiniBand, data: octets(digits)} }

func withMTU(f frame, mtu int) frame {
	f.mtu = mtu
	return f
}

// atTime returns f with the file's time after that of the record.
func atTime(f frame, d time.Duration) frame {
	f.time = f.time.Add(d)
	return f
}

// longer returns f, of which the capture left out n bytes.
func (f frame) longer(n int) frame {
	f.length = len(f.data) + n
	return f
}

func TestRules(t *testing.T) {
	for _, c := range ruleTests {
		t.Run(c.code+"/"+c.name, func(t *testing.T) {
			r, err := check.Lookup(c.code)
			require.NoError(t, err)
			require.Equal(t, c.text, r.Find(c.frame.input()))
		})
	}
}

// Each rule has a packet that breaks it, and one that does not. What breaks
// icrc-direction is more than a packet: see TestDirections.
func TestEveryRuleIsTested(t *testing.T) {
	breaks, holds := map[string]bool{"icrc-direction": true}, map[string]bool{"icrc-direction": true}
	for _, c := range ruleTests {
		if c.text != "" {
			breaks[c.code] = true
		} else {
			holds[c.code] = true
		}
	}
	seen := map[string]bool{}
	for _, r := range check.Rules() {
		require.Regexp(t, regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`), r.Code)
		require.False(t, seen[r.Code], r.Code)
		seen[r.Code] = true
		require.NotEmpty(t, r.Text, r.Code)
		require.NotEmpty(t, r.Source, r.Code)
		require.True(t, breaks[r.Code], "nothing breaks %s", r.Code)
		require.True(t, holds[r.Code], "nothing keeps %s", r.Code)
	}
}

func TestLookup(t *testing.T) {
	_, err := check.Lookup("icrs")
	require.EqualError(t, err, `check: no rule has the code "icrs"; is it icrc?`)
	_, err = check.Lookup("nonsense-altogether-here")
	require.EqualError(t, err, `check: no rule has the code "nonsense-altogether-here"`)
	for _, o := range []check.Options{{Only: []string{"lvr"}}, {Ignore: []string{"lvr"}}} {
		_, err = check.New(o)
		require.EqualError(t, err, `check: no rule has the code "lvr"; is it lver?`)
	}
}
