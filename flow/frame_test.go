package flow_test

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/flow"
	"github.com/ibwire/ibwire/linktype"
	"github.com/ibwire/ibwire/opcode"
)

// A frame is a RoCE v2 packet to be built.
type frame struct {
	reverse      bool // from host 2 to host 1
	op           opcode.Opcode
	qp, psn      uint32
	srcQP        uint32
	payload      int // bytes
	dma          uint32
	syndrome     byte
	msn          uint32
	imm          uint32
	se, ce, fecn bool
	pkey         uint16
	migrated     bool
	id           uint16 // IP Identification
	cut          int    // bytes that the capture has behind the BTH; 0 for all headers
	hostA, hostB byte
}

var be = binary.BigEndian

// flag returns bit n if set.
func flag(set bool, n uint) byte {
	if set {
		return 1 << n
	}
	return 0
}

// appendTo appends the headers of the packet to b: its payload is what the length
// fields say, and not there, as in a capture of headers.
func (f *frame) appendTo(b []byte) []byte {
	src, dst := f.hostA, f.hostB
	if src == 0 && dst == 0 {
		src, dst = 1, 2
	}
	if f.reverse {
		src, dst = dst, src
	}
	pad := -f.payload & 3
	udp := 8 + 12 + f.op.Headers().Size() + f.payload + pad + 4
	b = append(b, 2, 0, 0, 0, 0, dst, 2, 0, 0, 0, 0, src, 8, 0)
	b = append(b, 0x45, 2|flag(f.ce, 0))
	b = be.AppendUint16(b, uint16(20+udp))
	b = append(be.AppendUint16(b, f.id), 0x40, 0, 64, 17, 0, 0, 192, 0, 2, src, 192, 0, 2, dst)
	b = be.AppendUint16(b, 49152)
	b = be.AppendUint16(b, 4791)
	b = be.AppendUint16(b, uint16(udp))
	b = append(b, 0, 0)
	b = append(b, byte(f.op), flag(f.se, 7)|flag(f.migrated, 6)|byte(pad)<<4)
	b = be.AppendUint16(b, f.pkey)
	b = be.AppendUint32(b, uint32(flag(f.fecn, 7))<<24|f.qp)
	b = be.AppendUint32(b, f.psn)
	return f.appendExt(b)
}

func (f *frame) appendExt(b []byte) []byte {
	end := len(b) + f.cut
	for h := range f.op.Headers().All() {
		switch h {
		case opcode.RETH:
			b = be.AppendUint32(be.AppendUint32(be.AppendUint64(b, 0x1000), 7), f.dma)
		case opcode.AETH:
			b = be.AppendUint32(b, uint32(f.syndrome)<<24|f.msn)
		case opcode.ImmDt:
			b = be.AppendUint32(b, f.imm)
		case opcode.DETH:
			b = be.AppendUint32(be.AppendUint32(b, 0x11111111), f.srcQP)
		case opcode.AtomicETH:
			b = be.AppendUint32(be.AppendUint64(b, 0x2000), 9)
			b = append(b, make([]byte, 16)...)
		default:
			b = append(b, make([]byte, h.Size())...)
		}
	}
	if f.cut > 0 && end < len(b) {
		return b[:end]
	}
	return b
}

// A tape gives a table frames, one after the other.
type tape struct {
	*flow.Table
	p      ibwire.Packet
	buf    []byte
	number int64
}

func newTape(opts ...flow.Option) *tape { return &tape{Table: flow.New(opts...)} }

// epoch is when captures begin here.
var epoch = time.Unix(1700000000, 0)

// add gives the table a frame that comes after ns nanoseconds.
func (t *tape) add(f *frame, ns int64) *flow.Flow {
	t.buf = f.appendTo(t.buf[:0])
	if t.p.Decode(linktype.Ethernet, t.buf) != nil && f.cut == 0 {
		panic("a frame of the test cannot be decoded")
	}
	t.number++
	return t.Add(&t.p, t.number, epoch.Add(time.Duration(ns)), len(t.buf)+f.payload)
}

// only returns the one flow from host a.
func (t *tape) only(tb testing.TB, a byte) *flow.Flow {
	tb.Helper()
	var one *flow.Flow
	for f := range t.Flows() {
		if src := f.Key.Src.Addr.As4(); src[3] == a {
			require.Nil(tb, one, "two flows from host %d", a)
			one = f
		}
	}
	require.NotNil(tb, one, "no flow from host %d", a)
	return one
}
