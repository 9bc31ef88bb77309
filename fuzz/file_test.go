package fuzz_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/capture"
	"github.com/ibwire/ibwire/linktype"
	"github.com/ibwire/ibwire/testdata/paths"
)

// maxPackets is how many packets of a file are looked at. A compressed file may
// hold any number.
const maxPackets = 1000

// checkFile reads a file, which may be anything, and decodes its packets: one
// behind the other, each as a new Packet does.
func checkFile(t *testing.T, file []byte) {
	limit(t, maxMemory+len(file), func() { // for the buffers of a Reader
		r, err := capture.NewReader(bytes.NewReader(file))
		if err == nil {
			err = checkPackets(t, r, len(file))
			require.NoError(t, r.Close())
		}
		if err != io.EOF {
			var e *capture.Error
			require.ErrorAs(t, err, &e)
			require.False(t, errors.Is(err, io.EOF))
		}
	})
}

// checkPackets returns the error that ends the packets.
func checkPackets(t *testing.T, r *capture.Reader, size int) error {
	var p ibwire.Packet
	end := int64(0)
	for range maxPackets {
		rec, err := r.Next()
		if err != nil {
			return err
		}
		require.GreaterOrEqual(t, rec.Offset, end)
		end = rec.Offset + int64(len(rec.Data))
		if r.Compression() == "" {
			require.LessOrEqual(t, end, int64(size))
		}
		err = p.Decode(rec.LinkType, rec.Data)
		paths.CheckParts(t, &p, err)
		var fresh ibwire.Packet
		require.Equal(t, err, fresh.Decode(rec.LinkType, rec.Data))
		paths.Equal(t, &fresh, &p)
	}
	return io.EOF
}

func FuzzFile(f *testing.F) {
	for _, path := range captures(f) {
		file, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(file[:min(len(file), 1000)]) // some packets and a part of one
	}
	for i := range compressions {
		f.Add(compressions[i](container(&choices{}, "pcap", []frame{{linktype.Ethernet, inUDP(nil)}})))
	}
	f.Fuzz(checkFile)
}

// checkPlausibleFile checks a file of packets that input makes, with damage
// before and behind the compression; the packets themselves are whole.
func checkPlausibleFile(t *testing.T, input []byte) {
	c := &choices{input}
	kind := pick(c, "pcap", "pcapng", "ERF")
	var all []frame
	for range c.upTo(3) {
		m := makePacket(c)
		all = append(all, frame{m.link, m.bytes()})
	}
	file := damageBytes(c, container(c, kind, all))
	if n := c.upTo(7); n < len(compressions) {
		file = compressions[n](file)
		if c.rarely() {
			file = damageBytes(c, file)
		}
	}
	checkFile(t, file)
}

func FuzzPlausibleFile(f *testing.F) {
	randomInputs(100, func(input []byte) { f.Add(input) })
	f.Fuzz(checkPlausibleFile)
}

func TestPlausibleFiles(t *testing.T) {
	randomInputs(1000, func(input []byte) { checkPlausibleFile(t, input) })
}

// Files that nobody damages are read whole, of every kind.
func TestContainers(t *testing.T) {
	var all []frame
	for range 3 {
		all = append(all, frame{linktype.InfiniBand, find(t, "native.pcap", writeImm)})
	}
	for _, kind := range []string{"pcap", "pcapng", "ERF"} {
		for i := range compressions {
			r, err := capture.NewReader(bytes.NewReader(compressions[i](container(&choices{}, kind, all))))
			require.NoError(t, err)
			require.EqualValues(t, kind, r.Format())
			for range all {
				rec, err := r.Next()
				require.NoError(t, err)
				var p ibwire.Packet
				require.NoError(t, p.Decode(rec.LinkType, rec.Data))
				require.True(t, p.HasICRC())
			}
			_, err = r.Next()
			require.Equal(t, io.EOF, err)
		}
	}
}
