package main

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Packets of real hardware, without their ICRC; the first is the sample packet
// of the specification. Blanks part the headers.
const (
	nativeSample = "7012375c000e17d2 0a20248700 87b1b3000dec2a 01710a1c015d4002" +
		"38f27a050000000ebb884d85fd5cfba4728bc0690ed40000"
	rocev1GIDs = "00000000000000000000ffff0f000002 00000000000000000000ffff0f000002"
	rocev1Send = "6020000000281b40" + rocev1GIDs + "0a70ffff0000010a80a788bc" +
		"000055d4c07260000000 47b300000005 0000000001 000000"
	rocev1Ack = "6020000000141b40" + rocev1GIDs + "1140ffff0000010900a788c0 00000005"
	rocev2CNP = "45c2003c718c4000401191610a0011010a001201 000012b700280000" +
		"8100ffff4000011800000000 00000000000000000000000000000000"
	ucSend     = "2460ffff000000d300cf1710 4630818be28935d90e9a95505401be885e500000"
	rocev2IPv4 = "45010040047840004011b4d5c0a80007c0a80007 c00012b7002caca2" + ucSend
	rocev2IPv6 = "6e21face002c11ff 20220000000000000000000000001023" +
		"20230000000000000000000000001024 c00012b7002ce7c5" + ucSend
)

func TestICRC(t *testing.T) {
	onIPv4 := func(pkt []byte) []byte { return icrcRoCEv2(pkt, ipv4Size) }
	onIPv6 := func(pkt []byte) []byte { return icrcRoCEv2(pkt, ipv6Size) }
	tests := []struct {
		name   string
		packet string
		crc    func([]byte) []byte
		want   string
	}{
		{"native", nativeSample, icrcNative, "9625b75a"},
		{"RoCE v1 RDMA WRITE", rocev1Send, icrcRoCEv1, "e3d856bb"},
		{"RoCE v1 Acknowledge", rocev1Ack, icrcRoCEv1, "25f0c038"},
		{"RoCE v2 CNP", rocev2CNP, onIPv4, "82fd002a"},
		{"RoCE v2 on IPv4", rocev2IPv4, onIPv4, "78f353f3"},
		{"RoCE v2 on IPv6", rocev2IPv6, onIPv6, "3e5b743b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pkt := unhex(t, tt.packet)
			before := hex.EncodeToString(pkt)
			require.Equal(t, tt.want, hex.EncodeToString(tt.crc(pkt)))
			require.Equal(t, before, hex.EncodeToString(pkt), "masking must not touch the packet")
		})
	}
}

func TestVCRC(t *testing.T) {
	pkt := unhex(t, nativeSample)
	pkt = append(pkt, icrcNative(pkt)...)
	require.Equal(t, "45fa", hex.EncodeToString(vcrc(pkt)))
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	require.NoError(t, err)
	return b
}
