package ibwire_test

import (
	"encoding/hex"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/bth"
	"github.com/ibwire/ibwire/erf"
	"github.com/ibwire/ibwire/ext"
	"github.com/ibwire/ibwire/lrh"
	"github.com/ibwire/ibwire/testdata"
	"github.com/ibwire/ibwire/testdata/paths"
)

// A packetCase is a packet of an awkward capture and what it must decode to.
type packetCase struct {
	file   string
	n      int    // packet number, from 1
	layers string // our layers, and the payload if there is one
	fields string // name=value of some fields, without "infiniband."
	bytes  string // the payload in hexadecimal digits, or its length as "256 bytes"
	pad    string // the pad in hexadecimal digits
	crcs   string // ICRC and VCRC, each where it is present
}

// rcSend is the payload of the SENDs in many of the cases.
const rcSend = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

// packetCases are what the texts beside the captures say, by hand.
var packetCases = []packetCase{
	{"aeth_syndromes", 1, "BTH AETH", "bth.opcode=17 bth.psn=100 aeth.syndrome=31 aeth.msn=3", "", "", "f685523d"},
	{"aeth_syndromes", 14, "BTH AETH", "bth.opcode=17 bth.psn=113 aeth.syndrome=159 aeth.msn=3", "", "", "3f2b0b78"},
	{"cnp_0x81", 1, "BTH CNP", "bth.opcode=129 bth.se=0 bth.m=0 bth.padcnt=0 bth.tver=0 bth.p_key=65535 bth.fecn=0 bth.becn=1 bth.reserved6=0 " +
		"bth.destqp=210 bth.a=0 bth.psn=0 cnp.reserved=00000000000000000000000000000000", "", "", "13fdb10d"},
	{"erf_ext_headers", 1, "ERF LRH BTH Payload", "erf.types.type=21 erf.types.ext_header=1 erf.rlen=90 erf.wlen=58 lrh.pktlen=14 bth.opcode=4 bth.psn=100", rcSend, "", "fcb4eb62 4088"},
	{"erf_mixed_types", 1, "ERF LRH BTH Payload", "bth.psn=100", rcSend, "", "fcb4eb62 4088"},
	{"erf_mixed_types", 2, "ERF Payload", "erf.types.type=27", "16 bytes", "", ""},
	{"erf_mixed_types", 3, "ERF Payload", "erf.types.type=48", "16 bytes", "", ""},
	{"erf_mixed_types", 4, "ERF FlowControl", "erf.types.type=25 _link.op=0 _link.fctbs=18 _link.vl=0 _link.fccl=1110 _link.lpcrc=30600", "", "", ""},
	{"erf_mixed_types", 5, "ERF LRH BTH Payload", "bth.psn=101", rcSend, "", "0f241954 3781"},
	{"erf_time_vs_pcap_time", 1, "ERF LRH BTH Payload", "bth.psn=100", rcSend, "", "fcb4eb62 4088"},
	{"flush_atomic_write", 1, "BTH FETH RETH", "bth.opcode=28 feth=18 reth.va=4096 reth.r_key=7 reth.dmalen=4096", "", "", "bb82f584"},
	{"flush_atomic_write", 2, "BTH RETH Payload", "bth.opcode=29 reth.va=4096 reth.r_key=7 reth.dmalen=8", "4142434445464748", "", "74fccc16"},
	{"grh_mapped_gid", 1, "GRH BTH Payload", "grh.ipver=6 grh.tclass=104 grh.flowlabel=703710 grh.paylen=48 grh.nxthdr=27 grh.hoplmt=64 " +
		"grh.sgid=::ffff:192.0.2.1 grh.dgid=::ffff:192.0.2.2 bth.psn=100", rcSend, "", "478b53f6"},
	{"iba_sample_icrc", 1, "LRH BTH RETH Payload", "lrh.vl=7 lrh.lver=0 lrh.sl=1 lrh.lnh=2 lrh.dlid=14172 lrh.pktlen=14 lrh.slid=6098 " +
		"bth.opcode=10 bth.se=0 bth.m=0 bth.padcnt=2 bth.tver=0 bth.p_key=9351 bth.destqp=8892851 bth.a=0 bth.psn=912426 " +
		"reth.va=103875381804482562 reth.r_key=955415045 reth.dmalen=14", "bb884d85fd5cfba4728bc0690ed4", "0000", "9625b75a 45fa"},
	{"linktype_197_same_packet", 1, "ERF LRH BTH RETH Payload", "erf.types.type=21 erf.flags=4 erf.rlen=74 erf.lctr=0 erf.wlen=58 lrh.pktlen=14 bth.padcnt=2 reth.dmalen=14",
		"bb884d85fd5cfba4728bc0690ed4", "0000", "9625b75a 45fa"},
	{"pad_count", 1, "BTH Payload", "bth.opcode=4 bth.psn=100 bth.padcnt=0", "01020304", "", "dc5427a7"},
	{"pad_count", 2, "BTH Payload", "bth.opcode=4 bth.psn=101 bth.padcnt=3", "0102030405", "000000", "82b1de41"},
	{"pad_count", 3, "BTH Payload", "bth.opcode=4 bth.psn=102 bth.padcnt=2", "010203040506", "0000", "ffca9c6f"},
	{"pad_count", 4, "BTH Payload", "bth.opcode=4 bth.psn=103 bth.padcnt=1", "01020304050607", "00", "65056002"},
	{"pcap_caplen_oddities", 1, "ERF LRH BTH Payload", "bth.opcode=4 bth.psn=100", rcSend, "", "fcb4eb62 4088"},
	{"pcap_caplen_oddities", 2, "ERF LRH BTH Payload", "bth.opcode=4 bth.psn=100", rcSend, "", "fcb4eb62 4088"},
	{"pcap_caplen_oddities", 3, "ERF LRH BTH Payload", "bth.opcode=4 bth.psn=100", rcSend, "", "fcb4eb62 4088"},
	{"pcapng_mixed_links", 1, "BTH Payload", "bth.opcode=4 bth.psn=100", rcSend, "", "087ef23a"},
	{"pcapng_mixed_links", 2, "ERF LRH BTH Payload", "bth.opcode=4 bth.psn=100", rcSend, "", "fcb4eb62 4088"},
	{"pcapng_mixed_links", 3, "LRH BTH Payload", "bth.opcode=4 bth.psn=100", rcSend, "", "fcb4eb62 4088"},
	{"psn_gap_go_back_n", 1, "BTH RETH Payload", "bth.opcode=6 bth.psn=500 bth.destqp=34 reth.dmalen=1280", "256 bytes", "", "cb3e46ae"},
	{"psn_gap_go_back_n", 4, "BTH AETH", "bth.opcode=17 bth.psn=502 bth.destqp=17 aeth.syndrome=96 aeth.msn=8", "", "", "d30fa472"},
	{"psn_gap_go_back_n", 5, "BTH Payload", "bth.opcode=8 bth.psn=504 bth.a=1", "256 bytes", "", "79332b8f"},
	{"responses_and_atomics", 1, "BTH AETH Payload", "bth.opcode=13 aeth.msn=3", "256 bytes", "", "0696975b"},
	{"responses_and_atomics", 2, "BTH Payload", "bth.opcode=14", "256 bytes", "", "eb69e5ff"},
	{"responses_and_atomics", 3, "BTH AETH Payload", "bth.opcode=15 aeth.msn=3", "20 bytes", "", "aa6e98eb"},
	{"responses_and_atomics", 4, "BTH AETH Payload", "bth.opcode=16 aeth.msn=4", "20 bytes", "", "e788a5ea"},
	{"responses_and_atomics", 5, "BTH AETH AtomicAckETH", "bth.opcode=18 aeth.msn=5 atomicacketh.origremdt=77", "", "", "25c0d4a6"},
	{"responses_and_atomics", 6, "BTH AtomicETH", "bth.opcode=19 atomiceth.va=4096 atomiceth.r_key=7 atomiceth.swapdt=1 atomiceth.cmpdt=2", "", "", "eb647b05"},
	{"responses_and_atomics", 7, "BTH AtomicETH", "bth.opcode=20 atomiceth.va=4096 atomiceth.r_key=7 atomiceth.swapdt=5 atomiceth.cmpdt=0", "", "", "f0ccace9"},
	{"rocev2_ipv6", 1, "BTH Payload", "bth.opcode=4 bth.destqp=17 bth.psn=100", rcSend, "", "4cab37e2"},
	{"rocev2_ipv6", 2, "BTH Payload", "bth.opcode=4 bth.destqp=17 bth.psn=100", rcSend, "", "4cab37e2"},
	{"send_invalidate_short", 1, "BTH IETH Payload", "bth.opcode=22 bth.psn=100 ieth=3735928559", "61626364", "", "fb893a45"},
	{"send_invalidate_short", 2, "BTH IETH Payload", "bth.opcode=23 bth.psn=101 ieth=3735928559", "61626364", "", "fea62637"},
	{"ud_imm", 1, "BTH DETH Payload", "bth.opcode=100 deth.q_key=286331153 deth.srcqp=34", rcSend, "", "2ee0941b"},
	{"ud_imm", 2, "BTH DETH ImmDt Payload", "bth.opcode=101 deth.q_key=286331153 deth.srcqp=34 immdt=42", rcSend, "", "cdb3bf11"},
	{"vlan_qinq", 1, "BTH Payload", "bth.opcode=4 bth.psn=100", rcSend, "", "087ef23a"},
	{"vlan_qinq", 2, "GRH BTH Payload", "grh.paylen=48 bth.opcode=4 bth.psn=101", rcSend, "", "93391a39"},
	{"zero_len_write_imm", 1, "BTH RETH ImmDt", "bth.opcode=11 reth.va=4096 reth.r_key=7 reth.dmalen=0 immdt=42", "", "", "a72070e4"},
}

