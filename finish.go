package ibwire

import (
	"errors"
	"fmt"
	"math/bits"
	"sync"

	"github.com/ibwire/ibwire/linktype"
)

// ErrNoICRC is the error of Finish for a frame without a place for an ICRC.
var ErrNoICRC = errors.New("ibwire: no place for an ICRC")

// packets are for Finish, which shall not allocate, with room for the headers of
// most frames.
var packets = sync.Pool{New: func() any { return &Packet{Headers: make([]Header, 0, 16)} }}

// Finish writes the CRCs of a frame that has been built, into their places: the
// ICRC; the VCRC, if the packet is native and has one; and where a UDP checksum
// covers the ICRC and is not 0, which says that there is none, it corrects the
// checksum for what it has changed. A checksum that was wrong stays so.
//
// It is for RoCE v2: there the headers outside the BTH are gopacket's, which know
// nothing of an ICRC. Serialize all layers with FixLengths and ComputeChecksums,
// then Finish the frame. What lrh.LRH and grh.GRH have written is complete, and
// Finish leaves it as it is.
//
// link is what the frame begins with. The places are those where Packet finds the
// CRCs, so bytes behind the packet, as the padding of Ethernet, are no obstacle.
// ports are UDP ports that carry RoCE v2 besides 4791.
//
// A header that is cut is an error that wraps io.ErrUnexpectedEOF. A frame that
// has no ICRC, since it is not InfiniBand, is cut or is a fragment, is an error
// that wraps ErrNoICRC. Then nothing is written.
func Finish(link linktype.Type, frame []byte, ports ...uint16) error {
	p := packets.Get().(*Packet)
	defer packets.Put(p)
	p.Ports = ports
	if err := p.Decode(link, frame); err != nil {
		return err
	}
	c := p.ICRC()
	if !c.Present() || c.Status == Unverified && c.Expected == 0 {
		return fmt.Errorf("%w: headers [%v], truncated: %t", ErrNoICRC, p.Layers(), p.Truncated)
	}
	at := p.at + len(p.Payload) + len(p.Pad)
	be.PutUint32(frame[at:], c.Expected)
	for i := len(p.Headers) - 1; i >= 0; i-- {
		// A checksum that is corrected makes up for the ICRC in those outside it.
		if h := p.Headers[i]; h.Layer == UDP && correct(frame[h.Offset+6:], at-h.Offset, c) {
			break
		}
	}
	if p.HasVCRC() {
		at := p.Offset(LRH) + int(p.LRH.PktLen)*4
		be.PutUint16(frame[at:], uint16(p.VCRC().Expected))
	}
	return nil
}

// correct corrects a UDP checksum for an ICRC that has changed at a distance from
// the UDP header (RFC 1624). It returns false for a checksum of 0, which is none.
func correct(sum []byte, distance int, icrc CRC) bool {
	old := be.Uint16(sum)
	if old == 0 {
		return false
	}
	was, is := ^icrc.Value, icrc.Expected
	if distance%2 == 1 { // then its bytes are in the other half of the words
		was, is = bits.RotateLeft32(was, 8), bits.RotateLeft32(is, 8)
	}
	s := uint32(^old) + was>>16 + was&0xffff + is>>16 + is&0xffff
	s = s>>16 + s&0xffff
	s = s>>16 + s&0xffff
	if s == 0xffff {
		s = 0 // a sum of 0 is sent as ones
	}
	be.PutUint16(sum, ^uint16(s))
	return true
}
