package capture_test

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/capture"
)

// check reads data, which may be anything. That ends, takes no memory by what
// data says, and gives packets one behind the other that lie inside the file.
func check(t *testing.T, data []byte) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	warnings := 0
	r, err := capture.NewReader(bytes.NewReader(data), capture.OnWarning(func(e *capture.Error) {
		require.NotEmpty(t, e.Error())
		warnings++
	}))
	if err == nil {
		err = checkPackets(t, r, int64(len(data)))
		require.EqualValues(t, warnings, r.Counts().Warnings)
		require.NoError(t, r.Close())
	}
	if err != io.EOF {
		var e *capture.Error
		require.ErrorAs(t, err, &e)
		require.NotEmpty(t, e.Error())
		require.True(t, e.Err != nil && !errors.Is(err, io.EOF))
	}
	runtime.ReadMemStats(&after)
	// A packet, warning or interface takes 12 bytes of a file and more.
	if r != nil && r.Compression() == "" {
		require.Less(t, int(after.TotalAlloc-before.TotalAlloc), 2<<20+100*len(data))
	}
}

// checkPackets returns the error that ends the packets. It does not read more of
// them than a file of this size can hold unless it is compressed.
func checkPackets(t *testing.T, r *capture.Reader, size int64) error {
	offset, section, ifaces := int64(-1), 0, 0
	for n := int64(1); ; n++ {
		rec, err := r.Next()
		if err == nil && n > max(size, 1000) {
			require.NotEmpty(t, r.Compression())
			err = io.EOF
		} else if err != nil {
			require.Equal(t, n-1, r.Counts().Packets)
		}
		if err != nil {
			return err
		}
		require.Equal(t, n, rec.Number)
		require.Greater(t, rec.Offset, offset)
		require.GreaterOrEqual(t, rec.Section, max(section, 1))
		if rec.Section > section || rec.Interface >= ifaces {
			ifaces = len(r.Interfaces())
		}
		require.Less(t, rec.Interface, ifaces)
		require.LessOrEqual(t, len(rec.Data), 256<<10)
		require.GreaterOrEqual(t, rec.Length, 0)
		require.NotEmpty(t, rec.LinkType.String())
		offset, section = rec.Offset, rec.Section
		if r.Compression() == "" {
			require.LessOrEqual(t, offset+int64(len(rec.Data)), size)
		}
	}
}

func FuzzReader(f *testing.F) {
	for _, s := range samples() {
		for _, c := range compressions {
			f.Add(c.compress(f, s.data))
		}
	}
	f.Fuzz(check)
}

// Every sample, plain or compressed, with every byte changed.
func TestDamagedByte(t *testing.T) {
	for _, s := range samples() {
		t.Run(s.name, func(t *testing.T) {
			for i := range s.data {
				damaged := bytes.Clone(s.data)
				damaged[i] ^= 1 << (i % 8)
				check(t, damaged)
			}
		})
	}
	for _, c := range compressions[1:] {
		t.Run(c.name, func(t *testing.T) {
			data := c.compress(t, samples()[0].data)
			for i := range data {
				damaged := bytes.Clone(data)
				damaged[i] ^= 1 << (i % 8)
				check(t, damaged)
			}
		})
	}
}
