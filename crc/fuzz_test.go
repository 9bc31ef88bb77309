package crc_test

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/crc"
)

// checkCRCs requires that the CRCs of any bytes are those of the reference, with
// an ICRC that has been used.
func checkCRCs(t *testing.T, c *crc.ICRC, p []byte) {
	t.Helper()
	if want, got := vcrcBits(p), crc.VCRC(p); want != got {
		require.Equal(t, want, got)
	}
	before := string(p)
	for _, m := range methods {
		want, wantOK := m.reference(p)
		got, ok := m.sum(c, p)
		if want != got || wantOK != ok {
			require.Equal(t, wantOK, ok, m.name)
			require.Equal(t, want, got, m.name)
		}
	}
	require.Equal(t, before, string(p))
	for put, m := range map[*method]func([]byte) bool{&native: crc.PutNative, &rocev1: crc.PutRoCEv1} {
		whole := append([]byte(before), 1, 2, 3, 4)
		want, wantOK := put.reference(p)
		require.Equal(t, wantOK, m(whole), put.name)
		if wantOK {
			require.Equal(t, want, binary.BigEndian.Uint32(whole[len(p):]), put.name)
		}
		require.Equal(t, before, string(whole[:len(p)]), put.name)
	}
}

func FuzzCRC(f *testing.F) {
	for _, v := range vectors {
		f.Add(unhex(f, v.packet))
	}
	for _, l := range layouts() {
		f.Add(append(l.header, bytes(40)...))
	}
	c := new(crc.ICRC)
	f.Fuzz(func(t *testing.T, p []byte) { checkCRCs(t, c, p) })
}

// Packets that begin as each layout does, with some bytes changed, of any length.
func TestCRCsOfAnyBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	c := new(crc.ICRC)
	for _, l := range layouts() {
		for range 200 {
			p := append(append([]byte(nil), l.header...), bytes(400)...)
			for range r.IntN(4) {
				p[r.IntN(60)] = byte(r.Uint32())
			}
			checkCRCs(t, c, p[:r.IntN(len(p))])
		}
	}
}
