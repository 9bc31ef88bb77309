package lrh_test

import (
	"encoding/hex"
	"math/rand/v2"
	"testing"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/bth"
	"github.com/ibwire/ibwire/grh"
	"github.com/ibwire/ibwire/lrh"
	"github.com/ibwire/ibwire/testdata/layertest"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	require.NoError(t, err)
	return b
}

func TestRWH(t *testing.T) {
	layertest.Run(t, []layertest.Case{
		layertest.Of("IPv4", "00000800", &lrh.RWH{EtherType: 0x0800}),
		layertest.Of("reserved bits", "abcd88ee", &lrh.RWH{Rsv: 0xabcd, EtherType: 0x88ee}),
	})
	require.Equal(t, layers.LayerTypeIPv4, (&lrh.RWH{EtherType: 0x0800}).NextLayerType())
	require.Equal(t, gopacket.LayerTypePayload, (&lrh.RWH{EtherType: 0x1234}).NextLayerType())
}

func TestFlowControl(t *testing.T) {
	layertest.Run(t, []layertest.Case{
		layertest.Of("normal", "0abc3def4c71", &lrh.FlowControl{FCTBS: 0xabc, VL: 3, FCCL: 0xdef, LPCRC: 0x4c71}),
		layertest.Of("init", "1012f4567788", &lrh.FlowControl{Op: lrh.FlowControlInit, FCTBS: 0x012, VL: 15, FCCL: 0x456, LPCRC: 0x7788}),
		layertest.Of("reserved op", "f00000010002", &lrh.FlowControl{Op: 15, FCCL: 1, LPCRC: 2}),
	})
	var f lrh.FlowControl
	require.NoError(t, f.DecodeFromBytes(unhex(t, "0abc3def4c710001"), gopacket.NilDecodeFeedback))
	require.Equal(t, []byte{0, 1}, f.Trailer, "the object of 8 bytes")
	require.Empty(t, f.LayerPayload())
	require.Equal(t, gopacket.LayerTypeZero, f.NextLayerType())

	b := layertest.DirtyBuffer(t)
	require.NoError(t, f.SerializeTo(b, gopacket.SerializeOptions{}))
	require.Equal(t, unhex(t, "0abc3def4c710001"), b.Bytes())
	for _, f := range []lrh.FlowControl{{Op: 16}, {VL: 16}, {FCTBS: 0x1000}, {FCCL: 0x1000}} {
		require.ErrorContains(t, f.SerializeTo(b, gopacket.SerializeOptions{}), "does not fit")
	}
	require.Equal(t, "Normal Flow Control", lrh.FlowControlNormal.String())
	require.Equal(t, "Flow Control Init", lrh.FlowControlInit.String())
	require.Equal(t, "FlowControlOp(2)", lrh.FlowControlOp(2).String())
}

// An LRH alone, its PktLen counting it and the header behind it: nothing of
// what follows is looked at.
func TestLRH(t *testing.T) {
	var l lrh.LRH
	wire := unhex(t, "7012375c000e17d2"+"0a2024870087b1b3000dec2a01710a1c015d400238f27a050000000ebb884d85fd5cfba4728bc0690ed400009625b75a")
	require.NoError(t, l.DecodeFromBytes(wire, gopacket.NilDecodeFeedback))
	require.Equal(t, lrh.LRH{
		BaseLayer: layers.BaseLayer{Contents: wire[:8], Payload: wire[8:]},
		VL:        7, SL: 1, LNH: lrh.LNHLocal, DLID: 0x375c, PktLen: 14, SLID: 0x17d2,
	}, l)
	require.Equal(t, bth.LayerTypeBTH, l.NextLayerType())
	require.Equal(t, "6098->14172", l.LinkFlow().String())

	layertest.Run(t, []layertest.Case{
		layertest.Of("every bit", "fffffffffffffffe", &lrh.LRH{
			VL: 15, LVer: 15, SL: 15, Rsv2: 3, LNH: 3, DLID: 0xffff, Rsv5: 31, PktLen: 2047, SLID: 0xfffe}),
		layertest.Of("no bit", "0000000000000000", &lrh.LRH{}),
		layertest.Of("each field its own", "12360203a8040506", &lrh.LRH{
			VL: 1, LVer: 2, SL: 3, Rsv2: 1, LNH: 2, DLID: 0x0203, Rsv5: 21, PktLen: 4, SLID: 0x0506}),
	})
}

