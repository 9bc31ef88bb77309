package field_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/erf"
	"github.com/ibwire/ibwire/field"
	"github.com/ibwire/ibwire/linktype"
	"github.com/ibwire/ibwire/testdata"
)

// at returns the bytes that a column has of a frame, those of all its values.
func at(t *testing.T, f *field.Frame, name string) (b []byte) {
	t.Helper()
	c, err := field.NewColumn(name)
	require.NoError(t, err)
	for v := range c.Values(f) {
		b = append(b, v.Bytes()...)
	}
	return b
}

// What stands behind the headers is where the packet has it.
func TestBytesBehindTheHeaders(t *testing.T) {
	for _, file := range captures(t) {
		each(t, file, func(f *field.Frame, _ error) {
			payload := append(at(t, f, "infiniband.payload"), at(t, f, "data.data")...)
			require.Equal(t, string(f.Payload), string(payload))
			require.Equal(t, string(f.Pad), string(at(t, f, "infiniband.pad")))
			require.Equal(t, string(f.Cut), string(at(t, f, "ibwire.cut")))
			if infiniBand := f.Encapsulation() != ibwire.NotInfiniBand; infiniBand {
				require.Equal(t, string(f.Gap)+string(f.Trailer), string(at(t, f, "infiniband.trailer")))
			}
			if crc := f.ICRC(); crc.Present() {
				b := at(t, f, "infiniband.invariant.crc")
				require.Equal(t, crc.Value, uint32(b[0])<<24|uint32(b[1])<<16|uint32(b[2])<<8|uint32(b[3]))
			}
			if crc := f.VCRC(); crc.Present() {
				b := at(t, f, "infiniband.variant.crc")
				require.Equal(t, crc.Value, uint32(b[0])<<8|uint32(b[1]))
			}
		})
	}
}

// RoCE v2 in which UDP counts all but the last byte that IP has.
const shortUDP = "020000000002" + "020000000001" + "0800" +
	"4500002d00000000401100000a0102030a010204" + "c35012b700180000" +
	"0400ffff0000001200000001" + "aabbccdd" + "ee"

// What is searched in a protocol begins with its header, and ends where the
// protocol in front of it says.
func TestGiven(t *testing.T) {
	wire := unhex(t, shortUDP+"0000") // with padding of Ethernet
	f := &field.Frame{Packet: &ibwire.Packet{}, Number: 1}
	require.NoError(t, f.Decode(linktype.Ethernet, wire))
	for name, want := range map[string][]byte{
		"frame": wire, "eth": wire, "ip": wire[14:59], "udp": wire[34:59], "infiniband": wire[42:58],
		"infiniband.bth": wire[42:54], "ip.src": wire[26:30],
	} {
		for v := range columns(t, name)[0].Values(f) {
			require.Equal(t, want, v.Given(), name)
		}
	}
	require.Equal(t, "aabbccdd", fmt.Sprintf("%x", at(t, f, "infiniband.invariant.crc")))
	require.Equal(t, wire[42:58], at(t, f, "udp.payload"))
}

// Second names are as text what the addresses are, and of an opcode that is not
// assigned all that is behind the BTH, the first four bytes twice.
func TestSecondNames(t *testing.T) {
	f := &field.Frame{Packet: &ibwire.Packet{}, Number: 1}
	require.NoError(t, f.Decode(linktype.Ethernet, unhex(t, strings.Replace(shortUDP, "0400ffff", "c000ffff", 1))))
	row := columns(t, "ip.src_host", "ip.dst_host", "ip.host", "udp.payload", "infiniband.vendor").AppendRow(nil, f, &field.Format{Separator: ' '})
	require.Equal(t, "10.1.2.3 10.1.2.4 10.1.2.3,10.1.2.4 c000ffff0000001200000001aabbccdd aabbccdd,aabbccdd", string(row))
	require.NoError(t, f.Decode(linktype.Ethernet, unhex(t, shortUDP)))
	require.Empty(t, at(t, f, "infiniband.vendor"))
	require.NoError(t, f.Decode(linktype.InfiniBand, unhex(t, "0002000200080001"+"ff40ffff0000001200000001"+"010203040506070801020304"+"0506"+"07")))
	require.Equal(t, "01020304"+"0102030405060708010203040506"+"07", fmt.Sprintf("%x", at(t, f, "infiniband.vendor")))
}

// The lines above all headers stand in all of the packet: a frame in what is
// behind an ERF record, InfiniBand in what the protocol in front of it carries.
func TestBytesOfTheWholePacket(t *testing.T) {
	for _, file := range captures(t) {
		each(t, file, func(f *field.Frame, _ error) {
			packet := f.Data[f.Start():]
			if f.Has(ibwire.ERF) {
				packet = f.ERF.Payload
			}
			require.Equal(t, string(packet), string(at(t, f, "frame")))
			infiniBand := string(at(t, f, "infiniband"))
			_, inner, tunnelled := f.Inner()
			switch f.Encapsulation() {
			case ibwire.Native:
				if !f.Has(ibwire.FlowControl) {
					require.True(t, strings.HasPrefix(infiniBand, string(packet)))
				}
				if tunnelled {
					require.True(t, strings.HasSuffix(infiniBand[len(packet):], string(inner)))
				}
			case ibwire.RoCEv2:
				require.Equal(t, string(f.UDP.Payload), infiniBand)
			case ibwire.RoCEv1:
				if tunnelled {
					require.Equal(t, string(inner[f.Offset(ibwire.GRH)-f.Offset(ibwire.Ethernet):]), infiniBand)
				} else {
					require.Equal(t, string(f.Data[f.Offset(ibwire.GRH):f.Start()+len(packet)]), infiniBand)
				}
			}
		})
	}
}

