package crc_test

import (
	"fmt"
	"hash/crc32"
	"testing"

	"github.com/ibwire/ibwire/crc"
)

// BenchmarkCRC shows what the CRCs cost, in packets of a message of 64 bytes, of
// MTUs of 1024, 2048 and 4096. Beside them stands hash/crc32 over the same
// bytes, which no ICRC in Go can beat: benchstat -col /by shows the ratios.
func BenchmarkCRC(b *testing.B) {
	var c crc.ICRC
	icrc := func(m method) func([]byte) {
		return func(p []byte) {
			if _, ok := m.sum(&c, p); !ok {
				b.Fatal("no ICRC")
			}
		}
	}
	for _, n := range []int{97, 1024, 1900, 4096} {
		for _, s := range []struct {
			name   string
			layout string
			sum    func([]byte)
		}{
			{"crc32", "native local", func(p []byte) { crc32.ChecksumIEEE(p) }},
			{"ICRC-local", "native local", icrc(native)},
			{"ICRC-global", "native global", icrc(native)},
			{"ICRC-RoCEv1", "RoCE v1", icrc(rocev1)},
			{"ICRC-RoCEv2-IPv4", "IPv4 of IHL 5", icrc(rocev2)},
			{"ICRC-RoCEv2-IPv6", "IPv6", icrc(rocev2)},
			{"VCRC", "native local", func(p []byte) { crc.VCRC(p) }},
		} {
			p := append(layouts()[s.layout].header, bytes(n)...)[:n]
			b.Run(fmt.Sprintf("n=%d/by=%s", n, s.name), func(b *testing.B) {
				b.SetBytes(int64(n))
				b.ReportAllocs()
				for b.Loop() {
					s.sum(p)
				}
			})
		}
	}
}
