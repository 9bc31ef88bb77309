package paths

import (
	"testing"

	"github.com/google/gopacket/layers"
	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
)

// CheckParts requires that the parts of a packet, which Decode has returned err
// for, lie inside its data, one behind the other, and add up to it exactly.
func CheckParts(t testing.TB, p *ibwire.Packet, err error) {
	at := 0
	for _, h := range p.Headers {
		if h.Offset != at || h.Length <= 0 {
			require.Equal(t, at, h.Offset, "%v of %d bytes", h.Layer, h.Length)
			require.Positive(t, h.Length, "%v", h.Layer)
		}
		at += h.Length
	}
	part := func(b []byte, what string) {
		if len(b) > 0 && place(t, p.Data, b) != at {
			require.Equal(t, at, place(t, p.Data, b), what)
		}
		at += len(b)
	}
	crc := func(c ibwire.CRC, size int, what string) {
		if !c.Present() {
			return
		}
		value := uint32(0)
		for _, b := range p.Data[at : at+size] {
			value = value<<8 | uint32(b)
		}
		if value != c.Value {
			require.Equal(t, value, c.Value, what)
		}
		at += size
	}
	part(p.Payload, "payload")
	part(p.Cut, "cut header")
	part(p.Pad, "pad")
	crc(p.ICRC(), 4, "ICRC")
	part(p.Gap, "gap")
	crc(p.VCRC(), 2, "VCRC")
	part(p.Trailer, "trailer")
	if p.Has(ibwire.ERF) {
		part(p.ERF.Trailer, "trailer of the record")
	}
	if at != len(p.Data) {
		require.Equal(t, len(p.Data), at, "the parts do not add up")
	}
	checkPayloadLen(t, p, err)
}

func checkPayloadLen(t testing.TB, p *ibwire.Packet, err error) {
	if len(p.Cut) > 0 && err == nil {
		require.Error(t, err)
	}
	if err == nil && !p.Truncated && p.PayloadLen != len(p.Payload) {
		require.Len(t, p.Payload, p.PayloadLen)
	}
	if p.PayloadLen < 0 || p.PayloadLen < len(p.Payload) && !p.Truncated {
		require.GreaterOrEqual(t, p.PayloadLen, len(p.Payload))
	}
}

// Equal requires that two packets are the same, in all that Has reports.
func Equal(t testing.TB, want, got *ibwire.Packet) {
	same(t, held(want), held(got), "a Packet used again")
}

// held returns what belongs to the packet that p holds, without what is left
// over from earlier ones.
func held(p *ibwire.Packet) []any {
	all := []any{
		p.Data, append([]ibwire.Header(nil), p.Headers...), p.Payload, p.PayloadLen, p.Pad, p.Gap, p.Trailer, p.Cut,
		p.Truncated, p.Layers(), p.Ext.Present, p.Encapsulation(), p.ICRC(), p.VCRC(), p.Inside(),
	}
	if link, inner, ok := p.Inner(); ok {
		all = append(all, link, inner)
	}
	for _, h := range p.Headers {
		if own := ownStruct(p, h.Layer); own != nil {
			all = append(all, own)
		} else {
			all = append(all, outerStruct(p, h.Layer))
		}
	}
	return all
}

// outerStruct returns a copy of the struct of p for a header outside InfiniBand,
// or nil for one without.
func outerStruct(p *ibwire.Packet, l ibwire.Layer) any {
	switch l {
	case ibwire.Ethernet:
		return p.Ethernet
	case ibwire.VLAN:
		return p.VLAN
	case ibwire.IPv4:
		ip := p.IPv4
		ip.Options = append([]layers.IPv4Option(nil), ip.Options...) // nil and empty are the same
		return []any{ip, p.IPProtocol()}
	case ibwire.IPv6:
		return []any{p.IPv6, p.IPProtocol()}
	case ibwire.UDP:
		return p.UDP
	case ibwire.MPLS:
		return p.MPLS
	case ibwire.GRE:
		return p.GRE
	case ibwire.ERSPANII:
		return p.ERSPANII
	case ibwire.VXLAN:
		return p.VXLAN
	case ibwire.Geneve:
		return p.Geneve
	}
	return nil
}
