// Package ext decodes the headers that stand between a BTH and the payload:
// RDETH, XRCETH, DETH, FETH, RETH, AtomicETH, AETH, AtomicAckETH, ImmDt, IETH
// and the reserved bytes of a RoCEv2 CNP (IBTA Vol 1, 9.3; A14 for XRC, A17 for
// the CNP, A19 for FLUSH).
//
// None of these headers says what follows it: the opcode does. So each type
// here is a gopacket.Layer and SerializableLayer, but no DecodingLayer. In a
// packet the set of headers travels along: Chain carries it through
// gopacket.NewPacket, Headers through a gopacket.DecodingLayerParser.
package ext

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"

	"github.com/ibwire/ibwire/opcode"
)

var be = binary.BigEndian

// split takes the header h off the front of data.
func split(h opcode.HeaderSet, data []byte, df gopacket.DecodeFeedback) (layers.BaseLayer, error) {
	n := h.Size()
	if len(data) < n {
		return layers.BaseLayer{}, cut(h, data, df)
	}
	return layers.BaseLayer{Contents: data[:n], Payload: data[n:]}, nil
}

// cut returns the error about the header h, of which bytes are missing.
func cut(h opcode.HeaderSet, data []byte, df gopacket.DecodeFeedback) error {
	df.SetTruncated()
	return fmt.Errorf("ext: %v needs %d bytes, have %d: %w", h, h.Size(), len(data), io.ErrUnexpectedEOF)
}

// word reads the layout that RDETH, XRCETH, the second half of DETH and AETH
// share: 8 bits, then 24.
func word(b []byte) (uint8, uint32) {
	return b[0], be.Uint32(b) & max24
}

// max24 is the largest value of a 24-bit field.
const max24 = 1<<24 - 1

// putWord is the reverse of word; field is the name of the 24 bits.
func putWord(b []byte, field string, high uint8, low uint32) error {
	if low > max24 {
		return fmt.Errorf("ext: %s is %#x, more than %#x", field, low, max24)
	}
	be.PutUint32(b, uint32(high)<<24|low)
	return nil
}
