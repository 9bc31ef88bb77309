package ext_test

import (
	"testing"

	"github.com/google/gopacket"
	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/ext"
	"github.com/ibwire/ibwire/opcode"
	"github.com/ibwire/ibwire/testdata/layertest"
)

// Every header returns the error of a buffer without room.
func TestSerializeWithoutRoom(t *testing.T) {
	h := &ext.Headers{}
	h.Begin(opcode.AllHeaders, gopacket.LayerTypePayload)
	for one := range opcode.AllHeaders.All() {
		require.NoError(t, h.DecodeFromBytes(make([]byte, one.Size()), gopacket.NilDecodeFeedback))
		layertest.CheckFull(t, h.Layer(one).(gopacket.SerializableLayer), false)
	}
}
