// Package layertest has the checks that every header of this module must pass:
// each length of input, a struct that is used again, a dirty buffer, no
// allocation.
package layertest

import (
	"encoding/hex"
	"fmt"
	"io"
	"reflect"
	"testing"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/stretchr/testify/require"
)

// A Header is what the headers of this module have in common.
type Header interface {
	gopacket.Layer
	gopacket.SerializableLayer
	DecodeFromBytes(data []byte, df gopacket.DecodeFeedback) error
}

// A Case is a header as it stands on the wire.
type Case struct {
	Name string
	Wire []byte // the header, and nothing else
	Want Header // the fields; the BaseLayer is not looked at
}

// Of returns a Case; wire is in hexadecimal digits.
func Of(name, wire string, want Header) Case {
	b, err := hex.DecodeString(wire)
	if err != nil {
		panic(err) // a slip in a test's table
	}
	return Case{name, b, want}
}

// Run checks a header type with each case. What a header finds at the end of the
// packet, as CRCs and pads, is for a test of its own.
func Run(t *testing.T, cases []Case) {
	t.Helper()
	for i, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			checkFields(t, c, nil)
			checkFields(t, c, []byte{0xb0}) // less than any CRC
			checkPrefixes(t, c)
			checkReuse(t, c, cases[(i+1)%len(cases)])
			checkSerialize(t, c)
			checkAllocs(t, c)
		})
	}
}

func fresh(h Header) Header {
	return reflect.New(reflect.TypeOf(h).Elem()).Interface().(Header)
}

// fields returns a copy of h without its BaseLayer and what lies in the packet
// behind the header.
func fields(h Header) any {
	v := reflect.New(reflect.TypeOf(h).Elem()).Elem()
	v.Set(reflect.ValueOf(h).Elem())
	v.FieldByName("BaseLayer").Set(reflect.ValueOf(layers.BaseLayer{}))
	if f := v.FieldByName("Trailer"); f.IsValid() {
		f.SetZero()
	}
	return v.Interface()
}

func checkFields(t *testing.T, c Case, behind []byte) {
	t.Helper()
	got := fresh(c.Want)
	require.NoError(t, got.DecodeFromBytes(append(c.Wire[:len(c.Wire):len(c.Wire)], behind...), gopacket.NilDecodeFeedback))
	require.Equal(t, fields(c.Want), fields(got))
	require.Equal(t, c.Wire, got.LayerContents())
}

// A Feedback remembers whether it was told of a truncation.
type Feedback struct{ Truncated bool }

// SetTruncated implements gopacket.DecodeFeedback.
func (f *Feedback) SetTruncated() { f.Truncated = true }

// checkPrefixes decodes every part of the header that is cut: an error that
// says what is needed and what is there, and no value made up.
func checkPrefixes(t *testing.T, c Case) {
	t.Helper()
	for n := range c.Wire {
		got, df := fresh(c.Want), &Feedback{}
		err := got.DecodeFromBytes(c.Wire[:n:n], df)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, "%d bytes", n)
		require.ErrorContains(t, err, fmt.Sprint(len(c.Wire)), "%d bytes", n)
		require.ErrorContains(t, err, fmt.Sprintf("have %d", n))
		require.True(t, df.Truncated, "%d bytes", n)
		require.Equal(t, fields(fresh(c.Want)), fields(got), "%d bytes", n)
	}
}

// checkReuse decodes c into a struct that has held another header, whole and
// cut.
func checkReuse(t *testing.T, c, other Case) {
	t.Helper()
	if reflect.TypeOf(c.Want) != reflect.TypeOf(other.Want) {
		other = c
	}
	used, want := fresh(c.Want), fresh(c.Want)
	require.NoError(t, want.DecodeFromBytes(c.Wire, gopacket.NilDecodeFeedback))
	for n := range len(other.Wire) + 1 {
		err := used.DecodeFromBytes(other.Wire[:n:n], gopacket.NilDecodeFeedback)
		require.Equal(t, n < len(other.Wire), err != nil)
		require.NoError(t, used.DecodeFromBytes(c.Wire, gopacket.NilDecodeFeedback))
		require.Equal(t, want, used)
	}
}

// checkSerialize writes the header back, into a buffer full of something else.
func checkSerialize(t *testing.T, c Case) {
	t.Helper()
	got := fresh(c.Want)
	require.NoError(t, got.DecodeFromBytes(c.Wire, gopacket.NilDecodeFeedback))
	for _, h := range []Header{got, c.Want} {
		b := DirtyBuffer(t)
		require.NoError(t, h.SerializeTo(b, gopacket.SerializeOptions{}))
		require.Equal(t, c.Wire, b.Bytes())
	}
}

func checkAllocs(t *testing.T, c Case) {
	t.Helper()
	h := fresh(c.Want)
	require.Zero(t, testing.AllocsPerRun(10, func() {
		if h.DecodeFromBytes(c.Wire, gopacket.NilDecodeFeedback) != nil {
			t.FailNow()
		}
	}))
}

// DirtyBuffer returns an empty buffer whose memory is all 0xa5.
func DirtyBuffer(t testing.TB) gopacket.SerializeBuffer {
	t.Helper()
	b := gopacket.NewSerializeBufferExpectedSize(256, 256)
	front, err := b.PrependBytes(256)
	require.NoError(t, err)
	back, err := b.AppendBytes(256)
	require.NoError(t, err)
	for i := range front {
		front[i], back[i] = 0xa5, 0xa5
	}
	require.NoError(t, b.Clear())
	return b
}
