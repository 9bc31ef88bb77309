package check_test

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/capture"
	"github.com/ibwire/ibwire/check"
	"github.com/ibwire/ibwire/testdata"
)

// codesOf returns the codes that a capture's packets break, by their numbers, and
// how many packets were InfiniBand.
func codesOf(t *testing.T, path string, o check.Options) (codes map[int64][]string, counts check.Counts) {
	t.Helper()
	r, err := capture.Open(path)
	require.NoError(t, err)
	defer r.Close()
	c, err := check.New(o)
	require.NoError(t, err)
	in := check.Input{Packet: &ibwire.Packet{}}
	var found []check.Finding
	for {
		rec, err := r.Next()
		if err != nil {
			require.ErrorIs(t, err, io.EOF)
			break
		}
		_ = in.Decode(rec.LinkType, rec.Data)
		in.Number, in.LinkType, in.Length, in.Time = rec.Number, rec.LinkType, rec.Length, rec.RecordTime
		found = c.Append(found, &in)
	}
	codes = map[int64][]string{}
	for _, f := range c.End(found) {
		codes[f.Packet] = append(codes[f.Packet], f.Code)
	}
	return codes, c.Counts()
}

// byHand reads what is expected, as "2 lver tver; 5-7 icrc".
func byHand(t *testing.T, list string) map[int64][]string {
	t.Helper()
	codes := map[int64][]string{}
	for part := range strings.SplitSeq(list, ";") {
		words := strings.Fields(part)
		if len(words) == 0 {
			continue
		}
		var first, last int64
		if n, _ := fmt.Sscanf(words[0], "%d-%d", &first, &last); n == 1 {
			last = first
		}
		require.NotZero(t, first, part)
		for n := first; n <= last; n++ {
			codes[n] = words[1:]
		}
	}
	return codes
}

// expected is what is wrong with the packets of testdata, by what each of them is
// there for: see the member what of their expected decoding. Those that are
// missing have random values, which valuesExpected tells.
var expected = map[string]string{
	"lengths.pcap": `2 pktlen-captured; 3 pktlen-captured pktlen-max; 4 pktlen-captured; 5-8 pktlen-short; 9 pktlen-captured; 10-12 pktlen-short;
		13 pktlen-captured; 15-19 grh-paylen; 20-22 paylen-short; 23-24 pktlen-captured grh-paylen; 25-27 pktlen-short; 29 trailer; 30 truncated;
		31 trailer; 32 grh-nxthdr; 33-34 grh-paylen grh-nxthdr; 35 permissive-lid; 37 grh-ipver; 38-40 pktlen-short`,
	// Those that are cut in front of GRH and UDP may be anything.
	"cuts.pcap": "2-11 truncated; 17-24 truncated; 28-35 truncated",
	// The ERF header of 1 and of 65-73 is cut; 74 is empty. 53 and 54 lack their VCRC alone.
	"cuts-native.erf.pcap": "2-64 truncated",
	"ether.pcap":           "7 ackreq aeth-reserved; 14 udplen-short",
	"raw.pcap":             "4 pktlen-short; 6 lver lrh-reserved",
	// Those that are cut in a tunnel's header may be anything.
	"tunnels.pcap": "14-16 truncated",
	// DMALen is random. 14 and 15 end in front of the packet inside; 15 has no word for it.
	"mirror.pcap":     "1-6 write-only-dmalen; 9-13 truncated; 15 pktlen-short; 16-17 truncated",
	"mirror.erf.pcap": "1-6 write-only-dmalen; 9-13 truncated; 15 pktlen-short; 16-17 truncated",
	// 67 has all flags; 71 is cut. AckReq and DMALen are random.
	"erf-types.pcap": `3-4 ackreq; 21 ackreq; 31-32 ackreq; 40 ackreq; 41-42 write-only-dmalen; 43-45 ackreq;
		67 truncated erf-truncated erf-rx-error erf-ds-error erf-flags-reserved erf-loss; 69 write-only-dmalen; 71 truncated`,
	// The same; the PAD record, 61, is no packet here.
	"erf-types-padded.erf": `3-4 ackreq; 21 ackreq; 31-32 ackreq; 40 ackreq; 41-42 write-only-dmalen; 43-45 ackreq;
		66 truncated erf-truncated erf-rx-error erf-ds-error erf-flags-reserved erf-loss; 68 write-only-dmalen; 70 truncated`,
}

func TestFindingsOfTestdata(t *testing.T) {
	for _, path := range append(testdata.Glob(t, "*.pcap"), testdata.Glob(t, "*.erf")...) {
		name := filepath.Base(path)
		t.Run(name, func(t *testing.T) {
			// The records' times have nothing to do with those of the files.
			got, counts := codesOf(t, path, check.Options{Info: true, Ignore: []string{"erf-time"}})
			require.Zero(t, counts.ICRC[ibwire.Bad])
			require.Zero(t, counts.VCRC[ibwire.Bad])
			var want map[int64][]string
			switch name {
			case "native.erf.pcap", "native-padded.erf":
				want, _ = codesOf(t, testdata.Path(t, "native.pcap"), check.Options{Info: true})
			case "opcodes-unassigned.pcap":
				want = unassignedExpected(testdata.Wants(t, path))
			default:
				list, ok := expected[name]
				if want = byHand(t, list); !ok {
					want = valuesExpected(testdata.Wants(t, path))
				}
			}
			for _, codes := range []map[int64][]string{got, want} {
				for n := range codes {
					slices.Sort(codes[n])
				}
			}
			require.Equal(t, want, got)
		})
	}
}

