package erf_test

import (
	"encoding/hex"
	"slices"
	"strings"

	"github.com/ibwire/ibwire/erf"
)

// unhex returns the bytes of s, which may hold blanks.
func unhex(s string) []byte {
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		panic(err)
	}
	return b
}

// ibPacket is an RC SEND Only of four bytes from the LRH through the VCRC.
var ibPacket = unhex("0002000200070001 0440ffff0000001100000064 70696e67 01020304 0506")

// ethPacket is an ARP request, padded to the 60 bytes of the shortest frame,
// without FCS.
var ethPacket = unhex("ffffffffffff 020000000001 0806" +
	"0001 0800 0604 0001 020000000001 c0000201 000000000000 c0000202" + strings.Repeat("00", 18))

// record returns a record whose header bytes 8-15 are given in hex, with the
// parts behind them. Its time is 2020-09-13 12:26:40.5.
func record(header string, parts ...[]byte) []byte {
	head := append(unhex("00000080 00105e5f"), unhex(header)...)
	return slices.Concat(append([][]byte{head}, parts...)...)
}

// exts returns n chained extension headers: types 1 to n, bodies of one digit.
func exts(n int) []byte {
	var b []byte
	for i := 1; i <= n; i++ {
		h := slices.Repeat([]byte{byte(i * 0x11)}, erf.ExtHeaderSize)
		h[0] = byte(i)
		if i < n {
			h[0] |= 0x80
		}
		b = append(b, h...)
	}
	return b
}

// samples are records of all shapes. headers are the lengths of the parts that
// must be whole.
var samples = []struct {
	name    string
	data    []byte
	headers []int
}{
	{"infiniband_padded", record("15 04 0030 0000 001e", ibPacket, unhex("0000")), []int{16}},
	{"infiniband_no_padding", record("15 04 0030 0000 001e", ibPacket), []int{16}},
	{"infiniband_rlen_zero", record("15 04 0000 0000 001e", ibPacket), []int{16}},
	{"infiniband_snapped", record("15 00 0030 0000 0100", ibPacket), []int{16}},
	{"infiniband_empty", record("15 04 0010 0000 0000"), []int{16}},
	{"infiniband_header_only", record("15 04 0030 0000 001e"), []int{16}},
	{"infiniband_all_flags", record("15 ff 0030 abcd 001e", ibPacket, unhex("a5a5")), []int{16}},
	{"infiniband_ext1", record("95 04 0038 0000 001e", exts(1), ibPacket, unhex("0000")), []int{16, 8}},
	{"infiniband_ext3", record("95 04 0048 0000 001e", exts(3), ibPacket, unhex("0000")), []int{16, 8, 8, 8}},
	{"infiniband_ext9", record("95 04 0078 0000 001e", exts(9), ibPacket, unhex("0000")), []int{16, 8, 8, 8, 8, 8, 8, 8, 8, 8}},
	{"infiniband_link", record("19 04 0018 0000 0006", unhex("001204567788 0000")), []int{16}},
	{"eth", record("02 04 0050 0000 003c", unhex("0000"), ethPacket, unhex("0000")), []int{16, 2}},
	{"color_eth_ext1", record("8b 05 0056 1234 003c", exts(1), unhex("0102"), ethPacket), []int{16, 8, 2}},
	{"mc_hdlc", record("05 04 0018 0000 0004", unhex("01020304 0f008021")), []int{16, 4}},
	{"aal2_ext3", record("92 04 0030 0000 0004", exts(3), unhex("01020304 05060708")), []int{16, 8, 8, 8, 4}},
	{"ipv4_first_byte", record("16 04 0018 0000 0014", unhex("45")), []int{16}},
	{"meta", record("1b 04 0020 0000 0010", unhex("00020008 00000001 00010004 00000001")), []int{16}},
	{"pad", record("30 00 0020 0000 0000", make([]byte, 16)), []int{16}},
	{"hdlc_pos_snapped", record("01 00 0018 0000 0020", unhex("0f000021 45000000")), []int{16}},
}

// sample returns the record of that name in samples.
func sample(name string) []byte {
	for _, s := range samples {
		if s.name == name {
			return s.data
		}
	}
	panic("no sample " + name)
}
