package bth_test

import (
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/bth"
	"github.com/ibwire/ibwire/ext"
	"github.com/ibwire/ibwire/opcode"
	"github.com/ibwire/ibwire/testdata/layertest"
)

func TestBTH(t *testing.T) {
	layertest.Run(t, []layertest.Case{
		layertest.Of("plain", "0440ffff0000012300000010", &bth.BTH{
			OpCode: opcode.RCSendOnly, MigReq: true, PKey: 0xffff, DestQP: 0x123, PSN: 0x10}),
		layertest.Of("every bit", "04ffffffffffffffffffffff", &bth.BTH{
			OpCode: opcode.RCSendOnly, SE: true, MigReq: true, PadCnt: 3, TVer: 15, PKey: 0xffff,
			FECN: true, BECN: true, Rsv6: 0x3f, DestQP: 0xffffff, AckReq: true, Rsv7: 0x7f, PSN: 0xffffff}),
		layertest.Of("each field its own", "01957fff900102032a040506", &bth.BTH{
			OpCode: opcode.RCSendMiddle, SE: true, PadCnt: 1, TVer: 5, PKey: 0x7fff,
			FECN: true, Rsv6: 0x10, DestQP: 0x010203, Rsv7: 0x2a, PSN: 0x040506}),
		layertest.Of("BECN", "c060248740fffffe80fffffd", &bth.BTH{
			OpCode: 0xc0, MigReq: true, PadCnt: 2, PKey: 0x2487, BECN: true, DestQP: 0xfffffe, AckReq: true, PSN: 0xfffffd}),
	})
}

// packet returns a BTH with n bytes behind it: 1, 2, 3...
func packet(o opcode.Opcode, pad byte, n int) []byte {
	p := []byte{byte(o), pad << 4, 0xff, 0xff, 0, 0, 0, 0x11, 0, 0, 0, 0x64}
	for i := range n {
		p = append(p, byte(i+1))
	}
	return p
}

// ends are packets by what is at their end. The sizes are bytes; icrc says
// whether it is there.
var ends = []struct {
	name               string
	op                 opcode.Opcode
	padCnt             byte
	behind             int // the BTH
	payload, pad, icrc int
	truncated          bool
}{
	{"SEND of 4 bytes", opcode.RCSendOnly, 0, 8, 4, 0, 4, false},
	{"SEND of 5 bytes", opcode.RCSendOnly, 3, 12, 5, 3, 4, false},
	{"SEND of 6 bytes", opcode.RCSendOnly, 2, 12, 6, 2, 4, false},
	{"SEND of 7 bytes", opcode.RCSendOnly, 1, 12, 7, 1, 4, false},
	{"SEND of nothing", opcode.RCSendOnly, 0, 4, 0, 0, 4, false},
	{"SEND of nothing with a pad", opcode.RCSendOnly, 2, 4, 0, 0, 4, false},
	{"SEND of a byte with a pad of 3", opcode.RCSendOnly, 3, 5, 0, 1, 4, false},
	{"no room for the ICRC", opcode.RCSendOnly, 0, 3, 3, 0, 0, false},
	{"nothing behind the BTH", opcode.RCSendOnly, 0, 0, 0, 0, 0, false},
	{"acknowledge", opcode.RCAcknowledge, 0, 8, 4, 0, 4, false},
	{"acknowledge with PadCnt 2", opcode.RCAcknowledge, 2, 8, 4, 0, 4, false},
	{"acknowledge with 4 more bytes", opcode.RCAcknowledge, 0, 12, 8, 0, 4, false},
	{"acknowledge with PadCnt 2 and 4 more bytes", opcode.RCAcknowledge, 2, 12, 6, 2, 4, false},
	{"acknowledge without room for the ICRC", opcode.RCAcknowledge, 0, 7, 7, 0, 0, false},
	{"acknowledge without ICRC", opcode.RCAcknowledge, 0, 4, 4, 0, 0, false},
	{"acknowledge cut in the AETH", opcode.RCAcknowledge, 0, 3, 3, 0, 0, true},
	{"acknowledge cut behind the BTH", opcode.RCAcknowledge, 0, 0, 0, 0, 0, true},
	{"WRITE without payload", opcode.RCWriteOnlyImm, 0, 24, 20, 0, 4, false},
	{"WRITE whose RETH and ICRC do not both fit", opcode.RCWriteOnly, 0, 19, 19, 0, 0, false},
	{"unassigned opcode", 0x99, 1, 12, 7, 1, 4, false},
	{"manufacturer's opcode", 0xc1, 0, 12, 8, 0, 4, false},
	{"native CNP", opcode.NativeCNP, 0, 4, 0, 0, 4, false},
	{"native CNP with 16 bytes", opcode.NativeCNP, 0, 20, 16, 0, 4, false},
	{"RoCEv2 CNP", opcode.RoCECNP, 0, 20, 16, 0, 4, false},
}

