package wireshark

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/google/gopacket/pcapgo"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/capture"
	"github.com/ibwire/ibwire/erf"
	"github.com/ibwire/ibwire/field"
	"github.com/ibwire/ibwire/linktype"
)

// A Source is a capture in the form that each side can read.
type Source struct {
	Name   string
	Ours   string // the file that this module reads
	Theirs string // the file that Wireshark reads
	// Twin says that Wireshark reads ERF records of the packets, since it cannot
	// read link type 247. It adds the fields of the record.
	Twin bool
	// InfiniBand says that there is InfiniBand in the capture, or a flow control
	// packet.
	InfiniBand bool
}

// Open returns the source of a capture. Where Wireshark cannot read the file, it
// gets a copy in folder dir.
func Open(path, dir string) (Source, error) {
	s := Source{Name: filepath.Base(path), Ours: path, Theirs: path}
	n, err := survey(path)
	s.InfiniBand = n.infiniBand > 0
	switch copied := filepath.Join(dir, s.Name+".erf.pcap"); {
	case err != nil:
		return s, err
	case n.all > 0 && n.native == n.all:
		s.Theirs, s.Twin = copied, true
		return s, writeERF(path, copied)
	case n.cut > 0:
		s.Ours, s.Theirs = copied, copied
		return s, writeERF(path, copied)
	}
	return s, nil
}

// counts are numbers of packets: those of link type 247, those that are cut in
// the headers of an ERF record, at which Wireshark stops, and those with
// InfiniBand.
type counts struct{ all, native, cut, infiniBand int }

func survey(path string) (n counts, err error) {
	var p ibwire.Packet
	err = records(path, func(rec *capture.Record) error {
		n.all++
		switch {
		case rec.LinkType == linktype.InfiniBand:
			n.native++
		case cutERF(rec):
			n.cut++
		}
		_ = p.Decode(rec.LinkType, rec.Data)
		if p.Encapsulation() != ibwire.NotInfiniBand {
			n.infiniBand++
		}
		return nil
	})
	return n, err
}

func cutERF(rec *capture.Record) bool {
	if rec.LinkType != linktype.ERF {
		return false
	}
	var r erf.Record
	var cut *erf.HeaderError
	return errors.As(r.DecodeFromBytes(rec.Data, gopacket.NilDecodeFeedback), &cut)
}

// records calls each with the packets of a capture, up to where it is damaged.
func records(path string, each func(*capture.Record) error) error {
	r, err := capture.Open(path)
	if err != nil {
		return err
	}
	defer r.Close()
	for {
		rec, err := r.Next()
		var damage *capture.Error
		if err == io.EOF || errors.As(err, &damage) {
			return nil
		} else if err != nil {
			return err
		}
		if err := each(rec); err != nil {
			return err
		}
	}
}

// writeERF writes the packets of a capture as ERF records, but for those that
// are cut in the record's headers.
func writeERF(from, to string) (err error) {
	f, err := os.Create(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := pcapgo.NewWriterNanos(f)
	if err := w.WriteFileHeader(1<<18, layers.LinkType(linktype.ERF)); err != nil {
		return err
	}
	return records(from, func(rec *capture.Record) error {
		data, length := rec.Data, rec.Length
		if rec.LinkType == linktype.InfiniBand {
			data = append(erfHeader(rec), data...)
			length += erf.HeaderSize
		} else if cutERF(rec) {
			return nil
		}
		ci := gopacket.CaptureInfo{Timestamp: rec.RecordTime, CaptureLength: len(data), Length: max(length, len(data))}
		return w.WritePacket(ci, data)
	})
}

// erfHeader returns the header of a record of a native packet.
func erfHeader(rec *capture.Record) []byte {
	r := erf.Record{
		Timestamp: erf.TimestampOf(rec.Time),
		Type:      erf.TypeInfiniband,
		Flags:     erf.FlagVLen,
		RLen:      uint16(erf.HeaderSize + len(rec.Data)),
		WLen:      uint16(rec.Length),
	}
	b := gopacket.NewSerializeBuffer()
	if err := r.SerializeTo(b, gopacket.SerializeOptions{}); err != nil {
		panic(fmt.Sprint("record of a packet: ", err)) // every field fits
	}
	return b.Bytes()
}

// A frames delivers the packets of a capture as this module decodes them, one
// after the other into the same Frame.
type frames struct {
	r     *capture.Reader
	frame field.Frame
}

func openFrames(path string) (*frames, error) {
	r, err := capture.Open(path)
	if err != nil {
		return nil, err
	}
	return &frames{r: r, frame: field.Frame{Packet: &ibwire.Packet{}}}, nil
}

// next returns the next packet, or nil behind the last.
func (f *frames) next() *field.Frame {
	rec, err := f.r.Next()
	if err != nil {
		return nil
	}
	p := &f.frame
	p.Previous = p.Time
	p.Number, p.Time, p.Length, p.Captured = int(rec.Number), rec.Time, rec.Length, len(rec.Data)
	if rec.Number == 1 {
		p.First, p.Previous = p.Time, time.Time{}
	}
	_ = p.Decode(rec.LinkType, rec.Data) // what was decoded is compared
	return p
}

func (f *frames) close() { _ = f.r.Close() }
