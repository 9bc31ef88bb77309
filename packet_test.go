package ibwire_test

import (
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/google/gopacket/layers"
	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/linktype"
	"github.com/ibwire/ibwire/testdata"
	"github.com/ibwire/ibwire/testdata/paths"
)

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
			if paths.Fragment(&p) { // gopacket shows no more of the first one either
				require.NoError(t, err)
				require.Equal(t, p.IPv4.FragOffset == 0, p.Has(ibwire.UDP|ibwire.BTH), wants[i].What)
				require.False(t, p.HasICRC(), wants[i].What)
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
			if c := p.ICRC(); c.Present() {
				got.ICRC = fmt.Sprintf("%08x", c.Value)
			}
			if c := p.VCRC(); c.Present() {
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
			require.Equal(t, layerNames(want.Layers), got.Layers, "%s, packet %d: %s", f.File, f.N, want.What)
			want.Layers, got.Layers = nil, nil
			require.Equal(t, want, got, "%s, packet %d", f.File, f.N)
		}
	}
}

// layerNames returns what a Packet calls the layers of gopacket's; ARP is payload.
func layerNames(names []string) (flat []string) {
	other := map[string]string{"Dot1Q": "VLAN", "IPv6HopByHop": "IPv6 extension header", "ERSPAN Type II": "ERSPAN II", "ERSPAN Type III": "ERSPAN III"}
	for _, name := range names {
		switch {
		case name == "ARP":
		case other[name] != "":
			flat = append(flat, other[name])
		default:
			flat = append(flat, name)
		}
	}
	return flat
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
		require.Equal(t, want.ICRC().Value, got.ICRC().Value)
		require.Equal(t, ibwire.Unverified, got.ICRC().Status)
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
	} {
		t.Run(c.name, func(t *testing.T) {
			var p, want ibwire.Packet
			require.NoError(t, want.Decode(linktype.Ethernet, rocev2))
			require.NoError(t, p.Decode(linktype.Ethernet, c.data))
			require.True(t, p.Has(ibwire.IPv4|ibwire.UDP|ibwire.BTH))
			require.Equal(t, want.BTH.PSN, p.BTH.PSN)
			require.Equal(t, c.truncated, p.Truncated)
			require.Equal(t, !c.truncated, p.HasICRC())
			require.Zero(t, testing.AllocsPerRun(10, func() { _ = p.Decode(linktype.Ethernet, rocev2) }))
		})
	}
	var p ibwire.Packet
	ip := rocev2[14:]
	for _, link := range []linktype.Type{linktype.Raw, linktype.RawBSD, linktype.RawOpenBSD, linktype.IPv4} {
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
