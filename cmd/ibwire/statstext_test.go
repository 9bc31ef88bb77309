package main

import (
	"encoding/binary"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/testdata"
)

// What the text of the case lists: six NAKs, of which one has a reserved code, and
// three RNR NAKs; four ACKs, and one syndrome of the reserved type.
func TestStatsNAKs(t *testing.T) {
	path := testdata.Shared(t, "cases/aeth_syndromes.pcap")[0]
	v, flows := statsOf(t, path)
	for _, code := range []string{"psn_sequence_error", "invalid_request", "remote_access_error", "remote_operational_error", "invalid_rd_request", "reserved"} {
		require.EqualValues(t, 1, v.NAKs[code], code)
		require.Equal(t, json.Number("1"), flows[0]["nak_"+code], code)
	}
	require.Len(t, v.NAKs, 6)
	require.Equal(t, []rnrJSON{{10, 1}, {491_520, 1}, {655_360, 1}}, v.RNRNAKs)
	for name, want := range map[string]json.Number{"naks": "6", "rnr_naks": "3", "acks": "4", "reserved_aeths": "1"} {
		require.Equal(t, want, flows[0][name], name)
	}
	require.Contains(t, good(t, "stats", path), `
Events
  1  NAK: PSN Sequence Error
  1  NAK: Invalid Request
  1  NAK: Remote Access Error
  1  NAK: Remote Operational Error
  1  NAK: Invalid RD Request
  1  NAK: reserved code 5
  1  RNR NAK: timer 0.01 ms
  1  RNR NAK: timer 491.52 ms
  1  RNR NAK: timer 655.36 ms

`)
}

// The members of the object are there whatever the capture has.
func TestStatsMembers(t *testing.T) {
	header, all := packetsOf(t, goBackN(t))
	binary.LittleEndian.PutUint32(all[8], 1_699_999_999)
	empty, back := fileOf(t, header), fileOf(t, header, all...)
	simple := testdata.Shared(t, "captures/pcapng-le-test010.pcapng")[0] // four simple packet blocks
	cnp := testdata.Shared(t, "cases/cnp_0x81.pcap")[0]
	var members []string
	for path, want := range map[string]map[string]string{
		empty:  {"start_time": "null", "end_time": "null", "rnr_naks": "[]", "packets_without_time": "0"},
		simple: {"start_time": "null", "end_time": "null", "packets_without_time": "4", "packets_without_bth": "4"},
		back:   {"start_time": "1699999999.000008000", "end_time": "1700000000.000007000", "packets_back_in_time": "1", "packets_without_time": "0"},
		cnp:    {"unknown_cnps": "1", "packets_back_in_time": "0"},
	} {
		var object map[string]json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(good(t, "stats", "-T", "json", path)), &object))
		for name, value := range want {
			require.Equal(t, value, string(object[name]), name)
		}
		names := []string{}
		for name := range object {
			names = append(names, name)
			require.Regexp(t, `[ ,]`+name+`[ ,\n]`, stats{}.Help())
		}
		slices.Sort(names)
		if members == nil {
			members = names
		}
		require.Equal(t, members, names)
	}
	require.Contains(t, good(t, "stats", simple), "\n        4  100.0                  without a time\n")
	require.Contains(t, good(t, "stats", back), "\n        1   11.1                  with a time before that of the packet before\n")
	require.Contains(t, good(t, "stats", cnp), "\n  1  CNP\n  1    whose flow is not known\n")
	for _, path := range []string{empty, goBackN(t)} {
		require.NotContains(t, good(t, "stats", path), "a time")
	}
}

// One is one, and more are many.
func TestStatsNumbersAgree(t *testing.T) {
	const nouns = "packet|gap|missing PSN|run|jump|change|NAK|RNR NAK|CNP"
	wrong := regexp.MustCompile(`(?m)^ +(1  (` + nouns + `)s|\d*([02-9]|1\d)  (` + nouns + `))([ :].*)?$`)
	for _, bad := range []string{"  1  gaps", " 12  packet that", "10  CNP", "1  NAKs: x"} {
		require.Regexp(t, wrong, " "+bad)
	}
	ones := ""
	for _, path := range append(testdata.Shared(t, "captures/*.pcap"), testdata.Shared(t, "cases/*.pcap")...) {
		out, _, _ := command(t, nil, "stats", path)
		_, counts, _ := strings.Cut(out, "\nEvents")
		counts, _, _ = strings.Cut(counts, "\nGaps\n")
		require.NotRegexp(t, wrong, counts, path)
		ones += counts
	}
	for _, line := range []string{"1  gap", "1  missing PSN", "1  run of packets sent again", "1  packet that the capture has twice", "2  packets that the capture has twice", "1  CNP", "1  packet with ECN CE"} {
		require.Contains(t, ones, line+"\n")
	}
}

// The table of flows has the columns that say something, and in each row as many.
func TestStatsFlowTable(t *testing.T) {
	table := func(args ...string) []string {
		_, text, _ := strings.Cut(good(t, append([]string{"stats"}, args...)...), "\nFlows\n")
		text, _, _ = strings.Cut(text, "\n\n")
		return strings.Split(text, "\n")
	}
	require.Equal(t, []string{
		"  flow  peer  packets  bytes  gaps  missing  resent  NAKs  ACK µs  from > to",
		"     1     2        7   2214     1        1       2     0     8.0  RC 192.0.2.1,0x11 > 192.0.2.2,0x22",
		"     2     1        2    124     0        0       0     1          RC 192.0.2.2,0x22 > 192.0.2.1,0x11",
	}, table(goBackN(t)))
	require.Equal(t, []string{
		"  flow  peer  packets  bytes  gaps  missing  NAKs  from > to",
		"     1    2?        3    958     1        1     0  RC 192.0.2.1,0x11 > 192.0.2.2,0x22",
		"     2    1?        1     62     0        0     1  RC 192.0.2.2,0x22 > 192.0.2.1,0x11",
		"  ? this peer is not certain",
	}, table("-c", "4", goBackN(t)))
	require.Equal(t, []string{
		"  flow  packets  bytes  from > to",
		"     2        2    132  InfiniBand RC 1 > 2,0x11",
		"     1        1     90  RRoCE RC 192.0.2.1 > 192.0.2.2,0x11",
	}, table(testdata.Shared(t, "cases/pcapng_mixed_links.pcap")[0]))
	require.Equal(t, []string{
		"  flow  packets  bytes  from > to",
		"     1        2    200  UD 192.0.2.1,0x22 > 192.0.2.2,0x11",
	}, table(testdata.Shared(t, "cases/ud_imm.pcap")[0]))
	// What is left out there is in the other forms.
	require.Equal(t, lines(good(t, "flows", goBackN(t)))[0], lines(good(t, "stats", "-T", "csv", testdata.Shared(t, "cases/ud_imm.pcap")[0]))[0])
}
