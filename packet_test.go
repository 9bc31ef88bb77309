package ibwire_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/bth"
	"github.com/ibwire/ibwire/erf"
	"github.com/ibwire/ibwire/ext"
	"github.com/ibwire/ibwire/grh"
	"github.com/ibwire/ibwire/linktype"
	"github.com/ibwire/ibwire/lrh"
	"github.com/ibwire/ibwire/opcode"
	"github.com/ibwire/ibwire/testdata"
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
func checkFlat(t *testing.T, p *ibwire.Packet, err error, want gopacket.Packet) {
	t.Helper()
	checkSum(t, p, err)
	var got []ibwire.Header
	for _, h := range p.Headers {
		if h.Layer != ibwire.ERFExt && h.Layer != ibwire.ERFSub {
			got = append(got, h)
		}
	}
	at, whole := 0, true
	for _, l := range layersOf(want) {
		flat, known := flatLayers[l.LayerType()]
		if !known || len(l.LayerContents()) == 0 || errorOf(want) != nil && l.LayerType() != erf.LayerTypeERF && at == len(got) {
			// The packet goes on with what is no way to InfiniBand, or with a
			// header of gopacket's that was cut and is kept all the same.
			whole = l.LayerType() == gopacket.LayerTypePayload
			break
		}
		require.Less(t, at, len(got), "%v", l.LayerType())
		require.Equal(t, flat, got[at].Layer)
		if own := ownStruct(p, flat); own != nil && !p.Has(ibwire.IPv6Ext) && !udpTooLong(p) {
			same(t, l, own, "flat")
		}
		at++
	}
	if fragment(p) {
		return // of which gopacket shows no more
	}
	if p.Has(ibwire.IPv6Ext) || udpTooLong(p) {
		return // gopacket takes the packet for truncated
	}
	wantErr := errorOf(want)
	if wantErr != nil && !errors.Is(wantErr, io.ErrUnexpectedEOF) {
		return // an error of gopacket's, with a flag and a text of its own
	}
	if whole {
		require.Len(t, got, at)
		require.Equal(t, want.Metadata().Truncated, p.Truncated)
		if app := want.ApplicationLayer(); app != nil && app.LayerType() == gopacket.LayerTypePayload && err == nil {
			require.Equal(t, app.Payload(), p.Payload)
		}
	}
	if whole {
		require.Equal(t, wantErr, err)
	}
}

// udpTooLong reports that UDP counts more bytes than IP does, and that they are
// all there.
func udpTooLong(p *ibwire.Packet) bool {
	return p.Has(ibwire.UDP) && !p.Truncated && int(p.UDP.Length)-8 > len(p.UDP.Payload)
}

