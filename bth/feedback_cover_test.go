package bth_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/bth"
	"github.com/ibwire/ibwire/opcode"
	"github.com/ibwire/ibwire/testdata/layertest"
)

// cutFeedback is a Feedback of neither a packet nor a parser.
type cutFeedback struct {
	layertest.Feedback
	cut bool
}

func (f *cutFeedback) IsTruncated() bool { return f.cut }

// A Feedback tells whether the end of the data is that of the packet.
func TestFeedback(t *testing.T) {
	for _, cut := range []bool{false, true} {
		var b bth.BTH
		require.NoError(t, b.DecodeFromBytes(packet(opcode.RCSendOnly, 1, 12), &cutFeedback{cut: cut}))
		require.Equal(t, !cut, b.HasICRC)
	}
}

func TestSerializeWithoutRoom(t *testing.T) {
	layertest.CheckFull(t, &bth.BTH{HasICRC: true}, true)
}

var _ bth.Feedback = (*cutFeedback)(nil)