func TestEnd(t *testing.T) {
	for _, c := range ends {
		t.Run(c.name, func(t *testing.T) {
			data := packet(c.op, c.padCnt, c.behind)
			var b bth.BTH
			df := &layertest.Feedback{}
			require.NoError(t, b.DecodeFromBytes(data, df))
			require.Equal(t, c.truncated, df.Truncated)
			payload, pad := bth.Size+c.payload, bth.Size+c.payload+c.pad
			require.Equal(t, data[bth.Size:payload], b.LayerPayload())
			require.Equal(t, string(data[payload:pad]), string(b.Pad))
			require.Equal(t, c.icrc > 0, b.HasICRC)
			if b.HasICRC {
				require.Equal(t, uint32(data[pad])<<24|uint32(data[pad+1])<<16|uint32(data[pad+2])<<8|uint32(data[pad+3]), b.ICRC)
			}
			require.Equal(t, len(data), pad+c.icrc)

			sb := layertest.DirtyBuffer(t)
			require.NoError(t, gopacket.SerializeLayers(sb, gopacket.SerializeOptions{}, &b, gopacket.Payload(b.LayerPayload())))
			require.Equal(t, data, sb.Bytes())
		})
	}
}

// outer is a layer that found the packet cut.
type outer struct{ layers.BaseLayer }

var layerTypeOuter = gopacket.RegisterLayerType(1999, gopacket.LayerTypeMetadata{Name: "outer", Decoder: gopacket.DecodeFunc(
	func(data []byte, p gopacket.PacketBuilder) error {
		o := &outer{}
		if err := o.DecodeFromBytes(data, p); err != nil {
			return err
		}
		p.AddLayer(o)
		return p.NextDecoder(bth.LayerTypeBTH)
	})})

func (o *outer) DecodeFromBytes(data []byte, df gopacket.DecodeFeedback) error {
	if data[0] != 0 {
		df.SetTruncated()
	}
	o.BaseLayer = layers.BaseLayer{Contents: data[:1], Payload: data[1:]}
	return nil
}
func (o *outer) LayerType() gopacket.LayerType     { return layerTypeOuter }
func (o *outer) CanDecode() gopacket.LayerClass    { return layerTypeOuter }
func (o *outer) NextLayerType() gopacket.LayerType { return bth.LayerTypeBTH }

// A packet that an outer layer found cut has no end to take pad and ICRC from,
// in a packet, in a lazy one, and in a parser, which is used again and again.
func TestOuterTruncation(t *testing.T) {
	x := &ext.Headers{}
	var (
		o       outer
		b       = bth.BTH{Ext: x}
		payload gopacket.Payload
		decoded []gopacket.LayerType
	)
	parser := gopacket.NewDecodingLayerParser(layerTypeOuter, &o, &b, x, &payload)
	for range 2 {
		for _, cut := range []byte{0, 1} {
			data := append([]byte{cut}, packet(opcode.RCSendOnly, 1, 12)...)
			got := []*bth.BTH{&b}
			require.NoError(t, parser.DecodeLayers(data, &decoded))
			for _, opts := range []gopacket.DecodeOptions{gopacket.Default, gopacket.Lazy, gopacket.NoCopy} {
				p := gopacket.NewPacket(data, layerTypeOuter, opts)
				got = append(got, p.Layer(bth.LayerTypeBTH).(*bth.BTH))
				require.Equal(t, cut == 1, p.Metadata().Truncated)
			}
			for _, b := range got {
				require.Equal(t, cut == 0, b.HasICRC)
				if cut == 1 {
					require.Len(t, b.LayerPayload(), 12)
					require.Empty(t, b.Pad)
				} else {
					require.Len(t, b.LayerPayload(), 7)
					require.Len(t, b.Pad, 1)
				}
			}
		}
	}
}

