// Command build makes an InfiniBand packet, an RDMA WRITE with immediate data,
// and writes it to standard output as an ERF file.
package main

import (
	"encoding/binary"
	"hash/crc32"
	"log"
	"os"
	"slices"
	"time"

	"github.com/google/gopacket"

	"github.com/ibwire/ibwire/bth"
	"github.com/ibwire/ibwire/erf"
	"github.com/ibwire/ibwire/ext"
	"github.com/ibwire/ibwire/lrh"
	"github.com/ibwire/ibwire/opcode"
)

func main() {
	payload := gopacket.Payload("hello")
	l := &lrh.LRH{LNH: lrh.LNHLocal, SLID: 1, DLID: 2}
	b := &bth.BTH{OpCode: opcode.RCWriteOnlyImm, PKey: 0xffff, DestQP: 0x11, PSN: 100, AckReq: true}
	headers := []gopacket.SerializableLayer{
		l, b,
		&ext.RETH{VA: 0x1000, RKey: 7, DMALen: uint32(len(payload))},
		&ext.ImmDt{Data: 42},
		payload,
	}

	// The lengths and the pad are set first, then the ICRC is known.
	buf := gopacket.NewSerializeBuffer()
	fix := gopacket.SerializeOptions{FixLengths: true}
	if err := gopacket.SerializeLayers(buf, fix, headers...); err != nil {
		log.Fatal(err)
	}
	b.ICRC = icrc(buf.Bytes())
	if err := gopacket.SerializeLayers(buf, fix, headers...); err != nil {
		log.Fatal(err)
	}

	w := erf.NewWriter(os.Stdout)
	record := &erf.Record{Type: erf.TypeInfiniband, Flags: erf.FlagVLen, Timestamp: erf.TimestampOf(time.Unix(1700000000, 0))}
	if err := w.WriteRecord(record, buf.Bytes()); err != nil {
		log.Fatal(err)
	}
}

// icrc returns the ICRC of a packet with an LRH, a BTH and room for the ICRC at
// its end. Of what may change on the way, the virtual lane and the byte with the
// congestion bits, it sees ones.
func icrc(packet []byte) uint32 {
	p := slices.Clone(packet[:len(packet)-4])
	p[0] |= 0xf0
	p[lrh.Size+4] = 0xff
	// It stands on the wire with its least significant byte first.
	return binary.BigEndian.Uint32(binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE(p)))
}