func TestAwkwardPackets(t *testing.T) {
	testdata.Shared(t, "cases/*.pcap")
	for _, c := range packetCases {
		t.Run(fmt.Sprintf("%s/%d", c.file, c.n), func(t *testing.T) {
			p := outside(t, "cases/"+c.file+".pcap")[c.n-1]
			require.NoError(t, paths.Error(p))
			require.False(t, p.Metadata().Truncated)
			var types []string
			got := map[string]string{}
			var payload, pad, crcs string
			for _, l := range p.Layers() {
				switch l := l.(type) {
				case *bth.BTH:
					pad, crcs = hex.EncodeToString(l.Pad), fmt.Sprintf("%08x", l.ICRC)+crcs
					require.True(t, l.HasICRC)
				case *lrh.LRH:
					crcs = fmt.Sprintf(" %04x", l.VCRC)
					require.True(t, l.HasVCRC)
				case *gopacket.Payload:
					payload = hex.EncodeToString(*l)
				}
				if lt := l.LayerType(); lt == gopacket.LayerTypePayload || lt >= 1900 && lt < 2000 {
					types = append(types, lt.String())
				}
				maps.Copy(got, fields(l))
			}
			require.Equal(t, c.layers, strings.Join(types, " "))
			for f := range strings.FieldsSeq(c.fields) {
				name, want, _ := strings.Cut(f, "=")
				if !strings.HasPrefix(name, "erf.") {
					name = strings.Replace("infiniband."+name, "._", "_", 1)
				}
				require.Equal(t, want, got[name], name)
			}
			if !strings.HasSuffix(c.bytes, " bytes") {
				require.Equal(t, c.bytes, payload)
			} else {
				require.Equal(t, c.bytes, fmt.Sprint(len(payload)/2, " bytes"))
			}
			require.Equal(t, c.pad, pad)
			require.Equal(t, c.crcs, crcs)
		})
	}
}