// A parser decodes a packet right whatever it has decoded before: each pair of
// packets, the first at every length.
func TestParserReuse(t *testing.T) {
	x := &ext.Headers{}
	b := &bth.BTH{Ext: x}
	var payload gopacket.Payload
	var decoded []gopacket.LayerType
	parser := gopacket.NewDecodingLayerParser(bth.LayerTypeBTH, b, x, &payload)
	for _, first := range ends {
		before := packet(first.op, first.padCnt, first.behind)
		for _, c := range ends {
			data := packet(c.op, c.padCnt, c.behind)
			p := gopacket.NewPacket(data, bth.LayerTypeBTH, gopacket.Default)
			for n := range len(before) + 1 {
				_ = parser.DecodeLayers(before[:n:n], &decoded) // most are cut
				err := parser.DecodeLayers(data, &decoded)
				require.Equal(t, p.ErrorLayer() != nil, err != nil)
				require.Equal(t, p.Metadata().Truncated, parser.Truncated)
				want := *p.Layer(bth.LayerTypeBTH).(*bth.BTH)
				got := *b
				got.Ext = nil
				require.Equal(t, want, got)
				for h := range opcode.AllHeaders.All() {
					if l := p.Layer(ext.LayerType(h)); l != nil {
						require.Equal(t, l, x.Layer(h))
					} else {
						require.Nil(t, x.Layer(h))
					}
				}
			}
		}
	}
}

// At every length of every opcode: the headers that are whole, and for the rest
// an error or the truncated flag.
func TestEveryPrefixOfEveryOpcode(t *testing.T) {
	for i := range 256 {
		o := opcode.Opcode(i)
		data := packet(o, 0, o.Headers().Size()+4)
		for n := range len(data) {
			p := gopacket.NewPacket(data[:n:n], bth.LayerTypeBTH, gopacket.DecodeOptions{SkipDecodeRecovery: true, NoCopy: true})
			at := n - bth.Size
			for h := range o.Headers().All() {
				at -= h.Size()
				require.Equal(t, at >= 0, p.Layer(ext.LayerType(h)) != nil, "%v of %d bytes: %v", o, n, h)
			}
			require.Equal(t, n >= bth.Size, p.Layer(bth.LayerTypeBTH) != nil)
			if n < bth.Size+o.Headers().Size() {
				require.True(t, p.Metadata().Truncated, "%v of %d bytes", o, n)
			}
			if e := p.ErrorLayer(); e != nil {
				require.True(t, errors.Is(e.Error(), io.ErrUnexpectedEOF))
			}
		}
	}
}

// A BTH that is cut leaves nothing of the packet before in the Headers.
func TestHeadersOfCutBTH(t *testing.T) {
	x := &ext.Headers{}
	b := &bth.BTH{Ext: x}
	require.NoError(t, b.DecodeFromBytes(packet(opcode.RCFlush, 0, 24), gopacket.NilDecodeFeedback))
	require.NoError(t, x.DecodeFromBytes(b.LayerPayload(), gopacket.NilDecodeFeedback))
	require.Equal(t, opcode.FETH, x.Present)
	require.Error(t, b.DecodeFromBytes(packet(opcode.RCFlush, 0, 24)[:11], gopacket.NilDecodeFeedback))
	require.Zero(t, x.Present)
	require.Nil(t, x.Layer(opcode.FETH))
}

func TestParserWiring(t *testing.T) {
	data := packet(opcode.RCAcknowledge, 0, 8)
	var decoded []gopacket.LayerType
	var payload gopacket.Payload

	err := gopacket.NewDecodingLayerParser(bth.LayerTypeBTH, &bth.BTH{}, &payload).DecodeLayers(data, &decoded)
	require.ErrorContains(t, err, "No decoder for layer type AETH", "no Headers in the parser")

	err = gopacket.NewDecodingLayerParser(bth.LayerTypeBTH, &bth.BTH{}, &ext.Headers{}, &payload).DecodeLayers(data, &decoded)
	require.ErrorContains(t, err, "no header expected", "a Headers that the BTH does not know")
}

func TestParserAllocatesNothing(t *testing.T) {
	x := &ext.Headers{}
	var payload gopacket.Payload
	decoded := make([]gopacket.LayerType, 0, 8)
	parser := gopacket.NewDecodingLayerParser(bth.LayerTypeBTH, &bth.BTH{Ext: x}, x, &payload)
	for _, c := range ends {
		data := packet(c.op, c.padCnt, c.behind)
		if parser.DecodeLayers(data, &decoded) != nil {
			continue // an error costs its text
		}
		require.Zero(t, testing.AllocsPerRun(100, func() { _ = parser.DecodeLayers(data, &decoded) }), c.name)
	}
}

