package capture_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/capture"

	"github.com/ibwire/ibwire/linktype"
)

// set returns b with the 32-bit number at i replaced; a negative i counts from
// the end.
func set(b []byte, i int, v uint32) []byte {
	b = bytes.Clone(b)
	if i < 0 {
		i += len(b)
	}
	le.PutUint32(b[i:], v)
	return b
}

// numbered returns an enhanced packet block whose data is n.
func numbered(n byte) []byte { return enhanced(le, 0, 0, 1, []byte{n}) }

// A block that contradicts itself is skipped by its length, with a warning, and
// the next one is read.
func TestPcapngDamagedBlock(t *testing.T) {
	good := enhanced(le, 0, 0, 8, counting(8))
	huge := block(le, 6, make([]byte, 1<<19))
	for _, tt := range []struct {
		name      string
		block     []byte
		delivered bool // all the same
		found     string
		want      string
	}{
		{"more data than the block", set(good, 20, 9), false, "a packet of 9 bytes", "at most 8"},
		{"length of 4 GiB", set(good, 20, 1<<32-1), false, "a packet of 4294967295 bytes", "at most 8"},
		{"obsolete block, more data than the block", set(obsolete(le, 0, 0, 8, counting(8)), 20, 9), false, "a packet of 9 bytes", "at most 8"},
		{"no such interface", set(good, 8, 1), false, "a packet of interface 1", "one of the 1 described before"},
		{"interface 4294967295", set(good, 8, 1<<32-1), false, "a packet of interface 4294967295", "one of the 1 described before"},
		{"obsolete block, no such interface", obsolete(le, 7, 0, 8, counting(8)), false, "a packet of interface 7", "one of the 1 described before"},
		{"enhanced block too short", block(le, 6, make([]byte, 16)), false, "a packet block of 28 bytes", "at least 32"},
		{"obsolete block too short", block(le, 2, make([]byte, 16)), false, "a packet block of 28 bytes", "at least 32"},
		{"simple block too short", block(le, 3), false, "a packet block of 12 bytes", "at least 16"},
		{"interface block too short", block(le, 1, make([]byte, 4)), false, "an interface block of 16 bytes", "at least 20"},
		{"huge packet", set(huge, 20, 1<<18+1), false, "a block of 524300 bytes", "at most 524288"},
		{"huge interface", block(le, 1, make([]byte, 1<<20)), false, "a block of 1048588 bytes", "at most 524288"},
		{"packet of 256 KiB and a byte", enhanced(le, 0, 0, 8, make([]byte, 1<<18+1)), false, "a packet of 262145 bytes", "at most 262144"},
		{"simple packet of 256 KiB and a byte", simple(le, 1<<18+1, make([]byte, 1<<18+1)), false, "a packet of 262145 bytes", "at most 262144"},
		{"lengths differ", set(good, -4, 44), true, "length 44 at the end of a block", "40"},
		{"lengths of a block without a packet differ", set(block(le, 5, make([]byte, 8)), -4, 0), false, "length 0 at the end of a block", "20"},
		{"option too long", ifaceBlock(le, 1, 0, option(le, 2, []byte("ib0")), u16s(le, 9, 5, 0, 0)), false,
			"an option that does not fit its interface block", "options that do"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := slices.Concat(section(le), ifaceBlock(le, 247, 0), numbered(1), tt.block, numbered(2))
			got, warnings, err := readBytes(t, file)
			require.Equal(t, io.EOF, err)
			if tt.delivered {
				require.Len(t, got, 3)
				require.Equal(t, counting(8), got[1].Data)
			} else {
				require.Len(t, got, 2)
			}
			require.Equal(t, []byte{2}, got[len(got)-1].Data)
			require.Len(t, warnings, 1)
			require.Equal(t, tt.found, warnings[0].Found)
			require.Equal(t, tt.want, warnings[0].Want)
			require.ErrorIs(t, warnings[0], capture.ErrDamaged)
			require.EqualValues(t, 2, warnings[0].Packet)
			require.EqualValues(t, got[0].Offset+36, warnings[0].Offset)
		})
	}
}

