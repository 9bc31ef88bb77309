package ext_test

import (
	"errors"
	"io"
	"testing"
	"time"

	"github.com/google/gopacket"
	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/ext"
	"github.com/ibwire/ibwire/opcode"
	"github.com/ibwire/ibwire/testdata/layertest"
)

func TestHeaders(t *testing.T) {
	layertest.Run(t, []layertest.Case{
		layertest.Of("RDETH", "00000077", &ext.RDETH{EEContext: 0x77}),
		layertest.Of("RDETH reserved", "f1fffffe", &ext.RDETH{Rsv: 0xf1, EEContext: 0xfffffe}),
		layertest.Of("XRCETH", "00000099", &ext.XRCETH{XRCSRQ: 0x99}),
		layertest.Of("XRCETH reserved", "a5abcdef", &ext.XRCETH{Rsv: 0xa5, XRCSRQ: 0xabcdef}),
		layertest.Of("DETH", "8001000000000045", &ext.DETH{QKey: 0x80010000, SrcQP: 0x45}),
		layertest.Of("DETH reserved", "11111111ff123456", &ext.DETH{QKey: 0x11111111, Rsv: 0xff, SrcQP: 0x123456}),
		layertest.Of("RETH", "01710a1c015d400238f27a050000000e", &ext.RETH{VA: 0x01710a1c015d4002, RKey: 0x38f27a05, DMALen: 14}),
		layertest.Of("RETH longest", "ffffffffffffffff0000000180000000", &ext.RETH{VA: 1<<64 - 1, RKey: 1, DMALen: 1 << 31}),
		layertest.Of("AtomicETH", "102030405060708001020304111111111111111122222222222222a2", &ext.AtomicETH{
			VA: 0x1020304050607080, RKey: 0x01020304, SwapAdd: 0x1111111111111111, CmpData: 0x22222222222222a2}),
		layertest.Of("AtomicAckETH", "000000000000004d", &ext.AtomicAckETH{OrigRemData: 77}),
		layertest.Of("AETH", "1f000005", &ext.AETH{Syndrome: 0x1f, MSN: 5}),
		layertest.Of("AETH reserved bit", "9ffedcba", &ext.AETH{Syndrome: 0x9f, MSN: 0xfedcba}),
		layertest.Of("ImmDt", "deadbeef", &ext.ImmDt{Data: 0xdeadbeef}),
		layertest.Of("IETH", "0badcafe", &ext.IETH{RKey: 0x0badcafe}),
		layertest.Of("FETH", "00000012", &ext.FETH{Word: 0x12}),
		layertest.Of("CNP", "000102030405060708090a0b0c0d0e0f", &ext.CNP{Rsv: [16]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}}),
		layertest.Of("DCCETH", "0f0e0d0c0b0a09080706050403020100", &ext.DCCETH{Data: [16]byte{15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}}),
	})
}

func TestSerializeErrors(t *testing.T) {
	b := gopacket.NewSerializeBuffer()
	for name, h := range map[string]gopacket.SerializableLayer{
		"RDETH.EEContext": &ext.RDETH{EEContext: 1 << 24}, "XRCETH.XRCSRQ": &ext.XRCETH{XRCSRQ: 1 << 24},
		"DETH.SrcQP": &ext.DETH{SrcQP: 1 << 24}, "AETH.MSN": &ext.AETH{MSN: 1 << 24},
	} {
		require.EqualError(t, h.SerializeTo(b, gopacket.SerializeOptions{}), "ext: "+name+" is 0x1000000, more than 0xffffff")
	}
}

// Every header has its layer type, which names it, decodes it alone and is the
// one of the struct.
func TestLayerTypes(t *testing.T) {
	data := make([]byte, opcode.AllHeaders.Size())
	for h := range opcode.AllHeaders.All() {
		lt := ext.LayerType(h)
		require.Equal(t, h.String(), lt.String())
		require.Equal(t, 1910+h.Index(), int(lt))
		p := gopacket.NewPacket(data[:h.Size()+3], lt, gopacket.Default)
		require.Nil(t, p.ErrorLayer())
		require.Len(t, p.Layers(), 2)
		require.Equal(t, lt, p.Layers()[0].LayerType())
		require.Equal(t, data[:3], p.Layers()[1].LayerContents())
		require.True(t, (&ext.Headers{}).CanDecode().Contains(lt))
	}
	require.Equal(t, gopacket.LayerTypePayload, ext.LayerType(0))
}

// chains are some sets of headers, and each header of them in the bytes.
var chains = []opcode.HeaderSet{
	0,
	opcode.RETH,
	opcode.RETH | opcode.ImmDt,
	opcode.RDETH | opcode.DETH | opcode.RETH | opcode.ImmDt,
	opcode.XRCETH | opcode.AtomicETH,
	opcode.RDETH | opcode.AETH | opcode.AtomicAckETH,
	opcode.XRCETH | opcode.FETH | opcode.RETH,
	opcode.CNPRsv,
	opcode.AllHeaders,
}

// bytes returns n bytes, none of them like its neighbour.
func bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + 1)
	}
	return b
}

