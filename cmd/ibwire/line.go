package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"

	"github.com/ibwire/ibwire/bth"
	"github.com/ibwire/ibwire/erf"
	"github.com/ibwire/ibwire/ext"
	"github.com/ibwire/ibwire/grh"
	"github.com/ibwire/ibwire/lrh"
	"github.com/ibwire/ibwire/opcode"
)

// showLine writes a packet as one line, with tshark's columns: number, time
// since the first packet, source, destination, protocol, length, info.
func showLine(w io.Writer, p packet) {
	src, dst := addresses(p)
	fmt.Fprintf(w, "%5d %12.9f %20s → %-20s %-10s %4d %s\n",
		p.number, p.time.Sub(p.first).Seconds(), src, dst, protocol(p), p.length, info(p))
}

// addresses returns the addresses of the innermost layer that has any, of those
// that lead to InfiniBand: GIDs or IP addresses, else LIDs, else MAC addresses.
func addresses(p packet) (src, dst string) {
	switch n := p.NetworkLayer(); n.(type) {
	case nil:
	case *grh.GRH:
		f := n.NetworkFlow()
		return "GID: " + f.Src().String(), "GID: " + f.Dst().String()
	default:
		f := n.NetworkFlow()
		return f.Src().String(), f.Dst().String()
	}
	l := p.LinkLayer()
	if l == nil {
		return "", ""
	}
	f := l.LinkFlow()
	if _, ok := l.(*lrh.LRH); ok {
		return "LID: " + f.Src().String(), "LID: " + f.Dst().String()
	}
	return f.Src().String(), f.Dst().String()
}

// protocol returns the name of what carries InfiniBand or, in a packet without,
// of the innermost layer that is known.
func protocol(p packet) string {
	if p.Layer(lrh.LayerTypeFlowControl) != nil {
		return "InfiniBand Link"
	}
	if p.Layer(bth.LayerTypeBTH) != nil || p.Layer(grh.LayerTypeGRH) != nil {
		switch {
		case p.Layer(lrh.LayerTypeLRH) != nil:
			return "InfiniBand"
		case p.Layer(grh.LayerTypeGRH) != nil:
			return "RoCE"
		}
		return "RRoCE"
	}
	name := "-"
	for _, l := range p.Layers() {
		switch l.LayerType() {
		case gopacket.LayerTypePayload, gopacket.LayerTypeDecodeFailure, gopacket.LayerTypeFragment:
		case lrh.LayerTypeLRH:
			name = "InfiniBand"
		default:
			name = l.LayerType().String()
		}
	}
	return name
}

// info says what the packet is, in the words of tshark's Info column where it
// has any.
func info(p packet) string {
	var words []string
	if r, ok := p.Layer(erf.LayerTypeERF).(*erf.Record); ok && r.NextLayerType() == gopacket.LayerTypePayload {
		words = append(words, r.Type.String())
	}
	switch link := p.Layer(lrh.LayerTypeFlowControl).(type) {
	case *lrh.FlowControl:
		words = append(words, fmt.Sprintf("%v VL=%d FCTBS=%d FCCL=%d", link.Op, link.VL, link.FCTBS, link.FCCL))
	}
	if g, ok := p.Layer(grh.LayerTypeGRH).(*grh.GRH); ok && g.NxtHdr != grh.NxtHdrIBA {
		words = append(words, fmt.Sprintf("Next Header %#02x", g.NxtHdr))
	}
	if b, ok := p.Layer(bth.LayerTypeBTH).(*bth.BTH); ok {
		words = append(words, fmt.Sprintf("%s QP=0x%06x", b.OpCode.Info(), b.DestQP))
		if b.OpCode.Transport() == opcode.CNP {
			words = append(words, congestion(b))
		}
	} else if u, ok := p.Layer(layers.LayerTypeUDP).(*layers.UDP); ok {
		words = append(words, fmt.Sprintf("%d → %d Len=%d", u.SrcPort, u.DstPort, len(u.Payload)))
	}
	if a, ok := p.Layer(ext.LayerTypeAETH).(*ext.AETH); ok && a.Syndrome.Type() != ext.Ack {
		words = append(words, "["+a.Syndrome.String()+"]")
	}
	if e := p.ErrorLayer(); e != nil {
		words = append(words, "["+e.Error().Error()+"]")
	}
	if p.Metadata().Truncated || p.captured < p.length {
		words = append(words, "[truncated]")
	}
	return strings.Join(words, " ")
}

// congestion returns the congestion bits that are set.
func congestion(b *bth.BTH) string {
	switch {
	case b.FECN && b.BECN:
		return "FECN BECN"
	case b.FECN:
		return "FECN"
	case b.BECN:
		return "BECN"
	}
	return "without BECN"
}
