package capture_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/google/gopacket"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/capture"
)

// flusher is a compressor that can be asked to hold nothing back.
type flusher interface {
	io.WriteCloser
	Flush() error
}

type plain struct{ io.WriteCloser }

func (plain) Flush() error { return nil }

// A packet is delivered as soon as it has been written to a pipe. The writer
// waits for that; if the reader waited for more, this would be a deadlock, which
// synctest finds.
func TestPipe(t *testing.T) {
	for name, compress := range map[string]func(io.WriteCloser) flusher{
		"plain": func(w io.WriteCloser) flusher { return plain{w} },
		"gzip":  func(w io.WriteCloser) flusher { return gzip.NewWriter(w) },
		"zstd": func(w io.WriteCloser) flusher {
			z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
			require.NoError(t, err)
			return z
		},
	} {
		for _, s := range samples() {
			t.Run(name+"_"+s.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					out, in := io.Pipe()
					delivered := make(chan bool)
					go func() {
						w := compress(in)
						writeParts(t, w, s, delivered)
						if _, ok := w.(plain); !ok {
							w.Close()
						}
						in.Close()
					}()
					r, err := capture.NewReader(out)
					require.NoError(t, err)
					for i := range s.want {
						rec, err := r.Next()
						require.NoError(t, err)
						require.Equal(t, s.want[i].Offset, rec.Offset)
						delivered <- true
					}
					_, err = r.Next()
					require.Equal(t, io.EOF, err)
					require.NoError(t, r.Close())
				})
			})
		}
	}
}

// writeParts writes the parts of s, and waits behind each packet.
func writeParts(t *testing.T, w flusher, s *sample, delivered <-chan bool) {
	at, packets := 0, 0
	for _, n := range s.parts {
		if _, err := w.Write(s.data[at : at+n]); err != nil {
			t.Error(err)
			return
		}
		if packets < len(s.want) && s.want[packets].Offset == int64(at) {
			if err := w.Flush(); err != nil {
				t.Error(err)
				return
			}
			<-delivered
			packets++
		}
		at += n
	}
}

// Standard input may be a pipe, and stays open.
func TestOpenStandardInput(t *testing.T) {
	out, in, err := os.Pipe()
	require.NoError(t, err)
	defer func(f *os.File) { os.Stdin = f }(os.Stdin)
	os.Stdin = out

	s := samples()[0]
	delivered := make(chan bool)
	go func() {
		writeParts(t, plain{in}, s, delivered)
		in.Write([]byte{1, 2, 3})
		in.Close()
	}()
	r, err := capture.Open("-")
	require.NoError(t, err)
	for i := range s.want {
		rec, err := r.Next()
		require.NoError(t, err)
		require.Equal(t, s.want[i].Data, append([]byte{}, rec.Data...))
		delivered <- true
	}
	_, err = r.Next()
	var e *capture.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, "standard input", e.File)
	require.NoError(t, r.Close())
	require.NoError(t, out.Close(), "Close closed standard input")
}

// repeat is a reader of first, then of the bytes of again any number of times.
type repeat struct {
	first, again []byte
	pos          int
	read         int64
}

func (r *repeat) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if r.pos == len(r.first) {
			r.first, r.pos = r.again, 0
		}
		k := copy(p[n:], r.first[r.pos:])
		n, r.pos, r.read = n+k, r.pos+k, r.read+int64(k)
	}
	return n, nil
}

// endless are files without an end, of packets of size bytes.
func endless(size int) map[string]*repeat {
	o := binary.LittleEndian
	data := counting(size)
	record := erfRecord(erfAt, size, data, -size&7)
	return map[string]*repeat{
		"pcap":     {first: pcapHeader{order: o}.bytes(), again: pcapRecord(o, 1, 2, size, data)},
		"pcap_big": {first: pcapHeader{order: binary.BigEndian}.bytes(), again: pcapRecord(binary.BigEndian, 1, 2, size, data)},
		"pcap_erf": {first: pcapHeader{order: o, link: 197}.bytes(), again: pcapRecord(o, 1, 2, size, record)},
		"pcapng":   {first: append(section(o), ifaceBlock(o, 247, 0)...), again: enhanced(o, 0, 1, size, data)},
		"erf":      {first: record, again: record},
	}
}

// The first packet comes after one buffer of input, and memory does not grow.
func TestMemory(t *testing.T) {
	for name, in := range endless(1000) {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r, err := capture.NewReader(in)
			require.NoError(t, err)
			_, err = r.Next()
			require.NoError(t, err)
			require.LessOrEqual(t, in.read, int64(2<<20))
			for in.read < 128<<20 {
				if _, err = r.Next(); err != nil {
					break
				}
			}
			require.NoError(t, err)
			runtime.ReadMemStats(&after)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(2<<20))
		})
	}
}

func TestAllocs(t *testing.T) {
	for name, in := range endless(100) {
		t.Run(name, func(t *testing.T) {
			r, err := capture.NewReader(in)
			require.NoError(t, err)
			require.Zero(t, testing.AllocsPerRun(10000, func() {
				if _, err := r.Next(); err != nil {
					panic(err)
				}
			}), "Next")
			require.Zero(t, testing.AllocsPerRun(10000, func() {
				if _, _, err := r.ZeroCopyReadPacketData(); err != nil {
					panic(err)
				}
			}), "ZeroCopyReadPacketData")
		})
	}
}

func TestGopacket(t *testing.T) {
	for _, s := range samples() {
		t.Run(s.name, func(t *testing.T) {
			for _, copied := range []bool{false, true} {
				r, err := capture.NewReader(bytes.NewReader(s.data))
				require.NoError(t, err)
				read := r.ZeroCopyReadPacketData
				if copied {
					read = r.ReadPacketData
				}
				var all [][]byte
				for _, want := range s.want {
					data, ci, err := read()
					require.NoError(t, err)
					require.Equal(t, want.Data, append([]byte{}, data...))
					require.Equal(t, gopacket.CaptureInfo{
						Timestamp: want.Time, CaptureLength: len(want.Data), Length: max(want.Length, len(want.Data)),
						InterfaceIndex: want.Interface, AncillaryData: []any{want.LinkType},
					}, ci)
					all = append(all, data)
				}
				_, _, err = read()
				require.Equal(t, io.EOF, err)
				for i, want := range s.want {
					if copied {
						require.Equal(t, want.Data, append([]byte{}, all[i]...))
					}
				}
			}
		})
	}
}

// gopacket's loop over packets ends at an error, which Err then tells.
func TestPacketSource(t *testing.T) {
	s := samples()[0]
	r, err := capture.NewReader(bytes.NewReader(s.data[:len(s.data)-1]))
	require.NoError(t, err)
	n := 0
	for range gopacket.NewPacketSource(r, gopacket.LayerTypePayload).Packets() {
		n++
	}
	require.Equal(t, len(s.want)-1, n)
	require.ErrorIs(t, r.Err(), io.ErrUnexpectedEOF)
}