// unassignedExpected is what is wrong with opcodes that are not assigned. Those of
// RD are used for another transport.
func unassignedExpected(wants []testdata.Want) map[int64][]string {
	codes := map[int64][]string{}
	for _, w := range wants {
		if strings.HasSuffix(w.What, ", unassigned") && !strings.HasPrefix(w.What, "opcode 0x5") {
			codes[int64(w.N)] = []string{"opcode"}
		}
	}
	return codes
}

// The real captures are healthy: nothing is found but what is known of them.
func TestFindingsOfRealCaptures(t *testing.T) {
	for name, want := range map[string]struct {
		info       string
		icrc, vcrc int64
	}{
		"infiniband-erf-01-31.pcap":              {"", 31, 31},
		"derived-infiniband-01-31.erf":           {"", 31, 31},
		"derived-infiniband-01-31-lt247.pcap":    {"", 31, 31},
		"hex-open-rdma-write-only-rawip.pcap":    {"1 pkey-zero", 1, 0},
		"hex-pcapplusplus-rxe-read-request.pcap": {"", 1, 0},
		"hex-scapy-roce-uts.pcap":                {"", 2, 0},
	} {
		got, counts := codesOf(t, testdata.Shared(t, "captures/"+name)[0], check.Options{Info: true})
		require.Equal(t, byHand(t, want.info), got, name)
		require.Equal(t, [4]int64{ibwire.Good: want.icrc}, counts.ICRC, name)
		require.Equal(t, [4]int64{ibwire.Good: want.vcrc}, counts.VCRC, name)
	}
	got, counts := codesOf(t, testdata.Shared(t, "captures/rocev2-huawei-send-001-070.pcap")[0], check.Options{Info: true})
	require.Len(t, got, 37, "every request has a bit set")
	for _, codes := range got {
		require.Equal(t, []string{"bth-reserved6"}, codes)
	}
	require.Equal(t, [4]int64{ibwire.Good: 56}, counts.ICRC)
}

// Captures without InfiniBand have no findings at all.
func TestFindingsOfOtherCaptures(t *testing.T) {
	for _, pattern := range []string{"libtrace-*packets*", "libtrace-provenance*", "libtrace*.erf.gz", "pcapng-*", "wireshark-*", "tcpdump-*"} {
		for _, path := range testdata.Shared(t, "captures/"+pattern) {
			got, counts := codesOf(t, path, check.Options{Info: true})
			require.Empty(t, got, path)
			require.Zero(t, counts.InfiniBand, path)
		}
	}
}

// What the texts beside the awkward captures say is wrong with them, by hand.
var casesExpected = map[string]string{
	"aeth_syndromes":           "12 aeth-nak; 13 aeth-type; 14 aeth-reserved", // 65, 45, 9f
	"bth_cut_short":            "1-8 truncated",
	"cnp_0x81":                 "",
	"erf_ext_headers":          "",
	"erf_mixed_types":          "5 erf-time", // a second ahead
	"erf_time_vs_pcap_time":    "1-2 erf-time",
	"flush_atomic_write":       "",
	"grh_mapped_gid":           "",
	"iba_sample_icrc":          "",
	"linktype_197_same_packet": "",
	"mirror_tunnels":           "3 truncated",
	"pad_count":                "",
	"pcap_caplen_oddities":     "",
	"pcapng_mixed_links":       "",
	"port_nondefault":          "2 udplen-short", // too short for a BTH, let alone an ICRC
	"psn_gap_go_back_n":        "",
	"responses_and_atomics":    "",
	"rocev2_ipv6":              "",
	"send_invalidate_short":    "",
	"ud_imm":                   "",
	"vlan_qinq":                "",
	"zero_len_write_imm":       "",
}

func TestFindingsOfCases(t *testing.T) {
	for _, path := range testdata.Shared(t, "cases/*.pcap") {
		name := strings.TrimSuffix(filepath.Base(path), ".pcap")
		list, known := casesExpected[name]
		require.True(t, known, name)
		got, counts := codesOf(t, path, check.Options{Info: true})
		if name == "mirror_tunnels" && counts.InfiniBand == 0 {
			list = "" // as long as nobody looks into tunnels
		}
		require.Equal(t, byHand(t, list), got, name)
		require.Zero(t, counts.ICRC[ibwire.Bad]+counts.ICRC[ibwire.Unverified], name)
		require.Zero(t, counts.VCRC[ibwire.Bad]+counts.VCRC[ibwire.Unverified], name)
	}
}
