package grh_test

import (
	"encoding/hex"
	"math/rand/v2"
	"net/netip"
	"testing"

	"github.com/google/gopacket"
	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/bth"
	"github.com/ibwire/ibwire/grh"
	"github.com/ibwire/ibwire/testdata/layertest"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	require.NoError(t, err)
	return b
}

const gids = "fe800000000000000002c90300001111" + "ff12401bffff00000000000000000001"

func TestGRH(t *testing.T) {
	sgid, dgid := netip.MustParseAddr("fe80::2:c903:0:1111"), netip.MustParseAddr("ff12:401b:ffff::1")
	layertest.Run(t, []layertest.Case{
		layertest.Of("RoCE v1", "6123456700001b40"+gids, &grh.GRH{
			IPVer: 6, TClass: 0x12, FlowLabel: 0x34567, NxtHdr: 0x1b, HopLmt: 64, SGID: sgid, DGID: dgid}),
		layertest.Of("every bit of the fields", "ffffffff0000ffff"+gids, &grh.GRH{
			IPVer: 15, TClass: 0xff, FlowLabel: 0xfffff, NxtHdr: 0xff, HopLmt: 0xff, SGID: sgid, DGID: dgid}),
		layertest.Of("GID that maps an IPv4 address", "600000000000"+"3a01"+"00000000000000000000ffffc0000201"+"00000000000000000000000000000000", &grh.GRH{
			IPVer: 6, NxtHdr: 0x3a, HopLmt: 1, SGID: netip.MustParseAddr("::ffff:192.0.2.1"), DGID: netip.IPv6Unspecified()}),
	})
}

func TestGIDStays16Bytes(t *testing.T) {
	var g grh.GRH
	require.NoError(t, g.DecodeFromBytes(unhex(t, "6000000000001b40"+"00000000000000000000ffffc0000201"+"00000000000000000000ffffc0000202"), gopacket.NilDecodeFeedback))
	require.True(t, g.SGID.Is4In6())
	require.Equal(t, "::ffff:192.0.2.1", g.SGID.String())
	require.Equal(t, "::ffff:192.0.2.1->::ffff:192.0.2.2", g.NetworkFlow().String())
	require.Empty(t, gopacket.NewEndpoint(grh.EndpointGID, []byte{1}).String())
}

// packet returns a GRH with n bytes behind it: 1, 2, 3...
func packet(t testing.TB, nxtHdr byte, payLen, n int) []byte {
	p := unhex(t, "6123456700001b40"+gids)
	p[4], p[5], p[6] = byte(payLen>>8), byte(payLen), nxtHdr
	for i := range n {
		p = append(p, byte(i+1))
	}
	return p
}

func TestEnd(t *testing.T) {
	for _, c := range []struct {
		name             string
		nxtHdr           byte
		payLen, behind   int
		payload, trailer int
		truncated        bool
	}{
		{"whole", 0x1b, 24, 24, 24, 0, false},
		{"trailer", 0x1b, 24, 28, 24, 4, false},
		{"cut", 0x1b, 24, 23, 23, 0, true},
		{"nothing behind the GRH", 0x1b, 24, 0, 0, 0, true},
		{"PayLen 65535", 0x1b, 65535, 24, 24, 0, true},
		{"room for BTH and ICRC", 0x1b, 16, 24, 16, 8, false},
		{"no room for the ICRC", 0x1b, 15, 24, 24, 0, true},
		{"PayLen 0", 0x1b, 0, 24, 24, 0, true},
		{"PayLen 0 of another transport", 0x3a, 0, 24, 0, 24, false},
		{"another transport", 0x3a, 11, 24, 11, 13, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := packet(t, c.nxtHdr, c.payLen, c.behind)
			var g grh.GRH
			df := &layertest.Feedback{}
			require.NoError(t, g.DecodeFromBytes(data, df))
			require.Equal(t, c.truncated, df.Truncated)
			require.Equal(t, data[40:40+c.payload], g.LayerPayload())
			require.Len(t, g.Trailer, c.trailer)
			require.Equal(t, len(data), 40+len(g.LayerPayload())+len(g.Trailer))

			b := layertest.DirtyBuffer(t)
			require.NoError(t, gopacket.SerializeLayers(b, gopacket.SerializeOptions{}, &g, gopacket.Payload(g.LayerPayload())))
			require.Equal(t, data, b.Bytes())
		})
	}
}

func TestReuseOfEnd(t *testing.T) {
	kinds := [][]byte{packet(t, 0x1b, 24, 24), packet(t, 0x1b, 24, 30), packet(t, 0x1b, 24, 5), packet(t, 0x1b, 3, 30), packet(t, 0x3a, 0, 8)}
	for _, before := range kinds {
		for _, data := range kinds {
			var used, want grh.GRH
			require.NoError(t, used.DecodeFromBytes(before, gopacket.NilDecodeFeedback))
			require.NoError(t, used.DecodeFromBytes(data, gopacket.NilDecodeFeedback))
			require.NoError(t, want.DecodeFromBytes(data, gopacket.NilDecodeFeedback))
			require.Equal(t, want, used)
		}
	}
}

