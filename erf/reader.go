package erf

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
)

// bufferSize holds any record (65,535 bytes) a few times over.
const bufferSize = 1 << 18

var (
	_ gopacket.PacketDataSource         = (*Reader)(nil)
	_ gopacket.ZeroCopyPacketDataSource = (*Reader)(nil)
)

// A Reader reads a file of ERF records. It returns every record as it stands in
// the file, header, packet and padding, rlen bytes: decode it with LayerTypeERF.
// PAD and META records are returned as well (Wireshark leaves PAD out), and so
// is a record whose extension headers run past its end, which the layer reports.
//
// What cannot be read is a *RecordError:
//   - A record cut short by the end of the file. RecordError.Rest is what there
//     is of it.
//   - A record length below 16. There is no way to find the next record.
//   - An error of the reader below.
//
// It is returned once; later calls return io.EOF, so that gopacket.PacketSource,
// which goes on after an error, comes to an end.
type Reader struct {
	r      *bufio.Reader
	count  int   // records returned
	offset int64 // of the last record, or of the one that was tried last
	size   int   // of the last record, whose bytes are still in r
	done   bool  // nothing more can be read
}

// NewReader returns a Reader of the records in r, which must stand at the first
// one. It looks at the first header and returns a *RecordError if this cannot
// be one. There are no other marks to know an ERF file by. An empty r is a file
// without records.
func NewReader(r io.Reader) (*Reader, error) {
	e := &Reader{r: bufio.NewReaderSize(r, bufferSize)}
	if _, err := e.recordLength(); err != nil && err != io.EOF {
		return nil, err
	}
	return e, nil
}

// LinkType returns LinkType, as all packets are ERF records.
func (r *Reader) LinkType() layers.LinkType { return LinkType }

// Offset returns where in the file the last record returned begins, or the one
// that could not be read after an error.
func (r *Reader) Offset() int64 { return r.offset }

// ReadPacketData returns the next record, or io.EOF if there are no more.
//
// In CaptureInfo, Timestamp and InterfaceIndex are those of the record's header
// and CaptureLength is len(data). Length counts all bytes of the packet on the
// wire behind the headers, so it is larger if some are missing.
func (r *Reader) ReadPacketData() (data []byte, ci gopacket.CaptureInfo, err error) {
	data, ci, err = r.ZeroCopyReadPacketData()
	return bytes.Clone(data), ci, err
}

// ZeroCopyReadPacketData is ReadPacketData without copying: data is valid until
// the next call.
func (r *Reader) ZeroCopyReadPacketData() (data []byte, ci gopacket.CaptureInfo, err error) {
	if r.done {
		return nil, ci, io.EOF
	}
	// The bytes of the last record are in the buffer, so this cannot fail.
	n, _ := r.r.Discard(r.size)
	r.offset += int64(n)
	r.size = 0
	size, err := r.recordLength()
	if err != nil {
		return nil, ci, err
	}
	if data, err = r.r.Peek(size); err != nil {
		return nil, ci, r.fail(size, data, err)
	}
	r.count++
	r.size = size
	return data, captureInfo(data), nil
}

// recordLength returns the length of the next record.
func (r *Reader) recordLength() (int, error) {
	p, err := r.r.Peek(HeaderSize)
	if err != nil {
		return 0, r.fail(HeaderSize, p, err)
	}
	n := int(binary.BigEndian.Uint16(p[10:]))
	if n < HeaderSize {
		r.done = true
		return 0, &RecordError{Record: r.count + 1, Offset: r.offset, Need: HeaderSize, Have: n,
			Rest: bytes.Clone(p), Err: ErrRecordLength}
	}
	return n, nil
}

// fail returns the error for err, which came when only have of need bytes were
// there.
func (r *Reader) fail(need int, have []byte, err error) error {
	r.done = true
	if err == io.EOF {
		if len(have) == 0 {
			return io.EOF
		}
		err = io.ErrUnexpectedEOF
	}
	return &RecordError{Record: r.count + 1, Offset: r.offset, Need: need, Have: len(have),
		Rest: bytes.Clone(have), Err: err}
}

// captureInfo returns what the header of the record data says.
func captureInfo(data []byte) gopacket.CaptureInfo {
	n, _ := headerLen(data)
	return gopacket.CaptureInfo{
		Timestamp:      Timestamp(binary.LittleEndian.Uint64(data)).Time(),
		CaptureLength:  len(data),
		Length:         max(len(data), n+int(binary.BigEndian.Uint16(data[14:]))),
		InterfaceIndex: Flags(data[9]).Interface(),
	}
}

// headerLen returns the length of all headers of the record data, which has at
// least HeaderSize bytes. If they are not whole, it is len(data).
func headerLen(data []byte) (n int, whole bool) {
	n = HeaderSize
	for first := data[8]; first&moreBit != 0; n += ExtHeaderSize {
		if len(data)-n < ExtHeaderSize {
			return len(data), false
		}
		first = data[n]
	}
	n += Type(data[8] &^ moreBit).SubHeaderSize()
	if n > len(data) {
		return len(data), false
	}
	return n, true
}