// wholeWithin returns the headers of set that n bytes hold.
func wholeWithin(set opcode.HeaderSet, n int) (whole opcode.HeaderSet) {
	for h := range set.All() {
		if n -= h.Size(); n < 0 {
			break
		}
		whole |= h
	}
	return whole
}

// The headers that are whole are decoded, the first that is not is an error,
// and both paths see the same, at every length.
func TestChainAndHeaders(t *testing.T) {
	used := &ext.Headers{}
	for _, set := range chains {
		data := bytes(set.Size() + 5)
		for n := range len(data) + 1 {
			cut := data[:n:n]
			want := wholeWithin(set, n)
			packet := gopacket.NewPacket(append([]byte{0}, cut...), first{set}, gopacket.Default)
			var layers []gopacket.Layer
			for _, l := range packet.Layers()[1:] {
				if l.LayerType() != gopacket.LayerTypeDecodeFailure && l.LayerType() != gopacket.LayerTypePayload {
					layers = append(layers, l)
				}
			}

			used.Begin(set, gopacket.LayerTypePayload)
			rest, err := cut, error(nil)
			var got []gopacket.Layer
			for h := range set.All() {
				if len(rest) == 0 {
					break // as the parser does
				}
				require.Equal(t, ext.LayerType(h), used.NextLayerType())
				if err = used.DecodeFromBytes(rest, packet.(gopacket.DecodeFeedback)); err != nil {
					require.Nil(t, used.LayerPayload())
					break
				}
				got = append(got, used.Layer(h))
				rest = used.LayerPayload()
			}

			require.Equal(t, want, used.Present)
			require.Equal(t, layers, got)
			inside := n < set.Size() && n != want.Size()
			require.Equal(t, inside, errors.Is(err, io.ErrUnexpectedEOF))
			require.Equal(t, inside, packet.ErrorLayer() != nil)
			if n > set.Size() && set != 0 {
				require.Equal(t, gopacket.LayerTypePayload, used.NextLayerType())
			}
			if n > set.Size() {
				require.Equal(t, data[set.Size():n], packet.ApplicationLayer().Payload())
			}
			for h := range opcode.AllHeaders.All() {
				require.Equal(t, want.Has(h), used.Layer(h) != nil)
			}
		}
	}
}

// first is a decoder of one byte, which then hands on to a Chain.
type first struct{ set opcode.HeaderSet }

func (f first) Decode(data []byte, p gopacket.PacketBuilder) error {
	p.AddLayer(&one{data})
	return p.NextDecoder(ext.Chain{Headers: f.set, Payload: gopacket.LayerTypePayload})
}

type one struct{ data []byte }

func (o *one) LayerType() gopacket.LayerType { return gopacket.LayerTypeFragment }
func (o *one) LayerContents() []byte         { return o.data[:1] }
func (o *one) LayerPayload() []byte          { return o.data[1:] }

func TestHeadersNotLinked(t *testing.T) {
	err := (&ext.Headers{}).DecodeFromBytes(bytes(16), gopacket.NilDecodeFeedback)
	require.ErrorContains(t, err, "no header expected")
}

func TestLayerOfOtherSets(t *testing.T) {
	h := &ext.Headers{}
	h.Begin(opcode.ImmDt, gopacket.LayerTypePayload)
	require.NoError(t, h.DecodeFromBytes(bytes(4), gopacket.NilDecodeFeedback))
	require.Equal(t, &h.ImmDt, h.Layer(opcode.ImmDt))
	require.Nil(t, h.Layer(0))
	require.Nil(t, h.Layer(opcode.RETH))
	require.Nil(t, h.Layer(opcode.RETH|opcode.ImmDt))
	h.Begin(0, gopacket.LayerTypePayload)
	require.Nil(t, h.Layer(opcode.ImmDt), "of the packet before")
}

func TestHeadersAllocateNothing(t *testing.T) {
	h, data := &ext.Headers{}, bytes(opcode.AllHeaders.Size())
	require.Zero(t, testing.AllocsPerRun(100, func() {
		h.Begin(opcode.AllHeaders, gopacket.LayerTypePayload)
		for rest := data; len(rest) > 0; rest = h.LayerPayload() {
			if h.DecodeFromBytes(rest, gopacket.NilDecodeFeedback) != nil {
				t.FailNow()
			}
		}
	}))
	require.Equal(t, opcode.AllHeaders, h.Present)
}

