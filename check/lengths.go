package check

import (
	"encoding/binary"
	"fmt"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/bth"
	"github.com/ibwire/ibwire/crc"
	"github.com/ibwire/ibwire/grh"
	"github.com/ibwire/ibwire/lrh"
	"github.com/ibwire/ibwire/opcode"
)

// Lengths. PktLen counts words.
const (
	word          = 4
	minWords      = 6 // LRH, BTH, ICRC
	minRawWords   = 5
	maxWords      = (4096 + 124) / word
	udpHeaderSize = 8
	maxPktLen     = 1<<11 - 1

	// lengthBit is the reserved bit in front of PktLen. Omni-Path, which has the
	// same LRH, takes it for the top bit of the length.
	lengthBit = 1
)

var be = binary.BigEndian

// pktLen returns what PktLen counts, in bytes.
func (in *Input) pktLen() int { return int(in.LRH.PktLen) * word }

// hasLength reports whether the packet was captured with the given length: with
// both CRCs, without a VCRC, or without either.
func (in *Input) hasLength(n int) bool {
	switch in.size() - n {
	case crc.VCRCSize, 0, -crc.ICRCSize:
		return true
	}
	return false
}

// isOmniPath reports whether the length is that of a packet of Omni-Path, of 12
// bits.
func (in *Input) isOmniPath() bool {
	return in.LRH.Rsv5&lengthBit != 0 && in.hasLength(in.pktLen()+(maxPktLen+1)*word)
}

// behindBTH returns how many bytes there must be behind the BTH, as far as the
// opcode is there to tell.
func (in *Input) behindBTH() int {
	if in.has&ibwire.BTH == 0 || in.BTH.OpCode.Transport() == opcode.RD {
		return crc.ICRCSize
	}
	return in.BTH.OpCode.Headers().Size() + crc.ICRCSize
}

func pktLenShort(in *Input) string {
	l := &in.LRH
	need, what := minRawWords*word, "a raw packet has"
	switch {
	case l.LNH == lrh.LNHLocal:
		need, what = lrh.Size+bth.Size+in.behindBTH(), "the headers and the ICRC have"
	case l.LNH == lrh.LNHGlobal && in.has&ibwire.GRH != 0 && in.GRH.NxtHdr == grh.NxtHdrIBA:
		need, what = lrh.Size+grh.Size+bth.Size+in.behindBTH(), "the headers and the ICRC have"
	case l.LNH == lrh.LNHGlobal:
		need, what = max(minWords*word, lrh.Size+grh.Size), "the headers have"
	}
	if in.pktLen() >= need || in.isOmniPath() {
		return ""
	}
	return fmt.Sprintf("PktLen is %d words, %d bytes, but %s at least %d", l.PktLen, in.pktLen(), what, need)
}

func payLenShort(in *Input) string {
	need := bth.Size + in.behindBTH()
	if in.GRH.NxtHdr != grh.NxtHdrIBA || int(in.GRH.PayLen) >= need {
		return ""
	}
	return fmt.Sprintf("PayLen is %d, but BTH, extension headers and ICRC have %d bytes", in.GRH.PayLen, need)
}

// A length of 0 is of a packet that the adapter was to cut into several.
func udpLenShort(in *Input) string {
	need := udpHeaderSize + bth.Size + in.behindBTH()
	if n := int(in.UDP.Length); n == 0 || n >= need || !in.toRoCE() {
		return ""
	}
	return fmt.Sprintf("the UDP length is %d, but UDP header, BTH, extension headers and ICRC have %d bytes", in.UDP.Length, need)
}

// A packet that is shorter than PktLen may have been cut by a switch that mirrors
// it, and bytes behind it may be a trailer. PktLen is wrong for sure only if the
// packet, as long as it is, ends with a CRC that fits.
func pktLenCaptured(in *Input) string {
	if in.cut || in.hasLength(in.pktLen()) || in.HasICRC() && in.ICRC().Status == ibwire.Good || in.VCRC().Status == ibwire.Good ||
		in.isOmniPath() || pktLenShort(in) != "" {
		return ""
	}
	end := in.crcEnd()
	if end == 0 {
		return ""
	}
	return fmt.Sprintf("PktLen is %d words, %d bytes, but the CRCs fit a packet of %d bytes", in.LRH.PktLen, in.pktLen(), end)
}

