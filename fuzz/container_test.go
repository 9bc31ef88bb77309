package fuzz_test

import (
	"bytes"
	"encoding/binary"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"github.com/ibwire/ibwire/erf"
	"github.com/ibwire/ibwire/linktype"
)

// container makes a file of packets, with lengths that choices may have wrong by
// a little. A file of one link type has that of the first packet; in one of ERF
// records, packets that are none are put into such.
func container(c *choices, kind string, all []frame) []byte {
	switch kind {
	case "pcap":
		return pcap(c, all)
	case "pcapng":
		return pcapng(c, all)
	}
	var file []byte
	for _, f := range all {
		m := &made{link: f.link, parts: [][]byte{f.data}}
		if f.link != linktype.ERF {
			m.erf(c, erf.TypeInfiniband)
		}
		file = append(file, m.bytes()...)
	}
	return file
}

// byteOrder is one of the two.
func byteOrder(c *choices) binary.AppendByteOrder {
	if c.rarely() {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// words appends numbers of 32 bits.
func words(order binary.AppendByteOrder, b []byte, all ...uint32) []byte {
	for _, v := range all {
		b = order.AppendUint32(b, v)
	}
	return b
}

func pcap(c *choices, all []frame) []byte {
	order, link := byteOrder(c), uint32(linktype.Ethernet)
	if len(all) > 0 {
		link = uint32(all[0].link)
	}
	b := words(order, nil, pick[uint32](c, 0xa1b2c3d4, 0xa1b23c4d), 4<<16|2, 0, 0, 1<<16, link)
	for _, f := range all {
		b = words(order, b, uint32(c.uint(4)), uint32(c.uint(2)), uint32(len(f.data)+c.off()), uint32(len(f.data)))
		b = append(b, f.data...)
	}
	return b
}

// pcapng makes an interface for each packet.
func pcapng(c *choices, all []frame) []byte {
	order := byteOrder(c)
	block := func(kind uint32, body []byte) []byte {
		for len(body)%4 != 0 {
			body = append(body, 0)
		}
		n := uint32(12 + len(body))
		return words(order, append(words(order, nil, kind, n+uint32(c.off())), body...), n)
	}
	version := order.AppendUint16(order.AppendUint16(nil, 1), 0)
	b := block(0x0a0d0d0a, words(order, append(words(order, nil, 0x1a2b3c4d), version...), 0xffffffff, 0xffffffff))
	for i, f := range all {
		iface := order.AppendUint16(nil, uint16(f.link))
		b = append(b, block(1, words(order, append(iface, 0, 0), 0))...)
		if c.rarely() {
			b = append(b, block(3, append(words(order, nil, uint32(len(f.data))), f.data...))...)
			continue
		}
		head := words(order, nil, uint32(i+c.off()), 0, uint32(c.uint(4)), uint32(len(f.data)+c.off()), uint32(len(f.data)))
		b = append(b, block(6, append(head, f.data...))...)
	}
	return b
}

// compressions are all for which there is a writer.
var compressions = []func([]byte) []byte{
	func(b []byte) []byte { return b },
	func(b []byte) []byte { return compress(gzip.NewWriter, b) },
	func(b []byte) []byte {
		return compress(func(w io.Writer) io.WriteCloser {
			z, _ := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<12)) // these options are right
			return z
		}, b)
	},
	func(b []byte) []byte {
		return compress(func(w io.Writer) io.WriteCloser {
			z, _ := xz.WriterConfig{DictCap: 1 << 12}.NewWriter(w) // as is this
			return z
		}, b)
	},
}

// compress writes to memory, which does not fail.
func compress[W io.WriteCloser](open func(io.Writer) W, data []byte) []byte {
	var b bytes.Buffer
	w := open(&b)
	_, _ = w.Write(data)
	_ = w.Close()
	return b.Bytes()
}
