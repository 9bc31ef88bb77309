package grh_test

import (
	"io"
	"testing"

	"github.com/google/gopacket"
	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/grh"
	"github.com/ibwire/ibwire/testdata/layertest"
)

// A GRH that is cut is an error, in a packet of gopacket's too.
func TestPacketOfCutGRH(t *testing.T) {
	p := gopacket.NewPacket(make([]byte, grh.Size-1), grh.LayerTypeGRH, gopacket.Default)
	require.ErrorIs(t, p.ErrorLayer().Error(), io.ErrUnexpectedEOF)
	require.True(t, p.Metadata().Truncated)
	require.Nil(t, p.NetworkLayer())
}

func TestCanDecode(t *testing.T) {
	require.True(t, (&grh.GRH{}).CanDecode().Contains(grh.LayerTypeGRH))
}

func TestSerializeWithoutRoom(t *testing.T) {
	layertest.CheckFull(t, &grh.GRH{Trailer: []byte{1}}, true)
}
