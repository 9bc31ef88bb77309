package ibwire

import (
	"github.com/google/gopacket/layers"

	"github.com/ibwire/ibwire/bth"
	"github.com/ibwire/ibwire/crc"
	"github.com/ibwire/ibwire/erf"
	"github.com/ibwire/ibwire/grh"
	"github.com/ibwire/ibwire/linktype"
	"github.com/ibwire/ibwire/lrh"
)

// Decode takes data apart, which begins with what link says. What follows is
// found as gopacket finds it after Register: ERF records, native InfiniBand,
// RoCE v1 and v2 through Ethernet, VLAN tags, Linux cooked headers and IP; and
// through the port mirrors of switches, MPLS, GRE, ERSPAN, VXLAN, Geneve and IP in
// IP to the packet inside. Of fragments of an IP packet, the first has a BTH but no ICRC, and the later ones
// are payload.
//
// A header that is cut is an error that wraps io.ErrUnexpectedEOF; the headers
// before it are decoded. The value of a field is never an error. A packet that
// does not lead to InfiniBand is decoded as far as it may have led there.
func (p *Packet) Decode(link linktype.Type, data []byte) error {
	p.Data, p.rest, p.at, p.frame, p.left, p.proto = data, data, 0, len(data), unknown, 0
	p.has, p.Headers = 0, p.Headers[:0]
	p.enter, p.inner, p.inside, p.Pad = false, 0, 0, nil
	p.Truncated, p.sums.icrcKnown, p.sums.vcrcKnown = false, false, false
	p.Ext.Present = 0
	p.BTH.Ext = &p.Ext

	var err error
	for next := first(link, data); next != 0 && (len(p.rest) > 0 || p.at == 0); {
		if next, err = p.decode(next); err != nil {
			break
		}
	}
	p.finish(err != nil)
	return err
}

// unknown is the length of what no length field tells.
const unknown = -1

// first returns the header that data begins with, or 0.
func first(link linktype.Type, data []byte) Layer {
	switch link {
	case linktype.ERF:
		return ERF
	case linktype.InfiniBand:
		return LRH
	case linktype.Ethernet:
		return Ethernet
	case linktype.LinuxSLL:
		return LinuxSLL
	case linktype.LinuxSLL2:
		return LinuxSLL2
	case linktype.IPv4:
		return IPv4
	case linktype.IPv6:
		return IPv6
	case linktype.Raw, linktype.RawBSD, linktype.RawOpenBSD:
		if len(data) > 0 && data[0]>>4 == 6 {
			return IPv6
		}
		return IPv4
	}
	return 0
}

// decode decodes the header l at the front of the rest, and returns the one
// behind it, or 0 if none is known.
func (p *Packet) decode(l Layer) (Layer, error) {
	switch l {
	case ERF:
		return p.decodeERF()
	case LRH:
		return p.decodeLRH()
	case RWH:
		return p.decodeRWH()
	case Mirror:
		return p.decodeMirror()
	case FlowControl:
		if err := p.FlowControl.DecodeFromBytes(p.rest, &p.Truncation); err != nil {
			return 0, err
		}
		p.add(FlowControl, lrh.FlowControlSize, nil)
		return 0, nil
	case GRH:
		return p.decodeGRH()
	case BTH:
		return p.decodeBTH()
	}
	return p.decodeOuter(l)
}

// add notes that the next n bytes are header l, and that payload is behind it.
func (p *Packet) add(l Layer, n int, payload []byte) {
	if p.enter && l&tunnels == 0 {
		p.enter, p.inner, p.inside, p.innerEnd = false, len(p.Headers), 0, p.at+len(p.rest)
	}
	p.has |= l
	p.inside |= l
	p.Headers = append(p.Headers, Header{l, p.at, n})
	p.at += n
	p.rest = payload
}

func (p *Packet) decodeERF() (Layer, error) {
	r := &p.ERF
	err := r.DecodeFromBytes(p.rest, &p.Truncation)
	if r.Contents == nil {
		return 0, err
	}
	p.add(ERF, erf.HeaderSize, nil)
	for range r.Ext {
		p.add(ERFExt, erf.ExtHeaderSize, nil)
	}
	if len(r.SubHeader) > 0 {
		p.add(ERFSub, len(r.SubHeader), nil)
	}
	p.rest = r.Payload
	p.frame = p.at + len(r.Payload)
	if err != nil {
		return 0, err
	}
	switch r.NextLayerType() {
	case lrh.LayerTypeLRH:
		return LRH, nil
	case lrh.LayerTypeFlowControl:
		return FlowControl, nil
	case layers.LayerTypeEthernet:
		return Ethernet, nil
	case layers.LayerTypeIPv4:
		return IPv4, nil
	case layers.LayerTypeIPv6:
		return IPv6, nil
	}
	return 0, nil
}

