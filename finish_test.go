package ibwire_test

import (
	"encoding/binary"
	"encoding/hex"
	"io"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/crc"
	"github.com/ibwire/ibwire/linktype"
	"github.com/ibwire/ibwire/testdata"
)

// icrcPlace returns where the ICRC of a RoCE v2 frame is, by the UDP length, and
// where its IP and UDP headers are.
func icrcPlace(frame []byte) (ip, udp, icrc int) {
	ip = 14
	for frame[ip-2] == 0x81 && frame[ip-1] == 0 || frame[ip-2] == 0x88 && frame[ip-1] == 0xa8 {
		ip += 4
	}
	udp = ip + 40
	if frame[ip]>>4 == 4 {
		udp = ip + int(frame[ip]&0xf)*4
	}
	return ip, udp, udp + int(binary.BigEndian.Uint16(frame[udp+4:])) - 4
}

// udpSum returns the sum that the UDP checksum of a frame is made of, all its bytes
// included: of a right one it is 0xffff.
func udpSum(frame []byte) uint16 {
	ip, udp, icrc := icrcPlace(frame)
	addresses := frame[ip+12 : ip+20]
	if frame[ip]>>4 == 6 {
		addresses = frame[ip+8 : ip+40]
	}
	sum := uint64(17) + uint64(icrc+4-udp)
	for _, part := range [][]byte{addresses, frame[udp : icrc+4]} {
		for i, b := range part {
			sum += uint64(b) << (8 * (1 - i%2))
		}
	}
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return uint16(sum)
}

// rocev2Frames returns the frames of testdata whose ICRC Finish can be asked for,
// also at odd places, with padding behind them, and through VLAN tags.
func rocev2Frames(t *testing.T) (frames [][]byte) {
	t.Helper()
	for _, name := range []string{"rocev2-ipv4.pcap", "rocev2-ipv6.pcap", "pads-roce.pcap", "ether.pcap"} {
		for _, f := range testdata.Frames(t, testdata.Path(t, name)) {
			var p ibwire.Packet
			if p.Decode(linktype.Ethernet, f.Data) != nil || !p.HasICRC() || p.Encapsulation() != ibwire.RoCEv2 || p.Has(ibwire.IPv6Ext) {
				continue
			}
			if _, udp, icrc := icrcPlace(f.Data); !p.Has(ibwire.IPv4) || udp+int(p.IPv4.Length)-len(p.IPv4.Contents) == icrc+4 {
				frames = append(frames, f.Data)
			}
		}
	}
	require.Greater(t, len(frames), 190)
	return frames
}

// The ICRC comes to its place, and the UDP checksum that has covered another one
// is right afterwards.
func TestFinishRoCEv2(t *testing.T) {
	odd := 0
	for i, frame := range rocev2Frames(t) {
		_, udp, icrc := icrcPlace(frame)
		odd += (icrc - udp) % 2
		for _, old := range []string{"\x00\x00\x00\x00", "\xff\xff\xff\xff", "\x12\x34\x56\x78", "\x00\xff\x00\x00"} {
			without := slices.Clone(frame)
			copy(without[icrc:], old)
			copy(without[udp+6:], "\x00\x00")
			unfinished := slices.Clone(without)
			require.NoError(t, ibwire.Finish(linktype.Ethernet, without))
			require.Equal(t, frame[icrc:icrc+4], without[icrc:icrc+4], "frame %d", i)
			copy(unfinished[icrc:], frame[icrc:icrc+4])
			require.Equal(t, unfinished, without, "no checksum, and nothing else has changed")

			with := slices.Clone(frame)
			copy(with[icrc:], old)
			copy(with[udp+6:], "\x00\x00")
			binary.BigEndian.PutUint16(with[udp+6:], ^udpSum(with))
			require.Equal(t, uint16(0xffff), udpSum(with))
			require.NoError(t, ibwire.Finish(linktype.Ethernet, with))
			require.Equal(t, uint16(0xffff), udpSum(with), "frame %d", i)
			copy(with[udp+6:], "\x00\x00")
			require.Equal(t, without, with, "nothing else has changed")
		}
	}
	require.Positive(t, odd, "an ICRC at an odd place")
}

// A UDP checksum that comes to 0 is sent as ones: 0 says that there is none.
func TestFinishSendsNoChecksumOfZero(t *testing.T) {
	frame := testdata.Frames(t, testdata.Path(t, "rocev2-ipv4.pcap"))[0].Data
	_, udp, icrc := icrcPlace(frame)
	for n := range 1 << 20 {
		binary.BigEndian.PutUint32(frame[icrc-4:], uint32(n)) // pad or payload
		copy(frame[icrc:], "\x00\x00\x00\x00")
		copy(frame[udp+6:], "\x00\x00")
		if sum := udpSum(frame); sum != 0xffff {
			binary.BigEndian.PutUint16(frame[udp+6:], ^sum)
		} else {
			continue
		}
		require.NoError(t, ibwire.Finish(linktype.Ethernet, frame))
		if frame[udp+6] == 0xff && frame[udp+7] == 0xff {
			require.Equal(t, uint16(0xffff), udpSum(frame))
			return
		}
		require.False(t, frame[udp+6] == 0 && frame[udp+7] == 0)
	}
	require.Fail(t, "no frame with such a checksum")
}

