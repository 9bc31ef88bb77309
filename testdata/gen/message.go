package main

import "slices"

// A message is everything from the BTH up to the ICRC.
type message struct {
	bth          bth
	extensions   []header
	payload, pad []byte
}

// newMessage returns a message with n bytes of payload, padded as it has to be.
func newMessage(v *values, o opcode, n int) message {
	m := message{
		bth:        newBTH(v, o.code),
		extensions: extensions(v, o),
		payload:    v.text(n),
		pad:        make([]byte, -n&3),
	}
	m.bth.padCnt = uint64(len(m.pad))
	return m
}

func (m message) headers() []header {
	return append([]header{m.bth.header()}, m.extensions...)
}

// size returns the bytes through the ICRC.
func (m message) size() int {
	return size(m.headers()) + len(m.payload) + len(m.pad) + icrcSize
}

// packet puts outer headers before the message; crc computes the ICRC of all.
func (m message) packet(what string, outer []header, crc func(pkt []byte) []byte) packet {
	p := packet{
		what:    what,
		headers: slices.Concat(outer, m.headers()),
		payload: m.payload,
		pad:     m.pad,
	}
	p.icrc = crc(p.bytes())
	return p
}

// A native packet is a message behind an LRH and perhaps a GRH.
type native struct {
	lrh     lrh
	grh     grh // if the LRH says so
	message message
}

// newNative returns a packet whose length fields are right.
func newNative(v *values, lnh uint64, m message) native {
	n := native{lrh: newLRH(v, lnh), message: m}
	length := lrhSize + m.size()
	if lnh == lnhGlobal {
		n.grh = newGRH(v)
		n.grh.payLen = uint64(m.size())
		length += grhSize
	}
	n.lrh.pktLen = uint64(length / 4)
	return n
}

func (n native) packet(what string) packet {
	outer := []header{n.lrh.header()}
	if n.lrh.lnh == lnhGlobal {
		outer = append(outer, n.grh.header())
	}
	return withVCRC(n.message.packet(what, outer, icrcNative))
}

// newRaw returns a packet without IBA transport, hence without ICRC. What
// follows the LRH has to be a multiple of 4 bytes.
func newRaw(v *values, what string, lnh uint64, headers []header, payload []byte) packet {
	h := newLRH(v, lnh)
	h.pktLen = uint64(lrhSize+size(headers)+len(payload)) / 4
	return withVCRC(packet{
		what:    what,
		headers: append([]header{h.header()}, headers...),
		payload: payload,
	})
}

func withVCRC(p packet) packet {
	p.vcrc = vcrc(p.bytes())
	return p
}
