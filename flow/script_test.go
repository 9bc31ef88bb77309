package flow_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/flow"
	"github.com/ibwire/ibwire/opcode"
)

// words are the operations of a script, of RC.
var words = map[string]opcode.Opcode{
	"SF": opcode.RCSendFirst, "SM": opcode.RCSendMiddle, "SL": opcode.RCSendLast, "SO": opcode.RCSendOnly,
	"SLI": opcode.RCSendLastImm, "SLV": opcode.RCSendLastInv,
	"WF": opcode.RCWriteFirst, "WM": opcode.RCWriteMiddle, "WL": opcode.RCWriteLast, "WO": opcode.RCWriteOnly,
	"RR": opcode.RCReadRequest, "RF": opcode.RCReadResponseFirst, "RM": opcode.RCReadResponseMiddle,
	"RL": opcode.RCReadResponseLast, "RO": opcode.RCReadResponseOnly, "CS": opcode.RCCmpSwap, "FA": opcode.RCFetchAdd,
	"AA": opcode.RCAtomicAcknowledge, "ACK": opcode.RCAcknowledge, "NAK": opcode.RCAcknowledge, "RNR": opcode.RCAcknowledge,
	"FL": opcode.RCFlush, "AW": opcode.RCAtomicWrite, "UD": opcode.UDSendOnly, "CNP": opcode.RoCECNP, "??": 0x18,
}

// parse reads a packet of a script, as "A WF 500": host, operation, PSN, and then
// any of
//
//	len=N   payload, bytes (256 for a First or Middle, else 100)
//	dma=N   DMALen
//	msn=N   MSN
//	code=N  low bits of the syndrome
//	qp=N    destination queue pair (0x22 at host B, 0x11 at host A)
//	src=N   source queue pair of UD
//	x uc rd another transport
//	se ce fecn mig pkey=N
//	id=N    IP Identification
//	@N      microseconds since the beginning (10 after the packet before)
func parse(t *testing.T, line string, at int64) (*frame, int64) {
	t.Helper()
	word := strings.Fields(line)
	op, ok := words[word[1]]
	require.True(t, ok, line)
	f := &frame{reverse: word[0] == "B", op: op, qp: 0x22, payload: 100, pkey: 0xffff}
	if f.reverse {
		f.qp = 0x11
	}
	f.psn = uint32(number(t, word[2])) & 0xffffff
	switch pos := op.Operation().Position(); {
	case pos == opcode.First, pos == opcode.Middle:
		f.payload = 256
	case !op.HasPayload():
		f.payload = 0
	}
	f.syndrome = map[string]byte{"NAK": 0x60, "RNR": 0x20}[word[1]]
	at += 10_000
	for _, w := range word[3:] {
		name, value, _ := strings.Cut(w, "=")
		switch {
		case w[0] == '@':
			at = int64(number(t, w[1:])) * 1000
		case name == "len":
			f.payload = number(t, value)
		case name == "dma":
			f.dma = uint32(number(t, value))
		case name == "msn":
			f.msn = uint32(number(t, value))
		case name == "code":
			f.syndrome |= byte(number(t, value))
		case name == "qp":
			f.qp = uint32(number(t, value))
		case name == "src":
			f.srcQP = uint32(number(t, value))
		case name == "id":
			f.id = uint16(number(t, value))
		case name == "pkey":
			f.pkey = uint16(number(t, value))
		case w == "x":
			f.op |= 0xa0
		case w == "uc":
			f.op |= 0x20
		case w == "rd":
			f.op |= 0x40
		case w == "se":
			f.se = true
		case w == "ce":
			f.ce = true
		case w == "fecn":
			f.fecn = true
		case w == "mig":
			f.migrated = true
		case w == "cut":
			f.cut = 1
		default:
			require.Fail(t, "unknown word", "%s in %s", w, line)
		}
	}
	return f, at
}

func number(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.ParseInt(s, 0, 64)
	require.NoError(t, err)
	return int(n)
}

// play gives a table the packets of a script, which are separated by semicolons.
func play(t *testing.T, script string, opts ...flow.Option) (*tape, *log) {
	t.Helper()
	l := &log{}
	table := newTape(append(l.options(), opts...)...)
	at := int64(0)
	for line := range strings.SplitSeq(script, ";") {
		var f *frame
		if strings.TrimSpace(line) == "" {
			continue
		}
		f, at = parse(t, line, at)
		table.add(f, at)
	}
	table.Close()
	return table, l
}

// messagesOf writes messages in one line each.
func messagesOf(l *log) (lines []string) {
	for _, m := range l.messages {
		s := m.Operation.String() + " " + strconv.Itoa(int(m.PSN)) + "-" + strconv.Itoa(int(m.LastPSN)) + " " +
			strconv.Itoa(int(m.Packets)) + " packets " + strconv.Itoa(int(m.Bytes)) + " bytes " + m.Status.String()
		if m.Operation == flow.Read {
			s += " " + strconv.Itoa(int(m.Responses)) + " responses"
		}
		if latency, ok := m.Latency(); ok {
			s += " " + latency.Round(time.Microsecond).String()
		}
		lines = append(lines, s)
	}
	return lines
}
