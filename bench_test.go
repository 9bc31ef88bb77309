package ibwire_test

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"testing"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/bth"
	"github.com/ibwire/ibwire/capture"
	"github.com/ibwire/ibwire/ext"
	"github.com/ibwire/ibwire/grh"
	"github.com/ibwire/ibwire/linktype"
	"github.com/ibwire/ibwire/lrh"
)

// Each benchmark has what it is compared with beside it, in the key "by" of its
// name: benchstat -col /by shows the ratios.

// sink keeps what the benchmarks look at.
var sink uint64

// BenchmarkFile reads a capture file and decodes its packets, beside the least
// that a program can do: a loop of its own that adds up the fields of LRH, GRH and
// BTH where they lie in the read buffer.
func BenchmarkFile(b *testing.B) {
	dir, paths := b.TempDir(), map[string]string{}
	for _, mix := range []string{"small", "large"} {
		for _, by := range []struct {
			name string
			read func(*testing.B, string) int
		}{{"floor", floor}, {"reader", readAll}, {"ibwire", readAndDecode}} {
			b.Run("mix="+mix+"/by="+by.name, func(b *testing.B) {
				if paths[mix] == "" {
					paths[mix] = captureFile(b, dir, mix)
				}
				path := paths[mix]
				info, err := os.Stat(path)
				require.NoError(b, err)
				b.SetBytes(info.Size())
				b.ReportAllocs()
				n := 0
				for b.Loop() {
					n += by.read(b, path)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/packet")
			})
		}
	}
}

func readAll(b *testing.B, path string) (n int) {
	return readFile(b, path, func(rec *capture.Record) { sink += uint64(rec.Length) })
}

func readAndDecode(b *testing.B, path string) (n int) {
	var p ibwire.Packet
	return readFile(b, path, func(rec *capture.Record) {
		if err := p.Decode(rec.LinkType, rec.Data); err != nil {
			b.Fatal(err)
		}
		sink += uint64(p.BTH.PSN)
	})
}

func readFile(b *testing.B, path string, each func(*capture.Record)) (n int) {
	r, err := capture.Open(path)
	require.NoError(b, err)
	defer r.Close()
	for {
		rec, err := r.Next()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				b.Fatal(err)
			}
			return n
		}
		each(rec)
		n++
	}
}

// floorBuffer is of the size that capture.Reader has.
var floorBuffer = make([]byte, 1<<20)

func floor(b *testing.B, path string) (n int) {
	f, err := os.Open(path)
	require.NoError(b, err)
	defer f.Close()
	buf, pos, end := floorBuffer, 24, 0
	for {
		got, err := f.Read(buf[end:])
		end += got
		for end-pos >= 16 {
			size := 16 + int(binary.LittleEndian.Uint32(buf[pos+8:]))
			if end-pos < size {
				break
			}
			sink += sum(buf[pos+16 : pos+size])
			pos += size
			n++
		}
		if err != nil {
			return n
		}
		end, pos = copy(buf, buf[pos:end]), 0
	}
}

// sum adds up the fields of LRH, GRH and BTH of the packet in an ERF record.
func sum(r []byte) uint64 {
	be := binary.BigEndian
	at := 16
	for more := r[8]; more&0x80 != 0; at += 8 {
		more = r[at]
	}
	s := uint64(r[at]>>4) + uint64(be.Uint16(r[at+2:])) + uint64(be.Uint16(r[at+4:])&0x7ff) + uint64(be.Uint16(r[at+6:]))
	lnh := r[at+1] & 3
	at += lrh.Size
	if lnh == 3 {
		s += uint64(be.Uint32(r[at:])) + be.Uint64(r[at+8:]) + be.Uint64(r[at+16:]) + be.Uint64(r[at+24:]) + be.Uint64(r[at+32:])
		at += grh.Size
	}
	return s + uint64(r[at]) + uint64(be.Uint16(r[at+2:])) + uint64(be.Uint32(r[at+4:])&0xffffff) + uint64(be.Uint32(r[at+8:])&0xffffff)
}

// benchmarkPackets runs decode over packets, and reports the time of a packet and
// of a layer.
func benchmarkPackets(b *testing.B, name string, packets [][]byte, decode func([]byte) (layers int)) {
	b.Run(name, func(b *testing.B) {
		bytes, all, i := 0, 0, 0
		for _, p := range packets {
			bytes += len(p)
			all += decode(p)
		}
		b.SetBytes(int64(bytes / len(packets)))
		b.ReportAllocs()
		for b.Loop() {
			if decode(packets[i]) == 0 {
				b.Fatal("decode")
			}
			if i++; i == len(packets) {
				i = 0
			}
		}
		perPacket := float64(all) / float64(len(packets))
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/perPacket, "ns/layer")
	})
}

// benchmarked is the number of packets that a benchmark decodes again and again,
// 100 KB: they stay in the caches, but are more than the processor learns. What it
// costs to fetch them is for BenchmarkFile to show.
const benchmarked = 1000

func BenchmarkPacket(b *testing.B) {
	for _, mix := range []string{"SEND", "WRITE", "small"} {
		var p ibwire.Packet
		benchmarkPackets(b, "mix="+mix, traffic(b, mix, benchmarked), func(data []byte) int {
			if p.Decode(linktype.InfiniBand, data) != nil {
				return 0
			}
			return len(p.Headers)
		})
	}
}

// parse returns what decodes by a parser of the given layers.
func parse(first gopacket.LayerType, all ...gopacket.DecodingLayer) func([]byte) int {
	c := gopacket.DecodingLayerContainer(gopacket.DecodingLayerSparse(nil))
	for _, l := range all {
		c = c.Put(l)
	}
	p := gopacket.NewDecodingLayerParser(first)
	p.SetDecodingLayerContainer(c)
	var decoded []gopacket.LayerType
	return func(data []byte) int {
		if p.DecodeLayers(data, &decoded) != nil {
			return 0
		}
		return len(decoded)
	}
}

// BenchmarkDecodingLayerParser has beside it the layers of gopacket that most
// programs decode. Native SENDs have one layer less, mixed traffic about as many.
func BenchmarkDecodingLayerParser(b *testing.B) {
	payload := new(gopacket.Payload)
	benchmarkPackets(b, "by=UDP", udpTraffic(b, benchmarked),
		parse(layers.LayerTypeEthernet, new(layers.Ethernet), new(layers.IPv4), new(layers.UDP), payload))
	x := new(ext.Headers)
	for _, mix := range []string{"SEND", "WRITE", "small"} {
		benchmarkPackets(b, "by="+mix, traffic(b, mix, benchmarked),
			parse(lrh.LayerTypeLRH, new(lrh.LRH), new(grh.GRH), &bth.BTH{Ext: x}, x, payload))
	}
}

// BenchmarkNewPacket is the same for gopacket.NewPacket.
func BenchmarkNewPacket(b *testing.B) {
	newPacket := func(first gopacket.Decoder) func([]byte) int {
		return func(data []byte) int {
			p := gopacket.NewPacket(data, first, gopacket.NoCopy)
			if p.ErrorLayer() != nil {
				return 0
			}
			return len(p.Layers())
		}
	}
	benchmarkPackets(b, "by=UDP", udpTraffic(b, benchmarked), newPacket(layers.LayerTypeEthernet))
	for _, mix := range []string{"SEND", "WRITE", "small"} {
		benchmarkPackets(b, "by="+mix, traffic(b, mix, benchmarked), newPacket(lrh.LayerTypeLRH))
	}
}
