package field_test

import (
	"encoding/csv"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/field"
	"github.com/ibwire/ibwire/linktype"
	"github.com/ibwire/ibwire/testdata"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	require.NoError(t, err)
	return b
}

// decoded returns a frame with a native packet.
func decoded(t testing.TB, wire string) *field.Frame {
	t.Helper()
	f := &field.Frame{Packet: &ibwire.Packet{}, Number: 1}
	require.NoError(t, f.Decode(linktype.InfiniBand, unhex(t, wire)))
	return f
}

func columns(t testing.TB, names ...string) field.Columns {
	t.Helper()
	cols, err := field.NewColumns(names...)
	require.NoError(t, err)
	return cols
}

func TestFormats(t *testing.T) {
	f := decoded(t, rdSend)
	cols := columns(t, "frame.number", "infiniband.reserved", "infiniband.immdt", "infiniband.lrh.vl")
	for want, fm := range map[string]field.Format{
		"1\t00,00,00\t\t0x00":          {},
		"1;00+00+00;;0x00":             {Separator: ';', Aggregator: '+'},
		"'1' '00,00,00'  '0x00'":       {Separator: ' ', Quote: '\''},
		"1\t00\t\t0x00":                {Occurrence: field.First},
		"1 00  0x00":                   {Occurrence: field.Last, Separator: ' '},
		`1,"00,00,00",,0x00`:           {CSV: true},
		`1,00"00"00,,0x00`:             {Separator: ',', Aggregator: '"'},
		`1,"00""00""00",,0x00`:         {CSV: true, Aggregator: '"'},
		`1;00,00,00;;0x00`:             {CSV: true, Separator: ';'},
		`1;"00;00;00";;0x00`:           {CSV: true, Separator: ';', Aggregator: ';'},
		"\"1\",\"00,00,00\",,\"0x00\"": {CSV: true, Quote: '"'},
	} {
		require.Equal(t, want, string(cols.AppendRow(nil, f, &fm)))
	}
	require.Equal(t, "frame.number,infiniband.reserved,infiniband.immdt,infiniband.lrh.vl", string(cols.AppendHeader(nil, &field.Format{CSV: true})))
}

// First and last values differ where headers are repeated.
func TestOccurrence(t *testing.T) {
	cols := columns(t, "eth.addr", "ip.addr", "udp.port")
	each(t, testdata.Path(t, "rocev2-ipv4.pcap"), func(f *field.Frame, _ error) {
		every := strings.NewReplacer("\t", ",").Replace(string(cols.AppendRow(nil, f, &field.Format{})))
		values := strings.Split(every, ",")
		require.Len(t, values, 6)
		require.Equal(t, strings.Join([]string{values[0], values[2], values[4]}, "\t"), string(cols.AppendRow(nil, f, &field.Format{Occurrence: field.First})))
		require.Equal(t, strings.Join([]string{values[1], values[3], values[5]}, "\t"), string(cols.AppendRow(nil, f, &field.Format{Occurrence: field.Last})))
	})
}

// CSV is what encoding/csv reads.
func TestCSV(t *testing.T) {
	cols := field.AllColumns()
	for _, file := range captures(t) {
		var text []byte
		text = append(cols.AppendHeader(text, &field.Format{CSV: true}), '\n')
		var want [][]string
		each(t, file, func(f *field.Frame, _ error) {
			text = append(cols.AppendRow(text, f, &field.Format{CSV: true}), '\n')
			want = append(want, strings.Split(string(cols.AppendRow(nil, f, &field.Format{Separator: '|'})), "|"))
		})
		rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
		require.NoError(t, err)
		require.Equal(t, want, rows[1:])
	}
}

func TestTimes(t *testing.T) {
	f := decoded(t, rdSend)
	cols := columns(t, "frame.time_epoch", "frame.time_delta", "frame.time_relative")
	f.Time = time.Unix(5, 7).UTC()
	require.Equal(t, "5.000000007\t0.000000000\t0.000000000", string(cols.AppendRow(nil, f, &field.Format{})))
	f.First, f.Previous = time.Unix(6, 0), time.Unix(4, 999_999_999)
	require.Equal(t, "5.000000007\t0.000000008\t-0.999999993", string(cols.AppendRow(nil, f, &field.Format{})))
	f.Time = time.Unix(1<<40, 1) // beyond what nanoseconds can count
	require.Equal(t, "1099511627776.000000001", string(columns(t, "frame.time_epoch").AppendRow(nil, f, &field.Format{})))
	f.Time = time.Unix(-2, 750_000_000)
	require.Equal(t, "-1.250000000", string(columns(t, "frame.time_epoch").AppendRow(nil, f, &field.Format{})))
	f.Time = time.Time{} // of a packet without a time
	require.Equal(t, "\t\t", string(cols.AppendRow(nil, f, &field.Format{})))
	require.NotContains(t, string(field.AppendTree(nil, f, nil)), "Time")
}