// outside decodes a capture from outside the module.
func outside(t *testing.T, pattern string) []gopacket.Packet {
	t.Helper()
	var packets []gopacket.Packet
	for _, f := range testdata.Frames(t, testdata.Shared(t, pattern)[0]) {
		first, ok := firstLayer(f)
		require.True(t, ok)
		packets = append(packets, gopacket.NewPacket(f.Data, first, gopacket.Default))
	}
	return packets
}

func syndromes(packets []gopacket.Packet) (s []string) {
	for _, p := range packets {
		s = append(s, p.Layer(ext.LayerTypeAETH).(*ext.AETH).Syndrome.String())
	}
	return s
}

func TestAwkwardSyndromes(t *testing.T) {
	require.Equal(t, []string{
		"Ack, no credit limit", "Ack, 0 credits", "Ack, 128 credits", "RNR Nak, 655.36ms", "RNR Nak, 10µs", "RNR Nak, 491.52ms",
		"Nak, PSN Sequence Error", "Nak, Invalid Request", "Nak, Remote Access Error", "Nak, Remote Operational Error",
		"Nak, Invalid RD Request", "Nak, NakCode(5)", "Reserved, value 5", "Ack, no credit limit",
	}, syndromes(outside(t, "cases/aeth_syndromes.pcap")))
}