// CRCs of native packets, in a record or not, and of RoCE v1 are written too.
func TestFinishOthers(t *testing.T) {
	for _, name := range []string{"native.pcap", "native.erf.pcap", "native-padded.erf", "rocev1.pcap"} {
		n := 0
		for _, f := range testdata.Frames(t, testdata.Path(t, name)) {
			var p ibwire.Packet
			if p.Decode(linkOf(f), f.Data) != nil || !p.HasICRC() || p.Has(ibwire.UDP) {
				continue
			}
			n++
			frame := slices.Clone(f.Data)
			last := p.Headers[len(p.Headers)-1]
			at := last.Offset + last.Length + len(p.Payload) + len(p.Pad)
			copy(frame[at:], "\xde\xad\xbe\xef")
			if p.HasVCRC() {
				copy(frame[at+4:], "\x12\x34")
			}
			require.NotEqual(t, f.Data, frame)
			require.NoError(t, ibwire.Finish(linkOf(f), frame))
			require.Equal(t, f.Data, frame, "%s, frame %d", name, f.N)
		}
		require.GreaterOrEqual(t, n, 90, name)
	}
}

func TestFinishErrors(t *testing.T) {
	rocev2 := testdata.Frames(t, testdata.Path(t, "rocev2-ipv4.pcap"))[0].Data
	native := testdata.Frames(t, testdata.Path(t, "native.pcap"))[0].Data
	with := func(frame []byte, at int, b ...byte) []byte {
		frame = slices.Clone(frame)
		copy(frame[at:], b)
		return frame
	}
	for _, c := range []struct {
		name  string
		link  linktype.Type
		frame []byte
		is    error
		text  string
	}{
		{"nothing", linktype.Ethernet, nil, io.ErrUnexpectedEOF, "Ethernet needs 14 bytes, have 0"},
		{"cut in the BTH", linktype.Ethernet, rocev2[:50], io.ErrUnexpectedEOF, "bth: need 12 bytes, have 8"},
		{"cut in the ICRC", linktype.Ethernet, rocev2[:len(rocev2)-1], ibwire.ErrNoICRC, "headers [Ethernet IPv4 UDP BTH], truncated: true"},
		{"first fragment", linktype.Ethernet, with(rocev2, 20, 0x20), ibwire.ErrNoICRC, "headers [Ethernet IPv4 UDP BTH], truncated: true"},
		{"later fragment", linktype.Ethernet, with(rocev2, 20, 0x00, 0x10), ibwire.ErrNoICRC, "headers [Ethernet IPv4], truncated: false"},
		{"TCP", linktype.Ethernet, with(rocev2, 23, 6), ibwire.ErrNoICRC, "headers [Ethernet IPv4], truncated: false"},
		{"another port", linktype.Ethernet, with(rocev2, 36, 0x39, 0xc7), ibwire.ErrNoICRC, "headers [Ethernet IPv4 UDP], truncated: false"},
		{"cut native packet", linktype.InfiniBand, native[:len(native)-3], ibwire.ErrNoICRC, "headers [LRH BTH], truncated: true"},
		{"raw packet", linktype.InfiniBand, testdata.Frames(t, testdata.Path(t, "raw.pcap"))[2].Data, ibwire.ErrNoICRC, "headers [LRH RWH"},
		{"BTH that no header is outside of", linktype.Type(300), rocev2, ibwire.ErrNoICRC, "ibwire: no place for an ICRC: headers [], truncated: false"},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := slices.Clone(c.frame)
			err := ibwire.Finish(c.link, c.frame)
			require.ErrorIs(t, err, c.is)
			require.ErrorContains(t, err, c.text)
			require.Equal(t, before, c.frame, "nothing is written")
		})
	}
}

// A port of RoCE v2 that is named to Finish is one for that call.
func TestFinishOnAnotherPort(t *testing.T) {
	frame := unhex(t, "0002c90000020002c9000001080045c2003c12344000401113b90a0000010a000002c000"+"39c7"+"00280000"+
		"8140ffff4000012300000010"+"00000000000000000000000000000000"+"00000000")
	require.ErrorIs(t, ibwire.Finish(linktype.Ethernet, frame), ibwire.ErrNoICRC)
	require.NoError(t, ibwire.Finish(linktype.Ethernet, frame, 9, 14791))
	p := ibwire.Packet{Ports: []uint16{14791}}
	require.NoError(t, p.Decode(linktype.Ethernet, frame))
	require.Equal(t, good, p.ICRC().Status)
	require.NotEqual(t, "00000000", hex.EncodeToString(frame[len(frame)-4:]))
	require.ErrorIs(t, ibwire.Finish(linktype.Ethernet, frame), ibwire.ErrNoICRC)
}

