package ibwire_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/linktype"
	"github.com/ibwire/ibwire/testdata"
)

// Masks of bits, for each byte of a frame, by what becomes of the status of a CRC
// that is good when one of them flips. All other bits make it Bad.
type flips struct {
	free   []byte // stays Good: not covered, or masked
	length []byte // not covered, but says how much is there: never Bad
	says   []byte // says what follows or where the packet ends: never Good
}

func newFlips(n int) flips { return flips{make([]byte, n), make([]byte, n), make([]byte, n)} }

func set(mask []byte, at int, bits ...byte) { copy(mask[at:], bits) }

func setAll(mask []byte, from, to int) {
	for i := from; i < to; i++ {
		mask[i] = 0xff
	}
}

// erfFlips is what holds in an ERF record without extension headers for both CRCs
// of the packet in it, which begins at 16.
func erfFlips(n int) flips {
	f := newFlips(n)
	setAll(f.free, 0, 8)          // timestamp
	set(f.says, 8, 0xff)          // type, and that an extension header follows
	setAll(f.free, 9, 14)         // flags, rlen, lctr
	set(f.length, 14, 0xff, 0xff) // wlen
	set(f.says, 16+1, 0x03)       // LNH
	set(f.says, 16+4, 0x07, 0xff) // PktLen
	return f
}

// grhFlips adds what holds for the ICRC in a GRH, or an IPv6 header, at a place.
func grhFlips(f flips, at int) {
	set(f.free, at, 0x0f, 0xff, 0xff, 0xff) // TClass, FlowLabel
	set(f.says, at+4, 0xff, 0xff, 0xff)     // PayLen, NxtHdr
	set(f.free, at+7, 0xff)                 // HopLmt
}

func bthFlips(f flips, at int) {
	set(f.says, at, 0xff)   // opcode: it may announce longer headers than there are
	set(f.free, at+4, 0xff) // FECN, BECN, Rsv6
}

// nativeFlips is for the ICRC of a native packet in an ERF record.
func nativeFlips(frame []byte) flips {
	f := erfFlips(len(frame))
	set(f.free, 16, 0xf0) // VL
	bth := 16 + 8
	if frame[16+1]&3 == 3 {
		set(f.free, 16, 0xff, 0xfc, 0xff, 0xff, 0xf8, 0, 0xff, 0xff) // all of the LRH but for the above
		grhFlips(f, 16+8)
		bth += 40
	}
	bthFlips(f, bth)
	setAll(f.free, len(frame)-2, len(frame)) // VCRC
	return f
}

// rocev2Flips is for RoCE v2 over IPv4 without options.
func rocev2Flips(frame []byte) flips {
	f := newFlips(len(frame))
	setAll(f.free, 0, 12)       // MAC addresses
	set(f.says, 12, 0xff, 0xff) // EtherType
	const ip, udp, bth = 14, 34, 42
	set(f.says, ip, 0xff, 0, 0xff, 0xff)   // version, IHL, length
	set(f.free, ip+1, 0xff)                // TOS
	set(f.says, ip+6, 0x3f, 0xff)          // more fragments, fragment offset
	set(f.free, ip+8, 0xff, 0, 0xff, 0xff) // TTL, checksum
	set(f.says, ip+9, 0xff)                // protocol
	set(f.says, udp+2, 0xff, 0xff)         // destination port
	set(f.says, udp+4, 0xff, 0xff)         // length
	set(f.free, udp+6, 0xff, 0xff)         // checksum
	bthFlips(f, bth)
	return f
}

// check flips every bit of a frame, in place.
func (f flips) check(t *testing.T, link linktype.Type, frame []byte, crc func(*ibwire.Packet) ibwire.CRC) {
	t.Helper()
	var p ibwire.Packet
	for at := range frame {
		for bit := byte(1); bit != 0; bit <<= 1 {
			frame[at] ^= bit
			_ = p.Decode(link, frame) // of a header that is cut now
			got := crc(&p).Status
			frame[at] ^= bit
			ok := got == ibwire.Bad
			switch {
			case f.free[at]&bit != 0:
				ok = got == ibwire.Good
			case f.length[at]&bit != 0:
				ok = got != ibwire.Bad
			case f.says[at]&bit != 0:
				ok = got != ibwire.Good
			}
			if !ok {
				t.Errorf("byte %d, bit %#x: %v", at, bit, got)
			}
		}
	}
}

// Every bit of every real packet: one that a CRC covers makes it Bad, any other
// leaves it Good.
func TestEveryBitOfRealPackets(t *testing.T) {
	icrc, vcrc := (*ibwire.Packet).ICRC, (*ibwire.Packet).VCRC
	var p ibwire.Packet
	native, rocev2 := 0, 0
	for _, f := range testdata.Frames(t, testdata.Shared(t, "captures/infiniband-erf-01-31.pcap")[0]) {
		require.NoError(t, p.Decode(linktype.ERF, f.Data))
		require.Equal(t, ibwire.Good, p.ICRC().Status)
		require.Equal(t, ibwire.Good, p.VCRC().Status)
		nativeFlips(f.Data).check(t, linktype.ERF, f.Data, icrc)
		flips := erfFlips(len(f.Data))
		if f.Data[16+1]&3 == 3 {
			set(flips.length, 16+8+4, 0xff, 0xff) // PayLen
		}
		flips.check(t, linktype.ERF, f.Data, vcrc)
		native++
	}
	for _, f := range testdata.Frames(t, testdata.Shared(t, "captures/rocev2-huawei-send-001-070.pcap")[0]) {
		if binary.BigEndian.Uint16(f.Data[12:]) != 0x0800 || f.Data[23] != 17 {
			continue // IPv6 without InfiniBand, TCP
		}
		require.NoError(t, p.Decode(linktype.Ethernet, f.Data))
		require.Equal(t, ibwire.Good, p.ICRC().Status)
		require.Equal(t, ibwire.NotPresent, p.VCRC().Status)
		rocev2Flips(f.Data).check(t, linktype.Ethernet, f.Data, icrc)
		rocev2++
	}
	require.Equal(t, 31, native)
	require.Equal(t, 56, rocev2)
}