// These leave nobody to tell where the next block is.
func TestPcapngDamagedFile(t *testing.T) {
	for _, tt := range []struct {
		name   string
		block  []byte
		is     error
		found  string
		packet int64
	}{
		{"block length 0", u32s(le, 6, 0, 0), capture.ErrDamaged, "a block of 0 bytes", 2},
		{"block length 11", u32s(le, 6, 11, 0), capture.ErrDamaged, "a block of 11 bytes", 2},
		{"block length of 4 GiB", u32s(le, 5, 1<<32-4, 0), io.ErrUnexpectedEOF, "12 bytes of a block", 2},
		{"last block length", u32s(le, 6, 1<<32-1, 0), io.ErrUnexpectedEOF, "12 bytes of a block", 2},
		{"section length 24", set(section(le), 4, 24), capture.ErrDamaged, "a section header of 24 bytes", 2},
		{"byte-order magic", set(section(le), 8, 0x1a2b3c4e), capture.ErrDamaged, "byte-order magic 4e 3c 2b 1a", 2},
		{"version 2", set(section(le), 12, 2), capture.ErrFormat, "pcapng version 2.0", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			first := slices.Concat(section(le), ifaceBlock(le, 247, 0), numbered(1))
			got, warnings, err := readBytes(t, append(first, tt.block...))
			require.Len(t, got, 1)
			require.Empty(t, warnings)
			var e *capture.Error
			require.ErrorAs(t, err, &e)
			require.ErrorIs(t, err, tt.is)
			require.Equal(t, tt.found, e.Found)
			require.Equal(t, tt.packet, e.Packet)
			require.EqualValues(t, len(first), e.Offset)
		})
	}
}

// A damaged description keeps its place among the interfaces.
func TestPcapngUnknownInterface(t *testing.T) {
	file := slices.Concat(section(le), ifaceBlock(le, 1, 0), block(le, 1), ifaceBlock(le, 247, 0),
		enhanced(le, 0, 0, 1, []byte{0}), enhanced(le, 1, 0, 1, []byte{1}), enhanced(le, 2, 0, 1, []byte{2}))
	got, warnings, err := readBytes(t, file)
	require.Equal(t, io.EOF, err)
	require.Len(t, got, 2)
	require.Equal(t, linktype.Ethernet, got[0].LinkType)
	require.Equal(t, linktype.InfiniBand, got[1].LinkType)
	require.Equal(t, 2, got[1].Interface)
	require.Len(t, warnings, 2)
	require.Equal(t, "a packet of interface 1", warnings[1].Found)
}

// Interfaces belong to their section.
func TestPcapngSections(t *testing.T) {
	be := binary.BigEndian
	file := slices.Concat(
		section(le), ifaceBlock(le, 1, 0), ifaceBlock(le, 113, 0), enhanced(le, 1, 0, 1, []byte{0}),
		section(be), enhanced(be, 0, 0, 1, []byte{1}), ifaceBlock(be, 247, 9, option(be, 2, []byte("mlx5_0")), option(be, 3, []byte("port 1"))),
		enhanced(be, 0, 0, 1, []byte{2}), enhanced(be, 1, 0, 1, []byte{3}))
	r, err := capture.NewReader(bytes.NewReader(file))
	require.NoError(t, err)
	require.Empty(t, r.Interfaces())

	rec, err := r.Next()
	require.NoError(t, err)
	require.Equal(t, linktype.LinuxSLL, rec.LinkType)
	require.Equal(t, 1, rec.Section)
	require.Len(t, r.Interfaces(), 2)

	rec, err = r.Next()
	require.NoError(t, err)
	require.Equal(t, []byte{2}, rec.Data)
	require.Equal(t, 2, rec.Section)
	require.Equal(t, []capture.Interface{{
		Name: "mlx5_0", Description: "port 1", LinkType: 247, SnapLen: 9, Resolution: 6, FCSLen: -1,
	}}, r.Interfaces())

	_, err = r.Next()
	require.Equal(t, io.EOF, err)
	require.Equal(t, capture.Counts{Packets: 2, Warnings: 2}, r.Counts())
}

