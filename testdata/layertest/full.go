package layertest

import (
	"errors"
	"testing"

	"github.com/google/gopacket"
	"github.com/stretchr/testify/require"
)

// A FullBuffer is a SerializeBuffer that has no room in front or behind.
type FullBuffer struct {
	gopacket.SerializeBuffer
	Front, Behind error // what there is no room for, as the error of it
}

// PrependBytes implements gopacket.SerializeBuffer.
func (b FullBuffer) PrependBytes(n int) ([]byte, error) {
	if b.Front != nil {
		return nil, b.Front
	}
	return b.SerializeBuffer.PrependBytes(n)
}

// AppendBytes implements gopacket.SerializeBuffer.
func (b FullBuffer) AppendBytes(n int) ([]byte, error) {
	if b.Behind != nil {
		return nil, b.Behind
	}
	return b.SerializeBuffer.AppendBytes(n)
}

// CheckFull requires that a layer returns the error of a buffer without room in
// front, and behind if it writes there.
func CheckFull(t *testing.T, l gopacket.SerializableLayer, writesBehind bool) {
	t.Helper()
	full := errors.New("no room")
	b := FullBuffer{SerializeBuffer: gopacket.NewSerializeBuffer(), Front: full}
	require.ErrorIs(t, l.SerializeTo(b, gopacket.SerializeOptions{}), full)
	if writesBehind {
		b = FullBuffer{SerializeBuffer: gopacket.NewSerializeBuffer(), Behind: full}
		require.ErrorIs(t, l.SerializeTo(b, gopacket.SerializeOptions{}), full)
	}
}