// A BTH follows NxtHdr 0x1B and nothing else.
func TestNextLayerType(t *testing.T) {
	for n := range 256 {
		want := gopacket.LayerTypePayload
		if n == 0x1b {
			want = bth.LayerTypeBTH
		}
		require.Equal(t, want, (&grh.GRH{NxtHdr: uint8(n)}).NextLayerType())
	}
}

func TestSerialize(t *testing.T) {
	b := layertest.DirtyBuffer(t)
	fix := gopacket.SerializeOptions{FixLengths: true}
	g := &grh.GRH{IPVer: 6, NxtHdr: 0x1b, SGID: netip.MustParseAddr("192.0.2.1"), Trailer: []byte{9, 9}}
	require.NoError(t, gopacket.SerializeLayers(b, fix, g, gopacket.Payload("16 bytes to send")))
	require.Equal(t, append(unhex(t, "6000000000101b00"+"00000000000000000000ffffc0000201"+"00000000000000000000000000000000"), "16 bytes to send\x09\x09"...), b.Bytes())

	require.ErrorContains(t, (&grh.GRH{IPVer: 16}).SerializeTo(b, gopacket.SerializeOptions{}), "IPVer 0x10")
	require.ErrorContains(t, (&grh.GRH{FlowLabel: 1 << 20}).SerializeTo(b, gopacket.SerializeOptions{}), "FlowLabel 0x100000")
	require.ErrorContains(t, gopacket.SerializeLayers(b, fix, g, gopacket.Payload(make([]byte, 65536))), "65536 bytes do not fit PayLen")
}

// checkGRH holds for any bytes: no panic, the parts of the packet add up, and
// written back they are the same bytes.
func checkGRH(t *testing.T, data []byte) {
	t.Helper()
	var g grh.GRH
	if err := g.DecodeFromBytes(data, gopacket.NilDecodeFeedback); err != nil {
		require.Less(t, len(data), grh.Size)
		return
	}
	b := gopacket.NewSerializeBuffer()
	require.NoError(t, gopacket.SerializeLayers(b, gopacket.SerializeOptions{}, &g, gopacket.Payload(g.LayerPayload())))
	require.Equal(t, data, b.Bytes())
}

func TestGRHOfAnyBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		data := make([]byte, r.IntN(100))
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		if len(data) > 40 && r.IntN(2) == 0 { // a PayLen near the length
			data[4], data[5], data[6] = 0, byte(len(data)-44+r.IntN(8)), 0x1b
		}
		checkGRH(t, data)
	}
}

func FuzzGRH(f *testing.F) {
	for _, p := range [][]byte{packet(f, 0x1b, 24, 24), packet(f, 0x1b, 24, 30), packet(f, 0x1b, 3, 30), packet(f, 0x3a, 0, 8), {}} {
		f.Add(p)
	}
	f.Fuzz(checkGRH)
}

func BenchmarkDecode(b *testing.B) {
	data := packet(b, 0x1b, 24, 24)
	b.ReportAllocs()
	b.SetBytes(int64(len(data)))
	var g grh.GRH
	for b.Loop() {
		if g.DecodeFromBytes(data, gopacket.NilDecodeFeedback) != nil {
			b.Fatal("decode")
		}
	}
}

// The packets are of a ConnectX, with a place holder for their ICRC.
func TestChecksums(t *testing.T) {
	mapped := netip.MustParseAddr("::ffff:15.0.0.2")
	const bth = "1140ffff0000010900a788c0" + "00000005"
	for _, payLen := range []uint16{0x14, 0x14 + 4} { // the ICRC is where the bytes end, and covers PayLen
		b := layertest.DirtyBuffer(t)
		g := &grh.GRH{IPVer: 6, TClass: 2, PayLen: payLen, NxtHdr: grh.NxtHdrIBA, HopLmt: 64, SGID: mapped, DGID: mapped, Trailer: []byte{9}}
		checksums := gopacket.SerializeOptions{ComputeChecksums: true}
		require.NoError(t, gopacket.SerializeLayers(b, checksums, g, gopacket.Payload(unhex(t, bth+"00000000"))))
		got := b.Bytes()[40:]
		require.Equal(t, unhex(t, bth), got[:16])
		require.Equal(t, byte(9), got[20])
		if payLen == 0x14 {
			require.Equal(t, unhex(t, "25f0c038"), got[16:20])
		} else {
			require.NotEqual(t, unhex(t, "25f0c038"), got[16:20])
		}

		g.NxtHdr = 0x3a
		require.NoError(t, gopacket.SerializeLayers(b, checksums, g, gopacket.Payload("another transport")))
		require.Equal(t, "another transport\x09", string(b.Bytes()[40:]))
	}
}

func TestNoRoomForICRC(t *testing.T) {
	b := gopacket.NewSerializeBuffer()
	for n := range 20 {
		err := gopacket.SerializeLayers(b, gopacket.SerializeOptions{ComputeChecksums: true}, &grh.GRH{NxtHdr: grh.NxtHdrIBA}, gopacket.Payload(make([]byte, n)))
		if n < 12+4 {
			require.ErrorContains(t, err, "no room for GRH, BTH and ICRC")
		} else {
			require.NoError(t, err)
		}
	}
}
