package main

import (
	"fmt"
	"slices"
)

// A padCase is a packet whose PadCnt need not fit its payload.
type padCase struct {
	what         string
	opcode       uint64
	padCnt       uint64
	payload, pad string
}

// aligned holds packets of whole words, as PktLen needs them.
var aligned = []padCase{
	{"PadCnt 0, 4 bytes", rcSendOnly, 0, "abcd", ""},
	{"PadCnt 1, 3 bytes", rcSendOnly, 1, "abc", "\x00"},
	{"PadCnt 2, 2 bytes", rcSendOnly, 2, "ab", "\x00\x00"},
	{"PadCnt 3, 1 byte", rcSendOnly, 3, "a", "\x00\x00\x00"},
	{"PadCnt 3, pad is not zero", rcSendOnly, 3, "abcde", "\x01\x02\x03"},
	{"PadCnt 3 behind RETH", rcWriteOnly, 3, "abcde", "\x00\x00\x00"},
	{"no payload", rcSendOnly, 0, "", ""},
	{"PadCnt 2, no payload", rcSendOnly, 2, "", ""},
	{"ACK, PadCnt 2", rcAcknowledge, 2, "", ""},
	{"ACK, 4 bytes too many", rcAcknowledge, 0, "abcd", ""},
	{"ACK, PadCnt 2, 4 bytes too many", rcAcknowledge, 2, "ab", "cd"},
}

// unaligned holds more packets for where lengths count bytes.
var unaligned = []padCase{
	{"PadCnt 3, 2 bytes", rcSendOnly, 3, "", "ab"},
	{"PadCnt 0, 5 bytes", rcSendOnly, 0, "abcde", ""},
}

func (c padCase) message(v *values) message {
	m := newMessage(v, lookup(c.opcode), 0)
	m.bth.padCnt = c.padCnt
	m.payload, m.pad = []byte(c.payload), []byte(c.pad)
	return m
}

func padNativePackets() []packet {
	v := newValues(8)
	var list []packet
	for _, c := range aligned {
		list = append(list, newNative(v, lnhLocal, c.message(v)).packet(c.what))
	}
	return list
}

func padRoCEPackets() []packet {
	v := newValues(9)
	onEthernetV1 := func(c padCase) packet {
		return newRoCEv1(v, c.message(v)).packet("RoCE v1, " + c.what).behind(ethernet(v, etherTypeRoCE))
	}
	onEthernetV2 := func(c padCase) packet {
		return newRoCEv2(v, ipv4{}, c.message(v)).packet("RoCE v2, " + c.what).behind(ethernet(v, etherTypeIPv4))
	}
	var list []packet
	for _, c := range slices.Concat(aligned, unaligned) {
		list = append(list, onEthernetV1(c), onEthernetV2(c))
	}
	for n := range icrcSize {
		list = append(list, shortRoCEPacket(v, n))
	}
	return list
}

// shortRoCEPacket has only n bytes behind the BTH, too few for an ICRC; the
// length of UDP says so. They are payload then, and no pad is taken off.
func shortRoCEPacket(v *values, n int) packet {
	m := newMessage(v, lookup(rcSendOnly), 0)
	m.bth.padCnt = 1
	r := newRoCEv2(v, ipv4{}, m)
	r.udp.length = udpSize + bthSize + n
	p := r.packet(fmt.Sprintf("RoCE v2, the UDP length leaves %d bytes behind the BTH", n))
	p.icrc, p.payload, p.trailer = nil, p.icrc[:n], p.icrc[n:]
	return p.behind(ethernet(v, etherTypeIPv4))
}
