package capture_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/capture"
	"github.com/ibwire/ibwire/testdata"

	"github.com/ibwire/ibwire/linktype"
)

// counted has the number of packets by capinfos -c of Wireshark 4.0.17, also
// where capinfos stops at an error behind them.
var counted = map[string]int{
	"derived-infiniband-01-31.erf": 31,
	"fuzz-pcapplusplus-047c56c3504ad04232497c903af06c0bc4b5c6f73927ad07cde79cfa28d9.pcapng": 1,
	"fuzz-pcapplusplus-1eb005b8d62599b6561acf7e778f51603ccbc5ddf948c0b081617668bb56.pcapng": 9,
	"fuzz-pcapplusplus-6f6fd63a9a6d8dd1a206eff00c915ed4b643034dad7e9986fd89a43244d6.pcapng": 1,
	"fuzz-pcapplusplus-6fda21d7ebaa0391434f17eecf25b1d7c58633f96b6906183c626cbdfc35.pcapng": 1,
	"fuzz-pcapplusplus-adb739b5829aacedbec6cf3969413997d23b6f2e3350ddf0b1cc3b4d1c33.pcapng": 1,
	"fuzz-pcapplusplus-cf-FuzzTarget-5188876846235648.pcap":                                 1,
	"fuzz-pcapplusplus-cf-FuzzTarget-6207688043397120.pcap":                                 1,
	"fuzz-pcapplusplus-cf-minimized-FuzzTarget-4672344017862656.pcap":                       1,
	"fuzz-pcapplusplus-cf-minimized-FuzzTarget-4981601846820864.pcap":                       1,
	"fuzz-pcapplusplus-cf-minimized-FuzzTarget-5114733584449536.pcap":                       1,
	"fuzz-pcapplusplus-cf-minimized-FuzzTarget-5165927376355328.pcap":                       1,
	"fuzz-pcapplusplus-cf-minimized-FuzzTarget-5196221831708672.pcap":                       1,
	"fuzz-pcapplusplus-cf-minimized-FuzzTarget-5421416466481152.pcap":                       1,
	"fuzz-pcapplusplus-cf-minimized-FuzzTarget-5468403752632320.pcap":                       1,
	"fuzz-pcapplusplus-cf-minimized-FuzzTarget-5643903448645632.pcap":                       1,
	"fuzz-pcapplusplus-cf-minimized-FuzzTarget-5669109772845056.pcap":                       1,
	"fuzz-pcapplusplus-cf-minimized-FuzzTarget-5700358767902720.pcap":                       1,
	"fuzz-pcapplusplus-cf-minimized-FuzzTarget-5716696466980864.pcap":                       1,
	"fuzz-pcapplusplus-cf-minimized-FuzzTarget-5723611632762880.pcap":                       1,
	"fuzz-pcapplusplus-cf-minimized-FuzzTarget-5757531338309632.pcap":                       1,
	"fuzz-pcapplusplus-cf-minimized-FuzzTarget-5758569646653440.pcap":                       1,
	"fuzz-pcapplusplus-cf-minimized-FuzzTarget-5766939894087680.pcap":                       1,
	"fuzz-pcapplusplus-cf-minimized-FuzzTarget-5814090897948672.pcap":                       1,
	"fuzz-pcapplusplus-cf-minimized-FuzzTarget-6303070823907328.pcap":                       1,
	"fuzz-pcapplusplus-cf-minimized-FuzzTarget-6604968558198784.pcap":                       1,
	"fuzz-pcapplusplus-crash-81dba690a3f67ee41a41390a625db732fa1413a1.pcap":                 11,
	"fuzz-pcapplusplus-crash-8534c61cdf5987482365d7877ade12eef5aaf8b7.pcap":                 2,
	"fuzz-pcapplusplus-crash-invalid-asn-record-len.pcap":                                   1,
	"fuzz-pcapplusplus-e0c0f8fea6e931d9671384a66f4e1ab02d84e27a5f091e9c7b1fce89d9c1.pcapng": 1,
	"fuzz-pcapplusplus-ec4b17a4e7b994548f03ae05d8d8924a515a236892959f3300e1c9e8a9c5.pcapng": 1,
	"fuzz-pcapplusplus-radiuslayer.pcap":                                                    5,
	"hex-open-rdma-write-only-rawip.pcap":                                                   1,
	"hex-pcapplusplus-rxe-read-request.pcap":                                                1,
	"hex-scapy-roce-uts.pcap":                                                               2,
	"infiniband-erf-01-31.pcap":                                                             31,
	"libtrace-100_packets.erf":                                                              100,
	"libtrace-100_packets.pcapng":                                                           100,
	"libtrace-100_packetsns.pcap":                                                           100,
	"libtrace-5_packets.erf":                                                                5,
	"libtrace-5_packets.erf.gz":                                                             5,
	"libtrace-fragtest.erf.gz":                                                              10000,
	"libtrace-provenance-meta-001-060.erf":                                                  60,
	"libtrace_tutorial-mpls.erf.gz":                                                         10000,
	"ndpi-fuzz-2021-10-13.pcap":                                                             1,
	"pcapng-be-test001.pcapng":                                                              4,
	"pcapng-be-test003.pcapng":                                                              0,
	"pcapng-be-test005.pcapng":                                                              4,
	"pcapng-be-test007.pcapng":                                                              1,
	"pcapng-be-test009.pcapng":                                                              2,
	"pcapng-be-test011.pcapng":                                                              4,
	"pcapng-be-test013.pcapng":                                                              0,
	"pcapng-be-test015.pcapng":                                                              0,
	"pcapng-be-test017.pcapng":                                                              0,
	"pcapng-be-test101.pcapng":                                                              4,
	"pcapng-be-test201.pcapng":                                                              4,
	"pcapng-le-test001.pcapng":                                                              4,
	"pcapng-le-test002.pcapng":                                                              0,
	"pcapng-le-test003.pcapng":                                                              0,
	"pcapng-le-test004.pcapng":                                                              4,
	"pcapng-le-test005.pcapng":                                                              4,
	"pcapng-le-test006.pcapng":                                                              5,
	"pcapng-le-test007.pcapng":                                                              1,
	"pcapng-le-test008.pcapng":                                                              4,
	"pcapng-le-test009.pcapng":                                                              2,
	"pcapng-le-test010.pcapng":                                                              4,
	"pcapng-le-test012.pcapng":                                                              4,
	"pcapng-le-test014.pcapng":                                                              0,
	"pcapng-le-test016.pcapng":                                                              4,
	"pcapng-le-test018.pcapng":                                                              4,
	"pcapng-le-test100.pcapng":                                                              5,
	"pcapng-le-test102.pcapng":                                                              5,
	"pcapng-le-test200.pcapng":                                                              0,
	"pcapng-le-test202.pcapng":                                                              8,
	"pcapplusplus-many_interfaces-1.pcapng":                                                 64,
	"pcapplusplus-nanosecs.pcap":                                                            2,
	"pcapplusplus-nanosecs_big_endian.pcap":                                                 10,
	"rocev2-huawei-send-001-070.pcap":                                                       70,
	"rusticata-err-buffertoosmall.pcapng":                                                   27,
	"tcpdump-ipoib.pcap":                                                                    30,
	"tcpdump-slow-ossp.pcap":                                                                1,
	"tcpdump-tcp-handshake-nano.pcap":                                                       3,
	"wireshark-dhcp-nanosecond.pcap":                                                        4,
	"wireshark-many_interfaces.pcapng.1":                                                    64,
}

