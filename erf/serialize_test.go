package erf_test

import (
	"testing"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/erf"
)

// dirtyBuffer returns a buffer that holds payload between bytes of 0xa5, which
// are not part of it yet.
func dirtyBuffer(payload []byte) gopacket.SerializeBuffer {
	b := gopacket.NewSerializeBuffer()
	for range 2 {
		head, _ := b.PrependBytes(512)
		tail, _ := b.AppendBytes(512 + len(payload))
		for i := range head {
			head[i] = 0xa5
		}
		for i := range tail {
			tail[i] = 0xa5
		}
		_ = b.Clear()
	}
	p, _ := b.AppendBytes(len(payload))
	copy(p, payload)
	return b
}

// serialize returns r in front of payload.
func serialize(r *erf.Record, payload []byte, opts gopacket.SerializeOptions) ([]byte, error) {
	b := dirtyBuffer(payload)
	err := r.SerializeTo(b, opts)
	return b.Bytes(), err
}

func TestSerializeRoundTrip(t *testing.T) {
	for _, s := range samples {
		t.Run(s.name, func(t *testing.T) {
			r, _, err := decode(s.data)
			require.NoError(t, err)
			got, err := serialize(r, r.Payload, gopacket.SerializeOptions{})
			require.NoError(t, err)
			require.Equal(t, s.data, got)
		})
	}
}

func TestSerializeFixLengths(t *testing.T) {
	for _, s := range samples {
		t.Run(s.name, func(t *testing.T) {
			r, _, err := decode(s.data)
			require.NoError(t, err)
			got, err := serialize(r, r.Payload, gopacket.SerializeOptions{FixLengths: true})
			require.NoError(t, err)
			require.EqualValues(t, len(r.Payload), r.WLen)
			require.EqualValues(t, len(s.data), r.RLen)
			again, truncated, err := decode(got)
			require.NoError(t, err)
			require.False(t, truncated)
			require.Equal(t, r.Payload, again.Payload)
			require.Equal(t, r.Trailer, again.Trailer)
			require.Equal(t, r.Ext, again.Ext)
		})
	}
}

func TestSerialize(t *testing.T) {
	ext := []erf.ExtHeader{{Type: erf.ExtHostID, Body: [7]byte{1, 2, 3, 4, 5, 6, 7}}, {Type: 0x7f}}
	for _, tt := range []struct {
		name string
		r    erf.Record
		want string
	}{
		{"zero", erf.Record{}, "0000000000000000 0000 0012 0000 0002 0809"},
		{"all ones", erf.Record{Timestamp: 1<<64 - 1, Type: 0x7f, Flags: 0xff, LCtr: 0xffff},
			"ffffffffffffffff 7fff 0012 ffff 0002 0809"},
		{"little-endian time", erf.Record{Timestamp: 0x0102030405060708}, "0807060504030201 0000 0012 0000 0002 0809"},
		{"sub-header left out", erf.Record{Type: erf.TypeMCATM}, "0000000000000000 0700 0016 0000 0002 00000000 0809"},
		{"sub-header", erf.Record{Type: erf.TypeETH, SubHeader: []byte{4, 5}}, "0000000000000000 0200 0014 0000 0002 0405 0809"},
		{"extension headers", erf.Record{Type: erf.TypeInfiniband, Ext: ext},
			"0000000000000000 9500 0022 0000 0002 9101020304050607 7f00000000000000 0809"},
		{"trailer", erf.Record{Trailer: []byte{1, 2, 3}}, "0000000000000000 0000 0015 0000 0002 0809 010203"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := serialize(&tt.r, []byte{8, 9}, gopacket.SerializeOptions{FixLengths: true})
			require.NoError(t, err)
			require.Equal(t, unhex(tt.want), got)
		})
	}
}

func TestSerializeErrors(t *testing.T) {
	large := make([]byte, 65535-erf.HeaderSize)
	for _, tt := range []struct {
		name, want string
		r          erf.Record
		payload    []byte
	}{
		{name: "type", r: erf.Record{Type: 0x80}, want: "erf: type 128 does not fit 7 bits"},
		{name: "extension header type", r: erf.Record{Ext: []erf.ExtHeader{{}, {Type: 0xff}}},
			want: "erf: type 255 of extension header 2 does not fit 7 bits"},
		{name: "sub-header too long", r: erf.Record{Type: erf.TypeETH, SubHeader: make([]byte, 4)},
			want: "erf: sub-header of 4 bytes, type ETH has 2"},
		{name: "sub-header too short", r: erf.Record{Type: erf.TypeAAL2, SubHeader: make([]byte, 3)},
			want: "erf: sub-header of 3 bytes, type AAL2 has 4"},
		{name: "sub-header of a type without", r: erf.Record{Type: erf.TypeInfiniband, SubHeader: []byte{0, 0}},
			want: "erf: sub-header of 2 bytes, type INFINIBAND has 0"},
		{name: "too large with trailer", r: erf.Record{RLen: 1, WLen: 2, Trailer: []byte{0}}, payload: large,
			want: "erf: record of 65536 bytes does not fit its length field of 16 bits"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := tt.r
			_, err := serialize(&tt.r, tt.payload, gopacket.SerializeOptions{FixLengths: true})
			require.EqualError(t, err, tt.want)
			require.Equal(t, before, tt.r)
		})
	}
	_, err := serialize(new(erf.Record), large, gopacket.SerializeOptions{FixLengths: true})
	require.NoError(t, err, "largest record")
}

// SerializePacket writes all layers of an Ethernet record as they were.
func TestSerializePacket(t *testing.T) {
	data := sample("eth")
	p := gopacket.NewPacket(data, erf.LayerTypeERF, gopacket.Default)
	require.NotNil(t, p.Layer(layers.LayerTypeEthernet))
	require.Nil(t, p.ErrorLayer())
	b := gopacket.NewSerializeBuffer()
	require.NoError(t, gopacket.SerializePacket(b, gopacket.SerializeOptions{}, p))
	require.Equal(t, data, b.Bytes())
}

func BenchmarkSerialize(b *testing.B) {
	data := sample("infiniband_ext3")
	var r erf.Record
	if err := r.DecodeFromBytes(data, gopacket.NilDecodeFeedback); err != nil {
		b.Fatal(err)
	}
	buf, payload := gopacket.NewSerializeBuffer(), gopacket.Payload(r.Payload)
	layers := []gopacket.SerializableLayer{&r, payload}
	b.ReportAllocs()
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if err := gopacket.SerializeLayers(buf, gopacket.SerializeOptions{}, layers...); err != nil {
			b.Fatal(err)
		}
	}
}
