package erf_test

import (
	"io"
	"testing"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/erf"
)

// feedback counts SetTruncated.
type feedback int

func (f *feedback) SetTruncated() { *f++ }

func decode(data []byte) (*erf.Record, bool, error) {
	var f feedback
	r := new(erf.Record)
	err := r.DecodeFromBytes(data, &f)
	return r, f > 0, err
}

func TestDecode(t *testing.T) {
	at := erf.Timestamp(0x5f5e1000_80000000)
	for _, tt := range []struct {
		name      string
		want      erf.Record
		truncated bool
		missing   int
	}{
		{name: "infiniband_padded", want: erf.Record{Type: erf.TypeInfiniband, Flags: erf.FlagVLen, RLen: 48, WLen: 30,
			Ext: []erf.ExtHeader{}, Trailer: []byte{0, 0}, BaseLayer: layers.BaseLayer{Payload: ibPacket}}},
		{name: "infiniband_no_padding", want: erf.Record{Type: erf.TypeInfiniband, Flags: erf.FlagVLen, RLen: 48, WLen: 30,
			Ext: []erf.ExtHeader{}, BaseLayer: layers.BaseLayer{Payload: ibPacket}}},
		// The LRH's length decides whether the packet is cut.
		{name: "infiniband_snapped", missing: 226, want: erf.Record{Type: erf.TypeInfiniband, RLen: 48, WLen: 256,
			Ext: []erf.ExtHeader{}, BaseLayer: layers.BaseLayer{Payload: ibPacket}}},
		// No LRH is there to decide.
		{name: "infiniband_header_only", missing: 30, truncated: true, want: erf.Record{Type: erf.TypeInfiniband,
			Flags: erf.FlagVLen, RLen: 48, WLen: 30, Ext: []erf.ExtHeader{}, BaseLayer: layers.BaseLayer{Payload: []byte{}}}},
		{name: "infiniband_all_flags", want: erf.Record{Type: erf.TypeInfiniband, Flags: 0xff, RLen: 48, LCtr: 0xabcd, WLen: 30,
			Ext: []erf.ExtHeader{}, Trailer: []byte{0xa5, 0xa5}, BaseLayer: layers.BaseLayer{Payload: ibPacket}}},
		{name: "infiniband_ext3", want: erf.Record{Type: erf.TypeInfiniband, Flags: erf.FlagVLen, RLen: 72, WLen: 30,
			Ext: []erf.ExtHeader{
				{Type: 1, Body: [7]byte{0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11}},
				{Type: 2, Body: [7]byte{0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22}},
				{Type: 3, Body: [7]byte{0x33, 0x33, 0x33, 0x33, 0x33, 0x33, 0x33}},
			}, Trailer: []byte{0, 0}, BaseLayer: layers.BaseLayer{Payload: ibPacket}}},
		{name: "color_eth_ext1", want: erf.Record{Type: erf.TypeColorETH, Flags: 5, RLen: 86, LCtr: 0x1234, WLen: 60,
			Ext:       []erf.ExtHeader{{Type: 1, Body: [7]byte{0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11}}},
			SubHeader: []byte{1, 2}, BaseLayer: layers.BaseLayer{Payload: ethPacket}}},
		{name: "pad", want: erf.Record{Type: erf.TypePad, RLen: 32, Ext: []erf.ExtHeader{},
			Trailer: make([]byte, 16), BaseLayer: layers.BaseLayer{Payload: []byte{}}}},
		{name: "hdlc_pos_snapped", truncated: true, missing: 24, want: erf.Record{Type: erf.TypeHDLCPOS, RLen: 24, WLen: 32,
			Ext: []erf.ExtHeader{}, BaseLayer: layers.BaseLayer{Payload: unhex("0f000021 45000000")}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			data := sample(tt.name)
			got, truncated, err := decode(data)
			require.NoError(t, err)
			require.Equal(t, tt.truncated, truncated)
			require.Equal(t, tt.missing, got.Missing())
			tt.want.Timestamp = at
			tt.want.Contents = data[:tt.want.HeaderLen()]
			require.Equal(t, &tt.want, got)
		})
	}
}

