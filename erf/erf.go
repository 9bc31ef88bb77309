// Package erf decodes records of the Extensible Record Format, which Endace DAG
// cards and ibdump write, as a gopacket layer, and reads and writes files of
// them.
//
// A record is a header of 16 bytes, any number of extension headers of eight
// bytes, a sub-header of two or four bytes for some types, and the packet.
// Files (Reader, Writer) are such records one after the other with nothing
// before or between them; pcap and pcapng carry one record in each packet of
// link type 197 (LinkType).
package erf

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
)

// HeaderSize is the length in bytes of a record header without extension
// headers.
const HeaderSize = 16

// moreBit in a type byte says that an extension header follows.
const moreBit = 0x80

// Record is one ERF record. The timestamp is little-endian, all else
// big-endian.
//
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	|              Timestamp: fraction of 2^-32 s                   |
//	|              Timestamp: seconds since 1970                    |
//	|X|    Type     |     Flags     |             RLen              |
//	|       LCtr or color           |             WLen              |
//	|X|  Ext type   |              Ext body (7 bytes)               |
//	|                                                               |
//	|    SubHeader (0, 2 or 4 bytes), packet, Trailer               |
//
// X says that one more extension header follows; Ext holds them in order.
//
// Contents is the header with extension headers and sub-header, Payload the
// packet: WLen bytes, or fewer if fewer are there. Trailer holds what stands
// behind the packet, such as the padding of the record; it is nil if there is
// nothing.
type Record struct {
	layers.BaseLayer
	Timestamp Timestamp
	Type      Type // 7 bits
	Flags     Flags
	// RLen is the length of the whole record in the capture file, from the
	// header through the padding. It is a value only: pcap files often leave the
	// padding out, and then fewer bytes are there.
	RLen uint16
	// LCtr counts packets lost since the record before, or holds the color if
	// Type.HasColor.
	LCtr uint16
	// WLen is the length of the packet on the wire, without any ERF header.
	WLen uint16
	// Ext is empty, and after decoding not nil, if there are none.
	Ext       []ExtHeader
	SubHeader []byte
	Trailer   []byte

	cut bool // headers not whole: Payload is no packet
}

// HeaderLen returns the length of header, extension headers and sub-header.
func (r *Record) HeaderLen() int {
	return HeaderSize + ExtHeaderSize*len(r.Ext) + r.Type.SubHeaderSize()
}

// Missing returns how many of the WLen bytes of the packet are not in Payload.
func (r *Record) Missing() int {
	if r.cut {
		return int(r.WLen)
	}
	return max(int(r.WLen)-len(r.Payload), 0)
}

// IsCut reports whether the record says that it does not hold all of the packet:
// by FlagTrunc, or because RLen leaves no room for WLen. If it is padded, the last
// bytes of Payload, up to 7, may then be padding.
func (r *Record) IsCut() bool {
	return r.Flags.Has(FlagTrunc) || int(r.WLen) > int(r.RLen)-r.HeaderLen()
}

// DecodeFromBytes implements gopacket.DecodingLayer.
//
// Headers that are not whole give a *HeaderError. If at least the 16 bytes are
// there, the fields hold all headers that are whole and Payload the bytes that
// could not be decoded.
//
// A packet shorter than WLen is no error. It is reported by SetTruncated if no
// byte of it is there or if nobody looks into it (NextLayerType is Payload). If
// not, the length fields inside decide, because no more than a CRC may be
// missing; Missing tells in any case.
func (r *Record) DecodeFromBytes(data []byte, df gopacket.DecodeFeedback) error {
	ext := r.Ext[:0]
	if ext == nil {
		ext = []ExtHeader{} // as in a reused Record
	}
	if len(data) < HeaderSize {
		df.SetTruncated()
		*r = Record{Ext: ext}
		return &HeaderError{Need: HeaderSize, Have: len(data)}
	}
	r.Timestamp = Timestamp(binary.LittleEndian.Uint64(data))
	r.Type, r.Flags = Type(data[8]&^moreBit), Flags(data[9])
	r.RLen = binary.BigEndian.Uint16(data[10:])
	r.LCtr = binary.BigEndian.Uint16(data[12:])
	r.WLen = binary.BigEndian.Uint16(data[14:])
	r.Ext, r.SubHeader, r.Trailer, r.cut = ext, nil, nil, false

	size := HeaderSize
	for first := data[8]; first&moreBit != 0; size += ExtHeaderSize {
		if len(data)-size < ExtHeaderSize {
			return r.cutHeader("extension header", data, size, ExtHeaderSize, df)
		}
		first = data[size]
		h := ExtHeader{Type: ExtType(first &^ moreBit)}
		copy(h.Body[:], data[size+1:])
		r.Ext = append(r.Ext, h)
	}
	if n := r.Type.SubHeaderSize(); n > 0 {
		if len(data)-size < n {
			return r.cutHeader("sub-header", data, size, n, df)
		}
		r.SubHeader = data[size : size+n]
		size += n
	}
	end := size + int(r.WLen)
	if end > len(data) {
		end = len(data)
		if end == size || r.NextLayerType() == gopacket.LayerTypePayload {
			df.SetTruncated()
		}
	}
	r.BaseLayer = layers.BaseLayer{Contents: data[:size], Payload: data[size:end]}
	if end < len(data) {
		r.Trailer = data[end:]
	}
	return nil
}