func TestAwkwardCuts(t *testing.T) {
	for i, p := range outside(t, "cases/bth_cut_short.pcap") {
		require.True(t, p.Metadata().Truncated, i)
		require.Equal(t, i >= 4, p.Layer(bth.LayerTypeBTH) != nil)
		require.Nil(t, p.Layer(ext.LayerTypeRETH))
		want := map[int]string{
			0: "", 4: "", // cut exactly behind the UDP header, behind the BTH
			1: "bth: need 12 bytes, have 1", 2: "bth: need 12 bytes, have 8", 3: "bth: need 12 bytes, have 11",
			5: "ext: RETH needs 16 bytes, have 3", 6: "ext: RETH needs 16 bytes, have 4", 7: "ext: RETH needs 16 bytes, have 15",
		}[i]
		if want == "" {
			require.NoError(t, paths.Error(p))
		} else {
			require.EqualError(t, paths.Error(p), want+": unexpected EOF")
		}
	}
}

func TestAwkwardPorts(t *testing.T) {
	packets := outside(t, "cases/port_nondefault.pcap")
	require.Nil(t, packets[0].Layer(bth.LayerTypeBTH), "port 14791 is nobody's")
	require.Nil(t, packets[1].Layer(bth.LayerTypeBTH))
	require.EqualError(t, paths.Error(packets[1]), "bth: need 12 bytes, have 10: unexpected EOF")

	layers.RegisterUDPPortLayerType(14791, bth.LayerTypeBTH)
	defer layers.RegisterUDPPortLayerType(14791, gopacket.LayerTypePayload)
	b := outside(t, "cases/port_nondefault.pcap")[0].Layer(bth.LayerTypeBTH).(*bth.BTH)
	require.True(t, b.HasICRC)
	require.Equal(t, uint32(0x1ff5fab6), b.ICRC)
}

func TestAwkwardTimes(t *testing.T) {
	var got []string
	for _, p := range outside(t, "cases/erf_time_vs_pcap_time.pcap") {
		got = append(got, p.Layer(erf.LayerTypeERF).(*erf.Record).Timestamp.Time().Format("2006-01-02 15:04:05.000000000"))
	}
	require.Equal(t, []string{"2020-09-13 12:26:40.500000000", "2020-09-13 12:26:41.000000000"}, got)
}

func TestAwkwardExtensionHeaders(t *testing.T) {
	r := outside(t, "cases/erf_ext_headers.pcap")[0].Layer(erf.LayerTypeERF).(*erf.Record)
	require.Len(t, r.Ext, 2)
	require.Equal(t, "Classification", r.Ext[0].Type.String())
	require.Equal(t, "InterceptID", r.Ext[1].Type.String())
}

// opcodes counts the packets with a BTH by opcode.
func opcodes(packets []gopacket.Packet) map[uint8]int {
	count := map[uint8]int{}
	for _, p := range packets {
		if b, ok := p.Layer(bth.LayerTypeBTH).(*bth.BTH); ok {
			count[uint8(b.OpCode)]++
		}
	}
	return count
}

// The real captures hold what a separate program counted in them.
func TestRealCaptures(t *testing.T) {
	native := map[uint8]int{0x64: 17, 0x04: 7, 0x11: 7}
	for file, want := range map[string]map[uint8]int{
		"infiniband-erf-01-31.pcap":              native,
		"derived-infiniband-01-31.erf":           native,
		"derived-infiniband-01-31-lt247.pcap":    native,
		"rocev2-huawei-send-001-070.pcap":        {0x00: 18, 0x03: 18, 0x05: 1, 0x11: 19},
		"hex-open-rdma-write-only-rawip.pcap":    {0x0a: 1},
		"hex-pcapplusplus-rxe-read-request.pcap": {0x0c: 1},
		"hex-scapy-roce-uts.pcap":                {0x24: 1, 0x81: 1},
	} {
		packets := outside(t, "captures/"+file)
		require.Equal(t, want, opcodes(packets), file)
		for _, p := range packets {
			if b, ok := p.Layer(bth.LayerTypeBTH).(*bth.BTH); ok {
				require.True(t, b.HasICRC, file)
			}
			if l, ok := p.Layer(lrh.LayerTypeLRH).(*lrh.LRH); ok {
				require.True(t, l.HasVCRC, file)
				require.Empty(t, l.Trailer, file)
			}
		}
	}
}
