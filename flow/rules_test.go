package flow_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// rules are short captures and the events about PSNs in them, by the definitions
// of the package documentation. Packets are numbered from 1.
var rules = []struct{ name, packets, events string }{
	{"in order", "A SO 1; A SO 2; A SO 3", ""},
	{"wraps", "A SO 0xfffffe; A SO 0xffffff; A SO 0; A SO 1", ""},
	{"a gap that nothing is known of", "A SO 1; A SO 3", "2 A gap 2-2 (1); 2 A gap closed 2-2 (1) unresolved"},
	{"a gap over the wrap", "A SO 0xfffffe; A SO 1", "2 A gap 16777215-0 (2); 2 A gap closed 16777215-0 (2) unresolved"},
	{"late", "A SO 1; A SO 3; A SO 2; A SO 4", "2 A gap 2-2 (1); 4 A out of order 2-2 (1); 4 A gap closed 2-2 (1) reordered"},
	{"two late ones in order", "A SO 1; A SO 4; A SO 2; A SO 3; A SO 5",
		"2 A gap 2-3 (2); 5 A out of order 2-3 (2); 5 A gap closed 2-3 (2) reordered"},
	{"two late ones in reverse", "A SO 1; A SO 4; A SO 3; A SO 2; A SO 5",
		"2 A gap 2-3 (2); 4 A out of order 3-3 (1); 4 A gap closed 3-3 (1) reordered; 5 A out of order 2-2 (1); 5 A gap closed 2-2 (1) reordered"},
	{"sent again, nothing of the other direction", "A SO 1; A SO 2; A SO 3; A SO 2 @500; A SO 3; A SO 4", "5 A retransmission 2-3 (2, 2 seen) unknown"},
	{"sent again, with a gap filled", "A SO 1; A SO 3; A SO 2 @500; A SO 3; A SO 4",
		"2 A gap 2-2 (1); 4 A retransmission 2-3 (2, 1 seen) unknown; 4 A gap closed 2-2 (1) lost by the network"},
	{"gaps apart from each other", "A SO 1; A SO 3; A SO 5; A SO 2 @500; A SO 3; A SO 4; A SO 5; A SO 6",
		"2 A gap 2-2 (1); 3 A gap 4-4 (1); 7 A retransmission 2-5 (4, 2 seen) unknown; 7 A gap closed 2-2 (1) lost by the network; 7 A gap closed 4-4 (1) lost by the network"},
	{"asked for by a NAK, one packet", "A SO 1; A SO 3; B NAK 2; A SO 2; A SO 4",
		"2 A gap 2-2 (1); 3 B NAK 2 PSN Sequence Error; 5 A retransmission 2-2 (1, 0 seen) PSN sequence error; 5 A gap closed 2-2 (1) lost by the network"},
	{"lost behind the capture", "A SO 1; A SO 2; A SO 3; B NAK 2; A SO 2; A SO 3; A SO 4",
		"4 B NAK 2 PSN Sequence Error; 6 A retransmission 2-3 (2, 2 seen) PSN sequence error"},
	{"receiver not ready", "A SO 1; A SO 2; B RNR 2 code=14; A SO 2 @1400; A SO 3",
		"3 B RNR NAK 2 1.28ms; 4 A retransmission 2-2 (1, 1 seen) receiver not ready"},
	{"receiver not ready, twice", "A SO 1; A SO 2; B RNR 2 code=1; A SO 2 @100; B RNR 2 code=1; A SO 2 @200; A SO 3",
		"3 B RNR NAK 2 10µs; 4 A retransmission 2-2 (1, 1 seen) receiver not ready; 5 B RNR NAK 2 10µs; 6 A retransmission 2-2 (1, 1 seen) receiver not ready"},
	{"the last NAK counts", "A SO 1; A SO 2; B RNR 2 code=1; B NAK 2; A SO 2",
		"3 B RNR NAK 2 10µs; 4 B NAK 2 PSN Sequence Error; 5 A retransmission 2-2 (1, 1 seen) PSN sequence error"},
	{"a NAK waits while another one comes", "A SO 1; A SO 2; A SO 3; A SO 4; B RNR 2 code=1; B RNR 4 code=1; A SO 2 @500; A SO 3; A SO 4; A SO 5",
		"5 B RNR NAK 2 10µs; 6 B RNR NAK 4 10µs; 9 A retransmission 2-4 (3, 3 seen) receiver not ready"},
	{"timeout", "A SO 1; B ACK 1; A SO 2; A SO 2 @90000; B ACK 2", "4 A retransmission 2-2 (1, 1 seen) timeout"},
	{"goes back twice", "A SO 1; A SO 2; A SO 3; B NAK 2; A SO 2; A SO 3; B NAK 2; A SO 2; A SO 3; A SO 4",
		"4 B NAK 2 PSN Sequence Error; 6 A retransmission 2-3 (2, 2 seen) PSN sequence error; 7 B NAK 2 PSN Sequence Error; 9 A retransmission 2-3 (2, 2 seen) PSN sequence error"},
	{"lost again on the second way", "A SO 1; A SO 2; A SO 3; A SO 4; B NAK 2; A SO 2; A SO 4; A SO 5",
		"5 B NAK 2 PSN Sequence Error; 7 A retransmission 2-4 (2, 2 seen) PSN sequence error"},
	{"missed by the capture", "A SO 1; A SO 3; B ACK 3", "2 A gap 2-2 (1); 3 A gap closed 2-2 (1) missed by the capture"},
	{"missed by the capture, and acknowledged before it is seen", "A SO 1; B ACK 1; B ACK 2; A SO 3",
		"4 A gap 2-2 (1); 4 A gap closed 2-2 (1) missed by the capture"},
	{"half of it acknowledged", "A SO 1; B ACK 1; A SO 5; B ACK 2; A SO 6",
		"3 A gap 2-4 (3); 4 A gap closed 2-2 (1) missed by the capture; 5 A gap closed 3-4 (2) unresolved"},
	{"a NAK acknowledges what is before it", "A SO 1; A SO 4; B NAK 3; A SO 3; A SO 4",
		"2 A gap 2-3 (2); 3 B NAK 3 PSN Sequence Error; 3 A gap closed 2-2 (1) missed by the capture; " +
			"5 A retransmission 3-4 (2, 1 seen) PSN sequence error; 5 A gap closed 3-3 (1) lost by the network"},
	{"the first packet that a NAK asks for is lost again", "A SO 1; B ACK 1; A SO 3; B NAK 2; A SO 4; A SO 3; A SO 4; A SO 2 @900000; A SO 3; A SO 4; B ACK 4",
		"3 A gap 2-2 (1); 4 B NAK 2 PSN Sequence Error; 7 A retransmission 3-4 (2, 2 seen) PSN sequence error; 10 A retransmission 2-4 (3, 2 seen) timeout; 10 A gap closed 2-2 (1) lost by the network"},
	{"the first packet that a NAK asks for is lost again, and asked for again", "A SO 1; B ACK 1; A SO 3; B NAK 2; A SO 4; A SO 3; A SO 4; B NAK 2; A SO 2; A SO 3; A SO 4; B ACK 4",
		"3 A gap 2-2 (1); 4 B NAK 2 PSN Sequence Error; 7 A retransmission 3-4 (2, 2 seen) PSN sequence error; 8 B NAK 2 PSN Sequence Error; " +
			"11 A retransmission 2-4 (3, 2 seen) PSN sequence error; 11 A gap closed 2-2 (1) lost by the network"},
	{"goes back to before the beginning, one by one", "A SO 9; A SO 5 @500; A SO 6; A SO 7", "4 A out of order 5-7 (3)"},
	{"goes back to before the beginning, twice", "A SO 9; A SO 7 @500; A SO 8; A SO 9; A SO 7 @900; A SO 8; A SO 9",
		"4 A retransmission 7-9 (3, 1 seen) unknown; 7 A retransmission 7-9 (3, 3 seen) unknown"},
	{"a NAK twice", "A SO 1; A SO 3; B NAK 2 @30; B NAK 2 @31; A SO 2; A SO 3",
		"2 A gap 2-2 (1); 3 B NAK 2 PSN Sequence Error; 4 B response duplicate 2; 6 A retransmission 2-3 (2, 1 seen) PSN sequence error; 6 A gap closed 2-2 (1) lost by the network"},
	{"an ACK twice, which the responder has sent", "A SO 1; B ACK 1 @30; B ACK 1 @32", ""},
	{"copies that lag", "A SO 1; B ACK 1; A SO 2 @30; A SO 3 @32; A SO 2 @33; A SO 4 @34; A SO 3 @35; A SO 4 @37; B ACK 4", "5 A duplicate 2; 7 A duplicate 3; 8 A duplicate 4"},
	{"copies that lag, nothing of the other direction", "A SO 2 @30; A SO 3 @32; A SO 2 @33; A SO 4 @34; A SO 3 @35; A SO 5 @36",
		"4 A duplicate 2; 6 A duplicate 3"},
	{"no copies: the least timeout", "A SO 1; B ACK 1; A SO 2 @30; A SO 3 @32; A SO 2 @39; A SO 3; B ACK 3", "6 A retransmission 2-3 (2, 2 seen) timeout"},
	{"no copies: another IP Identification", "A SO 1; B ACK 1; A SO 2 @30 id=7; A SO 3 @32 id=8; A SO 2 @33 id=9; A SO 3 @34 id=10", "6 A retransmission 2-3 (2, 2 seen) timeout"},
	{"a new connection, a little behind the old one",
		"A SO 1000; B ACK 1000 msn=1; A SO 900 @5000000; B ACK 900 msn=1; A SO 901; B ACK 901 msn=2; A SO 902; B ACK 902 msn=3", "6 A restart 900"},
	{"a new connection, a little ahead of the old one",
		"A SO 1000; B ACK 1000 msn=77; A SO 1100 @5000000; B ACK 1100 msn=1; A SO 1101; B ACK 1101 msn=2",
		"3 A gap 1001-1099 (99); 4 A gap closed 1001-1099 (99) unresolved; 4 A restart 1100"},
	{"a new connection, a little ahead of an old one of few messages", "A SO 10; A SO 11; A SO 12; B ACK 12 msn=3; A SO 14 @5000000; B ACK 14 msn=1",
		"5 A gap 13-13 (1); 6 A gap closed 13-13 (1) unresolved; 6 A restart 14"},
	{"no new connection: an ACK is overtaken in a run", "A SO 1; A SO 2; A SO 3; B ACK 3 msn=3; A SO 1 @90000; A SO 2; B ACK 2 msn=2; A SO 3; A SO 4; B ACK 4 msn=4",
		"8 A retransmission 1-3 (3, 3 seen) timeout"},
	{"a response too far ahead for a READ of unknown span", "A RR 3 dma=1982; B RO 900; A SO 11", ""},
	{"no new connection: a duplicate is acknowledged with the last PSN", "A SO 1; A SO 2; B ACK 2 msn=2; A SO 1 @90000; A SO 2; B ACK 2 msn=2; B ACK 2 msn=2; A SO 3; B ACK 3 msn=3",
		"5 A retransmission 1-2 (2, 2 seen) timeout"},
	{"a copy", "A SO 1 @10; A SO 1 @11; A SO 2", "2 A duplicate 1"},
	{"no copy: too late", "A SO 1 @10; A SO 1 @12; A SO 2", "2 A retransmission 1-1 (1, 1 seen) unknown"},
	{"no copy: another opcode", "A SO 1 @10; A WO 1 @11; A SO 2", "2 A retransmission 1-1 (1, 1 seen) unknown"},
	{"no copy: asked for", "A SO 1 @9; A SO 2 @10; B NAK 2 @10; A SO 2 @11; A SO 3", "3 B NAK 2 PSN Sequence Error; 4 A retransmission 2-2 (1, 1 seen) PSN sequence error"},
	{"begins in the middle", "A SM 100; A SL 101; A SO 102", ""},
	{"goes back to before the beginning", "A SO 3; A SO 4; A SO 2 @500; A SO 3; A SO 4; A SO 5", "5 A retransmission 2-4 (3, 2 seen) unknown"},
	{"another connection", "A SO 1; A SO 2; A SO 0x700000; A SO 0x700001", "3 A restart 7340032"},
	{"another connection, further back", "A SO 0x700000; A SO 1; A SO 2", "2 A restart 1"},
	{"the greatest gap", "A SO 0; A SO 65537", "2 A gap 1-65536 (65536); 2 A gap closed 1-65536 (65536) unresolved"},
	{"more than the greatest gap", "A SO 0; A SO 65538", "2 A restart 65538"},
	{"other sides count for themselves", "A SO 1; B SO 70; A SO 2; B SO 71", ""},
	{"XRC is like RC", "A SO 1 x; A SO 3 x; B ACK 3 x", "2 A gap 2-2 (1); 3 A gap closed 2-2 (1) missed by the capture"},
	{"UC sends nothing again", "A SO 1 uc; A SO 3 uc; A SO 3 uc; A SO 2 uc; A SO 4 uc",
		"2 A gap 2-2 (1); 3 A duplicate 3; 5 A out of order 2-2 (1); 5 A gap closed 2-2 (1) reordered"},
	{"UD is not checked", "A UD 1; A UD 9; A UD 2", ""},
	{"RD is not checked", "A SO 1 rd; A SO 9 rd; A SO 2 rd", ""},
	{"CNPs are not checked", "A CNP 0; A CNP 9; A CNP 0", "1 A CNP unpaired; 2 A CNP unpaired; 3 A CNP unpaired"},
	{"nobody knows what an opcode takes", "A SO 1; A ?? 2; A SO 5; A SO 6", ""},

	{"a READ takes as many PSNs as its responses", "A SF 1; A SL 2; A RR 3 dma=600; A SO 6", ""},
	{"a READ of nothing takes one", "A SF 1; A SL 2; A RR 3; A SO 4", ""},
	{"a READ over the wrap", "A SF 0xfffffa; A SL 0xfffffb; A RR 0xfffffe dma=1000; A SO 2", "3 A gap 16777212-16777213 (2); 4 A gap closed 16777212-16777213 (2) unresolved"},
	{"a READ of unknown path MTU", "A RR 3 dma=2048; A SO 7", ""},
	{"a READ of unknown path MTU, and a jump that no MTU makes", "A RR 3 dma=2048; A SO 8", ""},
	{"a READ of unknown path MTU, which a response tells", "A RR 3 dma=1000; B RF 3; A SO 8", "3 A gap 7-7 (1); 3 A gap closed 7-7 (1) unresolved"},
	{"a READ without its RETH", "A SF 1; A SL 2; A RR 3 cut; A SO 9", ""},
	{"responses in order", "A RR 3 dma=600; B RF 3; B RM 4; B RL 5; A SO 6; B ACK 6", ""},
	{"a response is lost, and the READ is sent again from there", "A RR 3 dma=600; B RF 3; B RL 5; A RR 4 dma=344 @500; B RF 4; B RL 5; A SO 6; B ACK 6",
		"3 B response gap 4-4 (1); 4 A retransmission 4-5 (1, 1 seen) timeout; 6 B response retransmission 4-5 (2, 1 seen) READ retried; 6 B response gap closed 4-4 (1) lost by the network"},
	{"READs are sent again, the later one first", "A RR 3 dma=200; A RR 4 dma=200; A SO 5; B RO 4; A RR 4 dma=200 @500; A RR 3 dma=200; A SO 5; B RO 3",
		"4 B response gap 3-3 (1); 6 A retransmission 4-4 (1, 1 seen) timeout; 7 A retransmission 3-5 (2, 2 seen) timeout; " +
			"8 B response retransmission 3-3 (1, 0 seen) READ retried; 8 B response gap closed 3-3 (1) lost by the network"},
	{"a response is missed", "A RR 3 dma=600; B RF 3; B RL 5; A SO 6; B ACK 6", "3 B response gap 4-4 (1); 5 B response gap closed 4-4 (1) missed by the capture"},
	{"a response is missed, and the capture ends", "A RR 3 dma=600; B RF 3; B RL 5", "3 B response gap 4-4 (1); 3 B response gap closed 4-4 (1) unresolved"},
	{"the first response is missed", "A RR 3 dma=256; A RR 4 dma=256; B RO 4; A SO 5", "3 B response gap 3-3 (1); 4 B response gap closed 3-3 (1) missed by the capture"},
	{"requests between READs are no responses", "A RR 3 dma=256; A SO 4; A SO 5; A RR 6 dma=256; B RO 3; B ACK 5; B RO 6", ""},
	{"a response is late", "A RR 3 dma=1000; B RF 3; B RM 5; B RM 4; B RL 6; A SO 7",
		"3 B response gap 4-4 (1); 5 B response out of order 4-4 (1); 5 B response gap closed 4-4 (1) reordered"},
	{"responses alone", "B RF 3; B RM 4; B RL 6; B RO 9; B RL 20",
		"3 B response gap 5-5 (1); 5 B response gap 19-19 (1); 5 B response gap closed 5-5 (1) unresolved; 5 B response gap closed 19-19 (1) unresolved"},
	{"a READ copied, and a response late", "A RR 3 dma=1000 @10; A RR 3 dma=1000 @11; B RF 3; B RM 5; B RM 4; B RL 6",
		"2 A duplicate 3; 4 B response gap 4-4 (1); 6 B response out of order 4-4 (1); 6 B response gap closed 4-4 (1) reordered"},
	{"a response copied", "A RR 3 dma=256; B RO 3 @30; B RO 3 @31", "3 B response duplicate 3"},
	{"a READ that was lost is sent again, and the next request tells its span",
		"A SO 1; B ACK 1; A SO 6; B NAK 2; A RR 2 dma=1024; A SO 6; B RF 2; B RM 3; B RM 4; B RL 5; B ACK 6",
		"3 A gap 2-5 (4); 4 B NAK 2 PSN Sequence Error; 6 A retransmission 2-6 (2, 1 seen) PSN sequence error; 6 A gap closed 2-5 (4) lost by the network"},
	{"a READ that was lost is sent again, and its responses tell its span",
		"A SO 1; B ACK 1; A SO 6; B NAK 2; A RR 2 dma=1024; B RF 2; B RM 3; B RM 4; B RL 5; A SO 6; B ACK 6",
		"3 A gap 2-5 (4); 4 B NAK 2 PSN Sequence Error; 10 A retransmission 2-6 (2, 1 seen) PSN sequence error; 10 A gap closed 2-5 (4) lost by the network"},
	{"a READ that was late, and its responses tell its span", "A SO 1; A SO 6; A RR 2 dma=1024; A SO 7; B RF 2",
		"2 A gap 2-5 (4); 4 A out of order 2-2 (1); 4 A gap closed 2-2 (1) reordered; 5 A gap closed 3-5 (3) reordered"},
	{"a READ that was late, and nothing tells its span", "A SO 1; B ACK 1; A SO 6; A RR 2 dma=9999; A SO 7; B ACK 7",
		"3 A gap 2-5 (4); 5 A out of order 2-2 (1); 5 A gap closed 2-2 (1) reordered; 6 A gap closed 3-5 (3) unresolved; " +
			"6 B response gap 2-2 (1); 6 B response gap closed 2-2 (1) unresolved"},
	{"a jump behind a READ that no MTU makes, until a response tells", "A RR 3 dma=2048; A SO 8; B RF 3 len=1024; B RL 4; B ACK 8",
		"3 A gap 5-7 (3); 5 A gap closed 5-7 (3) missed by the capture"},
	{"a jump behind a READ that a wrong MTU makes", "A RR 3 dma=3145; A SO 5; B RO 3 len=3145; B ACK 5",
		"3 A gap 4-4 (1); 4 A gap closed 4-4 (1) missed by the capture"},
	{"a jump behind a READ that no MTU makes, and a request comes from there", "A RR 3 dma=2048; A SO 8; A SO 7",
		"3 A gap 7-7 (1); 3 A out of order 7-7 (1); 3 A gap closed 7-7 (1) reordered"},
	{"a payload tells how small the path MTU is not", "A SO 1 len=3000; A RR 2 dma=3000; A SO 4", "3 A gap 3-3 (1); 3 A gap closed 3-3 (1) unresolved"},
	{"no answer to a READ is captured", "A RR 3 dma=600; A SF 6; A SL 7; B ACK 7; A SO 8; B ACK 8", "6 B response gap 3-5 (3); 6 B response gap closed 3-5 (3) missed by the capture"},
	{"no answer to an ATOMIC is captured", "A CS 3; A SO 4; B ACK 4; A SO 5; B ACK 5", "5 B response gap 3-3 (1); 5 B response gap closed 3-3 (1) missed by the capture"},
	{"no answer to an ATOMIC, and the capture ends", "A CS 3; A SO 4; B ACK 4", "3 B response gap 3-3 (1); 3 B response gap closed 3-3 (1) unresolved"},
	{"the end of a READ's answer is missed", "A RR 3 dma=600; B RF 3; B RM 4; A SO 6; B ACK 6; A SO 7; B ACK 7", "7 B response gap 5-5 (1); 7 B response gap closed 5-5 (1) missed by the capture"},
	{"marks", "A SO 1 se; A SO 2 ce; A SO 3 fecn; A SO 4 mig; A SO 5 pkey=0x8001 mig",
		"1 A solicited event 1; 2 A ECN CE 2; 3 A FECN 3; 4 A migration state change 0x0-0x1; 5 A P_Key change 0xffff-0x8001"},
}

func TestRules(t *testing.T) {
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			_, l := play(t, r.packets)
			var got []string
			for _, e := range l.events {
				if !strings.Contains(e, "pairing") {
					got = append(got, e)
				}
			}
			require.Equal(t, r.events, strings.Join(got, "; "))
		})
	}
}
