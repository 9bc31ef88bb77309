package capture_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/google/gopacket/pcapgo"
	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/linktype"
)

// Files that another library writes.
func TestPcapgo(t *testing.T) {
	when := at.Add(123456000)
	ci := func(i, n int) gopacket.CaptureInfo {
		return gopacket.CaptureInfo{Timestamp: when, CaptureLength: n, Length: n + 7, InterfaceIndex: i}
	}
	for _, tt := range []struct {
		name  string
		write func(io.Writer) error
		links []linktype.Type
	}{
		{"pcap", func(out io.Writer) error {
			w := pcapgo.NewWriter(out)
			if err := w.WriteFileHeader(64, layers.LinkTypeEthernet); err != nil {
				return err
			}
			return w.WritePacket(ci(0, 30), counting(30))
		}, []linktype.Type{1}},
		{"pcap nanoseconds", func(out io.Writer) error {
			w := pcapgo.NewWriterNanos(out)
			if err := w.WriteFileHeader(64, 247); err != nil {
				return err
			}
			return w.WritePacket(ci(0, 30), counting(30))
		}, []linktype.Type{247}},
		{"pcapng", func(out io.Writer) error {
			w, err := pcapgo.NewNgWriter(out, layers.LinkTypeLinuxSLL)
			if err != nil {
				return err
			}
			if _, err := w.AddInterface(pcapgo.NgInterface{Name: "second", LinkType: 247}); err != nil {
				return err
			}
			for i := range 2 {
				if err := w.WritePacket(ci(i, 30), counting(30)); err != nil {
					return err
				}
			}
			return w.Flush()
		}, []linktype.Type{113, 247}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b bytes.Buffer
			require.NoError(t, tt.write(&b))
			got, warnings, err := readBytes(t, b.Bytes())
			require.Equal(t, io.EOF, err)
			require.Empty(t, warnings)
			require.Len(t, got, len(tt.links))
			for i, link := range tt.links {
				require.Equal(t, link, got[i].LinkType)
				require.Equal(t, i, got[i].Interface)
				require.Equal(t, when, got[i].Time)
				require.Equal(t, counting(30), got[i].Data)
				require.Equal(t, 37, got[i].Length)
			}
		})
	}
}