func fragment(p *ibwire.Packet) bool {
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

// checkSum requires that the parts of a packet are next to each other and add up
// to its data.
func checkSum(t *testing.T, p *ibwire.Packet, err error) {
	t.Helper()
	sum := 0
	for _, h := range p.Headers {
		if h.Offset != sum {
			require.Equal(t, sum, h.Offset)
		}
		sum += h.Length
	}
	parts := len(p.Payload) + len(p.Cut) + len(p.Pad) + len(p.Gap) + len(p.Trailer)
	if p.ICRC().Present {
		parts += 4
	}
	if p.VCRC().Present {
		parts += 2
	}
	if p.Has(ibwire.ERF) {
		parts += len(p.ERF.Trailer)
	}
	if sum+parts != len(p.Data) {
		require.Equal(t, len(p.Data), sum+parts)
	}
	if len(p.Cut) > 0 && err == nil {
		require.Error(t, err)
	}
	if err == nil && !p.Truncated && p.PayloadLen != len(p.Payload) {
		require.Len(t, p.Payload, p.PayloadLen)
	}
	if p.PayloadLen < len(p.Payload) && !p.Truncated {
		require.GreaterOrEqual(t, p.PayloadLen, len(p.Payload))
	}
}

// linkOf returns the link type of a frame as Decode takes it.
func linkOf(f testdata.Frame) linktype.Type {
	if f.Link == layers.LinkTypeRaw {
		return linktype.IPv4 // as gopacket has it
	}
	return linktype.Type(f.Link)
}

// Each packet of testdata decodes to what the program that wrote it says.
func TestPacketIsWhatWasWritten(t *testing.T) {
	var p ibwire.Packet
	for _, path := range append(testdata.Glob(t, "*.pcap"), testdata.Glob(t, "*.erf")...) {
		wants := testdata.Wants(t, path)
		for i, f := range testdata.Frames(t, path) {
			err := p.Decode(linkOf(f), f.Data)
			if fragment(&p) { // gopacket shows no more of the first one either
				require.NoError(t, err)
				require.Equal(t, p.IPv4.FragOffset == 0, p.Has(ibwire.UDP|ibwire.BTH), wants[i].What)
				require.False(t, p.ICRC().Present, wants[i].What)
				require.Empty(t, p.Pad)
				continue
			}
			got := testdata.Want{N: f.N, What: wants[i].What, Truncated: p.Truncated, Payload: hex.EncodeToString(p.Payload),
				Pad: hex.EncodeToString(p.Pad), Trailer: hex.EncodeToString(p.Gap) + hex.EncodeToString(p.Trailer)}
			for _, h := range p.Headers {
				cut := h.Layer == ibwire.ERF && wants[i].Error == "erf" // the 16 bytes are there, what belongs to them is not
				if h.Layer != ibwire.ERFExt && h.Layer != ibwire.ERFSub && !cut {
					got.Layers = append(got.Layers, h.Layer.String())
				}
			}
			if p.Has(ibwire.ERF) {
				got.ERFTrailer = hex.EncodeToString(p.ERF.Trailer)
			}
			if c := p.ICRC(); c.Present {
				got.ICRC = fmt.Sprintf("%08x", c.Value)
			}
			if c := p.VCRC(); c.Present {
				got.VCRC = fmt.Sprintf("%04x", c.Value)
			}
			want := wants[i]
			if want.Error != "" {
				require.Error(t, err)
			} else {
				require.NoError(t, err)
			}
			want.Fields, want.Error = nil, ""
			if slices.Contains(want.Layers, "ARP") {
				got.Payload = "" // which to a Packet is payload
			}
			want.Layers = strings.Fields(strings.NewReplacer("Dot1Q", "VLAN", "IPv6HopByHop", "IPv6Ext", "ARP", "").Replace(strings.Join(want.Layers, " ")))
			require.Equal(t, strings.Join(want.Layers, " "), strings.ReplaceAll(strings.Join(got.Layers, " "), "IPv6 extension header", "IPv6Ext"), "%s, packet %d: %s", f.File, f.N, want.What)
			want.Layers, got.Layers = nil, nil
			require.Equal(t, want, got, "%s, packet %d", f.File, f.N)
		}
	}
}

// Where the lengths of UDP and IP differ, the shorter one counts.
func TestUDPLengthBeyondIP(t *testing.T) {
	for _, f := range testdata.Frames(t, testdata.Path(t, "rocev2-ipv4.pcap")) {
		var want, got ibwire.Packet
		require.NoError(t, want.Decode(linktype.Ethernet, f.Data))
		data := slices.Clone(f.Data)
		data[38]++ // the high byte of the UDP length
		require.NoError(t, got.Decode(linktype.Ethernet, data))
		require.False(t, got.Truncated)
		require.Equal(t, want.ICRC(), got.ICRC())
		require.Equal(t, want.Payload, got.Payload)
		require.Equal(t, want.PayloadLen, got.PayloadLen)
	}
}

// A value of a header outside is no reason to stop, and a cut header is an error
// that says so.
func TestOddOuterHeaders(t *testing.T) {
	rocev2 := testdata.Frames(t, testdata.Path(t, "rocev2-ipv4.pcap"))[0].Data
	with := func(at int, b ...byte) []byte {
		data := slices.Clone(rocev2)
		copy(data[at:], b)
		return data
	}
	options := func(b ...byte) []byte { // an IHL of 6
		data := slices.Insert(slices.Clone(rocev2), 34, b...)
		data[14], data[17] = 0x46, data[17]+4
		return data
	}
	for _, c := range []struct {
		name      string
		data      []byte
		truncated bool // where no length can be believed
	}{
		{"an option of length 0", options(0x44, 0, 0, 0), false},
		{"an option longer than the header", options(7, 32, 4, 0), false},
		{"IHL 3", with(14, 0x43), false},
		{"IP length 0", with(16, 0, 0), false},
		{"IP length less than the header", with(16, 0, 15), true},
		{"UDP length 0", with(38, 0, 0), false},
		{"UDP length less than the header", with(38, 0, 7), true},
		{"0x9100 in front", slices.Insert(slices.Clone(rocev2), 12, 0x91, 0, 0, 5), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var p, want ibwire.Packet
			require.NoError(t, want.Decode(linktype.Ethernet, rocev2))
			require.NoError(t, p.Decode(linktype.Ethernet, c.data))
			require.True(t, p.Has(ibwire.IPv4|ibwire.UDP|ibwire.BTH))
			require.Equal(t, want.BTH.PSN, p.BTH.PSN)
			require.Equal(t, c.truncated, p.Truncated)
			require.Equal(t, !c.truncated, p.ICRC().Present)
			require.Zero(t, testing.AllocsPerRun(10, func() { _ = p.Decode(linktype.Ethernet, rocev2) }))
		})
	}
	var p ibwire.Packet
	ip := rocev2[14:]
	for _, link := range []linktype.Type{linktype.Raw, linktype.RawBSD, linktype.RawOpenBSD, linktype.IPv4, linktype.IPv6} {
		require.NoError(t, p.Decode(link, ip))
		require.True(t, p.Has(ibwire.BTH), link)
		require.Equal(t, layers.IPProtocolUDP, p.IPProtocol())
	}
	require.NoError(t, p.Decode(linktype.InfiniBand, testdata.Frames(t, testdata.Path(t, "native.pcap"))[0].Data))
	require.Zero(t, p.IPProtocol(), "nothing of the packet before is left")
	for n := range 14 + 20 + 8 {
		if err := p.Decode(linktype.Ethernet, rocev2[:n]); err != nil {
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			require.ErrorContains(t, err, fmt.Sprintf("have %d", len(p.Cut)))
		} else {
			require.Contains(t, []int{14, 34}, n)
		}
	}
}

