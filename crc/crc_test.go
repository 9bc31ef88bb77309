package crc_test

import (
	"encoding/hex"
	"fmt"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/crc"
)

// unhex returns the bytes of hexadecimal digits with blanks between them.
func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	require.NoError(t, err)
	return b
}

const (
	rocev1GIDs = "00000000000000000000ffff0f000002 00000000000000000000ffff0f000002"
	ucSend     = "2460ffff000000d300cf1710 4630818be28935d90e9a95505401be885e500000"
	ipv6Hosts  = "20220000000000000000000000001023 20230000000000000000000000001024"
)

// vectors are packets of real hardware, in front of their ICRC, but for the first,
// which is the sample packet of the specification.
var vectors = []struct {
	name   string
	method method
	packet string
	icrc   uint32
}{
	{"native", native, "7012375c000e17d2 0a20248700 87b1b3000dec2a 01710a1c015d4002 38f27a05 0000000e bb884d85fd5cfba4728bc0690ed4 0000", 0x9625b75a},
	{"RoCE v1 RDMA WRITE", rocev1, "6020000000281b40" + rocev1GIDs + "0a70ffff0000010a80a788bc 000055d4c0726000 000047b3 00000005 0000000001 000000", 0xe3d856bb},
	{"RoCE v1 Acknowledge", rocev1, "6020000000141b40" + rocev1GIDs + "1140ffff0000010900a788c0 00000005", 0x25f0c038},
	{"RoCE v2 CNP", rocev2, "45c2003c718c4000401191610a0011010a001201 000012b700280000 8100ffff4000011800000000" + strings.Repeat("00", 16), 0x82fd002a},
	{"RoCE v2 on IPv4", rocev2, "45010040047840004011b4d5c0a80007c0a80007 c00012b7002caca2" + ucSend, 0x78f353f3},
	{"RoCE v2 on IPv6", rocev2, "6e21face002c11ff" + ipv6Hosts + "c00012b7002ce7c5" + ucSend, 0x3e5b743b},
}

func TestVectors(t *testing.T) {
	for _, v := range vectors {
		t.Run(v.name, func(t *testing.T) {
			p := unhex(t, v.packet)
			got, ok := v.method.sum(new(crc.ICRC), p)
			require.True(t, ok)
			require.Equal(t, v.icrc, got)
			require.Equal(t, unhex(t, v.packet), p, "masking does not touch the packet")

			reference, ok := v.method.reference(p)
			require.True(t, ok)
			require.Equal(t, v.icrc, reference)
		})
	}
	p := unhex(t, vectors[0].packet+"9625b75a")
	require.Equal(t, uint16(0x45fa), crc.VCRC(p))
	require.Equal(t, uint16(0x45fa), vcrcBits(p))
}

// Native packets with both CRCs, made by another program.
func TestNativePackets(t *testing.T) {
	for name, packet := range map[string]string{
		"RD SEND":          "00020002000b00014440ffff0000012300000010000000778001000000000045303132333435363731af3fde3c62",
		"XRC Acknowledge":  "0002000200070001b140ffff00000123000000101f000005d170943ce322",
		"FLUSH":            "00020002000b00011c40ffff0000012300000010000000111122334455667788aabbccdd000000086ec122afe5b7",
		"FECN, BECN, Rsv6": "00020002000800010440ffffff0001237f000010303132333435363752bd596eb0bd",
		"every pad byte":   "00020002000800010470ffff00000123000000104142434445000000328335fb2285",
		"CNP":              "00020002000a00018040ffff4000012300000010000000000000000000000000000000008d9e5b59a87d",
		"reserved bits":    "0ffe0002f80800010440ffff0000012300000010303132333435363704b13f7435a9",
		"PktLen too small": "00020002000700010440ffff000001230000001030313233343536375f78874e2926",
	} {
		t.Run(name, func(t *testing.T) {
			p := unhex(t, packet)
			end := len(p) - crc.VCRCSize - crc.ICRCSize
			icrc, ok := new(crc.ICRC).Native(p[:end])
			require.True(t, ok)
			vcrc := crc.VCRC(p[:end+crc.ICRCSize])
			require.Equal(t, p[end:], []byte{byte(icrc >> 24), byte(icrc >> 16), byte(icrc >> 8), byte(icrc), byte(vcrc >> 8), byte(vcrc)})
		})
	}
	raw := unhex(t, "0000000200050001000012343031323334353637d839")
	require.Equal(t, uint16(0xd839), crc.VCRC(raw[:20]), "a packet without ICRC")
}

