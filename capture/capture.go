// Package capture reads packets from capture files: pcap, pcapng and files of
// ERF records, each also compressed with gzip, bzip2, zstd or xz. The content
// tells what a file is, never the name, and a pipe will do as well. It writes
// the three formats too.
//
// Open and NewReader return a Reader. Its Next delivers packets without copying
// or allocating; it is a gopacket.PacketDataSource too. A Writer writes what a
// Reader has read, in any of the formats, and puts packets in ERF records or
// takes them out; what it cannot keep of a packet it tells.
//
// # Odd files
//
// Files in the field break the rules of their format, and a Reader goes on as
// long as it can know where the next packet begins. Packets longer than the
// snap length or than their own length on the wire are delivered as they are,
// and so are packets of a link type that nobody here can decode. A pcapng block
// that contradicts itself is skipped by its length, and the function given to
// OnWarning is told.
//
// What ends a file early is an *Error that says what is wrong and at which
// packet and byte: the file is cut off (io.ErrUnexpectedEOF), or a length cannot
// be true (ErrDamaged). A packet has at most 256 KiB, as in Wireshark, and an
// ERF record at most 65,535 bytes; a length beyond that is damage. No memory is
// allocated by a length in a file: a Reader needs a read buffer of 1 MiB, and
// for zstd and xz the window that the file was compressed with, up to 128 MiB.
//
// # Numbers
//
// Packets are numbered from 1 as in Wireshark. PAD records in a file of ERF
// records are no packets there, and so they are none here: Counts tells how
// many there were. In pcap and pcapng they are delivered. Blocks of a pcapng
// file that hold no packet are passed over; of those Wireshark numbers some,
// such as custom blocks.
package capture

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/ibwire/ibwire/erf"
	"github.com/ibwire/ibwire/linktype"
)

// maxPacket is the most bytes that a packet may have, as in Wireshark.
const maxPacket = 256 << 10

// A Record is a packet with what the file says about it.
type Record struct {
	Number    int64 // from 1
	Offset    int64 // of the record or block in the file, decompressed
	LinkType  linktype.Type
	Section   int // section of a pcapng file, from 1; 1 in other files
	Interface int // index in Reader.Interfaces

	// Time is the packet's time, the one that Wireshark shows. It is the ERF
	// record's in files of ERF records and in pcap, and the block's in pcapng. It
	// is the zero Time if there is none, as in simple packet blocks.
	Time time.Time
	// RecordTime is the time in the record header or block. In files of ERF
	// records it is Time.
	RecordTime time.Time
	// ERFTime is the time in the ERF record, if LinkType is linktype.ERF.
	ERFTime erf.Timestamp

	// Length is how many bytes the packet had on the wire, as the file says, at
	// most 2^31-1. It is less than len(Data) in some files. For an ERF record it
	// counts the ERF headers and the packet, without padding.
	Length int
	// RecordLength is what the record header or block around an ERF record says
	// instead. It is 0 in files of ERF records, and if LinkType is another.
	RecordLength int
	// FCSLen is how many bytes of frame check sequence are at the end of the
	// packet, or -1 if the file does not say.
	FCSLen int
	// Data is what was captured, from the header that LinkType says. For ERF it
	// begins with the ERF header. It is valid until the next call.
	Data []byte
}

// An Interface is where packets came from, as the file describes it. Files of
// ERF records have four, the ports of the card; pcap files have one.
type Interface struct {
	Name        string        // at most 255 bytes
	Description string        // at most 255 bytes
	LinkType    linktype.Type // as in the file, without UserInfiniband
	SnapLen     uint32        // 0 if there is no limit
	Resolution  uint8         // of times: 10^-n s, or 2^-n s if the top bit is set
	TimeOffset  int64         // seconds that were added to the times in the file
	FCSLen      int           // bytes, -1 if unknown
}

// A Format is a kind of capture file.
type Format string

// Formats.
const (
	FormatPcap   Format = "pcap"
	FormatPcapng Format = "pcapng"
	FormatERF    Format = "ERF"
)

// Counts says what a Reader has met so far.
type Counts struct {
	Packets  int64
	Pads     int64 // PAD records passed over
	Blocks   int64 // blocks of pcapng passed over that are of other kinds than packets
	Warnings int64
}

// An Option changes how a Reader reads.
type Option func(*Reader)

// OnWarning has f called with everything that is wrong in a file but does not
// stop the Reader.
func OnWarning(f func(*Error)) Option {
	return func(r *Reader) { r.onWarning = f }
}

// Named has errors name the input so, for a Reader of NewReader.
func Named(file string) Option {
	return func(r *Reader) { r.file = file }
}

// UserInfiniband has packets of the given link types delivered as
// linktype.InfiniBand. Without any, it is all 16 for private use, linktype.User0
// to linktype.User15.
func UserInfiniband(types ...linktype.Type) Option {
	if len(types) == 0 {
		for t := linktype.User0; t <= linktype.User15; t++ {
			types = append(types, t)
		}
	}
	return func(r *Reader) { r.infiniband = types }
}