// Syndromes as IBTA Vol 1, 9.7.5 has them.
func TestSyndrome(t *testing.T) {
	for s, want := range map[ext.Syndrome]string{
		0x00: "Ack, 0 credits",
		0x03: "Ack, 3 credits",
		0x0e: "Ack, 128 credits",
		0x1e: "Ack, 32768 credits",
		0x1f: "Ack, no credit limit",
		0x20: "RNR Nak, 655.36ms",
		0x21: "RNR Nak, 10µs",
		0x3f: "RNR Nak, 491.52ms",
		0x45: "Reserved, value 5",
		0x60: "Nak, PSN Sequence Error",
		0x61: "Nak, Invalid Request",
		0x62: "Nak, Remote Access Error",
		0x63: "Nak, Remote Operational Error",
		0x64: "Nak, Invalid RD Request",
		0x65: "Nak, NakCode(5)",
		0x9f: "Ack, no credit limit", // bit 7 is reserved
		0xe0: "Nak, PSN Sequence Error",
	} {
		require.Equal(t, want, s.String(), "%#02x", uint8(s))
		require.Equal(t, s >= 0x80, s.Reserved())
		code, isNak := s.NakCode()
		require.Equal(t, s.Type() == ext.Nak, isNak)
		if isNak {
			require.Equal(t, ext.NakCode(s&0x1f), code)
		}
	}
	for st, want := range []string{"Ack", "RNR Nak", "Reserved", "Nak", "SyndromeType(4)"} {
		require.Equal(t, want, ext.SyndromeType(st).String())
	}
}

func TestCredits(t *testing.T) {
	want := []int{
		0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072,
		4096, 6144, 8192, 12288, 16384, 24576, 32768,
	}
	for code, n := range want {
		got, ok := ext.Syndrome(code).Credits()
		require.True(t, ok)
		require.Equal(t, n, got, code)
	}
	for _, s := range []ext.Syndrome{0x1f, 0x20, 0x4e, 0x6e} {
		_, ok := s.Credits()
		require.False(t, ok, s)
	}
}

func TestRNRTimer(t *testing.T) {
	want := []float64{ // milliseconds
		655.36, 0.01, 0.02, 0.03, 0.04, 0.06, 0.08, 0.12, 0.16, 0.24, 0.32, 0.48, 0.64, 0.96, 1.28, 1.92,
		2.56, 3.84, 5.12, 7.68, 10.24, 15.36, 20.48, 30.72, 40.96, 61.44, 81.92, 122.88, 163.84, 245.76, 327.68, 491.52,
	}
	for code, ms := range want {
		require.Equal(t, time.Duration(ms*1e6+0.5), ext.Syndrome(0x20|code).RNRTimer(), code)
	}
	for _, s := range []ext.Syndrome{0x01, 0x41, 0x61} {
		require.Zero(t, s.RNRTimer())
	}
}

// The split of Linux; Wireshark has SEL 2 for the first of these words.
func TestFETH(t *testing.T) {
	f := ext.FETH{Word: 0x12}
	require.Equal(t, ext.WholeMR, f.SEL())
	require.Equal(t, ext.Persistence, f.PLT())
	require.Zero(t, f.Rsv())
	f.Word = 0xffffffff
	require.Equal(t, uint32(1<<26-1), f.Rsv())
	require.Equal(t, "Selectivity(3)", f.SEL().String())
	require.Equal(t, "Placement(15)", f.PLT().String())
	require.Equal(t, "Memory Region Range", ext.Range.String())
	require.Equal(t, "Whole Memory Region", ext.WholeMR.String())
	for p, want := range []string{"None", "Global Visibility", "Persistence", "Global Visibility, Persistence", "Placement(4)"} {
		require.Equal(t, want, ext.Placement(p).String())
	}
}

// checkHeaders holds for any set and any bytes: no panic, the headers present
// are those that the bytes hold, and written back they are the same bytes.
func checkHeaders(t *testing.T, set uint16, data []byte) {
	t.Helper()
	h, want := &ext.Headers{}, opcode.HeaderSet(set)&opcode.AllHeaders
	h.Begin(opcode.HeaderSet(set), gopacket.LayerTypePayload)
	rest := data
	for range want.All() {
		if h.DecodeFromBytes(rest, gopacket.NilDecodeFeedback) != nil {
			break
		}
		rest = h.LayerPayload()
	}
	require.Equal(t, wholeWithin(want, len(data)), h.Present)
	var all []gopacket.SerializableLayer
	for one := range h.Present.All() {
		all = append(all, h.Layer(one).(gopacket.SerializableLayer))
	}
	all = append(all, gopacket.Payload(rest))
	b := gopacket.NewSerializeBuffer()
	require.NoError(t, gopacket.SerializeLayers(b, gopacket.SerializeOptions{}, all...))
	require.Equal(t, string(data), string(b.Bytes())) // nil or empty is the same
}

func TestHeadersOfAnySet(t *testing.T) {
	for set := range 1 << 16 {
		checkHeaders(t, uint16(set), bytes(set%117))
	}
}

func FuzzHeaders(f *testing.F) {
	for _, set := range chains {
		f.Add(uint16(set), bytes(set.Size()+3))
	}
	f.Fuzz(checkHeaders)
}

func BenchmarkHeaders(b *testing.B) {
	h, set := &ext.Headers{}, opcode.RETH|opcode.ImmDt
	data := bytes(set.Size())
	b.ReportAllocs()
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		h.Begin(set, gopacket.LayerTypePayload)
		if h.DecodeFromBytes(data, gopacket.NilDecodeFeedback) != nil || h.DecodeFromBytes(h.LayerPayload(), gopacket.NilDecodeFeedback) != nil {
			b.Fatal("decode")
		}
	}
}
