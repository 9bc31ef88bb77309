package bth_test

import (
	"testing"

	"github.com/google/gopacket"

	"github.com/ibwire/ibwire/bth"
	"github.com/ibwire/ibwire/ext"
	"github.com/ibwire/ibwire/opcode"
)

func BenchmarkDecodingLayerParser(b *testing.B) {
	x := &ext.Headers{}
	var payload gopacket.Payload
	var decoded []gopacket.LayerType
	parser := gopacket.NewDecodingLayerParser(bth.LayerTypeBTH, &bth.BTH{Ext: x}, x, &payload)
	data := packet(opcode.RCWriteOnlyImm, 0, 64)
	b.ReportAllocs()
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if parser.DecodeLayers(data, &decoded) != nil {
			b.Fatal("decode")
		}
	}
}

func BenchmarkNewPacket(b *testing.B) {
	data := packet(opcode.RCWriteOnlyImm, 0, 64)
	b.ReportAllocs()
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if gopacket.NewPacket(data, bth.LayerTypeBTH, gopacket.NoCopy).ErrorLayer() != nil {
			b.Fatal("decode")
		}
	}
}

func BenchmarkSerialize(b *testing.B) {
	sb := gopacket.NewSerializeBuffer()
	h, reth, imm := &bth.BTH{OpCode: opcode.RCWriteOnlyImm}, &ext.RETH{}, &ext.ImmDt{}
	payload := gopacket.Payload(make([]byte, 64))
	b.ReportAllocs()
	for b.Loop() {
		if gopacket.SerializeLayers(sb, gopacket.SerializeOptions{}, h, reth, imm, payload) != nil {
			b.Fatal("serialize")
		}
	}
}