// The CRC of a link packet covers its first four bytes as a VCRC would.
func TestLPCRC(t *testing.T) {
	p := unhex(t, "0abc3def4c71")
	for n := range len(p) + 1 {
		got, ok := crc.LPCRC(p[:n])
		require.Equal(t, n >= 4, ok)
		if ok {
			require.Equal(t, uint16(0x4c71), got)
		}
	}
}

// bytes returns n bytes of no pattern.
func bytes(n int) []byte {
	r := rand.New(rand.NewPCG(7, 11))
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(r.Uint32())
	}
	return p
}

func TestVCRCOfEveryLength(t *testing.T) {
	all := bytes(4200 + 16)
	for from := range 16 { // not every machine word begins where a packet does
		for n := 0; n <= 4200; n++ {
			if n > 300 {
				n = min(n+61, 4200)
			}
			if p := all[from : from+n]; vcrcBits(p) != crc.VCRC(p) {
				t.Fatalf("%d bytes from %d: got %#x, want %#x", n, from, crc.VCRC(p), vcrcBits(p))
			}
		}
	}
}

type layout struct {
	method method
	header []byte
}

// layouts are the headers that a packet may begin with, each up to the BTH, where
// the bytes that do not say what follows are of no pattern.
func layouts() map[string]layout {
	all := map[string]layout{}
	add := func(name string, m method, n int, set map[int]byte) {
		h := bytes(n)
		for at, b := range set {
			h[at] = b
		}
		all[name] = layout{m, h}
	}
	add("native local", native, 8, map[int]byte{1: 0xf2})
	add("native global", native, 48, map[int]byte{1: 0xf3, 8 + 6: 27})
	add("RoCE v1", rocev1, 40, map[int]byte{6: 27})
	for ihl := 5; ihl <= 15; ihl++ {
		add(fmt.Sprintf("IPv4 of IHL %d", ihl), rocev2, ihl*4+8, map[int]byte{0: 0x40 | byte(ihl), 6: 0xc0, 7: 0, 9: 17})
	}
	add("IPv6", rocev2, 48, map[int]byte{0: 0x60, 6: 17})
	add("IPv6, hop-by-hop", rocev2, 56, map[int]byte{0: 0x61, 6: 0, 40: 17, 41: 0})
	add("IPv6, routing of 24 bytes", rocev2, 72, map[int]byte{0: 0x6f, 6: 43, 40: 17, 41: 2})
	add("IPv6, all three", rocev2, 80, map[int]byte{0: 0x60, 6: 0, 40: 60, 41: 0, 48: 43, 49: 1, 64: 17, 65: 0})
	add("IPv6, as many options as fit", rocev2, 248, map[int]byte{0: 0x60, 6: 60, 40: 17, 41: 24})
	return all
}

// Around the length of the copy that masking needs, and at every other, each kind
// of packet has the ICRC that the reference computes; shorter ones have none.
func TestICRCOfEveryLength(t *testing.T) {
	for name, l := range layouts() {
		t.Run(name, func(t *testing.T) {
			c := new(crc.ICRC) // used again, for longer and for shorter packets
			p := append(l.header, bytes(600)...)
			for n := range 601 {
				for _, n := range []int{n, 600 - n} {
					want, wantOK := l.method.reference(p[:n])
					got, ok := l.method.sum(c, p[:n])
					if ok != wantOK || got != want {
						t.Fatalf("%d bytes: got %#x, %t, want %#x, %t", n, got, ok, want, wantOK)
					}
					require.Equal(t, n >= len(l.header)+12, ok, n)
				}
			}
		})
	}
}