// GIDs as tshark writes them.
func TestAddresses(t *testing.T) {
	grh := "000300020011000160000000" + "00141b40"
	for gid, want := range map[string]string{
		"00000000000000000000000000000000": "::",
		"00000000000000000000000000000001": "::1",
		"0000000000000000000000000a000001": "::10.0.0.1",
		"00000000000000000000ffff0a000001": "::ffff:10.0.0.1",
		"fe800000000000000002c90300001111": "fe80::2:c903:0:1111",
		"20010db8000000010001000100010001": "2001:db8:0:1:1:1:1:1",
	} {
		f := decoded(t, grh+gid+gid+"1140ffff00000123000000101f000005"+"e4e6c4bf")
		require.Equal(t, want, string(columns(t, "infiniband.grh.sgid").AppendRow(nil, f, &field.Format{})))
	}
}

// Once the buffer has grown, nothing is allocated.
func TestNoAllocations(t *testing.T) {
	var all []*field.Frame
	for _, file := range captures(t) {
		all = append(all, frames(read(t, file))...)
	}
	every, seven := field.AllColumns(), columns(t, sevenFields...)
	var buf []byte
	for name, do := range map[string]func(f *field.Frame){
		"AppendRow":      func(f *field.Frame) { buf = seven.AppendRow(buf[:0], f, &field.Format{}) },
		"AppendRow, all": func(f *field.Frame) { buf = every.AppendRow(buf[:0], f, &field.Format{}) },
		"AppendRow, CSV": func(f *field.Frame) { buf = every.AppendRow(buf[:0], f, &field.Format{CSV: true}) },
		"AppendJSON":     func(f *field.Frame) { buf = every.AppendJSON(buf[:0], f) },
		"AppendTree":     func(f *field.Frame) { buf = field.AppendTree(buf[:0], f, nil) },
		"Values": func(f *field.Frame) {
			for v := range f.Values() {
				buf = v.AppendText(buf[:0])
			}
			for v := range seven[0].Values(f) {
				buf = v.AppendText(buf[:0])
			}
		},
	} {
		require.Zero(t, testing.AllocsPerRun(2, func() {
			for _, f := range all {
				do(f)
			}
		}), name)
	}
}

// sevenFields are a usual choice.
var sevenFields = []string{
	"frame.number", "frame.time_relative", "infiniband.lrh.slid", "infiniband.lrh.dlid", "infiniband.bth.opcode",
	"infiniband.bth.destqp", "infiniband.bth.psn",
}

// frames decodes packets, each into a frame of its own.
func frames(packets []packet) (frames []*field.Frame) {
	for i, p := range packets {
		f := &field.Frame{Packet: &ibwire.Packet{}, Number: i + 1, Time: p.time, First: packets[0].time, Length: p.length, Captured: len(p.data)}
		_ = f.Decode(p.link, p.data)
		frames = append(frames, f)
	}
	return frames
}

func BenchmarkAppendRow(b *testing.B) {
	all, cols := frames(read(b, testdata.Path(b, "native.erf.pcap"))), columns(b, sevenFields...)
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		for _, f := range all {
			buf = cols.AppendRow(buf[:0], f, &field.Format{})
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(all)), "ns/packet")
}

func BenchmarkAppendJSON(b *testing.B) {
	all, cols := frames(read(b, testdata.Path(b, "native.erf.pcap"))), field.AllColumns()
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		for _, f := range all {
			buf = cols.AppendJSON(buf[:0], f)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(all)), "ns/packet")
}

func BenchmarkAppendTree(b *testing.B) {
	all := frames(read(b, testdata.Path(b, "native.erf.pcap")))
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		for _, f := range all {
			buf = field.AppendTree(buf[:0], f, nil)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(all)), "ns/packet")
}