// crcEnd returns the length of the packet from the LRH through the ICRC, if a CRC
// at the end of what is there says so: one over the packet as it is, or with the
// PktLen that it should have.
func (in *Input) crcEnd() int {
	n := in.size() &^ (word - 1) // through the ICRC
	if n < minRawWords*word || n/word > maxPktLen {
		return 0
	}
	packet := in.Data[in.Offset(ibwire.LRH):in.end]
	in.buffer = append(in.buffer[:0], packet...)
	be.PutUint16(in.buffer[4:], be.Uint16(packet[4:])&^maxPktLen|uint16(n/word))
	for _, b := range [...][]byte{packet, in.buffer} {
		if len(b)-n == crc.VCRCSize && crc.VCRC(b[:n]) == be.Uint16(b[n:]) {
			return n
		}
		if in.LRH.LNH < lrh.LNHLocal || len(b) != n {
			continue
		}
		var c crc.ICRC
		if v, ok := c.Native(b[:n-crc.ICRCSize]); ok && v == be.Uint32(b[n-crc.ICRCSize:]) {
			return n
		}
	}
	return 0
}

// Bytes behind a packet in a mirror are of the packet around it.
func trailer(in *Input) string {
	if len(in.LRH.Trailer) == 0 || in.cut || in.Has(ibwire.Mirror) {
		return ""
	}
	n := in.size() - in.pktLen()
	if in.LRH.HasVCRC {
		n -= crc.VCRCSize
	}
	if n <= 0 || in.isOmniPath() || pktLenShort(in) != "" || pktLenCaptured(in) != "" {
		return ""
	}
	return fmt.Sprintf("%s behind the packet, whose PktLen is %d words", count(n), in.LRH.PktLen)
}

func pktLenMax(in *Input) string {
	if in.LRH.PktLen <= maxWords || in.isOmniPath() {
		return ""
	}
	return fmt.Sprintf("PktLen is %d words, more than %d", in.LRH.PktLen, maxWords)
}

func grhPayLen(in *Input) string {
	want := lrh.Size + grh.Size + int(in.GRH.PayLen)
	if in.LRH.LNH != lrh.LNHGlobal || in.pktLen() == want {
		return ""
	}
	if in.LRH.Rsv5&lengthBit != 0 && in.pktLen()+(maxPktLen+1)*word == want || pktLenShort(in) != "" || payLenShort(in) != "" {
		return ""
	}
	return fmt.Sprintf("PktLen is %d words, %d bytes, but with PayLen %d it is %d", in.LRH.PktLen, in.pktLen(), in.GRH.PayLen, want)
}

func truncated(in *Input) string {
	switch {
	case in.cut && in.has&ibwire.ERF != 0 && in.ERF.Missing() == 0:
		return "the ERF record does not hold all of the packet, by rlen or its flag"
	case in.cut && in.has&ibwire.ERF != 0:
		return fmt.Sprintf("%d of %d bytes are captured", len(in.ERF.Payload), in.ERF.WLen)
	case in.cut:
		return fmt.Sprintf("%d of %d bytes are captured", len(in.Data), in.Length)
	case !in.Truncated || in.isFragment():
		return ""
	case in.has&ibwire.LRH != 0:
		return truncatedNative(in)
	case in.has&ibwire.UDP != 0:
		return truncatedBehind(in, ibwire.UDP, "the UDP length", int(in.UDP.Length), udpLenShort(in))
	case in.has&ibwire.GRH != 0:
		return truncatedBehind(in, ibwire.GRH, "PayLen with the GRH", grh.Size+int(in.GRH.PayLen), payLenShort(in))
	}
	return "a header is cut"
}

// truncatedBehind is about a packet on Ethernet or IP whose length, from header l
// on, is in that header. If the length is wrong, that is a finding of its own.
func truncatedBehind(in *Input, l ibwire.Layer, name string, n int, wrong string) string {
	there := 0
	for _, h := range in.Headers {
		if h.Layer == l {
			there = in.end - h.Offset
		}
	}
	switch {
	case wrong != "":
		return ""
	case there < n:
		return fmt.Sprintf("%s is %d, %d bytes are there", name, n, there)
	}
	return "the packet ends before its headers or lengths do"
}

// truncatedNative is about a native packet whose capture keeps nothing back. If
// it is as long as PktLen says, a length in it is wrong, which is a finding of
// its own.
func truncatedNative(in *Input) string {
	switch missing := in.pktLen() - in.size(); {
	case missing <= 0 || pktLenCaptured(in) != "":
		return ""
	case missing == crc.ICRCSize:
		return fmt.Sprintf("PktLen counts %d bytes, %d are there: cut, or captured without CRCs", in.pktLen(), in.size())
	}
	return fmt.Sprintf("PktLen counts %d bytes, %d are there", in.pktLen(), in.size())
}
