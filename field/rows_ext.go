package field

import "github.com/ibwire/ibwire/ext"

var rdethRows = []Field{
	{Name: "infiniband.rdeth", Label: "RDETH - Reliable Datagram Extended Transport Header", Kind: Bytes, flags: head, level: 1},
	{Name: "infiniband.reserved", Label: "Reserved", Kind: Bytes, Length: 1, level: 2},
	{Name: "infiniband.rdeth.eecnxt", Label: "E2E Context", Kind: Uint24, Offset: 1, level: 2},
}

var xrcethRows = []Field{
	{Name: "infiniband.xrceth", Label: "XRCETH - XRC Extended Transport Header", Kind: Bytes, flags: head, level: 1},
	{Name: "infiniband.reserved", Label: "Reserved", Kind: Bytes, Length: 1, level: 2},
	{Name: "infiniband.xrceth.xrcsrq", Label: "XRC Shared Receive Queue", Kind: Uint24, Offset: 1, base: hex, level: 2},
}

// dethRows have 64 bits for the Q_Key and 32 for the queue pair, as in tshark.
var dethRows = []Field{
	{Name: "infiniband.deth", Label: "DETH - Datagram Extended Transport Header", Kind: Bytes, flags: head, level: 1},
	{Name: "infiniband.deth.q_key", Label: "Queue Key", Kind: Uint64, Length: 4, base: hex, level: 2},
	{Name: "infiniband.reserved", Label: "Reserved", Kind: Bytes, Offset: 4, Length: 1, level: 2},
	{Name: "infiniband.deth.srcqp", Label: "Source Queue Pair", Kind: Uint32, Offset: 5, Length: 3, base: hex, level: 2},
}

// fethRows split the low bits as Linux does, see ext.FETH; Wireshark 4.4 has 27
// reserved bits, SEL in bits 4-3 and PLT in bits 2-0.
var fethRows = []Field{
	{Name: "infiniband.feth", Label: "FETH - FLUSH Extended Transport Header", Kind: Bytes, flags: head, level: 1},
	{Name: "infiniband.feth.reserved26", Label: "Reserved (26 bits)", Kind: Uint32, Mask: 0xffffffc0, level: 2},
	{Name: "infiniband.feth.sel", Label: "Selectivity Level", Kind: Uint8, Offset: 3, Mask: 0x30, level: 2, names: selectionName},
	{Name: "infiniband.feth.plt", Label: "Placement Type", Kind: Uint8, Offset: 3, Mask: 0x0f, level: 2, names: placementName},
}

var rethRows = []Field{
	{Name: "infiniband.reth", Label: "RETH - RDMA Extended Transport Header", Kind: Bytes, flags: head, level: 1},
	{Name: "infiniband.reth.va", Label: "Virtual Address", Kind: Uint64, base: hex, level: 2},
	{Name: "infiniband.reth.r_key", Label: "Remote Key", Kind: Uint32, Offset: 8, base: hex, level: 2},
	{Name: "infiniband.reth.dmalen", Label: "DMA Length", Kind: Uint32, Offset: 12, base: decHex, level: 2},
}

// atomicETHRows have two names of the RETH's, as in tshark.
var atomicETHRows = []Field{
	{Name: "infiniband.atomiceth", Label: "AtomicETH - Atomic Extended Transport Header", Kind: Bytes, flags: head, level: 1},
	{Name: "infiniband.reth.va", Label: "Virtual Address", Kind: Uint64, base: hex, level: 2},
	{Name: "infiniband.reth.r_key", Label: "Remote Key", Kind: Uint32, Offset: 8, base: hex, level: 2},
	{Name: "infiniband.atomiceth.swapdt", Label: "Swap (Or Add) Data", Kind: Uint64, Offset: 12, level: 2},
	{Name: "infiniband.atomiceth.cmpdt", Label: "Compare Data", Kind: Uint64, Offset: 20, level: 2},
}

// aethRows have a row for what the low bits of the syndrome mean in each type.
var aethRows = []Field{
	{Name: "infiniband.aeth", Label: "AETH - ACK Extended Transport Header", Kind: Bytes, flags: head, level: 1},
	{Name: "infiniband.aeth.syndrome", Label: "Syndrome", Kind: Uint8, level: 2, note: syndromeNote},
	{Name: "infiniband.aeth.syndrome.reserved", Label: "Reserved", Kind: Uint8, Mask: 0x80, level: 3},
	{Name: "infiniband.aeth.syndrome.opcode", Label: "OpCode", Kind: Uint8, Mask: 0x60, level: 3, names: syndromeName},
	{Name: "infiniband.aeth.syndrome.credit_count", Label: "Credit Count", Kind: Uint8, Mask: 0x1f, level: 3, cond: syndromeIs(ext.Ack), note: creditNote},
	{Name: "infiniband.aeth.syndrome.timer", Label: "Timer", Kind: Uint8, Mask: 0x1f, level: 3, cond: syndromeIs(ext.RNRNak), names: rnrTimerName},
	{Name: "infiniband.aeth.syndrome.reserved_value", Label: "Reserved", Kind: Uint8, Mask: 0x1f, level: 3, cond: syndromeIs(ext.ReservedType)},
	{Name: "infiniband.aeth.syndrome.error_code", Label: "Error Code", Kind: Uint8, Mask: 0x1f, level: 3, cond: syndromeIs(ext.Nak), names: nakCodeName},
	{Name: "infiniband.aeth.msn", Label: "Message Sequence Number", Kind: Uint24, Offset: 1, level: 2},
}

func syndromeIs(t ext.SyndromeType) func(*Frame, int) bool {
	return func(f *Frame, h int) bool { return ext.Syndrome(f.byteAt(h, 0)).Type() == t }
}

func syndromeNote(dst []byte, v Value) []byte {
	dst = append(dst, ", "...)
	return append(dst, syndromeName(uint64(ext.Syndrome(v.Num).Type()))...)
}

func creditNote(dst []byte, v Value) []byte {
	n, ok := ext.Syndrome(v.Num).Credits()
	if !ok {
		return append(dst, " (no credit limit)"...)
	}
	dst = append(dst, " ("...)
	dst = appendDecimal(dst, uint64(n))
	return append(dst, " credits)"...)
}

var atomicAckETHRows = []Field{
	{Name: "infiniband.atomicacketh", Label: "ATOMICACKETH - Atomic ACK Extended Transport Header", Kind: Bytes, flags: head, level: 1},
	{Name: "infiniband.atomicacketh.origremdt", Label: "Original Remote Data", Kind: Uint64, level: 2},
}

// immDtRows and iethRows have one name for header and value, as in tshark.
var immDtRows = []Field{
	{Name: "infiniband.immdt", Label: "IMMDT - Immediate Data Extended Transport Header", Kind: Bytes, flags: head, level: 1},
	{Name: "infiniband.immdt", Label: "Immediate Data", Kind: Bytes, Length: 4, level: 2},
}

var iethRows = []Field{
	{Name: "infiniband.ieth", Label: "IETH - Invalidate Extended Transport Header", Kind: Bytes, flags: head, level: 1},
	{Name: "infiniband.ieth", Label: "RKey", Kind: Bytes, Length: 4, level: 2},
}

var cnpRows = []Field{
	{Name: "infiniband.cnp", Label: "CNP - Congestion Notification Packet", Kind: Bytes, flags: head, level: 1},
	{Name: "infiniband.cnp.reserved", Label: "Reserved", Kind: Bytes, Length: 16, level: 2},
}
