package fuzz_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/field"
)

// shown is where texts go, again and again.
var shown struct{ row, object, tree, want []byte }

// checkFields shows all fields of a packet, in all ways: the same tree from a
// Packet that held another one, JSON that is JSON, and values that lie in the
// packet.
func checkFields(t *testing.T, columns field.Columns, link uint8, before, data []byte) {
	kind := links[int(link)%len(links)]
	used := &field.Frame{Packet: &ibwire.Packet{}, Number: 2, Length: len(data), Captured: len(data), Time: time.Unix(1, 2)}
	fresh := *used
	fresh.Packet = &ibwire.Packet{}
	limit(t, len(before)+len(data), func() {
		_ = used.Decode(kind, before) // it is there to leave something behind
		err := used.Decode(kind, data)
		shown.row = columns.AppendRow(shown.row[:0], used, &field.Format{CSV: true})
		shown.object = columns.AppendJSON(shown.object[:0], used)
		shown.tree = field.AppendTree(shown.tree[:0], used, err)

		freshErr := fresh.Decode(kind, data)
		shown.want = field.AppendTree(shown.want[:0], &fresh, freshErr)
		require.Equal(t, string(shown.want), string(shown.tree))
		require.True(t, json.Valid(shown.object), "%s", shown.object)
		for v := range used.Values() {
			if v.Offset < 0 || v.Length < 0 || v.Offset+v.Length > len(data) {
				require.Fail(t, "a value outside the packet", "%s: %d bytes at %d of %d", v.Field.Name, v.Length, v.Offset, len(data))
			}
		}
	})
}

func FuzzFields(f *testing.F) {
	columns := field.AllColumns()
	for i, link := range links {
		for _, x := range frames(f) {
			if x.link == link {
				f.Add(uint8(i), []byte(nil), x.data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, link uint8, before, data []byte) { checkFields(t, columns, link, before, data) })
}

func TestFields(t *testing.T) {
	columns := field.AllColumns()
	randomInputs(1000, func(input []byte) {
		c := &choices{input}
		before, after := makePacket(c).bytes(), makePacket(c)
		data := damage(c, after)
		for i, link := range links {
			if link == after.link {
				checkFields(t, columns, uint8(i), before, data)
			}
		}
	})
}
