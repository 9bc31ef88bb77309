// Package ibwire takes InfiniBand packets apart: native ones from the Local
// Route Header on, RoCE v1 and RoCE v2, and the ERF records that captures of
// them come in. It is a set of layers for github.com/google/gopacket, a flat
// decoder for large captures (Packet), and a command, ibwire.
//
// # Start
//
// Register tells gopacket about InfiniBand, and from then on packets come with
// its layers:
//
//	ibwire.Register()
//	r, err := pcapgo.NewReader(file)
//	...
//	for packet := range gopacket.NewPacketSource(r, r.LinkType()).Packets() {
//		if b, ok := packet.Layer(bth.LayerTypeBTH).(*bth.BTH); ok {
//			fmt.Println(b.OpCode, b.DestQP, b.PSN)
//		}
//	}
//
// Each package can be used by itself too, and importing one changes nothing
// outside it.
//
// # Packages
//
// A package imports only what can follow it on the wire:
//
//   - erf: the ERF record, and a reader and a writer of .erf files
//   - lrh: LRH, the raw header RWH, the flow control packet
//   - grh: GRH
//   - bth: BTH, the pad and the ICRC behind the payload
//   - ext: RDETH, XRCETH, DETH, FETH, RETH, AtomicETH, AETH, AtomicAckETH, ImmDt,
//     IETH, CNP
//   - opcode: all opcodes, their names and header sequences, without gopacket
//   - crc: ICRC, VCRC and the CRC of link packets, without gopacket
//
// Above them stand
//
//   - this package: Register, and Packet, the walk through all headers of a
//     packet into one value
//   - capture: pcap, pcapng and ERF files, read and written, compressed or from
//     a pipe too
//   - field: the one table of fields, by tshark's names: as text, JSON, a tree
//   - filter: Wireshark's display filters over the fields of that table
//   - check: the one table of rules, and what of them a packet breaks
//   - linktype: what the packets of a file begin with
//
// # Large captures
//
// A Packet is used for one packet after the other and allocates nothing. It
// takes its packets from a capture.Reader, or from anywhere else:
//
//	r, err := capture.Open(path)
//	...
//	var p ibwire.Packet
//	for {
//		rec, err := r.Next() // good until the next call
//		...
//		err = p.Decode(rec.LinkType, rec.Data) // what was decoded before an error is good
//		if p.Has(ibwire.BTH) && p.BTH.OpCode == opcode.RCAcknowledge {
//			fmt.Println(rec.Number, p.BTH.DestQP, p.Ext.AETH.Syndrome)
//		}
//	}
//
// # A parser without allocations
//
// The opcode decides which extension headers follow a BTH, and the headers
// themselves do not say. So in a gopacket.DecodingLayerParser all of them are
// one layer, ext.Headers, and the BTH has a pointer to it:
//
//	var (
//		l lrh.LRH
//		g grh.GRH
//		x ext.Headers
//		b = bth.BTH{Ext: &x}
//		p gopacket.Payload
//	)
//	parser := gopacket.NewDecodingLayerParser(lrh.LayerTypeLRH, &l, &g, &b, &x, &p)
//
// # Lengths
//
// Length fields decide where a packet ends, not the end of what was captured:
// PktLen for a native packet, PayLen behind a GRH, the UDP length for RoCE v2.
// The ICRC is the last four bytes of what they count, the pad is before it, the
// VCRC behind PktLen. Bytes behind all that are a trailer, never payload and
// never a CRC.
//
// Truncated is not malformed. If fewer bytes are there than the length field
// counts, the packet is marked as truncated, the headers that are whole are
// decoded, the payload is what is there, and the ICRC is absent. So is a packet
// whose length field cannot be true, as it has no room for the headers: then all
// that is there is decoded. A header that
// is cut is an error that wraps io.ErrUnexpectedEOF and names the header, what
// it needs and what is there. The value of a field is never an error.
//
// # Building
//
// gopacket.SerializeLayers writes packets. With FixLengths the layers set PktLen,
// PayLen and PadCnt and write the pad; with ComputeChecksums they write ICRC and
// VCRC, of native packets and of RoCE v1. For RoCE v2, where gopacket writes IP and
// UDP, Finish adds the ICRC:
//
//	opts := gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}
//	err := gopacket.SerializeLayers(buf, opts, eth, ip, udp, &b, payload)
//	...
//	err = ibwire.Finish(linktype.Ethernet, buf.Bytes())
//
// With neither option fields are written as they are, and a packet that was
// decoded is the same again, reserved bits, pad and trailer included. So lengths
// and CRCs can be wrong on purpose: with ComputeChecksums alone the lengths stay,
// and the CRCs are right. The value of a field that does not fit its bits is an
// error.
//
// # Layer types
//
// The numbers of the layer types are 1900 LRH, 1901 GRH, 1902 BTH, 1903 ERF,
// 1904 RWH, 1905 FlowControl, 1906 Mirror, and from 1910 on the extension headers in the
// order of opcode.HeaderSet: 1910 RDETH to 1921 CNP. Endpoint types are 1900 LID
// and 1901 GID. gopacket panics at the start of the program if another package
// takes one of them.
package ibwire

//go:generate go run ./testdata/gen