// cutHeader keeps the headers in data[:size] and reports the one behind them,
// of n bytes, as cut.
func (r *Record) cutHeader(part string, data []byte, size, n int, df gopacket.DecodeFeedback) error {
	df.SetTruncated()
	r.cut = true
	r.BaseLayer = layers.BaseLayer{Contents: data[:size], Payload: data[size:]}
	return &HeaderError{Part: part, Need: size + n, Have: len(data)}
}

// SerializeTo implements gopacket.SerializableLayer. It writes Trailer behind
// the packet. FixLengths sets WLen to the length of the packet and RLen to that
// of the record with Trailer. A nil SubHeader is written as zeros if the type
// has one.
func (r *Record) SerializeTo(b gopacket.SerializeBuffer, opts gopacket.SerializeOptions) error {
	if err := r.checkFields(); err != nil {
		return err
	}
	if opts.FixLengths {
		if err := r.setLengths(len(b.Bytes()), len(r.Trailer)); err != nil {
			return err
		}
	}
	p, err := b.PrependBytes(r.HeaderLen())
	if err != nil {
		return err
	}
	r.put(p)
	if p, err = b.AppendBytes(len(r.Trailer)); err != nil {
		return err
	}
	copy(p, r.Trailer)
	return nil
}

// checkFields returns an error if a field cannot be written.
func (r *Record) checkFields() error {
	if r.Type >= moreBit {
		return fmt.Errorf("erf: type %d does not fit 7 bits", uint8(r.Type))
	}
	for i, h := range r.Ext {
		if h.Type >= moreBit {
			return fmt.Errorf("erf: type %d of extension header %d does not fit 7 bits", uint8(h.Type), i+1)
		}
	}
	if have, want := len(r.SubHeader), r.Type.SubHeaderSize(); have != 0 && have != want {
		return fmt.Errorf("erf: sub-header of %d bytes, type %v has %d", have, r.Type, want)
	}
	return nil
}

// setLengths sets WLen and RLen for a packet with the given number of bytes
// behind it.
func (r *Record) setLengths(packet, behind int) error {
	n := r.HeaderLen() + packet + behind
	if n > math.MaxUint16 {
		return fmt.Errorf("erf: record of %d bytes does not fit its length field of 16 bits", n)
	}
	r.WLen, r.RLen = uint16(packet), uint16(n)
	return nil
}

// put writes the headers to all HeaderLen bytes of p.
func (r *Record) put(p []byte) {
	binary.LittleEndian.PutUint64(p, uint64(r.Timestamp))
	p[8], p[9] = uint8(r.Type), uint8(r.Flags)
	binary.BigEndian.PutUint16(p[10:], r.RLen)
	binary.BigEndian.PutUint16(p[12:], r.LCtr)
	binary.BigEndian.PutUint16(p[14:], r.WLen)
	last := 8 // type byte before the next extension header
	size := HeaderSize
	for _, h := range r.Ext {
		p[last] |= moreBit
		p[size] = uint8(h.Type)
		copy(p[size+1:], h.Body[:])
		last, size = size, size+ExtHeaderSize
	}
	clear(p[size:])
	copy(p[size:], r.SubHeader)
}
