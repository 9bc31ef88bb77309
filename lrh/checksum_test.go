package lrh_test

import (
	"testing"

	"github.com/google/gopacket"
	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/lrh"
	"github.com/ibwire/ibwire/testdata/layertest"
)

// The packet is the sample packet of the specification, behind its LRH.
const sample = "0a2024870087b1b3000dec2a01710a1c015d400238f27a050000000ebb884d85fd5cfba4728bc0690ed40000"

func TestChecksums(t *testing.T) {
	checksums := gopacket.SerializeOptions{ComputeChecksums: true}
	for _, c := range []struct {
		name, behind string
		lrh          lrh.LRH
		want         string
	}{
		{"place holder", sample + "00000000", lrh.LRH{VL: 7, SL: 1, LNH: lrh.LNHLocal, DLID: 0x375c, PktLen: 14, SLID: 0x17d2},
			"7012375c000e17d2" + sample + "9625b75a" + "45fa"},
		{"CRCs of another packet, trailer", sample + "01020304",
			lrh.LRH{VL: 7, SL: 1, LNH: lrh.LNHLocal, DLID: 0x375c, PktLen: 14, SLID: 0x17d2, VCRC: 0x1234, HasVCRC: true, Trailer: []byte{9}},
			"7012375c000e17d2" + sample + "9625b75a" + "45fa" + "09"},
		{"raw packet", "000012343031323334353637", lrh.LRH{DLID: 2, PktLen: 5, SLID: 1}, "0000000200050001000012343031323334353637d839"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := layertest.DirtyBuffer(t)
			require.NoError(t, gopacket.SerializeLayers(b, checksums, &c.lrh, gopacket.Payload(unhex(t, c.behind))))
			require.Equal(t, unhex(t, c.want), b.Bytes())
			require.True(t, c.lrh.HasVCRC)
			end := len(b.Bytes()) - len(c.lrh.Trailer)
			require.Equal(t, b.Bytes()[end-2:end], []byte{byte(c.lrh.VCRC >> 8), byte(c.lrh.VCRC)})
		})
	}
}

// Without room for a BTH and an ICRC there is no place for one, where a BTH has to
// follow.
func TestNoRoomForICRC(t *testing.T) {
	b := gopacket.NewSerializeBuffer()
	for lnh := range lrh.LNHGlobal + 1 {
		for n := range 20 {
			l := &lrh.LRH{LNH: lnh}
			err := gopacket.SerializeLayers(b, gopacket.SerializeOptions{ComputeChecksums: true}, l, gopacket.Payload(make([]byte, n)))
			if lnh == lrh.LNHLocal && n < 12+4 {
				require.ErrorContains(t, err, "no room for LRH, BTH and ICRC")
				continue
			}
			require.NoError(t, err)
			require.Len(t, b.Bytes(), 8+n+2)
		}
	}
}