// uncounted are files that capinfos does not open or read in the same way.
var uncounted = map[string]int{
	// Link type 247 is unknown to it.
	"derived-infiniband-01-31-lt247.pcap": 31,
	// It refuses reserved bits in the link-type word.
	"fuzz-pcapplusplus-cf-minimized-FuzzTarget-5631583764873216.pcap": 1,
	"fuzz-pcapplusplus-cf-minimized-FuzzTarget-5685520970809344.pcap": 1,
	"fuzz-pcapplusplus-cf-minimized-FuzzTarget-5752969003008000.pcap": 1,
	// It guesses that the records are those of Red Hat 6.1, and finds 1.
	"fuzz-pcapplusplus-crash-exception-cast-constructed-record.pcap": 2,
	// It does not unpack these.
	"libtrace-5_packets.erf.bz2": 5,
	"libtrace-5_packets.erf.xz":  5,
}

// notCaptures are files of other formats.
var notCaptures = []string{"libtrace-legacyatm.gz", "libtrace-legacyeth.gz", "rusticata-err-eof.bin", "README.md"}

func TestSharedCounts(t *testing.T) {
	files := map[string]bool{}
	for _, path := range testdata.Shared(t, "captures/*") {
		name := filepath.Base(path)
		files[name] = true
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			got, _, err := readBytes(t, data)
			want, ok := counted[name]
			if !ok {
				want = uncounted[name]
			}
			require.Len(t, got, want)
			if want == 0 && err != io.EOF {
				require.Contains(t, notCaptures, name)
				require.ErrorIs(t, err, capture.ErrFormat)
			}
		})
	}
	for _, names := range []map[string]int{counted, uncounted} {
		for name := range names {
			require.True(t, files[name], "no file %s", name)
		}
	}
}

// Whole and cut, plain and compressed, there is a clean end or a typed error.
func TestSharedHalves(t *testing.T) {
	for _, path := range append(testdata.Shared(t, "captures/*"), testdata.Shared(t, "cases/*.pcap")...) {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, data := range [][]byte{data, data[:len(data)/2]} {
			check(t, data)
			var b bytes.Buffer
			w := gzip.NewWriter(&b)
			_, err = w.Write(data)
			require.NoError(t, err)
			require.NoError(t, w.Close())
			check(t, b.Bytes())
		}
	}
}

// The cases that are about files.
func TestSharedCases(t *testing.T) {
	read := func(name string) []capture.Record {
		data, err := os.ReadFile(testdata.Shared(t, "cases/"+name)[0])
		require.NoError(t, err)
		got, warnings, err := readBytes(t, data)
		require.Equal(t, io.EOF, err)
		require.Empty(t, warnings)
		return got
	}
	got := read("pcap_caplen_oddities.pcap")
	require.Len(t, got, 3)
	for i, rec := range got {
		require.Len(t, rec.Data, 74)
		require.Equal(t, 74, rec.Length)
		require.EqualValues(t, 24+i*90, rec.Offset)
	}

	got = read("pcapng_mixed_links.pcap")
	require.Len(t, got, 3)
	for i, link := range []linktype.Type{1, 197, 247} {
		require.Equal(t, link, got[i].LinkType)
		require.EqualValues(t, int64(1700000000_000000000)+1000*int64(i), got[i].Time.UnixNano())
	}
	require.EqualValues(t, int64(1700000000_000000000), got[1].ERFTime.Time().UnixNano())

	got = read("erf_time_vs_pcap_time.pcap")
	require.Len(t, got, 2)
	require.EqualValues(t, int64(1600000000_500000000), got[0].Time.UnixNano())
	require.EqualValues(t, int64(1600000001_000000000), got[1].Time.UnixNano())
	for i, rec := range got {
		require.EqualValues(t, int64(1700000000_000000000)+1000*int64(i), rec.RecordTime.UnixNano())
	}
}
