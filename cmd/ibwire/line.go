package main

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/google/gopacket/layers"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/ext"
	"github.com/ibwire/ibwire/grh"
	"github.com/ibwire/ibwire/opcode"
)

// appendLine appends a packet as one line with tshark's columns: number, time,
// source, destination, protocol, length, info.
func appendLine(dst []byte, p *packet, times timeColumn, err error) []byte {
	dst = padLeft(dst, 5, func(b []byte) []byte { return strconv.AppendInt(b, int64(p.Number), 10) })
	dst = append(dst, ' ')
	dst = padLeft(dst, 10, func(b []byte) []byte { return times.append(b, p) })
	dst = append(dst, ' ')
	dst = padLeft(dst, 12, func(b []byte) []byte { return appendAddress(b, p, true) })
	dst = append(dst, " → "...)
	at := len(dst)
	dst = appendAddress(dst, p, false)
	for utf8.RuneCount(dst[at:]) < 12 {
		dst = append(dst, ' ')
	}
	dst = append(dst, ' ')
	dst = append(dst, protocol(p)...)
	dst = append(dst, ' ')
	dst = strconv.AppendInt(dst, int64(p.Len()), 10)
	dst = append(dst, ' ')
	dst = appendInfo(dst, p)
	if p.ICRC().Status == ibwire.Bad {
		dst = append(dst, " [ICRC INCORRECT]"...)
	}
	if p.VCRC().Status == ibwire.Bad {
		dst = append(dst, " [VCRC INCORRECT]"...)
	}
	if err != nil {
		dst = append(append(append(dst, " ["...), err.Error()...), ']')
	}
	if p.Truncated || p.CapLen() < p.Len() {
		dst = append(dst, " [truncated]"...)
	}
	return append(dst, '\n')
}

// padLeft appends what f appends, right-aligned in a column of the given width.
func padLeft(dst []byte, width int, f func([]byte) []byte) []byte {
	const blanks = "            "
	at := len(dst)
	dst = f(dst)
	missing := width - utf8.RuneCount(dst[at:])
	if missing <= 0 {
		return dst
	}
	dst = append(dst, blanks[:missing]...)
	copy(dst[at+missing:], dst[at:])
	copy(dst[at:], blanks[:missing])
	return dst
}

// appendAddress appends the source or the destination, as the innermost header
// with addresses has it: GID, IP address, LID or MAC address.
func appendAddress(dst []byte, p *packet, source bool) []byte {
	pick := func(src, dst []byte) []byte {
		if source {
			return src
		}
		return dst
	}
	for _, h := range slices.Backward(p.Headers) {
		switch h.Layer {
		case ibwire.GRH:
			gid := p.GRH.DGID
			if source {
				gid = p.GRH.SGID
			}
			return gid.AppendTo(append(dst, "GID: "...))
		case ibwire.IPv4:
			return appendIP(dst, pick(p.IPv4.SrcIP, p.IPv4.DstIP))
		case ibwire.IPv6:
			return appendIP(dst, pick(p.IPv6.SrcIP, p.IPv6.DstIP))
		case ibwire.LRH:
			lid := p.LRH.DLID
			if source {
				lid = p.LRH.SLID
			}
			return strconv.AppendUint(append(dst, "LID: "...), uint64(lid), 10)
		case ibwire.Ethernet:
			return appendMAC(dst, pick(p.Ethernet.SrcMAC, p.Ethernet.DstMAC))
		}
	}
	return dst
}

// protocol returns the name of what carries InfiniBand or, in a packet without,
// of the innermost protocol that is known.
func protocol(p *packet) string {
	switch {
	case p.Has(ibwire.FlowControl):
		return "InfiniBand Link"
	case p.Encapsulation() != ibwire.NotInfiniBand:
		return p.Encapsulation().String()
	}
	for _, h := range slices.Backward(p.Headers) {
		switch h.Layer {
		case ibwire.IPv4, ibwire.IPv6, ibwire.IPv6Ext:
			return p.IPProtocol().String()
		case ibwire.VLAN:
			return etherType(p.VLAN.Type)
		case ibwire.Ethernet:
			return etherType(p.Ethernet.EthernetType)
		case ibwire.UDP, ibwire.GRE, ibwire.MPLS, ibwire.ERSPANII, ibwire.ERSPANIII, ibwire.VXLAN, ibwire.Geneve, ibwire.ERF:
			return h.Layer.String()
		}
	}
	return p.linkType.String()
}

// etherType returns the name of an EtherType, or its number.
func etherType(t layers.EthernetType) string {
	if name := t.String(); name != "UnknownEthernetType" {
		return name
	}
	return "0x" + strconv.FormatUint(uint64(t), 16)
}

// appendInfo says what the innermost packet is, in the words of tshark's Info
// column where it has any.
func appendInfo(dst []byte, p *packet) []byte {
	switch inside := p.Inside(); {
	case p.Has(ibwire.BTH):
		return appendTransport(dst, p)
	case p.Has(ibwire.FlowControl):
		f := &p.FlowControl
		dst = append(append(dst, f.Op.String()...), " VL="...)
		dst = strconv.AppendUint(dst, uint64(f.VL), 10)
		dst = strconv.AppendUint(append(dst, " FCTBS="...), uint64(f.FCTBS), 10)
		return strconv.AppendUint(append(dst, " FCCL="...), uint64(f.FCCL), 10)
	case inside&ibwire.UDP != 0:
		u := &p.UDP
		dst = strconv.AppendUint(dst, uint64(u.SrcPort), 10)
		dst = strconv.AppendUint(append(dst, " → "...), uint64(u.DstPort), 10)
		return strconv.AppendInt(append(dst, " Len="...), int64(max(u.Length, 8))-8, 10)
	case inside&ibwire.GRH != 0:
		if p.GRH.NxtHdr == grh.NxtHdrIBA {
			return dst // the BTH is cut
		}
		return appendHex(append(dst, "Next Header 0x"...), uint64(p.GRH.NxtHdr), 2)
	case inside&ibwire.RWH != 0:
		return append(append(dst, "EtherType "...), etherType(p.RWH.EtherType)...)
	case p.Encapsulation() == ibwire.NotInfiniBand && p.Has(ibwire.ERF):
		return append(dst, p.ERF.Type.String()...)
	case len(p.Headers) == 0:
		return strconv.AppendUint(append(dst, "Link type "...), uint64(p.linkType), 10)
	}
	return dst
}

// appendTransport says what a packet with a BTH is.
func appendTransport(dst []byte, p *packet) []byte {
	b := &p.BTH
	dst = append(append(dst, b.OpCode.Info()...), " QP=0x"...)
	dst = appendHex(dst, uint64(b.DestQP), 6)
	if b.OpCode.Transport() == opcode.CNP && b.FECN {
		dst = append(dst, " FECN"...)
	}
	if b.OpCode.Transport() == opcode.CNP && b.BECN {
		dst = append(dst, " BECN"...)
	}
	if p.Has(ibwire.AETH) && p.Ext.AETH.Syndrome.Type() != ext.Ack {
		dst = append(append(append(dst, " ["...), p.Ext.AETH.Syndrome.String()...), ']')
	}
	return dst
}
