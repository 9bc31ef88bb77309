package crc_test

import (
	"testing"

	"github.com/ibwire/ibwire/crc"
)

func BenchmarkVCRC(b *testing.B) {
	p := make([]byte, 1900)
	b.SetBytes(1900)
	for b.Loop() {
		crc.VCRC(p)
	}
}
