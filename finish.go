package ibwire

import (
	"errors"
	"fmt"
	"math/bits"
	"sync"

	"github.com/ibwire/ibwire/crc"
	"github.com/ibwire/ibwire/linktype"
)

// ErrNoICRC is the error of Finish for a frame without a place for an ICRC.
var ErrNoICRC = errors.New("ibwire: no place for an ICRC")

// packets are for Finish, which shall not allocate, with room for the headers of
// most frames.
var packets = sync.Pool{New: func() any { return &Packet{Headers: make([]Header, 0, 16)} }}

// Finish writes the CRCs of a frame that has been built, into their places: the
// ICRC; the VCRC, if the packet is native and has one, and that of a mirror around
// it; and where a checksum of UDP or GRE covers the ICRC, it corrects the checksum
// for what it has changed. A checksum that was wrong stays so, and one of UDP that
// is 0, which says that there is none. To have none, as is usual in RoCE v2, set it
// to 0 when the frame is finished: the ICRC does not cover it.
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
// has no ICRC, since it is not InfiniBand, is cut or is a fragment, and one whose
// length fields contradict each other or leave out more than Ethernet may have
// padded it with, is an error that wraps ErrNoICRC. Then nothing is written.
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
	if n := len(frame) - at; p.contradicts(at) || p.inside&LRH == 0 && n > crc.ICRCSize+maxPadding {
		return fmt.Errorf("%w: by the length fields it would be at byte %d of %d", ErrNoICRC, at, len(frame))
	}
	be.PutUint32(frame[at:], c.Expected)
	p.correctSums(frame, at, c)
	p.putVCRCs(frame)
	return nil
}

// maxPadding is the most bytes that Ethernet is padded with.
const maxPadding = 46

// contradicts reports whether the length fields of IP and UDP, of a packet that has
// them, do not both say that it ends with an ICRC at a place.
func (p *Packet) contradicts(icrc int) bool {
	u := under{headers: p.Headers, data: p.Data}
	h, udp, _ := u.carrier()
	ip := p.Headers[h]
	return ip.Layer&(IPv4|IPv6) != 0 && !lengthsAgree(p.Data[ip.Offset:icrc], p.Headers[udp].Offset-ip.Offset)
}

// correctSums corrects the checksums that cover an ICRC which has changed. One that
// is corrected makes up for the ICRC in those outside it.
func (p *Packet) correctSums(frame []byte, icrc int, c CRC) {
	for i := len(p.Headers) - 1; i >= 0; i-- {
		h := p.Headers[i]
		b := frame[h.Offset:]
		switch {
		case h.Layer == UDP && be.Uint16(b[6:]) != 0: // 0 says that there is none
			correct(b[6:], icrc-h.Offset, c)
			return
		case h.Layer == GRE && b[0]&0x80 != 0:
			correct(b[4:], icrc-h.Offset, c)
			return
		}
	}
}

// putVCRCs writes the VCRC of a native packet, and that of the mirror around it.
func (p *Packet) putVCRCs(frame []byte) {
	if p.HasVCRC() {
		at := p.Offset(LRH) + int(p.LRH.PktLen)*4
		be.PutUint16(frame[at:], uint16(p.VCRC().Expected))
	}
	for i := p.inner - 1; i >= 0; i-- { // from the inside, as each covers those in it
		h := p.Headers[i]
		end := h.Offset + int(be.Uint16(frame[h.Offset+4:])&0x7ff)*4
		if h.Layer == LRH && end+crc.VCRCSize <= p.frame {
			be.PutUint16(frame[end:], crc.VCRC(frame[h.Offset:end]))
		}
	}
}

// correct corrects the checksum of a header for an ICRC that has changed at a
// distance from it (RFC 1624).
func correct(sum []byte, distance int, icrc CRC) {
	was, is := ^icrc.Value, icrc.Expected
	if distance%2 == 1 { // then its bytes are in the other half of the words
		was, is = bits.RotateLeft32(was, 8), bits.RotateLeft32(is, 8)
	}
	s := uint32(^be.Uint16(sum)) + was>>16 + was&0xffff + is>>16 + is&0xffff
	s = s>>16 + s&0xffff
	s = s>>16 + s&0xffff
	if s == 0xffff {
		s = 0 // a sum of 0 is sent as ones
	}
	be.PutUint16(sum, ^uint16(s))
}