// The length of the payload is known where the capture is cut, as long as the
// header is there that tells.
func TestPayloadLenOfCutPackets(t *testing.T) {
	for _, name := range []string{"native.pcap", "native.erf.pcap", "rocev1.pcap", "rocev2-ipv4.pcap", "rocev2-ipv6.pcap"} {
		for _, f := range testdata.Frames(t, testdata.Path(t, name)) {
			var whole, cut ibwire.Packet
			require.NoError(t, whole.Decode(linkOf(f), f.Data))
			at := whole.Headers[len(whole.Headers)-1]
			for n := at.Offset + at.Length; n < len(f.Data); n++ {
				require.NoError(t, cut.Decode(linkOf(f), f.Data[:n:n]))
				require.Equal(t, len(whole.Payload), cut.PayloadLen, "%s, frame %d, %d bytes", f.File, f.N, n)
			}
		}
	}
}

func TestDecodeAllocatesNothing(t *testing.T) {
	var p ibwire.Packet
	for _, path := range append(testdata.Glob(t, "*.pcap"), testdata.Glob(t, "*.erf")...) {
		for _, f := range testdata.Frames(t, path) {
			link := linkOf(f)
			if p.Decode(link, f.Data) != nil {
				continue // an error costs its text
			}
			require.Zero(t, testing.AllocsPerRun(1, func() { _ = p.Decode(link, f.Data) }), "%s, frame %d", f.File, f.N)
		}
	}
}
