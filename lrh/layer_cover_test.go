package lrh_test

import (
	"io"
	"testing"

	"github.com/google/gopacket"
	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/lrh"
	"github.com/ibwire/ibwire/testdata/layertest"
)

// Packets of gopacket's that begin with each header, whole and cut.
func TestPacketOfLayer(t *testing.T) {
	for _, c := range []struct {
		first gopacket.LayerType
		wire  string
		want  []gopacket.LayerType
	}{
		{lrh.LayerTypeLRH, "0000000100030002" + "00001234", []gopacket.LayerType{lrh.LayerTypeLRH, lrh.LayerTypeRWH}},
		{lrh.LayerTypeRWH, "00001234" + "01", []gopacket.LayerType{lrh.LayerTypeRWH, gopacket.LayerTypePayload}},
		{lrh.LayerTypeFlowControl, "0abc3def4c71", []gopacket.LayerType{lrh.LayerTypeFlowControl}},
	} {
		t.Run(c.first.String(), func(t *testing.T) {
			data := unhex(t, c.wire)
			p := gopacket.NewPacket(data, c.first, gopacket.Default)
			require.Nil(t, p.ErrorLayer())
			require.False(t, p.Metadata().Truncated)
			var got []gopacket.LayerType
			for _, l := range p.Layers() {
				got = append(got, l.LayerType())
			}
			require.Equal(t, c.want, got)
			require.True(t, p.Layers()[0].(gopacket.DecodingLayer).CanDecode().Contains(c.first))

			p = gopacket.NewPacket(data[:3], c.first, gopacket.Default)
			require.ErrorIs(t, p.ErrorLayer().Error(), io.ErrUnexpectedEOF)
			require.True(t, p.Metadata().Truncated)
			require.Len(t, p.Layers(), 1, "the failure")
		})
	}
}

// An endpoint that is no LID has no text.
func TestEndpointOfOtherLength(t *testing.T) {
	require.Equal(t, "258", gopacket.NewEndpoint(lrh.EndpointLID, []byte{1, 2}).String())
	require.Empty(t, gopacket.NewEndpoint(lrh.EndpointLID, []byte{1}).String())
}

func TestSerializeWithoutRoom(t *testing.T) {
	layertest.CheckFull(t, &lrh.LRH{HasVCRC: true}, true)
	layertest.CheckFull(t, &lrh.RWH{}, false)
	layertest.CheckFull(t, &lrh.FlowControl{Trailer: []byte{1}}, true)
}