func TestPcapngTime(t *testing.T) {
	for _, tt := range []struct {
		name       string
		resolution []byte
		offset     int64
		ticks      uint64
		want       time.Time
	}{
		{"no option", nil, 0, 1_500_000, time.Unix(1, 500_000_000)},
		{"seconds", []byte{0}, 0, 1600000000, time.Unix(1600000000, 0)},
		{"milliseconds", []byte{3}, 0, 1_500, time.Unix(1, 500_000_000)},
		{"microseconds", []byte{6}, 0, 1_500_000, time.Unix(1, 500_000_000)},
		{"nanoseconds", []byte{9}, 0, 1_500_000_001, time.Unix(1, 500_000_001)},
		{"picoseconds", []byte{12}, 0, 1_500_000_000_999, time.Unix(1, 500_000_000)},
		{"10^-19", []byte{19}, 0, 15_000_000_009_999_999_999, time.Unix(1, 500_000_000)},
		{"10^-20", []byte{20}, 0, 5_000_000_000_000_000_000, time.Unix(0, 50_000_000)},
		{"10^-127", []byte{127}, 0, 1<<64 - 1, time.Unix(0, 0)},
		{"1", []byte{0x80}, 0, 7, time.Unix(7, 0)},
		{"1/1024", []byte{0x80 | 10}, 0, 1536, time.Unix(1, 500_000_000)},
		{"2^-32", []byte{0x80 | 32}, 0, 3<<31 | 0x80, time.Unix(1, 500_000_029)},
		{"2^-63", []byte{0x80 | 63}, 0, 3 << 62, time.Unix(1, 500_000_000)},
		{"2^-64", []byte{0x80 | 64}, 0, 3 << 62, time.Unix(0, 750_000_000)},
		{"2^-127", []byte{0xff}, 0, 1<<64 - 1, time.Unix(0, 0)},
		{"offset", []byte{6}, 1600000000, 1_500_000, time.Unix(1600000001, 500_000_000)},
		{"offset before 1970", []byte{9}, -10, 1_500_000_000, time.Unix(-9, 500_000_000)},
		{"option of a wrong length", []byte{9, 9}, 0, 1_500_000, time.Unix(1, 500_000_000)},
	} {
		for _, o := range orders {
			t.Run(tt.name+"_"+o.name, func(t *testing.T) {
				var options []byte
				if tt.resolution != nil {
					options = option(o, 9, tt.resolution)
				}
				if tt.offset != 0 {
					options = append(options, option(o, 14, int64s(o, tt.offset))...)
				}
				file := slices.Concat(section(o), ifaceBlock(o, 1, 0, options), enhanced(o, 0, tt.ticks, 0, nil))
				got, warnings, err := readBytes(t, file)
				require.Equal(t, io.EOF, err)
				require.Empty(t, warnings)
				require.Equal(t, tt.want.UTC(), got[0].Time)
				require.Equal(t, got[0].Time, got[0].RecordTime)
			})
		}
	}
}

// A simple packet block does not say how much was captured.
func TestPcapngSimple(t *testing.T) {
	for _, tt := range []struct {
		name    string
		snapLen uint32
		length  int
		inBlock int
		want    int
	}{
		{"all", 0, 10, 10, 10},
		{"snap length above", 11, 10, 10, 10},
		{"snap length below", 6, 10, 6, 6},
		{"no snap length but cut", 0, 100, 8, 8},
		{"snap length above the block", 50, 100, 8, 8},
		{"nothing", 0, 0, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			data := counting(tt.inBlock)
			file := slices.Concat(section(le), ifaceBlock(le, 1, tt.snapLen), simple(le, tt.length, data), numbered(9))
			got, warnings, err := readBytes(t, file)
			require.Equal(t, io.EOF, err)
			require.Empty(t, warnings)
			require.Len(t, got, 2)
			require.Equal(t, data[:tt.want], got[0].Data)
			require.Equal(t, tt.length, got[0].Length)
			require.True(t, got[0].Time.IsZero())
		})
	}
}

