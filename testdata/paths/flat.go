package paths

import (
	"errors"
	"io"
	"testing"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/bth"
	"github.com/ibwire/ibwire/erf"
	"github.com/ibwire/ibwire/ext"
	"github.com/ibwire/ibwire/grh"
	"github.com/ibwire/ibwire/lrh"
	"github.com/ibwire/ibwire/opcode"
)

// flatLayers are the layers of a gopacket.Packet by what they are to a Packet.
var flatLayers = func() map[gopacket.LayerType]ibwire.Layer {
	m := map[gopacket.LayerType]ibwire.Layer{
		erf.LayerTypeERF: ibwire.ERF, lrh.LayerTypeLRH: ibwire.LRH, lrh.LayerTypeRWH: ibwire.RWH, lrh.LayerTypeFlowControl: ibwire.FlowControl,
		grh.LayerTypeGRH: ibwire.GRH, bth.LayerTypeBTH: ibwire.BTH,
		layers.LayerTypeEthernet: ibwire.Ethernet, layers.LayerTypeDot1Q: ibwire.VLAN, layers.LayerTypeLinuxSLL: ibwire.LinuxSLL,
		layers.LayerTypeIPv4: ibwire.IPv4, layers.LayerTypeIPv6: ibwire.IPv6, layers.LayerTypeUDP: ibwire.UDP,
		layers.LayerTypeIPv6HopByHop: ibwire.IPv6Ext, layers.LayerTypeIPv6Routing: ibwire.IPv6Ext,
		layers.LayerTypeIPv6Destination: ibwire.IPv6Ext, layers.LayerTypeIPv6Fragment: ibwire.IPv6Ext,
	}
	l := ibwire.RDETH
	for h := range opcode.AllHeaders.All() {
		m[ext.LayerType(h)] = l
		l <<= 1
	}
	return m
}()

// checkFlat requires that p, decoded from the same data, is what the packet of
// gopacket is.
func checkFlat(t testing.TB, p *ibwire.Packet, err error, want gopacket.Packet) {
	var got []ibwire.Header
	for _, h := range p.Headers {
		if h.Layer != ibwire.ERFExt && h.Layer != ibwire.ERFSub {
			got = append(got, h)
		}
	}
	at, whole, before := 0, true, ibwire.Layer(0)
	for _, l := range Layers(want) {
		flat, known := flatLayers[l.LayerType()]
		cut := Error(want) != nil && l.LayerType() != erf.LayerTypeERF
		if !known || !leads(before, flat) || len(l.LayerContents()) == 0 || at == len(got) && (cut || p.Has(ibwire.IPv6Ext)) {
			// The packet goes on with what is no way to InfiniBand, with a header of
			// gopacket's that was cut and is kept all the same, or with bytes behind
			// an IPv6 packet that gopacket gives it for its options.
			whole = l.LayerType() == gopacket.LayerTypePayload
			break
		}
		if at >= len(got) {
			require.Less(t, at, len(got), "%v", flat)
		}
		equal(t, flat, got[at].Layer, "flat")
		if own := ownStruct(p, flat); own != nil && !p.Has(ibwire.IPv6Ext) && !udpTooLong(p) {
			same(t, l, own, "flat")
		}
		at++
		before = flat
	}
	if Fragment(p) {
		return // of which gopacket shows no more
	}
	if p.Has(ibwire.IPv6Ext) || udpTooLong(p) {
		return // gopacket takes the packet for truncated
	}
	wantErr := Error(want)
	if wantErr != nil && !errors.Is(wantErr, io.ErrUnexpectedEOF) || !whole {
		return // an error or a layer of gopacket's, with a flag and a text of its own
	}
	equal(t, at, len(got), "headers")
	equal(t, want.Metadata().Truncated, p.Truncated, "truncated")
	if app := want.ApplicationLayer(); app != nil && app.LayerType() == gopacket.LayerTypePayload && err == nil {
		equal(t, string(app.Payload()), string(p.Payload), "payload")
	}
	equal(t, ibwire.ICRC(want), p.ICRC(), "ICRC")
	equal(t, ibwire.VCRC(want), p.VCRC(), "VCRC")
	sameError(t, wantErr, err, "flat")
}

// leads reports whether a Packet goes on from one header to the other. As opposed
// to gopacket it does not look into tunnels, nor for headers of IPv6 behind IPv4.
func leads(from, to ibwire.Layer) bool {
	const v6 = ibwire.IPv6 | ibwire.IPv6Ext
	switch to {
	case ibwire.Ethernet:
		return from == 0 || from == ibwire.ERF
	case ibwire.IPv4, ibwire.IPv6:
		return from&(ibwire.IPv4|v6) == 0
	case ibwire.IPv6Ext:
		return from&v6 != 0
	}
	return true
}

// udpTooLong reports that UDP counts more bytes than IP does, and that they are
// all there.
func udpTooLong(p *ibwire.Packet) bool {
	return p.Has(ibwire.UDP) && !p.Truncated && int(p.UDP.Length)-8 > len(p.UDP.Payload)
}

// Fragment reports that p is a fragment of an IPv4 packet.
func Fragment(p *ibwire.Packet) bool {
	return p.Has(ibwire.IPv4) && (p.IPv4.FragOffset != 0 || p.IPv4.Flags&layers.IPv4MoreFragments != 0)
}

// ownStruct returns the struct of p for a header of this module.
func ownStruct(p *ibwire.Packet, l ibwire.Layer) gopacket.Layer {
	switch l {
	case ibwire.ERF:
		return &p.ERF
	case ibwire.LRH:
		return &p.LRH
	case ibwire.RWH:
		return &p.RWH
	case ibwire.FlowControl:
		return &p.FlowControl
	case ibwire.GRH:
		return &p.GRH
	case ibwire.BTH:
		b := p.BTH
		b.Ext = nil
		return &b
	}
	if l < ibwire.RDETH {
		return nil
	}
	h := opcode.RDETH
	for i := ibwire.RDETH; i < l; i <<= 1 {
		h <<= 1
	}
	return p.Ext.Layer(h)
}
