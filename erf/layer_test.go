package erf_test

import (
	"io"
	"testing"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/erf"
	"github.com/ibwire/ibwire/lrh"
)

func TestLayerType(t *testing.T) {
	require.EqualValues(t, 1903, erf.LayerTypeERF)
	require.Equal(t, "ERF", erf.LayerTypeERF.String())
	require.EqualValues(t, 197, erf.LinkType)
	require.True(t, new(erf.Record).CanDecode().Contains(erf.LayerTypeERF))
	require.Equal(t, erf.LayerTypeERF, new(erf.Record).LayerType())
}

func TestNextLayerType(t *testing.T) {
	want := map[erf.Type]gopacket.LayerType{
		21: lrh.LayerTypeLRH,
		25: lrh.LayerTypeFlowControl,
		2:  layers.LayerTypeEthernet,
		11: layers.LayerTypeEthernet,
		16: layers.LayerTypeEthernet,
		20: layers.LayerTypeEthernet,
		22: layers.LayerTypeIPv4,
		23: layers.LayerTypeIPv6,
	}
	for typ := range 256 {
		r := erf.Record{Type: erf.Type(typ)}
		next, ok := want[r.Type]
		if !ok {
			next = gopacket.LayerTypePayload
		}
		require.Equal(t, next, r.NextLayerType(), r.Type.String())
	}
}

// NewPacket and DecodingLayerParser find the same next layer.
func TestPacket(t *testing.T) {
	for _, tt := range []struct {
		name string
		want gopacket.LayerType
	}{
		{"infiniband_padded", lrh.LayerTypeLRH},
		{"infiniband_ext9", lrh.LayerTypeLRH},
		{"infiniband_link", lrh.LayerTypeFlowControl},
		{"eth", layers.LayerTypeEthernet},
		{"color_eth_ext1", layers.LayerTypeEthernet},
		{"meta", gopacket.LayerTypePayload},
		{"mc_hdlc", gopacket.LayerTypePayload},
	} {
		t.Run(tt.name, func(t *testing.T) {
			data := sample(tt.name)
			p := gopacket.NewPacket(data, erf.LayerTypeERF, gopacket.Default)
			require.Nil(t, p.ErrorLayer())
			require.Equal(t, erf.LayerTypeERF, p.Layers()[0].LayerType())
			require.Equal(t, tt.want, p.Layers()[1].LayerType())
			got, _, err := decode(data)
			require.NoError(t, err)
			require.Equal(t, got, p.Layer(erf.LayerTypeERF))

			var r erf.Record
			var decoded []gopacket.LayerType
			err = gopacket.NewDecodingLayerParser(erf.LayerTypeERF, &r).DecodeLayers(data, &decoded)
			require.Equal(t, gopacket.UnsupportedLayerType(tt.want), err)
			require.Equal(t, []gopacket.LayerType{erf.LayerTypeERF}, decoded)
			require.Equal(t, got, &r)
		})
	}
}

// A packet with bytes missing is truncated if nothing inside will tell.
func TestTruncated(t *testing.T) {
	for _, s := range []struct {
		name  string
		types []erf.Type
		want  bool
	}{
		{"layers with a length of their own", []erf.Type{2, 11, 16, 20, 21, 22, 23, 25}, false},
		{"payload", []erf.Type{0, 1, 3, 5, 7, 13, 18, 24, 26, 27, 28, 29, 32, 48, 127}, true},
	} {
		t.Run(s.name, func(t *testing.T) {
			for _, typ := range s.types {
				r := erf.Record{Type: typ}
				data, err := serialize(&r, make([]byte, 8), gopacket.SerializeOptions{FixLengths: true})
				require.NoError(t, err)
				_, truncated, err := decode(data)
				require.NoError(t, err)
				require.False(t, truncated, "%v whole", typ)
				got, truncated, err := decode(data[:len(data)-1])
				require.NoError(t, err)
				require.Equal(t, s.want, truncated, "%v one byte short", typ)
				require.Equal(t, 1, got.Missing())
				got, truncated, err = decode(data[:len(data)-8])
				require.NoError(t, err)
				require.True(t, truncated, "%v without packet", typ)
				require.Equal(t, 8, got.Missing())
			}
		})
	}
}

// A record that is cut in its extension headers keeps what was decoded, and the
// rest is in the error layer.
func TestPacketCut(t *testing.T) {
	data := sample("infiniband_ext3")[:37]
	p := gopacket.NewPacket(data, erf.LayerTypeERF, gopacket.Default)
	require.Len(t, p.Layers(), 2)
	r := p.Layer(erf.LayerTypeERF).(*erf.Record)
	require.Equal(t, erf.TypeInfiniband, r.Type)
	require.Len(t, r.Ext, 2)
	require.ErrorIs(t, p.ErrorLayer().Error(), io.ErrUnexpectedEOF)
	require.Equal(t, data[32:], p.ErrorLayer().LayerContents())
	require.True(t, p.Metadata().Truncated)

	p = gopacket.NewPacket(data[:15], erf.LayerTypeERF, gopacket.Default)
	require.Nil(t, p.Layer(erf.LayerTypeERF))
	require.Equal(t, data[:15], p.ErrorLayer().LayerContents())
	require.True(t, p.Metadata().Truncated)
}
