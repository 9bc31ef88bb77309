package main

import "encoding/binary"

// firstSecond is the time of packet 0 in every capture.
const firstSecond = 1_700_000_000

const (
	magicMicroseconds = 0xa1b2c3d4
	magicNanoseconds  = 0xa1b23c4d
)

const (
	linkEthernet   = 1
	linkERF        = 197
	linkInfiniBand = 247
)

// A format says how packets become a file.
type format interface {
	encode([]packet) []byte
}

type pcap struct {
	link  uint32
	magic uint32
	order binary.AppendByteOrder
}

// plain is what nearly every pcap file looks like.
func plain(link uint32) pcap { return pcap{link, magicMicroseconds, binary.LittleEndian} }

func (f pcap) encode(packets []packet) []byte {
	const (
		major, minor = 2, 4
		snapLen      = 65535
	)
	b := f.order.AppendUint32(nil, f.magic)
	b = f.order.AppendUint16(b, major)
	b = f.order.AppendUint16(b, minor)
	b = append(b, make([]byte, 8)...) // time zone and accuracy
	b = f.order.AppendUint32(b, snapLen)
	b = f.order.AppendUint32(b, f.link)
	for i, p := range packets {
		data := p.bytes()
		b = f.order.AppendUint32(b, uint32(firstSecond+i))
		b = f.order.AppendUint32(b, uint32(i)) // microseconds or nanoseconds
		b = f.order.AppendUint32(b, uint32(len(data)))
		b = f.order.AppendUint32(b, uint32(max(p.wireLen, len(data))))
		b = append(b, data...)
	}
	return b
}

// erfFile is a file of ERF records, without any header.
type erfFile struct{}

func (erfFile) encode(packets []packet) []byte {
	var b []byte
	for _, p := range packets {
		b = append(b, p.bytes()...)
	}
	return b
}