// packet returns an LRH with the PktLen and LNH given, and n bytes behind it:
// 1, 2, 3...
func packet(lnh lrh.LNH, pktLen, n int) []byte {
	p := []byte{0, byte(lnh), 0, 1, byte(pktLen >> 8), byte(pktLen), 0, 2}
	for i := range n {
		p = append(p, byte(i+1))
	}
	return p
}

// Where the packet ends, for every PktLen about the bytes that are there.
func TestEnd(t *testing.T) {
	for _, c := range []struct {
		name                   string
		lnh                    lrh.LNH
		pktLen, behind         int // words, bytes behind the LRH
		payload, vcrc, trailer int // bytes
		truncated              bool
	}{
		{"whole", 2, 8, 26, 24, 2, 0, false},
		{"without VCRC", 2, 8, 24, 24, 0, 0, false},
		{"half a VCRC", 2, 8, 25, 24, 0, 1, false},
		{"trailer", 2, 8, 32, 24, 2, 6, false},
		{"cut", 2, 8, 23, 23, 0, 0, true},
		{"PktLen too small by a word", 2, 7, 26, 20, 2, 4, false},
		{"PktLen too big by a word", 2, 9, 26, 26, 0, 0, true},
		{"PktLen 2047", 2, 2047, 26, 26, 0, 0, true},
		{"PktLen 0", 2, 0, 26, 26, 0, 0, true},
		{"PktLen 1", 2, 1, 26, 26, 0, 0, true},
		{"no room for the BTH", 2, 4, 26, 26, 0, 0, true},
		{"no room for the ICRC", 2, 5, 26, 26, 0, 0, true},
		{"room for BTH and ICRC", 2, 6, 26, 16, 2, 8, false},
		{"no room for the GRH", 3, 11, 60, 60, 0, 0, true},
		{"room for the GRH alone", 3, 12, 60, 40, 2, 18, false},
		{"no room for the RWH", 0, 2, 26, 26, 0, 0, true},
		{"room for the RWH alone", 0, 3, 26, 4, 2, 20, false},
		{"no room for the IPv6 header", 1, 11, 60, 60, 0, 0, true},
		{"room for the IPv6 header alone", 1, 12, 60, 40, 2, 18, false},
		{"LRH alone", 2, 2, 0, 0, 0, 0, true},
		{"LRH alone of a longer packet", 2, 8, 0, 0, 0, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := packet(c.lnh, c.pktLen, c.behind)
			var l lrh.LRH
			df := &layertest.Feedback{}
			require.NoError(t, l.DecodeFromBytes(data, df))
			require.Equal(t, c.truncated, df.Truncated)
			end := 8 + c.payload
			require.Equal(t, data[8:end], l.LayerPayload())
			require.Equal(t, c.vcrc > 0, l.HasVCRC)
			if l.HasVCRC {
				require.Equal(t, uint16(data[end])<<8|uint16(data[end+1]), l.VCRC)
			}
			require.Len(t, l.Trailer, c.trailer)
			require.Equal(t, len(data), len(l.LayerContents())+len(l.LayerPayload())+c.vcrc+len(l.Trailer))

			b := layertest.DirtyBuffer(t)
			require.NoError(t, gopacket.SerializeLayers(b, gopacket.SerializeOptions{}, &l, gopacket.Payload(l.LayerPayload())))
			require.Equal(t, data, b.Bytes())
		})
	}
}

// A struct that has held a packet of one kind holds nothing of it afterwards.
func TestReuseOfEnd(t *testing.T) {
	kinds := [][]byte{packet(2, 8, 26), packet(2, 8, 40), packet(2, 8, 24), packet(2, 8, 5), packet(3, 0, 60), packet(2, 8, 25)}
	for _, before := range kinds {
		for _, data := range kinds {
			var used, want lrh.LRH
			require.NoError(t, used.DecodeFromBytes(before, gopacket.NilDecodeFeedback))
			require.NoError(t, used.DecodeFromBytes(data, gopacket.NilDecodeFeedback))
			require.NoError(t, want.DecodeFromBytes(data, gopacket.NilDecodeFeedback))
			require.Equal(t, want, used)
		}
	}
}

