package ibwire_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/bth"
	"github.com/ibwire/ibwire/erf"
	"github.com/ibwire/ibwire/grh"
	"github.com/ibwire/ibwire/lrh"
	"github.com/ibwire/ibwire/testdata"
	"github.com/ibwire/ibwire/testdata/paths"
)

// listed are the files whose expected decoding lists only fields that begin so.
var listed = map[string]string{
	"native.erf.pcap":         "erf.",
	"native-padded.erf":       "erf.",
	"erf-types-padded.erf":    "erf.",
	"mirror.erf.pcap":         "erf.",
	"opcodes-unassigned.pcap": "infiniband.bth.",
}

// hopByHop is a packet that gopacket v1.1.19 marks as truncated though it is
// whole: its IPv6 layer compares the length with what is left behind the
// options. So there is no ICRC to find, and pad and ICRC stay in the payload.
const hopByHop = "IPv6 with hop-by-hop options"

// otherERSPAN finds the packets in which gopacket v1.1.19 gets no further than
// GRE: it takes ERSPAN of type I for type II, and does not know type III.
var otherERSPAN = regexp.MustCompile(`^ERSPAN (I|III)\b`)

// Each packet of testdata decodes to what the program that wrote it says.
func TestDecodesToWhatWasWritten(t *testing.T) {
	for _, path := range append(testdata.Glob(t, "*.pcap"), testdata.Glob(t, "*.erf")...) {
		t.Run(name(path), func(t *testing.T) {
			frames, wants := testdata.Frames(t, path), testdata.Wants(t, path)
			require.Equal(t, len(wants), len(frames))
			for i, f := range frames {
				w := wants[i]
				require.Equal(t, f.N, w.N)
				first, ok := firstLayer(f)
				require.True(t, ok)
				p := gopacket.NewPacket(f.Data, first, gopacket.Default)
				if w.What == hopByHop {
					w.Payload, w.Pad, w.ICRC, w.Truncated = w.Payload+w.Pad+w.ICRC, "", "", true
				}
				if otherERSPAN.MatchString(w.What) {
					behind := slices.Index(w.Layers, "GRE") + 1
					require.Equal(t, w.Layers[:behind], layerTypes(p)[:behind])
					continue
				}
				checkWant(t, w, p, listed[f.File])
				if t.Failed() {
					t.Fatalf("packet %d: %s", w.N, w.What)
				}
			}
		})
	}
}

func layerTypes(p gopacket.Packet) (names []string) {
	for _, l := range p.Layers() {
		names = append(names, l.LayerType().String())
	}
	return names
}

func checkWant(t *testing.T, w testdata.Want, p gopacket.Packet, only string) {
	t.Helper()
	var got testdata.Want
	gotFields := map[string]string{}
	var outside gopacket.Layer
	for _, l := range paths.Layers(p) {
		lt := l.LayerType()
		if len(l.LayerContents()) == 0 || lt == erf.LayerTypeERF && w.Error == "erf" {
			continue // a layer whose header was cut is kept as far as it was read
		}
		if lt == gopacket.LayerTypePayload || lt == gopacket.LayerTypeFragment {
			got.Payload += hex.EncodeToString(l.LayerContents())
		}
		if lt != gopacket.LayerTypePayload {
			got.Layers = append(got.Layers, lt.String())
		}
		for name, v := range fields(l) {
			if delete(gotFields, name); v != "0" && strings.HasPrefix(name, only) {
				gotFields[name] = v
			}
		}
		ends(l, &got)
		got.Trailer = hex.EncodeToString(between(outside, l)) + got.Trailer
		outside = l
	}
	got.Truncated = p.Metadata().Truncated
	if err := paths.Error(p); err != nil {
		got.Error, _, _ = strings.Cut(err.Error(), ":")
	}
	if own := w.Error == "" || strings.Contains("erf lrh grh bth ext", w.Error); !own {
		// gopacket's own layers: their texts and flags are theirs.
		require.NotEmpty(t, got.Error)
		require.Subset(t, got.Layers, w.Layers)
		return
	}
	want := w
	want.N, want.What, want.Fields = 0, "", nil
	if len(want.Layers) == 0 {
		want.Layers = nil
	}
	require.Equal(t, want, got)
	require.Equal(t, texts(w.Fields), gotFields)
}

// ends adds what a layer holds of the packet's end.
func ends(l gopacket.Layer, w *testdata.Want) {
	switch l := l.(type) {
	case *erf.Record:
		w.ERFTrailer = hex.EncodeToString(l.Trailer)
	case *lrh.LRH:
		w.Trailer = hex.EncodeToString(l.Trailer) + w.VCRC + w.Trailer // inside a mirror, the VCRC around it is trailer
		if w.VCRC = ""; l.HasVCRC {
			w.VCRC = fmt.Sprintf("%04x", l.VCRC)
		}
	case *lrh.FlowControl:
		w.Trailer = hex.EncodeToString(l.Trailer)
	case *grh.GRH:
		w.Trailer = hex.EncodeToString(l.Trailer) + w.Trailer // it is inside the LRH's
	case *bth.BTH:
		w.Pad = hex.EncodeToString(l.Pad)
		if l.HasICRC {
			w.ICRC = fmt.Sprintf("%08x", l.ICRC)
		}
	}
}

// between returns what an IP or UDP header leaves of the payload of the layer
// outside, which gopacket gives no place.
func between(outside, l gopacket.Layer) []byte {
	if ip, ok := l.(*layers.IPv6); ok && ip.HopByHop != nil {
		return nil // these options are in neither Contents nor Payload
	}
	switch l.(type) {
	case *layers.IPv4, *layers.IPv6, *layers.UDP:
		return outside.LayerPayload()[len(l.LayerContents())+len(l.LayerPayload()):]
	}
	return nil
}

// texts returns the expected values as fields gives them.
func texts(fields map[string]any) map[string]string {
	out := map[string]string{}
	for name, v := range fields {
		switch v := v.(type) {
		case json.Number:
			out[name] = v.String()
		case string:
			out[name] = v
		case []any:
			for _, n := range v {
				out[name] += " " + n.(json.Number).String()
			}
		}
	}
	return out
}
