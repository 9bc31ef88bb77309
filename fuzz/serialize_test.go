package fuzz_test

import (
	"fmt"
	"net/netip"
	"reflect"
	"testing"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/bth"
	"github.com/ibwire/ibwire/erf"
	"github.com/ibwire/ibwire/ext"
	"github.com/ibwire/ibwire/grh"
	"github.com/ibwire/ibwire/lrh"
	"github.com/ibwire/ibwire/opcode"
	"github.com/ibwire/ibwire/testdata/layertest"
	"github.com/ibwire/ibwire/testdata/paths"
)

// makeLayers makes layers with any values in their fields, also such as do not
// fit, and a payload.
func makeLayers(c *choices) (all []gopacket.SerializableLayer, payload []byte) {
	kind := c.byte() % 4 // of what is outside: ERF and LRH, LRH, GRH, nothing
	global := kind == 2 || c.byte()&1 == 1
	if kind == 0 {
		all = append(all, makeRecord(c))
	}
	if kind <= 1 {
		l := makeLRH(c)
		if l.LNH = lrh.LNHLocal; global {
			l.LNH = lrh.LNHGlobal
		}
		all = append(all, l)
	}
	if global && kind <= 2 {
		all = append(all, makeGRH(c))
	}
	b := makeBTH(c)
	all = append(all, b)
	for h := range b.OpCode.Headers().All() {
		x := &ext.Headers{}
		x.Begin(h, gopacket.LayerTypePayload)
		if x.DecodeFromBytes(c.bytes(h.Size()), gopacket.NilDecodeFeedback) == nil {
			all = append(all, x.Layer(h).(gopacket.SerializableLayer))
		}
	}
	return all, c.bytes(pick(c, 0, 1, 4, 30, 1024, 8300, 66000))
}

func makeRecord(c *choices) *erf.Record {
	r := &erf.Record{
		Timestamp: erf.Timestamp(c.uint(8)), Type: erf.TypeInfiniband, Flags: erf.Flags(c.byte()), LCtr: uint16(c.uint(2)),
		Trailer: c.bytes(c.upTo(4)), Ext: []erf.ExtHeader{},
	}
	for range c.upTo(2) {
		r.Ext = append(r.Ext, erf.ExtHeader{Type: erf.ExtType(c.byte()), Body: [7]byte(c.bytes(7))})
	}
	return r
}

func makeLRH(c *choices) *lrh.LRH {
	l := &lrh.LRH{
		VL: c.small(4), LVer: c.small(4), SL: c.small(4), Rsv2: c.small(2), Rsv5: c.small(5),
		DLID: lrh.LID(c.uint(2)), SLID: lrh.LID(c.uint(2)), PktLen: uint16(c.uint(2)), HasVCRC: c.byte()&1 == 1,
	}
	if l.HasVCRC { // without one, a trailer would be taken for it
		l.VCRC, l.Trailer = uint16(c.uint(2)), c.bytes(c.upTo(3))
	}
	return l
}

func makeGRH(c *choices) *grh.GRH {
	return &grh.GRH{
		IPVer: c.small(4), TClass: c.byte(), FlowLabel: c.wide(20), PayLen: uint16(c.uint(2)), NxtHdr: grh.NxtHdrIBA, HopLmt: c.byte(),
		SGID: netip.AddrFrom16([16]byte(c.bytes(16))), DGID: netip.AddrFrom16([16]byte(c.bytes(16))), Trailer: c.bytes(c.upTo(4)),
	}
}

func makeBTH(c *choices) *bth.BTH {
	b := &bth.BTH{
		OpCode: opcode.Opcode(c.byte()), PadCnt: c.small(2), TVer: c.small(4), PKey: uint16(c.uint(2)), Rsv6: c.small(6),
		DestQP: c.wide(24), Rsv7: c.small(7), PSN: c.wide(24), ICRC: uint32(c.uint(4)), Pad: c.bytes(c.upTo(4)),
	}
	flags := c.byte()
	b.SE, b.MigReq, b.FECN, b.BECN, b.AckReq = flags&1 != 0, flags&2 != 0, flags&4 != 0, flags&8 != 0, flags&16 != 0
	return b
}

