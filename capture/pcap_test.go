package capture_test

import (
	"encoding/binary"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/capture"
	"github.com/ibwire/ibwire/erf"
	"github.com/ibwire/ibwire/linktype"
)

var le order = binary.LittleEndian

// Whatever is odd about the header or a packet, both packets are read.
func TestPcapOdd(t *testing.T) {
	data := counting(74)
	for _, tt := range []struct {
		name    string
		header  pcapHeader
		length  int // on the wire, as the file says
		want    capture.Record
		warning string
	}{
		{"captured more than the snap length", pcapHeader{snapLen: 64}, 74,
			capture.Record{LinkType: 247, Length: 74, FCSLen: -1}, ""},
		{"captured more than the length", pcapHeader{snapLen: 65535}, 58,
			capture.Record{LinkType: 247, Length: 58, FCSLen: -1}, ""},
		{"length 0", pcapHeader{snapLen: 65535}, 0,
			capture.Record{LinkType: 247, FCSLen: -1}, ""},
		{"snap length 0", pcapHeader{}, 80,
			capture.Record{LinkType: 247, Length: 80, FCSLen: -1}, ""},
		{"FCS of four bytes", pcapHeader{link: 1 | 1<<26 | 2<<28}, 74,
			capture.Record{LinkType: 1, Length: 74, FCSLen: 4}, ""},
		{"FCS of no bytes", pcapHeader{link: 1 | 1<<26}, 74,
			capture.Record{LinkType: 1, Length: 74, FCSLen: 0}, ""},
		{"FCS of 30 bytes", pcapHeader{link: 1 | 1<<26 | 15<<28}, 74,
			capture.Record{LinkType: 1, Length: 74, FCSLen: 30}, ""},
		{"FCS length without its flag", pcapHeader{link: 1 | 2<<28}, 74,
			capture.Record{LinkType: 1, Length: 74, FCSLen: -1}, ""},
		{"link type of 16 bits", pcapHeader{link: 276}, 74,
			capture.Record{LinkType: linktype.LinuxSLL2, Length: 74, FCSLen: -1}, ""},
		{"last link type", pcapHeader{link: 65535}, 74,
			capture.Record{LinkType: 65535, Length: 74, FCSLen: -1}, ""},
		{"reserved bits", pcapHeader{link: 1 | 0x0bff0000}, 74,
			capture.Record{LinkType: 1, Length: 74, FCSLen: -1},
			"capture: packet 1 at byte 20: found reserved bits 0xbff0000 in the link-type word, expected none: damaged file; read as link type ETHERNET"},
		{"version", pcapHeader{major: 3, minor: 1}, 74,
			capture.Record{LinkType: 247, Length: 74, FCSLen: -1},
			"capture: packet 1 at byte 4: found pcap version 3.1, expected 2.4: damaged file; read as 2.4"},
	} {
		for _, o := range orders {
			t.Run(tt.name+"_"+o.name, func(t *testing.T) {
				tt.header.order = o
				record := pcapRecord(o, 1600000000, 5, tt.length, data)
				file := slices.Concat(tt.header.bytes(), record, record)
				got, warnings, err := readBytes(t, file)
				require.Equal(t, io.EOF, err)
				want := tt.want
				want.Number, want.Offset, want.Section = 1, 24, 1
				want.Time = time.Unix(1600000000, 5000).UTC()
				want.RecordTime = want.Time
				want.Data = data
				second := want
				second.Number, second.Offset = 2, 24+16+74
				require.Equal(t, []capture.Record{want, second}, got)
				if tt.warning == "" {
					require.Empty(t, warnings)
				} else {
					require.Len(t, warnings, 1)
					require.EqualError(t, warnings[0], tt.warning)
				}
			})
		}
	}
}

// Before version 2.3 the lengths stood the other way round, and in it both ways
// are found.
func TestPcapOldLengths(t *testing.T) {
	data := counting(10)
	usual := pcapRecord(le, 0, 0, 99, data)
	swapped := slices.Concat(u32s(le, 0, 0, 99, 10), data)
	for _, tt := range []struct {
		name         string
		major, minor uint16
		record       []byte
	}{
		{"2.1", 2, 1, swapped},
		{"2.2", 2, 2, swapped},
		{"2.3 as before", 2, 3, swapped},
		{"2.3 as after", 2, 3, usual},
		{"2.4", 2, 4, usual},
		{"DG/UX", 543, 1, swapped},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := slices.Concat(pcapHeader{order: le, major: tt.major, minor: tt.minor}.bytes(), tt.record, tt.record)
			got, _, err := readBytes(t, file)
			require.Equal(t, io.EOF, err)
			require.Len(t, got, 2)
			require.Equal(t, data, got[1].Data)
			require.Equal(t, 99, got[1].Length)
		})
	}
}

// A packet may have 256 KiB, and more is damage.
func TestPcapPacketSize(t *testing.T) {
	header := pcapHeader{order: le}.bytes()
	first := pcapRecord(le, 0, 0, 3, counting(3))
	largest := pcapRecord(le, 0, 0, 1<<18, make([]byte, 1<<18))
	got, _, err := readBytes(t, slices.Concat(header, first, largest, largest, largest, largest, largest, first))
	require.Equal(t, io.EOF, err)
	require.Len(t, got, 7)
	require.Len(t, got[5].Data, 1<<18)
	require.Equal(t, counting(3), got[6].Data)

	for _, size := range []uint32{1<<18 + 1, 640034342, 1<<32 - 1} {
		got, _, err := readBytes(t, slices.Concat(header, first, u32s(le, 0, 0, size, size), make([]byte, 1<<20)))
		require.Len(t, got, 1)
		var e *capture.Error
		require.ErrorAs(t, err, &e)
		require.ErrorIs(t, err, capture.ErrDamaged)
		require.EqualValues(t, 2, e.Packet)
		require.EqualValues(t, 24+16+3, e.Offset)
	}
}

