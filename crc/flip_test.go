package crc_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/crc"
	"github.com/ibwire/ibwire/testdata"
)

// A real packet, found without a decoder.
type real struct {
	method  method
	covered []byte // by the ICRC
	icrc    uint32
	vcrc    []byte // of a native packet, behind the ICRC
}

// realPackets returns the packets of the real captures: 31 native ones in ERF
// records, 56 of RoCE v2 over IPv4 without options.
func realPackets(t *testing.T) (all []real) {
	t.Helper()
	be := binary.BigEndian
	add := func(m method, p []byte, end int) {
		all = append(all, real{m, p[:end-4], be.Uint32(p[end-4:]), p[end:]})
	}
	for _, f := range testdata.Frames(t, testdata.Shared(t, "captures/infiniband-erf-01-31.pcap")[0]) {
		p := f.Data[16:]
		add(native, p, int(be.Uint16(p[4:])&0x7ff)*4)
	}
	require.Len(t, all, 31)
	for _, f := range testdata.Frames(t, testdata.Shared(t, "captures/rocev2-huawei-send-001-070.pcap")[0]) {
		if ip := f.Data[14:]; be.Uint16(f.Data[12:]) == 0x0800 && ip[9] == 17 && be.Uint16(ip[22:]) == 4791 {
			require.Equal(t, byte(0x45), ip[0])
			add(rocev2, ip, int(be.Uint16(ip[2:])))
		}
	}
	require.Len(t, all, 31+56)
	return all
}

// A bit that is masked may change, any other may not.
func TestEveryBitOfRealPackets(t *testing.T) {
	c := new(crc.ICRC)
	for i, r := range realPackets(t) {
		got, ok := r.method.sum(c, r.covered)
		require.True(t, ok)
		require.Equal(t, r.icrc, got, "packet %d", i)
		mask := r.method.masked(r.covered)
		dispatch := 0 // bits of it do not count, but say what counts
		if r.method.name == native.name && r.covered[1]&3 == 3 {
			dispatch = 3 // LNH
		}
		for at := range r.covered {
			for bit := byte(1); bit != 0; bit <<= 1 {
				r.covered[at] ^= bit
				got, ok := r.method.sum(c, r.covered)
				r.covered[at] ^= bit
				same := ok && got == r.icrc
				free := mask[at]&bit != 0 && (at != 1 || int(bit)&dispatch == 0)
				if same != free {
					t.Fatalf("packet %d, byte %d, bit %#x: same is %t, masked is %t", i, at, bit, same, free)
				}
			}
		}
	}
}

func TestEveryBitOfRealPacketsCountsInVCRC(t *testing.T) {
	n := 0
	for i, r := range realPackets(t) {
		if r.method.name != native.name {
			continue
		}
		n++
		want := binary.BigEndian.Uint16(r.vcrc)
		p := r.covered[:len(r.covered)+crc.ICRCSize]
		require.Equal(t, want, crc.VCRC(p), "packet %d", i)
		for at := range p {
			for bit := byte(1); bit != 0; bit <<= 1 {
				p[at] ^= bit
				got := crc.VCRC(p)
				p[at] ^= bit
				if got == want {
					t.Fatalf("packet %d, byte %d, bit %#x does not count", i, at, bit)
				}
			}
		}
	}
	require.Equal(t, 31, n)
}