func TestPcapngFCS(t *testing.T) {
	flags := func(v uint32) []byte { return option(le, 2, u32s(le, v)) }
	for _, tt := range []struct {
		name          string
		iface, packet []byte
		want          int
	}{
		{"not said", nil, nil, -1},
		{"interface, in bits", option(le, 13, []byte{32}), nil, 4},
		{"interface, in bytes", option(le, 13, []byte{4}), nil, 4},
		{"interface, none", option(le, 13, []byte{0}), nil, 0},
		{"packet", nil, flags(4 << 5), 4},
		{"packet before interface", option(le, 13, []byte{16}), flags(4<<5 | 3), 4},
		{"packet does not say", option(le, 13, []byte{16}), flags(3), 2},
		{"behind a comment", nil, append(option(le, 1, []byte("hello")), flags(2<<5)...), 2},
		{"behind the end of options", nil, append(option(le, 0, nil), flags(2<<5)...), -1},
		{"behind a damaged option", nil, append(u16s(le, 1, 60000), flags(2<<5)...), -1},
		{"damaged flags", nil, option(le, 2, u16s(le, 4<<5)), -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, b := range [][]byte{enhanced(le, 0, 0, 5, counting(5), tt.packet), obsolete(le, 0, 0, 5, counting(5), tt.packet)} {
				got, warnings, err := readBytes(t, slices.Concat(section(le), ifaceBlock(le, 1, 0, tt.iface), b))
				require.Equal(t, io.EOF, err)
				require.Empty(t, warnings)
				require.Len(t, got, 1)
				require.Equal(t, tt.want, got[0].FCSLen)
			}
		})
	}
}

// Some writers do not count the padding in the length of a block.
func TestPcapngUnalignedLength(t *testing.T) {
	for _, last := range []uint32{37, 40} {
		unaligned := set(set(enhanced(le, 0, 0, 5, counting(5)), 4, 37), -4, last)
		got, warnings, err := readBytes(t, slices.Concat(section(le), ifaceBlock(le, 1, 0), unaligned, numbered(2)))
		require.Equal(t, io.EOF, err)
		require.Empty(t, warnings)
		require.Len(t, got, 2)
		require.Equal(t, counting(5), got[0].Data)
	}
}

// Names are cut, and interfaces beyond a limit are not kept.
func TestPcapngLimits(t *testing.T) {
	const limit = 1 << 14
	long := bytes.Repeat([]byte{'x'}, 300)
	file := append(section(le), ifaceBlock(le, 1, 0, option(le, 2, long), option(le, 3, long))...)
	file = append(file, bytes.Repeat(ifaceBlock(le, 247, 0), limit)...)
	file = append(file, enhanced(le, limit-1, 0, 0, nil)...)
	file = append(file, enhanced(le, limit, 0, 0, nil)...)
	warnings := 0
	r, err := capture.NewReader(bytes.NewReader(file), capture.OnWarning(func(*capture.Error) { warnings++ }))
	require.NoError(t, err)
	got, err := readAll(r)
	require.Equal(t, io.EOF, err)
	require.Len(t, got, 1)
	require.Equal(t, limit-1, got[0].Interface)
	require.Equal(t, 2, warnings)
	require.Len(t, r.Interfaces(), limit)
	require.Len(t, r.Interfaces()[0].Name, 255)
	require.Len(t, r.Interfaces()[0].Description, 255)
}

// Blocks without packets may be larger than the read buffer.
func TestPcapngLargeBlock(t *testing.T) {
	file := slices.Concat(section(le), ifaceBlock(le, 1, 0), block(le, 10, make([]byte, 5<<20)), numbered(1))
	got, warnings, err := readBytes(t, file)
	require.Equal(t, io.EOF, err)
	require.Empty(t, warnings)
	require.Len(t, got, 1)
	require.EqualValues(t, 28+20+12+5<<20, got[0].Offset)
}