func (p *Packet) decodeLRH() (Layer, error) {
	l := &p.LRH
	if p.Has(LRH) && len(p.rest) < lrh.Size {
		return 0, new(lrh.LRH).DecodeFromBytes(p.rest, &p.Truncation) // and the one of the mirror stays
	}
	if err := l.DecodeFromBytes(p.rest, &p.Truncation); err != nil {
		return 0, err
	}
	p.add(LRH, lrh.Size, l.Payload)
	p.local = p.at + len(l.Payload)
	p.believe(int(l.PktLen)*4 - lrh.Size)
	switch l.LNH {
	case lrh.LNHRaw:
		return RWH, nil
	case lrh.LNHIPv6:
		return IPv6, nil
	case lrh.LNHLocal:
		return BTH, nil
	}
	return GRH, nil
}

func (p *Packet) decodeRWH() (Layer, error) {
	r := &p.RWH
	if p.Has(RWH) && len(p.rest) < lrh.RWHSize {
		return 0, new(lrh.RWH).DecodeFromBytes(p.rest, &p.Truncation) // likewise
	}
	if err := r.DecodeFromBytes(p.rest, &p.Truncation); err != nil {
		return 0, err
	}
	p.add(RWH, lrh.RWHSize, r.Payload)
	if r.NextLayerType() == lrh.LayerTypeMirror {
		return Mirror, nil
	}
	return byEtherType(r.EtherType), nil
}

func (p *Packet) decodeMirror() (Layer, error) {
	if p.Has(Mirror) && len(p.rest) < lrh.MirrorSize {
		return 0, new(lrh.Mirror).DecodeFromBytes(p.rest, &p.Truncation) // likewise
	}
	if err := p.Mirror.DecodeFromBytes(p.rest, &p.Truncation); err != nil {
		return 0, err
	}
	p.tunnel(Mirror, lrh.MirrorSize)
	return LRH, nil
}

func (p *Packet) decodeGRH() (Layer, error) {
	g := &p.GRH
	if err := g.DecodeFromBytes(p.rest, &p.Truncation); err != nil {
		return 0, err
	}
	p.add(GRH, grh.Size, g.Payload)
	p.believe(int(g.PayLen))
	if g.NxtHdr == grh.NxtHdrIBA {
		return BTH, nil
	}
	return 0, nil
}

func (p *Packet) decodeBTH() (Layer, error) {
	b := &p.BTH
	if err := b.DecodeFromBytes(p.rest, &p.Truncation); err != nil {
		return 0, err
	}
	p.add(BTH, bth.Size, b.Payload)
	p.Pad = b.Pad
	for set := b.OpCode.Headers(); set != 0 && len(p.rest) > 0; set = set.Rest() {
		if err := p.Ext.DecodeFromBytes(p.rest, &p.Truncation); err != nil {
			return 0, err
		}
		h := set.First()
		p.add(extLayer(h), h.Size(), p.Ext.LayerPayload())
	}
	return 0, nil
}

// believe takes n, from a length field, for the bytes behind the last header,
// unless the header itself did not believe it and has handed on more.
func (p *Packet) believe(n int) {
	p.left = unknown
	if n >= len(p.rest) {
		p.left = n
	}
}

// finish sorts what is behind the last header. Here the packet ends where the
// innermost length field says, and the frame where the outermost does.
func (p *Packet) finish(cut bool) {
	end := p.at + len(p.rest)
	p.Payload, p.Cut = p.rest, nil
	if cut {
		p.Payload, p.Cut = nil, p.rest
	}
	p.PayloadLen = len(p.Payload)
	if p.Has(BTH) {
		end += len(p.Pad)
		if p.BTH.HasICRC {
			end += crc.ICRCSize
		}
		if p.left != unknown {
			p.PayloadLen = p.payloadLen()
		}
	}
	if p.inside&LRH == 0 {
		p.Gap, p.Trailer = nil, p.Data[end:p.frame]
		return
	}
	p.Gap = p.Data[end:p.local]
	end = p.local
	if p.LRH.HasVCRC {
		end += crc.VCRCSize
	}
	p.Trailer = p.Data[end:p.frame]
}

// payloadLen returns the length of the payload, of the bytes that a length field
// says are behind what came before the BTH.
func (p *Packet) payloadLen() int {
	room := p.left - bth.Size - p.BTH.OpCode.Headers().Size()
	if room < crc.ICRCSize {
		return max(room, 0) // no room for an ICRC, so there is none
	}
	room -= crc.ICRCSize
	return room - min(int(p.BTH.PadCnt), room)
}
