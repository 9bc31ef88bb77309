package capture_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"testing"

	"github.com/google/gopacket/pcapgo"

	"github.com/ibwire/ibwire/capture"
)

// benchmarkFile returns a file of packets of 100 bytes.
func benchmarkFile(format string) (data []byte, packets int) {
	const n = 160_000
	in := endless(100)[format]
	return append(bytes.Clone(in.first), bytes.Repeat(in.again, n)...), n
}

// benchmark runs read over the file data, and reports the time of a packet. read
// returns the number of packets.
func benchmark(b *testing.B, data []byte, packets int, read func(io.Reader) int) {
	b.ReportAllocs()
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if n := read(bytes.NewReader(data)); n < packets {
			b.Fatal(n, " packets")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*packets), "ns/packet")
}

// sink keeps what the benchmarks look at.
var sink int

func BenchmarkNext(b *testing.B) {
	for _, format := range []string{"pcap", "pcap_erf", "pcapng", "erf"} {
		b.Run(format, func(b *testing.B) {
			data, packets := benchmarkFile(format)
			benchmark(b, data, packets, func(in io.Reader) (n int) {
				r, err := capture.NewReader(in)
				for err == nil {
					var rec *capture.Record
					if rec, err = r.Next(); err == nil {
						sink += rec.Length + int(rec.Data[0])
						n++
					}
				}
				return n
			})
		})
	}
}

func BenchmarkZeroCopyReadPacketData(b *testing.B) {
	data, packets := benchmarkFile("pcap")
	benchmark(b, data, packets, func(in io.Reader) (n int) {
		r, err := capture.NewReader(in)
		for err == nil {
			var data []byte
			if data, _, err = r.ZeroCopyReadPacketData(); err == nil {
				sink += int(data[0])
				n++
			}
		}
		return n
	})
}

// BenchmarkFloor is the least that a program can do to see each packet of a pcap
// file: no checks, no times, one format.
func BenchmarkFloor(b *testing.B) {
	data, packets := benchmarkFile("pcap")
	buf := make([]byte, 1<<20)
	benchmark(b, data, packets, func(in io.Reader) (n int) {
		pos, end := 24, 0
		for {
			got, err := in.Read(buf[end:])
			end += got
			for end-pos >= 16 {
				size := 16 + int(binary.LittleEndian.Uint32(buf[pos+8:]))
				if end-pos < size {
					break
				}
				sink += int(binary.LittleEndian.Uint32(buf[pos+12:])) + int(buf[pos+16])
				pos += size
				n++
			}
			if err != nil {
				return n
			}
			end = copy(buf, buf[pos:end])
			pos = 0
		}
	})
}

// BenchmarkPcapgo is the reader of gopacket.
func BenchmarkPcapgo(b *testing.B) {
	data, packets := benchmarkFile("pcap")
	data = bytes.Clone(data)
	binary.LittleEndian.PutUint32(data[16:], 65535) // it wants a snap length
	benchmark(b, data, packets, func(in io.Reader) (n int) {
		r, err := pcapgo.NewReader(in)
		for err == nil {
			var data []byte
			if data, _, err = r.ZeroCopyReadPacketData(); err == nil {
				sink += int(data[0])
				n++
			}
		}
		return n
	})
}