// No byte is left out: each stands in some value, but for the padding of ERF
// records, the trailer of frames without InfiniBand, and the sub-header that
// tshark does not show.
func TestValuesCoverThePacket(t *testing.T) {
	for _, file := range captures(t) {
		each(t, file, func(f *field.Frame, _ error) {
			covered := make([]bool, len(f.Data))
			for v := range f.Values() {
				if v.Field.Name == "frame" || v.Field.Name == "infiniband" { // all that others stand in
					continue
				}
				for i := range v.Bytes() {
					covered[v.Offset+i] = true
				}
			}
			missing := 0
			for _, c := range covered {
				if !c {
					missing++
				}
			}
			left := 0
			if f.Has(ibwire.ERF) {
				left = len(f.ERF.Trailer)
				if f.ERF.Type == erf.TypeColorMCHDLCPOS {
					left += len(f.ERF.SubHeader)
				}
			}
			if f.Encapsulation() == ibwire.NotInfiniBand {
				left += len(f.Trailer)
			}
			require.Equal(t, left, missing, "%s, packet %d", file, f.Number)
		})
	}
}

// A frame's values are in the order of the packet, and those of its columns are
// the same.
func TestColumnsHaveTheValuesOfTheFrame(t *testing.T) {
	for _, file := range captures(t) {
		each(t, file, func(f *field.Frame, _ error) {
			byName := map[string][]field.Value{}
			for v := range f.Values() {
				require.Same(t, f, v.Frame)
				require.LessOrEqual(t, v.Offset+v.Length, len(f.Data))
				byName[v.Field.Name] = append(byName[v.Field.Name], v)
			}
			for name, want := range byName {
				c, err := field.NewColumn(name)
				require.NoError(t, err)
				require.Equal(t, want, slices.Collect(c.Values(f)))
			}
		})
	}
}

// Every packet is a valid JSON object whose keys are the names of the table in
// its order, once each.
func TestJSON(t *testing.T) {
	cols := field.AllColumns()
	order := map[string]int{}
	for i, c := range cols {
		order[c.Name] = i
	}
	var buf []byte
	for _, file := range captures(t) {
		each(t, file, func(f *field.Frame, _ error) {
			buf = cols.AppendJSON(buf[:0], f)
			require.True(t, json.Valid(buf), "%s", buf)
			last := -1
			for _, key := range keys(t, buf) {
				i, ok := order[key]
				require.True(t, ok, key)
				require.Greater(t, i, last, key)
				last = i
			}
		})
	}
}

// keys returns the keys of a JSON object.
func keys(t *testing.T, object []byte) (keys []string) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(object))
	depth, key := 0, false
	for {
		token, err := d.Token()
		if err == io.EOF {
			return keys
		}
		require.NoError(t, err)
		switch token {
		case json.Delim('{'):
			depth, key = depth+1, true
			continue
		case json.Delim('['):
			depth++
			continue
		case json.Delim(']'), json.Delim('}'):
			depth--
		default:
			if depth == 1 && key {
				keys, key = append(keys, token.(string)), false
				continue
			}
		}
		key = depth == 1
	}
}

func TestJSONValues(t *testing.T) {
	cols, err := field.NewColumns("frame.time_epoch", "frame.protocols", "erf.ts", "erf.eth", "infiniband.lrh.vl", "infiniband.bth.se",
		"infiniband.bth.destqp", "infiniband.immdt", "infiniband.reth.va", "infiniband.deth.q_key", "infiniband.grh.sgid", "infiniband.payload")
	require.NoError(t, err)
	want := map[int]string{
		1: `{"frame.time_epoch":1700000000.500000000,"frame.protocols":"erf:infiniband:data","erf.ts":7301444405347483648,` +
			`"infiniband.lrh.vl":1,"infiniband.bth.se":true,"infiniband.bth.destqp":9318994,"infiniband.payload":"48"}`,
		4: `{"frame.time_epoch":1700000003.000000000,"frame.protocols":"erf:infiniband:data","erf.ts":7301444416084901889,` +
			`"infiniband.lrh.vl":1,"infiniband.bth.se":true,"infiniband.bth.destqp":503997,"infiniband.immdt":["e5:3b:bf:32","e5:3b:bf:32"],` +
			`"infiniband.payload":"4e:4f:50:51"}`,
	}
	each(t, testdata.Path(t, "native.erf.pcap"), func(f *field.Frame, _ error) {
		if want[f.Number] != "" {
			require.Equal(t, want[f.Number], string(cols.AppendJSON(nil, f)))
		}
	})
}

// The lengths of a frame are those of the packet, not of its ERF record.
func TestLengths(t *testing.T) {
	each(t, testdata.Path(t, "cuts-native.erf.pcap"), func(f *field.Frame, _ error) {
		if !f.Has(ibwire.ERF) {
			require.Equal(t, f.Length, f.Len())
			require.Equal(t, f.Captured, f.CapLen())
			return
		}
		require.Equal(t, int(f.ERF.WLen), f.Len())
		require.Equal(t, min(f.Len(), len(f.Data)-f.Start()), f.CapLen())
	})
	each(t, testdata.Path(t, "rocev1.pcap"), func(f *field.Frame, _ error) {
		require.Equal(t, f.Length, f.Len())
		require.Zero(t, f.Start())
	})
}