// small and wide return a value for a field of some bits, rarely one that does
// not fit.
func (c *choices) small(bits int) uint8 { return uint8(c.wide(bits)) }

func (c *choices) wide(bits int) uint32 {
	v := uint32(c.uint(bits/8 + 1))
	if v == 1<<bits {
		return v
	}
	return v & (1<<bits - 1)
}

// checkSerialize writes the layers that input makes, as they are, with their
// lengths set and with their CRCs computed. A field that does not fit is an error that names this module, and
// all else comes back.
func checkSerialize(t *testing.T, input []byte) {
	all, payload := makeLayers(&choices{input})
	limit(t, len(payload)+len(input), func() {
		first := all[0].LayerType()
		if plain, err := write(t, all, payload, gopacket.SerializeOptions{}); err == nil {
			paths.CheckSerialize(t, first, plain)
		}
		fixed, err := write(t, all, payload, gopacket.SerializeOptions{FixLengths: true})
		if err != nil {
			require.Regexp(t, "^(erf|lrh|grh|bth|ext): .", err.Error())
			return
		}
		p := gopacket.NewPacket(fixed, first, gopacket.DecodeOptions{NoCopy: true, SkipDecodeRecovery: true})
		require.Nil(t, p.ErrorLayer())
		require.False(t, p.Metadata().Truncated)
		got, behind := paths.Split(p)
		require.Equal(t, len(all), len(got))
		for i := range all {
			require.Equal(t, text(all[i]), text(got[i]))
		}
		require.Equal(t, string(payload), string(behind))
		again, err := write(t, got, behind, gopacket.SerializeOptions{})
		require.NoError(t, err)
		require.Equal(t, string(fixed), string(again))
		checkComputed(t, got, behind)
	})
}

// checkComputed writes layers with their lengths and CRCs, and requires that the
// packet comes back with good ones. Of a BTH with nothing outside, nobody knows
// the ICRC.
func checkComputed(t *testing.T, all []gopacket.SerializableLayer, payload []byte) {
	built, err := write(t, all, payload, gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true})
	require.NoError(t, err)
	first := all[0].LayerType()
	p := gopacket.NewPacket(built, first, gopacket.DecodeOptions{NoCopy: true, SkipDecodeRecovery: true})
	got, behind := paths.Split(p)
	require.Equal(t, len(all), len(got))
	require.Equal(t, string(payload), string(behind))
	icrc, vcrc := ibwire.Good, ibwire.Good
	switch first {
	case grh.LayerTypeGRH:
		vcrc = ibwire.NotPresent
	case bth.LayerTypeBTH:
		icrc, vcrc = ibwire.Unverified, ibwire.NotPresent
	}
	require.Equal(t, icrc, ibwire.ICRC(p).Status)
	require.Equal(t, vcrc, ibwire.VCRC(p).Status)
	if icrc == ibwire.Good {
		again, err := write(t, got, behind, gopacket.SerializeOptions{})
		require.NoError(t, err)
		require.Equal(t, string(built), string(again))
	}
}

func write(t *testing.T, all []gopacket.SerializableLayer, payload []byte, opts gopacket.SerializeOptions) ([]byte, error) {
	b := layertest.DirtyBuffer(t)
	err := gopacket.SerializeLayers(b, opts, append(all[:len(all):len(all)], gopacket.Payload(payload))...)
	return b.Bytes(), err
}

// text is all that a layer holds, but for the bytes it was decoded from. An
// empty slice and none are the same.
func text(l gopacket.SerializableLayer) string {
	v := reflect.New(reflect.TypeOf(l).Elem()).Elem()
	v.Set(reflect.ValueOf(l).Elem())
	v.FieldByName("BaseLayer").Set(reflect.ValueOf(layers.BaseLayer{}))
	return fmt.Sprintf("%T%+v", l, v.Interface())
}

func FuzzSerialize(f *testing.F) {
	randomInputs(300, func(input []byte) { f.Add(input) })
	f.Fuzz(checkSerialize)
}

func TestSerialize(t *testing.T) {
	randomInputs(3000, func(input []byte) { checkSerialize(t, input) })
}