func TestRegisterQP(t *testing.T) {
	register := func(qpn uint32) {
		require.NoError(t, bth.RegisterQP(qpn, layerTypeOuter))
		t.Cleanup(func() { require.NoError(t, bth.RegisterQP(qpn, gopacket.LayerTypePayload)) })
	}
	next := func(o opcode.Opcode, qpn byte) gopacket.LayerType {
		data := packet(o, 0, o.Headers().Size()+20+4)
		data[7] = qpn
		got := gopacket.NewPacket(data, bth.LayerTypeBTH, gopacket.Default).Layers()[1+count(o)].LayerType()

		x := &ext.Headers{}
		b := &bth.BTH{Ext: x}
		require.NoError(t, b.DecodeFromBytes(data, gopacket.NilDecodeFeedback))
		last := gopacket.DecodingLayer(b)
		for range count(o) {
			require.NoError(t, x.DecodeFromBytes(last.LayerPayload(), gopacket.NilDecodeFeedback))
			last = x
		}
		require.Equal(t, got, last.NextLayerType())
		return got
	}
	require.Equal(t, gopacket.LayerTypePayload, next(opcode.RCSendOnly, 0x11))
	register(0x11)
	register(1)
	require.Equal(t, layerTypeOuter, next(opcode.RCSendOnly, 0x11))
	require.Equal(t, layerTypeOuter, next(opcode.RCWriteOnlyImm, 0x11))
	require.Equal(t, layerTypeOuter, next(opcode.UDSendOnly, 0x11))
	require.Equal(t, gopacket.LayerTypePayload, next(opcode.RCSendOnly, 0x12))
	require.Equal(t, gopacket.LayerTypePayload, next(opcode.RCAcknowledge, 0x11), "has no payload")
	require.Equal(t, gopacket.LayerTypePayload, next(0xc1, 0x11), "headers not known")
	require.Equal(t, layerTypeOuter, next(opcode.UDSendOnly, 1))
	require.Equal(t, gopacket.LayerTypePayload, next(opcode.RCSendOnly, 1), "QP 1 is for UD")
	require.ErrorContains(t, bth.RegisterQP(1<<24, layerTypeOuter), "0x1000000")
}

// count returns the number of extension headers of o.
func count(o opcode.Opcode) (n int) {
	for range o.Headers().All() {
		n++
	}
	return n
}

func TestSerialize(t *testing.T) {
	fix := gopacket.SerializeOptions{FixLengths: true}
	for n, pad := range []int{0, 3, 2, 1, 0} {
		sb := layertest.DirtyBuffer(t)
		b := &bth.BTH{OpCode: opcode.RCWriteOnly, PadCnt: 1, Pad: []byte{7}, ICRC: 0x9625b75a}
		reth := &ext.RETH{DMALen: uint32(n)}
		require.NoError(t, gopacket.SerializeLayers(sb, fix, b, reth, gopacket.Payload(make([]byte, n))))
		require.Equal(t, uint8(pad), b.PadCnt)
		require.Len(t, sb.Bytes(), 12+16+n+pad+4)
		require.Equal(t, []byte{0x96, 0x25, 0xb7, 0x5a}, sb.Bytes()[12+16+n+pad:])
		if pad > 1 {
			require.Equal(t, make([]byte, pad), sb.Bytes()[12+16+n:12+16+n+pad], "zeros")
		}
	}
	for _, opts := range []gopacket.SerializeOptions{fix, {ComputeChecksums: true}} {
		sb := layertest.DirtyBuffer(t)
		b := &bth.BTH{ICRC: 0x9625b75a}
		require.NoError(t, gopacket.SerializeLayers(sb, opts, b))
		require.True(t, b.HasICRC)
		require.Equal(t, []byte{0x96, 0x25, 0xb7, 0x5a}, sb.Bytes()[12:], "a place for the layer outside")
	}
	sb := gopacket.NewSerializeBuffer()
	for field, b := range map[string]bth.BTH{
		"PadCnt": {PadCnt: 4}, "TVer": {TVer: 16}, "Rsv6": {Rsv6: 0x40}, "DestQP": {DestQP: 1 << 24}, "Rsv7": {Rsv7: 0x80},
		"PSN": {PSN: 1 << 24}, "length of Pad": {PadCnt: 1, Pad: []byte{0, 0}},
	} {
		require.ErrorContains(t, b.SerializeTo(sb, gopacket.SerializeOptions{}), "bth: "+field+" is ")
	}
}

// checkBTH holds for any bytes: no panic, and written back they are the same.
func checkBTH(t *testing.T, data []byte) {
	t.Helper()
	var b bth.BTH
	if err := b.DecodeFromBytes(data, gopacket.NilDecodeFeedback); err != nil {
		require.Less(t, len(data), bth.Size)
		return
	}
	sb := gopacket.NewSerializeBuffer()
	require.NoError(t, gopacket.SerializeLayers(sb, gopacket.SerializeOptions{}, &b, gopacket.Payload(b.LayerPayload())))
	require.Equal(t, data, sb.Bytes())
}

func TestBTHOfAnyBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		data := make([]byte, r.IntN(80))
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		checkBTH(t, data)
	}
}

func FuzzBTH(f *testing.F) {
	for _, c := range ends {
		f.Add(packet(c.op, c.padCnt, c.behind))
	}
	f.Fuzz(checkBTH)
}
