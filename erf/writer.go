package erf

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/google/gopacket"
)

// align is what WriteRecord pads records to, as DAG cards do.
const align = 8

// A Writer writes a file of ERF records, each with one Write to the writer
// below. It does not buffer.
type Writer struct {
	w   io.Writer
	buf []byte
}

// NewWriter returns a Writer to w. A file has no header, so nothing is written
// yet.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// WritePacket writes data, a whole record as Reader.ReadPacketData returns it
// and as pcap files of link type 197 hold it. Time, lengths and interface are in
// the record itself: ci is not used, and is here only so that a Writer is called
// as a pcapgo.Writer is.
//
// If data ends behind the packet but before the record length, as in pcap files
// without the padding, zeros are added. If data ends in the packet or in the
// headers, the record is written with len(data) as its length, because added
// bytes would be taken for bytes of the packet; wlen still tells how many are
// missing. More data than the record length is ErrRecordLength.
func (w *Writer) WritePacket(ci gopacket.CaptureInfo, data []byte) error {
	if len(data) < HeaderSize {
		return &HeaderError{Need: HeaderSize, Have: len(data)}
	}
	size := int(binary.BigEndian.Uint16(data[10:]))
	if size < HeaderSize || size < len(data) {
		return fmt.Errorf("%w %d, have %d bytes", ErrRecordLength, size, len(data))
	}
	if len(data) == size {
		_, err := w.w.Write(data)
		return err
	}
	n, whole := headerLen(data)
	if !whole || len(data)-n < int(binary.BigEndian.Uint16(data[14:])) {
		size = len(data)
	}
	p := w.buffer(size)
	clear(p[copy(p, data):])
	binary.BigEndian.PutUint16(p[10:], uint16(size))
	_, err := w.w.Write(p)
	return err
}

// WriteRecord writes the headers of r and packet behind them, padded with zeros
// to a multiple of eight bytes. It sets r.WLen and r.RLen. The padding takes the
// place of r.Trailer.
func (w *Writer) WriteRecord(r *Record, packet []byte) error {
	if err := r.checkFields(); err != nil {
		return err
	}
	n := r.HeaderLen()
	if err := r.setLengths(len(packet), -(n+len(packet))&(align-1)); err != nil {
		return err
	}
	p := w.buffer(int(r.RLen))
	r.put(p[:n])
	n += copy(p[n:], packet)
	clear(p[n:])
	_, err := w.w.Write(p)
	return err
}

// buffer returns n bytes of undefined content.
func (w *Writer) buffer(n int) []byte {
	w.buf = slices.Grow(w.buf[:0], n)[:n]
	return w.buf
}