// Inside a tunnel, the checksums of both UDP headers cover the ICRC, and each
// other.
func TestFinishInTunnel(t *testing.T) {
	want := testdata.Frames(t, testdata.Path(t, "rocev2-ipv4.pcap"))[0].Data
	setSum := func(frame []byte) {
		_, udp, _ := icrcPlace(frame)
		copy(frame[udp+6:], "\x00\x00")
		binary.BigEndian.PutUint16(frame[udp+6:], ^udpSum(frame))
	}
	for _, sums := range []struct{ outer, inner bool }{{false, false}, {false, true}, {true, false}, {true, true}} {
		inner := slices.Clone(want)
		_, udp, icrc := icrcPlace(inner)
		copy(inner[icrc:], "\x12\x34\x56\x78")
		copy(inner[udp+6:], "\x00\x00")
		if sums.inner {
			setSum(inner)
		}
		const header = 50
		frame := over(t, 17, "c000 12b5 0000 0000 0800000000000100", inner)
		binary.BigEndian.PutUint16(frame[38:], uint16(len(frame)-34))
		if sums.outer {
			setSum(frame)
		}
		require.NoError(t, ibwire.Finish(linktype.Ethernet, frame))
		require.Equal(t, want[icrc:icrc+4], frame[header+icrc:header+icrc+4])
		if sums.outer {
			require.EqualValues(t, 0xffff, udpSum(frame), sums)
		}
		if sums.inner {
			require.EqualValues(t, 0xffff, udpSum(frame[header:]), sums)
		}
	}
}

// A checksum of GRE covers the ICRC too, but for where that of UDP makes up for it.
func TestFinishInGRE(t *testing.T) {
	for _, withSum := range []bool{false, true} {
		inner := slices.Clone(testdata.Frames(t, testdata.Path(t, "rocev2-ipv4.pcap"))[0].Data)
		_, udp, icrc := icrcPlace(inner)
		copy(inner[icrc:], "\x12\x34\x56\x78")
		copy(inner[udp+6:], "\x00\x00")
		if withSum {
			binary.BigEndian.PutUint16(inner[udp+6:], ^udpSum(inner))
		}
		const gre = 34
		frame := over(t, 47, "8000 6558 0000 0000", inner)
		binary.BigEndian.PutUint16(frame[gre+4:], ^onesSum(frame[gre:]))
		require.NoError(t, ibwire.Finish(linktype.Ethernet, frame))
		require.EqualValues(t, 0xffff, onesSum(frame[gre:]), withSum)
	}
}

// onesSum returns the sum of words that checksums of the Internet are made of.
func onesSum(b []byte) uint16 {
	sum := uint64(0)
	for i, x := range b {
		sum += uint64(x) << (8 * (1 - i%2))
	}
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return uint16(sum)
}

// The VCRC of a mirror covers what is mirrored, with its CRCs.
func TestFinishMirror(t *testing.T) {
	want := mirror(t, "1123", sample+"45fa")
	end := len(want) - 2
	binary.BigEndian.PutUint16(want[end:], crc.VCRC(want[:end]))
	frame := slices.Clone(want)
	copy(frame[end:], "\x00\x00")
	copy(frame[16+len(sample)/2-4:], "\x00\x00\x00\x00\x00\x00") // both CRCs inside
	require.NoError(t, ibwire.Finish(linktype.InfiniBand, frame))
	require.Equal(t, want, frame)
}

// Where the lengths are wrong, the place that they give is one in the payload.
func TestFinishWrongLengths(t *testing.T) {
	right := testdata.Frames(t, testdata.Path(t, "rocev2-ipv4.pcap"))[0].Data
	const ip, udp = 14, 34
	add := func(frame []byte, at, n int) {
		binary.BigEndian.PutUint16(frame[at:], uint16(int(binary.BigEndian.Uint16(frame[at:]))+n))
	}
	for _, c := range []struct {
		name    string
		ip, udp int // what is added to the lengths
		behind  int // bytes behind the frame
		ok      bool
	}{
		{"right", 0, 0, 0, true},
		{"padding", 0, 0, 46, true},
		{"more than padding", 0, 0, 47, false},
		{"UDP too short", 0, -1, 0, false},
		{"IP too short", -1, 0, 0, false},
		{"too long for 16 bits, and so too short", 0, 0, 65536, false},
	} {
		frame := append(slices.Clone(right), make([]byte, c.behind)...)
		add(frame, ip+2, c.ip)
		add(frame, udp+4, c.udp)
		before := slices.Clone(frame)
		err := ibwire.Finish(linktype.Ethernet, frame)
		if c.ok {
			require.NoError(t, err, c.name)
			continue
		}
		require.ErrorIs(t, err, ibwire.ErrNoICRC, c.name)
		require.Equal(t, before, frame, c.name)
	}
}