// No length is negative, also where an int has 32 bits.
func TestLongLength(t *testing.T) {
	for _, file := range [][]byte{
		append(pcapHeader{order: le}.bytes(), set(pcapRecord(le, 0, 0, 1, counting(1)), 12, 1<<32-1)...),
		slices.Concat(section(le), ifaceBlock(le, 247, 0), set(numbered(1), 24, 1<<32-1)),
		slices.Concat(section(le), ifaceBlock(le, 247, 0), set(simple(le, 1, counting(1)), 8, 1<<32-1)),
	} {
		got, _, err := readBytes(t, file)
		require.Equal(t, io.EOF, err)
		require.Equal(t, 1<<31-1, got[0].Length)
	}
}

// In pcap the time is that of the ERF record, as in Wireshark. Both clocks can
// be read.
func TestPcapERF(t *testing.T) {
	packet := counting(42)
	whole := erfRecord(erfAt, 42, packet, 6)
	ext := slices.Clone(whole)
	ext[8] |= 0x80
	for _, tt := range []struct {
		name   string
		data   []byte
		time   time.Time
		erf    erf.Timestamp
		length int
		record int // length in the record header
	}{
		{"whole", whole, erfAt.Time(), erfAt, 58, 57},
		{"without padding, as ibdump writes", whole[:58], erfAt.Time(), erfAt, 58, 57},
		{"cut", whole[:20], erfAt.Time(), erfAt, 58, 57},
		{"extension header", ext, erfAt.Time(), erfAt, 66, 57},
		{"cut in the extension header", ext[:20], erfAt.Time(), erfAt, 62, 57},
		{"no packet", whole[:16], erfAt.Time(), erfAt, 58, 57},
		{"cut in the header", whole[:15], at, 0, 57, 0},
		{"nothing", nil, at, 0, 57, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			record := pcapRecord(le, uint32(at.Unix()), 0, 57, tt.data)
			got, warnings, err := readBytes(t, append(pcapHeader{order: le, link: 197}.bytes(), record...))
			require.Equal(t, io.EOF, err)
			require.Empty(t, warnings)
			require.Equal(t, []capture.Record{{
				Number: 1, Offset: 24, LinkType: linktype.ERF, Section: 1, Time: tt.time, RecordTime: at,
				ERFTime: tt.erf, Length: tt.length, RecordLength: tt.record, FCSLen: -1, Data: append([]byte{}, tt.data...),
			}}, got)
		})
	}
}

// A fraction may be more than a second.
func TestPcapTime(t *testing.T) {
	for _, tt := range []struct {
		name          string
		magic         uint32
		sec, fraction uint32
		want          time.Time
	}{
		{"micro", 0xa1b2c3d4, 1, 999_999, time.Unix(1, 999_999_000)},
		{"micro carries", 0xa1b2c3d4, 1, 1_000_000, time.Unix(2, 0)},
		{"nano", 0xa1b23c4d, 1, 999_999_999, time.Unix(1, 999_999_999)},
		{"modified", 0xa1b2cd34, 1, 7, time.Unix(1, 7000)},
		{"last", 0xa1b2c3d4, 1<<32 - 1, 1<<32 - 1, time.Unix(1<<32-1+4294, 967_295_000)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			record := pcapRecord(le, tt.sec, tt.fraction, 8, counting(8), make([]byte, 8)...)
			got, _, err := readBytes(t, append(pcapHeader{order: le, magic: tt.magic}.bytes(), record...))
			require.NotEmpty(t, got, err)
			require.Equal(t, tt.want.UTC(), got[0].Time)
		})
	}
}

func TestUserInfiniband(t *testing.T) {
	const ib = linktype.InfiniBand
	for _, tt := range []struct {
		name   string
		in     linktype.Type
		option []capture.Option
		want   linktype.Type
	}{
		{"no option", 147, nil, 147},
		{"all, first", 147, []capture.Option{capture.UserInfiniband()}, ib},
		{"all, last", 162, []capture.Option{capture.UserInfiniband()}, ib},
		{"all, before", 146, []capture.Option{capture.UserInfiniband()}, 146},
		{"all, behind", 163, []capture.Option{capture.UserInfiniband()}, 163},
		{"one", 150, []capture.Option{capture.UserInfiniband(150)}, ib},
		{"another", 151, []capture.Option{capture.UserInfiniband(150)}, 151},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, file := range [][]byte{
				append(pcapHeader{order: le, link: uint32(tt.in)}.bytes(), pcapRecord(le, 0, 0, 1, counting(1))...),
				slices.Concat(section(le), ifaceBlock(le, tt.in, 0), enhanced(le, 0, 0, 1, counting(1))),
			} {
				got, _, err := readBytes(t, file, tt.option...)
				require.Equal(t, io.EOF, err)
				require.Len(t, got, 1)
				require.Equal(t, tt.want, got[0].LinkType)
			}
		})
	}
}