func TestNextLayerType(t *testing.T) {
	for lnh, want := range map[lrh.LNH]gopacket.LayerType{
		lrh.LNHRaw: lrh.LayerTypeRWH, lrh.LNHIPv6: layers.LayerTypeIPv6, lrh.LNHLocal: bth.LayerTypeBTH, lrh.LNHGlobal: grh.LayerTypeGRH,
	} {
		require.Equal(t, want, (&lrh.LRH{LNH: lnh}).NextLayerType())
	}
	names := []string{"Raw", "IPv6", "IBA local", "IBA global", "LNH(4)"}
	for i, want := range names {
		require.Equal(t, want, lrh.LNH(i).String())
	}
}

func TestSerializeErrors(t *testing.T) {
	b := gopacket.NewSerializeBuffer()
	for field, l := range map[string]lrh.LRH{
		"VL": {VL: 16}, "LVer": {LVer: 16}, "SL": {SL: 16}, "Rsv2": {Rsv2: 4}, "LNH": {LNH: 4}, "Rsv5": {Rsv5: 32}, "PktLen": {PktLen: 2048},
	} {
		require.ErrorContains(t, l.SerializeTo(b, gopacket.SerializeOptions{}), "lrh: "+field+" is ")
	}
	fix := gopacket.SerializeOptions{FixLengths: true}
	for _, n := range []int{1, 2, 3, 8184} {
		err := gopacket.SerializeLayers(b, fix, &lrh.LRH{}, gopacket.Payload(make([]byte, n)))
		require.ErrorContains(t, err, "does not fit PktLen")
	}
	l := &lrh.LRH{HasVCRC: true, VCRC: 0x45fa, Trailer: []byte{9}}
	require.NoError(t, gopacket.SerializeLayers(b, fix, l, gopacket.Payload(make([]byte, 8180))))
	require.Equal(t, uint16(2047), l.PktLen)
	require.Equal(t, []byte{0x45, 0xfa, 9}, b.Bytes()[8188:])
}

func TestLID(t *testing.T) {
	type kind struct{ reserved, unicast, multicast, permissive bool }
	for l, want := range map[lrh.LID]kind{
		0x0000: {reserved: true},
		0x0001: {unicast: true},
		0xbfff: {unicast: true},
		0xc000: {multicast: true},
		0xfffe: {multicast: true},
		0xffff: {permissive: true},
	} {
		require.Equal(t, want, kind{l.IsReserved(), l.IsUnicast(), l.IsMulticast(), l.IsPermissive()}, "%#04x", uint16(l))
	}
	require.Equal(t, "49152", lrh.LID(0xc000).String())
	require.Empty(t, gopacket.NewEndpoint(lrh.EndpointLID, []byte{1}).String())
}

// checkLRH holds for any bytes: no panic, the parts of the packet add up, and
// written back they are the same bytes.
func checkLRH(t *testing.T, data []byte) {
	t.Helper()
	var l lrh.LRH
	if err := l.DecodeFromBytes(data, gopacket.NilDecodeFeedback); err != nil {
		require.Less(t, len(data), lrh.Size)
		return
	}
	b := gopacket.NewSerializeBuffer()
	require.NoError(t, gopacket.SerializeLayers(b, gopacket.SerializeOptions{}, &l, gopacket.Payload(l.LayerPayload())))
	require.Equal(t, data, b.Bytes())
}

func TestLRHOfAnyBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		data := make([]byte, r.IntN(80))
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		if len(data) > 5 && r.IntN(2) == 0 { // a PktLen near the length
			data[4], data[5] = 0, byte(len(data)/4-2+r.IntN(4))
		}
		checkLRH(t, data)
	}
}

func FuzzLRH(f *testing.F) {
	for _, p := range [][]byte{packet(2, 8, 26), packet(3, 15, 60), packet(0, 3, 30), packet(2, 0, 26), packet(2, 8, 5), {}} {
		f.Add(p)
	}
	f.Fuzz(checkLRH)
}

func BenchmarkDecode(b *testing.B) {
	data := packet(2, 8, 26)
	b.ReportAllocs()
	b.SetBytes(int64(len(data)))
	var l lrh.LRH
	for b.Loop() {
		if l.DecodeFromBytes(data, gopacket.NilDecodeFeedback) != nil {
			b.Fatal("decode")
		}
	}
}
