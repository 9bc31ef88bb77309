package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/google/gopacket/pcapgo"

	"github.com/ibwire/ibwire/erf"
)

// A source gives the packets of a capture one by one.
type source struct {
	reader interface {
		ZeroCopyReadPacketData() ([]byte, gopacket.CaptureInfo, error)
		LinkType() layers.LinkType
	}
	file   io.Closer
	packet int   // number of the packet read last
	offset int64 // of the next record in a pcap file; erf.Reader counts itself
}

// next returns the next packet, which is valid until the one after it is read,
// or io.EOF at the end. Any other error says where it is.
func (s *source) next() ([]byte, gopacket.CaptureInfo, error) {
	data, ci, err := s.reader.ZeroCopyReadPacketData()
	s.packet++
	switch {
	case err == nil:
		s.offset += pcapRecordHeader + int64(ci.CaptureLength)
	case err != io.EOF && !errors.As(err, new(*erf.RecordError)):
		err = fmt.Errorf("packet %d at byte %d: %w", s.packet, s.offset, err)
	}
	return data, ci, err
}

// Sizes of the headers of a pcap file, in bytes.
const (
	pcapFileHeader   = 24
	pcapRecordHeader = 16
)

// open opens the capture at path, or standard input if that is "-".
func open(path string, stdin io.Reader) (*source, error) {
	if path == "-" {
		return newSource(stdin, io.NopCloser(nil))
	}
	f, err := os.Open(path)
	if err != nil {
		var p *os.PathError
		if errors.As(err, &p) {
			err = p.Err // the caller names the file
		}
		return nil, err
	}
	s, err := newSource(f, f)
	if err != nil {
		f.Close()
	}
	return s, err
}

// newSource finds out by content what r holds.
func newSource(r io.Reader, file io.Closer) (*source, error) {
	in := bufio.NewReader(r)
	start, err := in.Peek(erf.HeaderSize)
	if len(start) < erf.HeaderSize {
		if err == io.EOF {
			return nil, fmt.Errorf("%d bytes are no capture: a pcap file begins with %d bytes, an ERF record with %d", len(start), pcapFileHeader, erf.HeaderSize)
		}
		return nil, err
	}
	s := &source{file: file, offset: pcapFileHeader}
	switch binary.LittleEndian.Uint32(start) {
	case 0xa1b2c3d4, 0xd4c3b2a1, 0xa1b23c4d, 0x4d3cb2a1:
		p, err := pcapgo.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("pcap file header: %w", err)
		}
		// A snap length that is too small says nothing of the records.
		p.SetSnaplen(max(p.Snaplen(), math.MaxUint16+erf.HeaderSize))
		s.reader = p
	default:
		if t := erf.Type(start[8] & 0x7f); t > erf.TypePad {
			return nil, fmt.Errorf("neither a pcap nor an ERF file: it begins with %x", start[:4])
		}
		if s.reader, err = erf.NewReader(in); err != nil {
			return nil, fmt.Errorf("neither a pcap nor an ERF file: it begins with %x: %w", start[:4], err)
		}
	}
	return s, nil
}
