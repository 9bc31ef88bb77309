package capture_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/capture"
	"github.com/ibwire/ibwire/erf"
	"github.com/ibwire/ibwire/linktype"
	"github.com/ibwire/ibwire/testdata"
)

// records writes records of one's own.
func records(t *testing.T, f capture.Format, recs []capture.Record, opts ...capture.WriterOption) ([]byte, losses, []string) {
	t.Helper()
	var out bytes.Buffer
	var notHeld []string
	lost := losses{}
	w := capture.NewWriter(&out, f, append([]capture.WriterOption{capture.OnLoss(lost.count)}, opts...)...)
	for _, rec := range recs {
		if e, ok := errors.AsType[*capture.NotHeldError](w.Write(&rec)); ok {
			notHeld = append(notHeld, e.Error())
		}
	}
	require.NoError(t, w.Close())
	return out.Bytes(), lost, notHeld
}

// Any time in nanoseconds comes back from an ERF record, pcap and pcapng.
func TestWriterTimes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var recs []capture.Record
	for i := range 10_000 {
		ns := random.Int64N(1e9)
		if i < 2000 {
			ns = int64(i/2) + int64(i%2)*(1e9-1-int64(i))
		}
		at := time.Unix(1.7e9, ns).UTC()
		recs = append(recs, capture.Record{LinkType: linktype.InfiniBand, Time: at, Length: 4, FCSLen: -1, Data: []byte("abcd")})
	}
	for _, f := range []capture.Format{capture.FormatERF, capture.FormatPcap, capture.FormatPcapng} {
		file, lost, _ := records(t, f, recs)
		require.Empty(t, lost)
		if f == capture.FormatERF {
			file, lost, _ = rewrite(t, file, capture.FormatPcap, capture.As(linktype.InfiniBand))
			require.Empty(t, lost)
		}
		got, _ := describe(t, file)
		require.Len(t, got, len(recs))
		for i := range recs {
			require.Equal(t, recs[i].Time, got[i].Time, f)
			require.Equal(t, recs[i].Time, got[i].RecordTime, f)
		}
	}
	_, lost, _ := records(t, capture.FormatPcap, []capture.Record{
		{Time: time.Unix(5, 1000), FCSLen: -1}, {Time: time.Unix(5, 1001), FCSLen: -1}, {FCSLen: -1},
		{Time: time.Unix(-1, 0), FCSLen: -1}, {Time: time.Unix(1<<32, 0), FCSLen: -1},
	}, capture.TimeResolution(6))
	require.Equal(t, losses{capture.LossPrecision: 1, capture.LossTime: 3}, lost)
}

func TestWriterNotHeld(t *testing.T) {
	at := time.Unix(1.7e9, 0)
	rec := func(number int64, link linktype.Type, n int) capture.Record {
		return capture.Record{Number: number, LinkType: link, Time: at, Length: n, FCSLen: -1, Data: make([]byte, n)}
	}
	_, _, got := records(t, capture.FormatPcap, []capture.Record{rec(1, 247, 4), rec(2, 1, 4), rec(3, 247, 4)})
	require.Equal(t, []string{"capture: packet 2 is not written: a pcap file has one link type, here INFINIBAND, and this is ETHERNET"}, got)
	_, lost, got := records(t, capture.FormatERF, []capture.Record{
		rec(1, 247, 65535-16), rec(2, 247, 65535-15), rec(3, 1, 65535-18), rec(4, 1, 65535-17), rec(5, 113, 4), rec(6, 197, 15), rec(7, 197, 16),
	})
	require.Equal(t, []string{
		"capture: packet 2 is not written: an ERF record has at most 65535 bytes",
		"capture: packet 4 is not written: an ERF record has at most 65535 bytes",
		"capture: packet 5 is not written: there is no type of ERF record for packets of link type LINUX_SLL",
		"capture: packet 6 is not written: an ERF file has no records that are cut in their headers",
		"capture: packet 7 is not written: an ERF file has no records of 16 bytes: Wireshark takes them for damage",
	}, got)
	require.Empty(t, lost)
	cut := rec(2, 197, 16)
	cut.Data[8] = 0x80 | byte(erf.TypeInfiniband)
	_, _, got = records(t, capture.FormatPcap, []capture.Record{rec(1, 1, 4), cut}, capture.As(linktype.InfiniBand))
	require.Equal(t, []string{
		"capture: packet 1 is not written: packets of link type ETHERNET cannot become INFINIBAND",
		"capture: packet 2 is not written: the headers of an ERF record are cut",
	}, got)
}

