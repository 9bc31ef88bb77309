package capture_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/capture"
)

// sections returns a pcapng file of n sections, each with the interfaces that
// ifaces returns and a packet from each of them.
func sections(n int, ifaces func(section int) [][]byte) []byte {
	var file []byte
	for i := range n {
		file = append(file, section(le)...)
		for id, in := range ifaces(i) {
			file = append(file, in...)
			file = append(file, enhanced(le, uint32(id), 0, 4, counting(4))...)
		}
	}
	return file
}

// The same interface in many sections is written once, two of a section are two,
// though nothing but their place tells them apart.
func TestWriterManySections(t *testing.T) {
	ib0 := ifaceBlock(le, 247, 0, option(le, 2, []byte("ib0")), option(le, 0, nil))
	ib1 := ifaceBlock(le, 247, 0, option(le, 2, []byte("ib1")), option(le, 0, nil))
	packet := func(id uint32) []byte { return enhanced(le, id, 0, 4, counting(4)) }
	for _, c := range []struct {
		name   string
		n      int
		ifaces func(int) [][]byte
		want   []byte
	}{
		{"one", 40_000, func(int) [][]byte { return [][]byte{ib0} },
			bytes.Join([][]byte{section(le), ib0, bytes.Repeat(packet(0), 40_000)}, nil)},
		{"two alike", 3, func(int) [][]byte { return [][]byte{ib0, ib0} },
			bytes.Join([][]byte{section(le), ib0, packet(0), ib0, bytes.Repeat(append(packet(1), packet(0)...), 2), packet(1)}, nil)},
		{"others in the second section", 2, func(i int) [][]byte { return [][][]byte{{ib0}, {ib1, ib0}}[i] },
			bytes.Join([][]byte{section(le), ib0, packet(0), ib1, packet(1), ib0, packet(2)}, nil)},
	} {
		got, lost, notHeld := rewrite(t, sections(c.n, c.ifaces), capture.FormatPcapng)
		require.Empty(t, lost, c.name)
		require.Zero(t, notHeld, c.name)
		require.True(t, bytes.Equal(c.want, got), c.name)
	}
}

// More interfaces than a Reader takes in a section are in several.
func TestWriterManyInterfaces(t *testing.T) {
	const n = 16384 + 2
	name := func(i int) string { return fmt.Sprint("ib", i) }
	got, _, notHeld := rewrite(t, sections(n, func(i int) [][]byte {
		return [][]byte{ifaceBlock(le, 247, 0, option(le, 2, []byte(name(i))), option(le, 0, nil))}
	}), capture.FormatPcapng)
	require.Zero(t, notHeld)
	r, err := capture.NewReader(bytes.NewReader(got))
	require.NoError(t, err)
	for i := range n {
		rec, err := r.Next()
		require.NoError(t, err, i)
		require.Equal(t, 1+i/16384, rec.Section)
		require.Equal(t, i%16384, rec.Interface)
		if i > 16000 || i < 10 { // all would take long
			require.Equal(t, name(i), r.Interfaces()[rec.Interface].Name)
		}
	}
}
