package main

import (
	"encoding/binary"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/testdata"
)

// requireRow requires that a row has these cells.
func requireRow(t *testing.T, want, row map[string]string) {
	t.Helper()
	for name, cell := range want {
		require.Contains(t, row, name)
		require.Equal(t, cell, row[name], name)
	}
}

// What the text of the case says: at packet 3, 502 is expected and 503 comes;
// packet 4 is the NAK of 502, from the other side; packets 6 to 8 are 502 to 504
// again, two of which had been seen.
func TestEventsCase(t *testing.T) {
	rows := csvRows(t, good(t, "events", "--kind", "nak,gap,gap_closed", "--kind", "retransmission", goBackN(t)))
	require.Len(t, rows, 4)
	none := map[string]string{"old": "", "new": "", "rnr_timer_us": ""}
	for i, want := range []map[string]string{
		{"packet": "3", "time": "1700000000.000002000", "flow_id": "1", "kind": "gap", "read_responses": "0", "psn": "502", "last_psn": "502", "count": "1",
			"repeats": "", "verdict": "", "cause": "", "nak": "", "subject_id": "", "dest_qp": "0x000022", "src_qp": ""},
		{"packet": "4", "time": "1700000000.000003000", "flow_id": "2", "kind": "nak", "read_responses": "", "psn": "502", "last_psn": "", "count": "",
			"nak": "PSN Sequence Error", "msn": "8", "subject_id": "1", "pairing": "uncertain", "src": "192.0.2.2", "dst": "192.0.2.1", "dest_qp": "0x000011", "src_qp": "0x000022"},
		{"packet": "8", "flow_id": "1", "kind": "retransmission", "psn": "502", "last_psn": "504", "count": "3", "repeats": "2", "cause": "nak", "verdict": "",
			"subject_id": "", "pairing": "", "encapsulation": "RRoCE", "transport": "RC", "src": "192.0.2.1", "dst": "192.0.2.2"},
		{"packet": "8", "flow_id": "1", "kind": "gap_closed", "psn": "502", "last_psn": "502", "count": "1", "repeats": "", "cause": "", "verdict": "lost", "msn": ""},
	} {
		requireRow(t, want, rows[i])
		requireRow(t, none, rows[i])
	}
	require.Equal(t, `{"packet":8,"time":1700000000.000007000,"flow_id":1,"kind":"retransmission","read_responses":false,"psn":502,"last_psn":504,"count":3,"repeats":2,`+
		`"verdict":null,"cause":"nak","nak":null,"rnr_timer_us":null,"msn":null,"subject_id":null,"pairing":null,"old":null,"new":null,`+
		`"encapsulation":"RRoCE","transport":"RC","src":"192.0.2.1","dst":"192.0.2.2","src_qp":17,"dest_qp":34}`+"\n",
		good(t, "events", "--kind", "retransmission", "-T", "ndjson", goBackN(t)))
	require.Empty(t, csvRows(t, good(t, "events", "-Y", "ip.src == 192.0.2.2", "--kind", "gap", goBackN(t))))
}

// What the text of the case lists, one syndrome a packet, PSNs from 100 on.
func TestEventsNAKs(t *testing.T) {
	rows := csvRows(t, good(t, "events", testdata.Shared(t, "cases/aeth_syndromes.pcap")[0]))
	want := []map[string]string{}
	for i, timer := range []string{"655360", "10", "491520"} {
		want = append(want, map[string]string{"packet": strconv.Itoa(4 + i), "kind": "rnr_nak", "rnr_timer_us": timer, "nak": ""})
	}
	for i, code := range []string{"PSN Sequence Error", "Invalid Request", "Remote Access Error", "Remote Operational Error", "Invalid RD Request", "reserved code 5"} {
		want = append(want, map[string]string{"packet": strconv.Itoa(7 + i), "kind": "nak", "nak": code, "rnr_timer_us": ""})
	}
	require.Len(t, rows, len(want))
	for i, row := range rows {
		requireRow(t, want[i], row)
		requireRow(t, map[string]string{"psn": strconv.Itoa(103 + i), "msn": "3", "subject_id": "", "pairing": "unpaired"}, row)
	}
}

// The case with other bits: of packet 2 the P_Key, of packet 3 MigReq, and behind
// it a CNP to the queue pair that answers, so that its answers are throttled.
func TestEventsOfHeaders(t *testing.T) {
	const bth = 16 + 14 + 20 + 8 // the record, Ethernet, IPv4, UDP
	header, all := packetsOf(t, goBackN(t))
	binary.BigEndian.PutUint16(all[1][bth+2:], 0x7fff)
	all[2][bth+1] ^= 0x40
	_, cnp := packetsOf(t, testdata.Shared(t, "cases/cnp_0x81.pcap")[0])
	cnp[0][bth+7] = 0x22
	binary.LittleEndian.PutUint32(cnp[0][4:], 9)
	path := fileOf(t, header, append(all, cnp...)...)
	rows := csvRows(t, good(t, "events", "--kind", "p_key_change,migration_state_change,cnp", path))
	want := []map[string]string{
		{"packet": "2", "kind": "p_key_change", "psn": "501", "old": "0xffff", "new": "0x7fff"},
		{"packet": "3", "kind": "p_key_change", "psn": "503", "old": "0x7fff", "new": "0xffff"},
		{"packet": "3", "kind": "migration_state_change", "psn": "503", "old": "0x0001", "new": "0x0000", "subject_id": ""},
		{"packet": "5", "kind": "migration_state_change", "psn": "504", "old": "0x0000", "new": "0x0001", "flow_id": "1"},
		{"packet": "10", "kind": "cnp", "psn": "", "old": "", "flow_id": "3", "subject_id": "2", "pairing": "proven", "transport": "CNP", "dest_qp": "0x000022"},
	}
	require.Len(t, rows, len(want))
	for i := range want {
		requireRow(t, want[i], rows[i])
	}
	// Without the other packets nobody knows which flow that is.
	requireRow(t, map[string]string{"packet": "1", "kind": "cnp", "subject_id": "", "pairing": "unpaired"}, csvRows(t, good(t, "events", testdata.Shared(t, "cases/cnp_0x81.pcap")[0]))[0])
	// The second packet of the case has come through a router that was congested.
	requireRow(t, map[string]string{"packet": "2", "psn": "100", "src": "2001:db8::1"}, csvRows(t, good(t, "events", "--kind", "ecn_ce", testdata.Shared(t, "cases/rocev2_ipv6.pcap")[0]))[0])
}

// The PSNs of READ responses are their own: without the Middle of the case, 101 is
// missing.
func TestEventsOfReadResponses(t *testing.T) {
	header, all := packetsOf(t, testdata.Shared(t, "cases/responses_and_atomics.pcap")[0])
	path := fileOf(t, header, all[0], all[2], all[3])
	rows := csvRows(t, good(t, "events", path))
	require.Len(t, rows, 2)
	requireRow(t, map[string]string{"packet": "2", "kind": "gap", "read_responses": "1", "psn": "101", "last_psn": "101"}, rows[0])
	requireRow(t, map[string]string{"packet": "3", "kind": "gap_closed", "read_responses": "1", "psn": "101", "verdict": "unresolved"}, rows[1])
	require.Contains(t, good(t, "events", "-T", "json", path), `"kind":"gap","read_responses":true,"psn":101`)
}
