package field_test

import (
	"encoding/binary"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/erf"
	"github.com/ibwire/ibwire/field"
	"github.com/ibwire/ibwire/linktype"
)

// A packet is one of a capture file, before it is decoded.
type packet struct {
	link   linktype.Type
	data   []byte
	length int
	time   time.Time
}

// read reads a pcap or ERF file.
func read(t testing.TB, path string) []packet {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	if strings.HasSuffix(path, ".erf") {
		return readERF(data)
	}
	var order binary.ByteOrder = binary.LittleEndian
	if data[0] == 0xa1 {
		order = binary.BigEndian
	}
	unit := time.Microsecond
	if order.Uint32(data) == 0xa1b23c4d {
		unit = time.Nanosecond
	}
	link := linktype.Type(order.Uint32(data[20:]))
	var packets []packet
	for data = data[24:]; len(data) >= 16; {
		n := int(order.Uint32(data[8:]))
		p := packet{link, data[16 : 16+n : 16+n], int(order.Uint32(data[12:])), time.Unix(int64(order.Uint32(data)), 0).UTC()}
		p.time = p.time.Add(time.Duration(order.Uint32(data[4:])) * unit)
		if link == linktype.ERF && n >= erf.HeaderSize {
			p.time = erfTime(p.data)
		}
		packets, data = append(packets, p), data[16+n:]
	}
	return packets
}

func readERF(data []byte) (packets []packet) {
	for len(data) >= erf.HeaderSize {
		n := int(binary.BigEndian.Uint16(data[10:]))
		packets = append(packets, packet{linktype.ERF, data[:n:n], n, erfTime(data)})
		data = data[n:]
	}
	return packets
}

func erfTime(record []byte) time.Time {
	return erf.Timestamp(binary.LittleEndian.Uint64(record)).Time()
}

// each decodes all packets of a file, one after the other into the same frame.
func each(t testing.TB, path string, do func(f *field.Frame, err error)) {
	t.Helper()
	packets := read(t, path)
	f := &field.Frame{Packet: &ibwire.Packet{}}
	for i, p := range packets {
		err := f.Decode(p.link, p.data)
		f.Previous, f.Time, f.First = f.Time, p.time, packets[0].time
		f.Number, f.Length, f.Captured = i+1, p.length, len(p.data)
		do(f, err)
	}
}