// A packet that has no ICRC by its headers.
func TestNoICRC(t *testing.T) {
	with := func(v int, set map[int]byte) []byte {
		p := unhex(t, vectors[v].packet)
		for at, b := range set {
			p[at] = b
		}
		return append(p, make([]byte, 300)...)
	}
	const local, v1, ipv4, ipv6 = 0, 1, 4, 5
	for _, c := range []struct {
		name   string
		method method
		packet []byte
	}{
		{"raw packet", native, with(local, map[int]byte{1: 0x10})},
		{"raw IPv6", native, with(local, map[int]byte{1: 0x11})},
		{"GRH of another transport in a native packet", native, with(local, map[int]byte{1: 0x13, 8 + 6: 58})},
		{"GRH of another transport", rocev1, with(v1, map[int]byte{6: 58})},
		{"IPv4 header of 16 bytes", rocev2, with(ipv4, map[int]byte{0: 0x44})},
		{"IPv4 header of 0 bytes", rocev2, with(ipv4, map[int]byte{0: 0x40})},
		{"IP version 5", rocev2, with(ipv4, map[int]byte{0: 0x55})},
		{"IP version 0", rocev2, with(ipv4, map[int]byte{0: 0x05})},
		{"TCP", rocev2, with(ipv4, map[int]byte{9: 6})},
		{"first fragment", rocev2, with(ipv4, map[int]byte{6: 0x20})},
		{"later fragment, in the upper byte", rocev2, with(ipv4, map[int]byte{6: 0x10})},
		{"later fragment, in the lower byte", rocev2, with(ipv4, map[int]byte{7: 1})},
		{"TCP over IPv6", rocev2, with(ipv6, map[int]byte{6: 6})},
		{"fragment header of IPv6", rocev2, with(ipv6, map[int]byte{6: 44, 40: 17, 41: 0})},
		{"fragment header of IPv6 behind options", rocev2, with(ipv6, map[int]byte{6: 60, 40: 44, 41: 0, 48: 17})},
		{"nothing behind IPv6", rocev2, with(ipv6, map[int]byte{6: 59})},
		{"options of IPv6 that are too long", rocev2, with(ipv6, map[int]byte{6: 60, 40: 17, 41: 25})},
		{"options of IPv6 that are not there", rocev2, with(ipv6, map[int]byte{6: 60, 40: 17, 41: 255})},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := string(c.packet)
			icrc, ok := c.method.sum(new(crc.ICRC), c.packet)
			require.False(t, ok)
			require.Zero(t, icrc)
			switch c.method.name {
			case native.name:
				require.False(t, crc.PutNative(c.packet))
			case rocev1.name:
				require.False(t, crc.PutRoCEv1(c.packet))
			}
			require.Equal(t, before, string(c.packet), "nothing is written")
		})
	}
}

// The functions that write an ICRC put it at the end, and write nothing into what
// is too short.
func TestPut(t *testing.T) {
	for _, v := range vectors[:3] {
		put := crc.PutRoCEv1
		if v.method.name == native.name {
			put = crc.PutNative
		}
		want := append(unhex(t, v.packet), byte(v.icrc>>24), byte(v.icrc>>16), byte(v.icrc>>8), byte(v.icrc))
		got := append(unhex(t, v.packet), 1, 2, 3, 4)
		require.True(t, put(got))
		require.Equal(t, want, got, v.name)
		require.Zero(t, testing.AllocsPerRun(100, func() { put(got) }))
		least := 40 + 12 + 4
		if v.method.name == native.name {
			least = 8 + 12 + 4
		}
		for n := range len(got) {
			short := append([]byte(nil), want[:n]...)
			require.Equal(t, n >= least, put(short), "%s, %d bytes", v.name, n)
			if n < least {
				require.Equal(t, string(want[:n]), string(short))
			}
		}
	}
}

func TestNoAllocations(t *testing.T) {
	c := new(crc.ICRC)
	for name, l := range layouts() {
		for _, n := range []int{12, 80, 2048} {
			p := append(l.header, bytes(n)...)
			require.Zero(t, testing.AllocsPerRun(100, func() {
				if _, ok := l.method.sum(c, p); !ok {
					panic("no ICRC")
				}
				crc.VCRC(p)
				crc.LPCRC(p)
			}), name)
		}
	}
}

// The package must stay usable without gopacket.
func TestImportsOnlyStandardLibrary(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, i := range f.Imports {
			require.NotContains(t, i.Path.Value, ".", "%s imports %s", name, i.Path.Value)
		}
	}
}
