package plot_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/cmd/ibwire/plot"
	"github.com/ibwire/ibwire/flow"
	"github.com/ibwire/ibwire/linktype"
	"github.com/ibwire/ibwire/opcode"
	"github.com/ibwire/ibwire/testdata"
)

// A script gives a recorder what a table finds in packets.
type script struct {
	recorder *plot.Recorder
	table    *flow.Table
	number   int64
	at       time.Time
}

func newScript(id int64) *script {
	s := &script{recorder: plot.New(id), at: time.Unix(1700000000, 0)}
	s.table = flow.New(flow.OnEvent(s.recorder.Event))
	return s
}

func (s *script) add(p *ibwire.Packet) {
	s.number++
	s.recorder.Packet(s.table.Add(p, s.number, s.at, 100), p, s.at)
	s.at = s.at.Add(10 * time.Microsecond)
}

// svg returns the picture.
func (s *script) svg(t *testing.T) []byte {
	t.Helper()
	s.table.Close()
	var b bytes.Buffer
	require.NoError(t, s.recorder.WriteSVG(&b))
	return b.Bytes()
}

// playCase gives it a capture outside the module.
func (s *script) playCase(t *testing.T, name string) {
	t.Helper()
	for _, f := range testdata.Frames(t, testdata.Shared(t, "cases/"+name+".pcap")[0]) {
		var p ibwire.Packet
		require.NoError(t, p.Decode(linktype.Type(f.Link), f.Data))
		s.add(&p)
	}
}

// packet returns a decoded packet of RoCE v2 between two hosts, without its wire
// form.
func (s *script) packet(t *testing.T, o opcode.Opcode, reverse bool, qp, psn uint32) *ibwire.Packet {
	t.Helper()
	var p ibwire.Packet
	name := map[bool]int{false: 0, true: 3}[reverse] // a WRITE, or an acknowledge
	f := testdata.Frames(t, testdata.Shared(t, "cases/psn_gap_go_back_n.pcap")[0])[name]
	if o == opcode.RoCECNP {
		f = testdata.Frames(t, testdata.Shared(t, "cases/cnp_0x81.pcap")[0])[0]
	}
	require.NoError(t, p.Decode(linktype.Type(f.Link), f.Data))
	p.BTH.OpCode, p.BTH.DestQP, p.BTH.PSN = o, qp, psn&0xffffff
	if reverse {
		p.Ext.AETH.Syndrome = 0x1f
	}
	return &p
}
