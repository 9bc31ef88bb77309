package paths

import (
	"encoding/binary"
	"errors"
	"io"
	"slices"
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
		erf.LayerTypeERF: ibwire.ERF, lrh.LayerTypeLRH: ibwire.LRH, lrh.LayerTypeRWH: ibwire.RWH, lrh.LayerTypeMirror: ibwire.Mirror, lrh.LayerTypeFlowControl: ibwire.FlowControl,
		grh.LayerTypeGRH: ibwire.GRH, bth.LayerTypeBTH: ibwire.BTH,
		layers.LayerTypeEthernet: ibwire.Ethernet, layers.LayerTypeDot1Q: ibwire.VLAN, layers.LayerTypeLinuxSLL: ibwire.LinuxSLL,
		layers.LayerTypeIPv4: ibwire.IPv4, layers.LayerTypeIPv6: ibwire.IPv6, layers.LayerTypeUDP: ibwire.UDP,
		layers.LayerTypeMPLS: ibwire.MPLS, layers.LayerTypeGRE: ibwire.GRE, layers.LayerTypeERSPANII: ibwire.ERSPANII,
		layers.LayerTypeVXLAN: ibwire.VXLAN, layers.LayerTypeGeneve: ibwire.Geneve,
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
	at, whole := 0, true
	var before gopacket.Layer
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
		if flat == ibwire.Geneve && got[at].Length != len(l.LayerContents()) {
			whole = false // to gopacket the options end where the last of them says, not the header
			break
		}
		last := !slices.ContainsFunc(got[at+1:], func(h ibwire.Header) bool { return h.Layer == flat })
		if own := ownStruct(p, flat); own != nil && last && !p.Has(ibwire.IPv6Ext) && !udpTooLong(p) {
			same(t, l, own, "flat")
		}
		at++
		before = l
	}
	if Fragment(p) {
		return // of which gopacket shows no more
	}
	if p.Has(ibwire.IPv6Ext) || udpTooLong(p) {
		return // gopacket takes the packet for truncated
	}
	if p.Has(ibwire.GRE) && p.GRE.Protocol == 0x22eb {
		return // ERSPAN III, which gopacket does not know
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

// leads reports whether a Packet goes on from one layer to a header. As opposed
// to gopacket it does not look for headers of IPv6 behind IPv4, and it knows ERSPAN
// of type I.
func leads(from gopacket.Layer, to ibwire.Layer) bool {
	const v6 = ibwire.IPv6 | ibwire.IPv6Ext
	var before ibwire.Layer
	if from != nil {
		before = flatLayers[from.LayerType()]
	}
	switch to {
	case ibwire.IPv6Ext:
		return before&v6 != 0
	case ibwire.ERSPANII:
		gre, ok := from.(*layers.GRE)
		return !ok || gre.SeqPresent
	}
	return true
}

// udpTooLong reports that the length of some UDP header counts more bytes than
// that of IP does, though IP is all there.
func udpTooLong(p *ibwire.Packet) bool {
	end := 0 // of the IP packet
	for _, h := range p.Headers {
		b := p.Data[h.Offset:]
		switch h.Layer {
		case ibwire.IPv4:
			end = h.Offset + int(be.Uint16(b[2:]))
			if end == h.Offset { // no length: it was to be cut into several packets
				end = len(p.Data)
			}
		case ibwire.IPv6:
			end = h.Offset + h.Length + int(be.Uint16(b[4:]))
		case ibwire.UDP:
			if end <= len(p.Data) && h.Offset+int(be.Uint16(b[4:])) > end {
				return true
			}
		}
	}
	return false
}

var be = binary.BigEndian

// Fragment reports that an IPv4 header in p is that of a fragment.
func Fragment(p *ibwire.Packet) bool {
	return slices.ContainsFunc(p.Headers, func(h ibwire.Header) bool {
		return h.Layer == ibwire.IPv4 && be.Uint16(p.Data[h.Offset+6:])&0x3fff != 0 // MF and the offset
	})
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
	case ibwire.Mirror:
		return &p.Mirror
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