// Lengths that disagree with what is there.
func TestWriterLengths(t *testing.T) {
	at := time.Unix(1.7e9, 0)
	packet := func(length, n int) capture.Record {
		return capture.Record{LinkType: linktype.InfiniBand, Time: at, Length: length, FCSLen: -1, Data: make([]byte, n)}
	}
	file, lost, _ := records(t, capture.FormatERF, []capture.Record{packet(9, 4), packet(2, 4), packet(70000, 4)})
	require.Equal(t, losses{capture.LossLength: 2}, lost)
	require.Equal(t, []byte{0, 20, 0, 0, 0, 9}, file[10:16])
	require.Equal(t, []byte{0, 20, 0, 0, 0, 4}, file[30:36])
	require.Equal(t, []byte{0, 20, 0, 0, 0xff, 0xff}, file[50:56])

	record := func(rlen, wlen byte, n int) capture.Record {
		b := make([]byte, n)
		binary.LittleEndian.PutUint64(b, 1.7e9<<32)
		b[8], b[9], b[11], b[15] = 21, 4, rlen, wlen
		return capture.Record{LinkType: linktype.ERF, Time: at, ERFTime: 1.7e9 << 32, Length: 16 + int(wlen), FCSLen: -1, Data: b}
	}
	file, lost, _ = records(t, capture.FormatERF, []capture.Record{
		record(24, 4, 20), // padding is left out
		record(20, 4, 24), // more than the record length
		record(24, 8, 20), // cut
		record(3, 4, 20),
	})
	require.Equal(t, losses{capture.LossRecordLength: 3}, lost)
	require.Len(t, file, 24+24+20+20)
	require.Equal(t, byte(24), file[11])
	require.Equal(t, byte(24), file[24+11])
	require.Equal(t, byte(20), file[48+11])
	require.Equal(t, byte(20), file[68+11])
}

// A file without packets is one too.
func TestWriterEmpty(t *testing.T) {
	file, _, _ := records(t, capture.FormatPcap, nil, capture.As(linktype.InfiniBand))
	require.Len(t, file, 24)
	require.Equal(t, byte(247), file[20])
	file, _, _ = records(t, capture.FormatPcapng, nil)
	require.Len(t, file, 28)
	file, _, _ = records(t, capture.FormatERF, nil)
	require.Empty(t, file)
	file, _, _ = rewrite(t, read(t, testdata.Path(t, "native.erf.pcap"))[:24], capture.FormatPcap)
	require.Equal(t, read(t, testdata.Path(t, "native.erf.pcap"))[:24], file)
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestWriterError(t *testing.T) {
	for _, f := range []capture.Format{capture.FormatERF, capture.FormatPcap, capture.FormatPcapng} {
		w := capture.NewWriter(failing{io.ErrShortWrite}, f)
		require.ErrorIs(t, w.Write(&capture.Record{LinkType: linktype.Ethernet, Data: []byte("ab")}), io.ErrShortWrite, f)
	}
}

func TestWriterAllocatesNothing(t *testing.T) {
	native := capture.Record{LinkType: linktype.InfiniBand, Time: time.Unix(1.7e9, 5), Length: 100, FCSLen: -1, Data: make([]byte, 100)}
	file, _, _ := records(t, capture.FormatERF, []capture.Record{native})
	inERF, _ := describe(t, file)
	for _, c := range []struct {
		rec  capture.Record
		f    capture.Format
		opts []capture.WriterOption
	}{
		{native, capture.FormatPcap, nil},
		{native, capture.FormatPcapng, nil},
		{native, capture.FormatERF, nil},
		{inERF[0], capture.FormatERF, nil},
		{inERF[0], capture.FormatPcap, nil},
		{inERF[0], capture.FormatPcap, []capture.WriterOption{capture.As(linktype.InfiniBand)}},
	} {
		w := capture.NewWriter(io.Discard, c.f, c.opts...)
		require.Zero(t, testing.AllocsPerRun(100, func() {
			if err := w.Write(&c.rec); err != nil {
				t.Error(err)
			}
		}), c.f)
	}
}

func TestLossString(t *testing.T) {
	require.Equal(t, "ERF flags, the interface", (capture.LossFlags | capture.LossInterface).String())
	require.Equal(t, "the fields of a modified pcap file", capture.LossModified.String())
	require.Equal(t, "all that describes the interface or section", capture.LossDescription.String())
	require.Equal(t, "Loss(0x100000)", capture.Loss(1<<20).String())
	require.Empty(t, capture.Loss(0).String())
}

// Times that jump at the beginning, or a first record of type LEGACY: neither
// Wireshark nor a Reader takes the file for ERF.
func TestWriterUnknownERF(t *testing.T) {
	at := func(sec int64) capture.Record {
		return capture.Record{LinkType: linktype.InfiniBand, Time: time.Unix(sec, 0), Length: 4, FCSLen: -1, Data: make([]byte, 4)}
	}
	const year = 365 * 24 * 3600
	file, lost, _ := records(t, capture.FormatERF, []capture.Record{at(1e9), at(1e9 + year), at(1e9 + year - 1), at(1e9)})
	require.Equal(t, losses{capture.LossFormat: 1}, lost)
	recs, _ := describe(t, file)
	require.Len(t, recs, 4, "three in a row are enough for a Reader")
	file, lost, _ = records(t, capture.FormatERF, []capture.Record{at(1e9), at(1e9 - 2)})
	require.Equal(t, losses{capture.LossFormat: 1}, lost)
	_, err := capture.NewReader(bytes.NewReader(file))
	require.ErrorIs(t, err, capture.ErrFormat)
}