// A container knows one format.
type container interface {
	// next reads the next packet. It sets all fields of rec but Number.
	next(rec *Record) error
}

// A Reader reads the packets of one capture file. It belongs to one goroutine.
type Reader struct {
	file        string
	format      Format
	compression string
	buf         buffer
	container   container
	ifaces      []iface
	rec         Record
	moreOptions bool // the last packet has options other than the FCS length
	counts      Counts
	done        bool
	err         error

	onWarning  func(*Error)
	infiniband []linktype.Type
	closers    []func() error
}

// Open opens a capture file. The path "-" is standard input.
func Open(path string, opts ...Option) (*Reader, error) {
	if path == "-" {
		return newReader(os.Stdin, "standard input", opts)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("capture: %w", err)
	}
	r, err := newReader(f, path, opts)
	if err != nil {
		f.Close()
		return nil, err
	}
	r.closers = append(r.closers, f.Close)
	return r, nil
}

// NewReader reads a capture file from in, which Close does not close. It reads
// until it knows what the file is, and returns an *Error with ErrFormat if that
// is nothing known here.
func NewReader(in io.Reader, opts ...Option) (*Reader, error) {
	return newReader(in, "", opts)
}

func newReader(in io.Reader, file string, opts []Option) (*Reader, error) {
	r := &Reader{file: file}
	for _, o := range opts {
		o(r)
	}
	r.buf.data = make([]byte, smallBufferSize)
	if err := r.decompress(bufio.NewReaderSize(in, rawBufferSize)); err != nil {
		return nil, err
	}
	if err := r.detect(); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// Next returns the next packet, valid until the next call. At the end of the
// file it returns io.EOF. Any other error ends the file too: it is returned
// once, and later calls return io.EOF.
func (r *Reader) Next() (*Record, error) {
	if r.done {
		return nil, io.EOF
	}
	if err := r.container.next(&r.rec); err != nil {
		r.done = true
		if err != io.EOF {
			r.err = err
		}
		return nil, err
	}
	r.counts.Packets++
	r.rec.Number = r.counts.Packets
	return &r.rec, nil
}

// Err returns the error that ended the file before its end, nil if there was
// none. It is for callers that are not shown errors, such as those of
// gopacket.PacketSource.Packets.
func (r *Reader) Err() error { return r.err }

// Format returns what kind of file it is.
func (r *Reader) Format() Format { return r.format }

// Compression returns "gzip", "bzip2", "zstd" or "xz", or "" if the file is not
// compressed.
func (r *Reader) Compression() string { return r.compression }

// Counts returns what was met so far.
func (r *Reader) Counts() Counts { return r.counts }

// Interfaces returns the interfaces of the section that the last packet is in,
// as far as the file has described them up to there. Before the first packet of
// a pcapng file there are none.
func (r *Reader) Interfaces() []Interface {
	all := make([]Interface, len(r.ifaces))
	for i, f := range r.ifaces {
		all[i] = f.Interface
	}
	return all
}

// Resolution returns in how fine a unit the interface with the index i counts
// time: see Interface.Resolution.
func (r *Reader) Resolution(i int) uint8 { return r.ifaces[i].Resolution }

// Close closes the file that Open opened, but not standard input. There are no
// packets behind a Close.
func (r *Reader) Close() error {
	r.done = true
	var first error
	for _, f := range r.closers {
		if err := f(); first == nil {
			first = err
		}
	}
	r.closers = nil
	return first
}

// fail returns the error about the record or block at start.
func (r *Reader) fail(start int64, found, want string, err error, hint string) *Error {
	return &Error{File: r.file, Packet: r.counts.Packets + 1, Offset: start, Found: found, Want: want, Err: err, Hint: hint}
}

// lost is the hint where no one can tell where the next packet begins.
const lost = "the packets before are good, those behind cannot be found"

// cut returns the error about a record or block at start of which have bytes
// are there. It is io.EOF if that is none.
func (r *Reader) cut(what string, start, need, have int64) error {
	err, hint := r.buf.err, ""
	if err == io.EOF {
		if have == 0 {
			return io.EOF
		}
		err = io.ErrUnexpectedEOF
	}
	if err == io.ErrUnexpectedEOF {
		hint = "the file is cut off, or this length is wrong"
		if r.counts.Packets > 0 {
			hint += "; the packets before are good"
		}
	} else if r.compression != "" {
		hint = "see whether " + r.compression + " itself unpacks it"
	}
	return r.fail(start, fmt.Sprintf("%d bytes of %s", have, what), fmt.Sprint(need), err, hint)
}

// warn passes on what does not stop the Reader.
func (r *Reader) warn(e *Error) {
	r.counts.Warnings++
	if r.onWarning != nil {
		r.onWarning(e)
	}
}