// Every prefix keeps the headers that are whole, and is an error only if one is
// not.
func TestDecodePrefixes(t *testing.T) {
	for _, s := range samples {
		t.Run(s.name, func(t *testing.T) {
			whole, _, err := decode(s.data)
			require.NoError(t, err)
			for n := range len(s.data) {
				got, truncated, err := decode(s.data[:n:n])
				kept, part := 0, 0
				for part < len(s.headers) && kept+s.headers[part] <= n {
					kept += s.headers[part]
					part++
				}
				if part == len(s.headers) {
					require.NoError(t, err, n)
					require.Equal(t, n, len(got.Contents)+len(got.Payload)+len(got.Trailer), n)
					require.Equal(t, whole.WLen, uint16(len(got.Payload)+got.Missing()), n)
					continue
				}
				var cut *erf.HeaderError
				require.ErrorAs(t, err, &cut, n)
				require.ErrorIs(t, err, io.ErrUnexpectedEOF, n)
				require.True(t, truncated, n)
				require.Equal(t, n, cut.Have, n)
				require.Equal(t, kept+s.headers[part], cut.Need, n)
				if part == 0 {
					require.Equal(t, &erf.Record{Ext: []erf.ExtHeader{}}, got, n)
					continue
				}
				require.Equal(t, whole.WLen, got.WLen, n)
				require.Equal(t, whole.Ext[:min(part-1, len(whole.Ext))], got.Ext, n)
				require.Equal(t, s.data[:kept], got.Contents, n)
				require.Equal(t, s.data[kept:n], got.Payload, n)
				require.Empty(t, got.SubHeader, n)
				require.Equal(t, int(whole.WLen), got.Missing(), n)
				require.Equal(t, gopacket.LayerTypeZero, got.NextLayerType(), n)
			}
		})
	}
}

func TestHeaderErrorText(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		data       []byte
	}{
		{"header", "erf: need 16 bytes, have 15: unexpected EOF", sample("eth")[:15]},
		{"extension header", "erf: extension header: need 32 bytes, have 31: unexpected EOF", sample("infiniband_ext3")[:31]},
		{"sub-header", "erf: sub-header: need 18 bytes, have 17: unexpected EOF", sample("eth")[:17]},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := decode(tt.data)
			require.EqualError(t, err, tt.want)
		})
	}
}

// A Record that was used before, for a whole or a cut record, equals a fresh
// one.
func TestDecodeReuse(t *testing.T) {
	var dirty [][]byte
	for _, s := range samples {
		dirty = append(dirty, s.data, s.data[:len(s.data)/2], s.data[:9], s.data[:min(25, len(s.data))])
	}
	for _, first := range dirty {
		for _, second := range dirty {
			fresh, truncated, err := decode(second)
			reused, _, _ := decode(first)
			var f feedback
			require.Equal(t, err, reused.DecodeFromBytes(second, &f))
			require.Equal(t, truncated, f > 0)
			require.Equal(t, fresh, reused, "%x after %x", second, first)
		}
	}
}

func TestDecodeAllocs(t *testing.T) {
	var r erf.Record
	for _, s := range samples {
		require.NoError(t, r.DecodeFromBytes(s.data, gopacket.NilDecodeFeedback))
		require.Zero(t, testing.AllocsPerRun(100, func() {
			if err := r.DecodeFromBytes(s.data, gopacket.NilDecodeFeedback); err != nil {
				panic(err)
			}
		}), s.name)
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, name := range []string{"infiniband_padded", "infiniband_ext3"} {
		b.Run(name, func(b *testing.B) {
			data := sample(name)
			var r erf.Record
			b.ReportAllocs()
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if err := r.DecodeFromBytes(data, gopacket.NilDecodeFeedback); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
