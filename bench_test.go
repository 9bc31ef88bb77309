package ibwire_test

import (
	"testing"

	"github.com/google/gopacket"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/linktype"
	"github.com/ibwire/ibwire/lrh"
	"github.com/ibwire/ibwire/testdata"
	"github.com/ibwire/ibwire/testdata/paths"
)

// benchmarkFrames are the packets of native.pcap: every opcode, with and without
// a GRH.
func benchmarkFrames(b *testing.B) (frames [][]byte, bytes int64) {
	for _, f := range testdata.Frames(b, testdata.Path(b, "native.pcap")) {
		frames = append(frames, f.Data)
		bytes += int64(len(f.Data))
	}
	b.ReportAllocs()
	b.SetBytes(bytes)
	return frames, bytes
}

func BenchmarkPacket(b *testing.B) {
	frames, _ := benchmarkFrames(b)
	var p ibwire.Packet
	for b.Loop() {
		for _, data := range frames {
			if p.Decode(linktype.InfiniBand, data) != nil {
				b.Fatal("decode")
			}
		}
	}
}

func BenchmarkDecodingLayerParser(b *testing.B) {
	frames, _ := benchmarkFrames(b)
	s := paths.NewStack(gopacket.DecodingLayerSparse(nil))
	for b.Loop() {
		for _, data := range frames {
			if _, _, err := s.Parse(lrh.LayerTypeLRH, data); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkNewPacket(b *testing.B) {
	frames, _ := benchmarkFrames(b)
	for b.Loop() {
		for _, data := range frames {
			if gopacket.NewPacket(data, lrh.LayerTypeLRH, gopacket.NoCopy).ErrorLayer() != nil {
				b.Fatal("decode")
			}
		}
	}
}
