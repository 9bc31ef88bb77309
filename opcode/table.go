package opcode

// Reliable Connection.
const (
	RCSendFirst          Opcode = 0x00
	RCSendMiddle         Opcode = 0x01
	RCSendLast           Opcode = 0x02
	RCSendLastImm        Opcode = 0x03
	RCSendOnly           Opcode = 0x04
	RCSendOnlyImm        Opcode = 0x05
	RCWriteFirst         Opcode = 0x06
	RCWriteMiddle        Opcode = 0x07
	RCWriteLast          Opcode = 0x08
	RCWriteLastImm       Opcode = 0x09
	RCWriteOnly          Opcode = 0x0a
	RCWriteOnlyImm       Opcode = 0x0b
	RCReadRequest        Opcode = 0x0c
	RCReadResponseFirst  Opcode = 0x0d
	RCReadResponseMiddle Opcode = 0x0e
	RCReadResponseLast   Opcode = 0x0f
	RCReadResponseOnly   Opcode = 0x10
	RCAcknowledge        Opcode = 0x11
	RCAtomicAcknowledge  Opcode = 0x12
	RCCmpSwap            Opcode = 0x13
	RCFetchAdd           Opcode = 0x14
	RCSendLastInv        Opcode = 0x16
	RCSendOnlyInv        Opcode = 0x17
	RCFlush              Opcode = 0x1c
	RCAtomicWrite        Opcode = 0x1d
)

// Unreliable Connection.
const (
	UCSendFirst    Opcode = 0x20
	UCSendMiddle   Opcode = 0x21
	UCSendLast     Opcode = 0x22
	UCSendLastImm  Opcode = 0x23
	UCSendOnly     Opcode = 0x24
	UCSendOnlyImm  Opcode = 0x25
	UCWriteFirst   Opcode = 0x26
	UCWriteMiddle  Opcode = 0x27
	UCWriteLast    Opcode = 0x28
	UCWriteLastImm Opcode = 0x29
	UCWriteOnly    Opcode = 0x2a
	UCWriteOnlyImm Opcode = 0x2b
)

// Reliable Datagram. The headers follow the BTH as the specification has them;
// Wireshark reads this class as Mellanox' Dynamically Connected and starts them
// eight bytes later.
const (
	RDSendFirst          Opcode = 0x40
	RDSendMiddle         Opcode = 0x41
	RDSendLast           Opcode = 0x42
	RDSendLastImm        Opcode = 0x43
	RDSendOnly           Opcode = 0x44
	RDSendOnlyImm        Opcode = 0x45
	RDWriteFirst         Opcode = 0x46
	RDWriteMiddle        Opcode = 0x47
	RDWriteLast          Opcode = 0x48
	RDWriteLastImm       Opcode = 0x49
	RDWriteOnly          Opcode = 0x4a
	RDWriteOnlyImm       Opcode = 0x4b
	RDReadRequest        Opcode = 0x4c
	RDReadResponseFirst  Opcode = 0x4d
	RDReadResponseMiddle Opcode = 0x4e
	RDReadResponseLast   Opcode = 0x4f
	RDReadResponseOnly   Opcode = 0x50
	RDAcknowledge        Opcode = 0x51
	RDAtomicAcknowledge  Opcode = 0x52
	RDCmpSwap            Opcode = 0x53
	RDFetchAdd           Opcode = 0x54
	RDResync             Opcode = 0x55
	RDFlush              Opcode = 0x5c
	RDAtomicWrite        Opcode = 0x5d
)

// Unreliable Datagram.
const (
	UDSendOnly    Opcode = 0x64
	UDSendOnlyImm Opcode = 0x65
)

// Congestion notification: 0x80 is the native packet (IBTA Vol 1, A10), with
// nothing known behind the BTH; 0x81 that of RoCEv2 (A17), with 16 reserved bytes.
const (
	NativeCNP Opcode = 0x80
	RoCECNP   Opcode = 0x81
)

// Extended Reliable Connection: XRCETH in requests, never in responses.
const (
	XRCSendFirst          Opcode = 0xa0
	XRCSendMiddle         Opcode = 0xa1
	XRCSendLast           Opcode = 0xa2
	XRCSendLastImm        Opcode = 0xa3
	XRCSendOnly           Opcode = 0xa4
	XRCSendOnlyImm        Opcode = 0xa5
	XRCWriteFirst         Opcode = 0xa6
	XRCWriteMiddle        Opcode = 0xa7
	XRCWriteLast          Opcode = 0xa8
	XRCWriteLastImm       Opcode = 0xa9
	XRCWriteOnly          Opcode = 0xaa
	XRCWriteOnlyImm       Opcode = 0xab
	XRCReadRequest        Opcode = 0xac
	XRCReadResponseFirst  Opcode = 0xad
	XRCReadResponseMiddle Opcode = 0xae
	XRCReadResponseLast   Opcode = 0xaf
	XRCReadResponseOnly   Opcode = 0xb0
	XRCAcknowledge        Opcode = 0xb1
	XRCAtomicAcknowledge  Opcode = 0xb2
	XRCCmpSwap            Opcode = 0xb3
	XRCFetchAdd           Opcode = 0xb4
	XRCSendLastInv        Opcode = 0xb6
	XRCSendOnlyInv        Opcode = 0xb7
	XRCFlush              Opcode = 0xbc
	XRCAtomicWrite        Opcode = 0xbd
)

// table is the one source of names and header sequences, a row for each of the
// 256 values; a value without a name has the zero row and is not assigned.
//
// The header lists of RD FLUSH, RD ATOMIC WRITE are Wireshark's alone, those of
// XRC FLUSH and XRC ATOMIC WRITE follow RC by analogy: no other source has them.
var table = [256]struct {
	name     string
	sequence Sequence
}{
	RCSendFirst:          {"Reliable Connection (RC) - SEND First", 13},
	RCSendMiddle:         {"Reliable Connection (RC) - SEND Middle", 13},
	RCSendLast:           {"Reliable Connection (RC) - SEND Last", 13},
	RCSendLastImm:        {"Reliable Connection (RC) - SEND Last with Immediate", 14},
	RCSendOnly:           {"Reliable Connection (RC) - SEND Only", 13},
	RCSendOnlyImm:        {"Reliable Connection (RC) - SEND Only with Immediate", 14},
	RCWriteFirst:         {"Reliable Connection (RC) - RDMA WRITE First", 15},
	RCWriteMiddle:        {"Reliable Connection (RC) - RDMA WRITE Middle", 13},
	RCWriteLast:          {"Reliable Connection (RC) - RDMA WRITE Last", 13},
	RCWriteLastImm:       {"Reliable Connection (RC) - RDMA WRITE Last with Immediate", 14},
	RCWriteOnly:          {"Reliable Connection (RC) - RDMA WRITE Only", 15},
	RCWriteOnlyImm:       {"Reliable Connection (RC) - RDMA WRITE Only with Immediate", 16},
	RCReadRequest:        {"Reliable Connection (RC) - RDMA READ Request", 17},
	RCReadResponseFirst:  {"Reliable Connection (RC) - RDMA READ response First", 18},
	RCReadResponseMiddle: {"Reliable Connection (RC) - RDMA READ response Middle", 13},
	RCReadResponseLast:   {"Reliable Connection (RC) - RDMA READ response Last", 18},
	RCReadResponseOnly:   {"Reliable Connection (RC) - RDMA READ response Only", 18},
	RCAcknowledge:        {"Reliable Connection (RC) - Acknowledge", 19},
	RCAtomicAcknowledge:  {"Reliable Connection (RC) - ATOMIC Acknowledge", 20},
	RCCmpSwap:            {"Reliable Connection (RC) - CmpSwap", 21},
	RCFetchAdd:           {"Reliable Connection (RC) - FetchAdd", 21},
	0x15:                 {"Reliable Connection (RC) - Reserved", Opaque},
	RCSendLastInv:        {"Reliable Connection (RC) - SEND Last with Invalidate", 22},
	RCSendOnlyInv:        {"Reliable Connection (RC) - SEND Only with Invalidate", 22},
	RCFlush:              {"Reliable Connection (RC) - FLUSH", 24},
	RCAtomicWrite:        {"Reliable Connection (RC) - ATOMIC WRITE", 15},

	UCSendFirst:    {"Unreliable Connection (UC) - SEND First", 13},
	UCSendMiddle:   {"Unreliable Connection (UC) - SEND Middle", 13},
	UCSendLast:     {"Unreliable Connection (UC) - SEND Last", 13},
	UCSendLastImm:  {"Unreliable Connection (UC) - SEND Last with Immediate", 14},
	UCSendOnly:     {"Unreliable Connection (UC) - SEND Only", 13},
	UCSendOnlyImm:  {"Unreliable Connection (UC) - SEND Only with Immediate", 14},
	UCWriteFirst:   {"Unreliable Connection (UC) - RDMA WRITE First", 15},
	UCWriteMiddle:  {"Unreliable Connection (UC) - RDMA WRITE Middle", 13},
	UCWriteLast:    {"Unreliable Connection (UC) - RDMA WRITE Last", 13},
	UCWriteLastImm: {"Unreliable Connection (UC) - RDMA WRITE Last with Immediate", 14},
	UCWriteOnly:    {"Unreliable Connection (UC) - RDMA WRITE Only", 15},
	UCWriteOnlyImm: {"Unreliable Connection (UC) - RDMA WRITE Only with Immediate", 16},

	RDSendFirst:          {"Reliable Datagram (RD) - SEND First", 0},
	RDSendMiddle:         {"Reliable Datagram (RD) - SEND Middle", 0},
	RDSendLast:           {"Reliable Datagram (RD) - SEND Last", 0},
	RDSendLastImm:        {"Reliable Datagram (RD) - SEND Last with Immediate", 2},
	RDSendOnly:           {"Reliable Datagram (RD) - SEND Only", 0},
	RDSendOnlyImm:        {"Reliable Datagram (RD) - SEND Only with Immediate", 2},
	RDWriteFirst:         {"Reliable Datagram (RD) - RDMA WRITE First", 1},
	RDWriteMiddle:        {"Reliable Datagram (RD) - RDMA WRITE Middle", 0},
	RDWriteLast:          {"Reliable Datagram (RD) - RDMA WRITE Last", 0},
	RDWriteLastImm:       {"Reliable Datagram (RD) - RDMA WRITE Last with Immediate", 2},
	RDWriteOnly:          {"Reliable Datagram (RD) - RDMA WRITE Only", 1},
	RDWriteOnlyImm:       {"Reliable Datagram (RD) - RDMA WRITE Only with Immediate", 3},
	RDReadRequest:        {"Reliable Datagram (RD) - RDMA READ Request", 4},
	RDReadResponseFirst:  {"Reliable Datagram (RD) - RDMA READ response First", 5},
	RDReadResponseMiddle: {"Reliable Datagram (RD) - RDMA READ response Middle", 6},
	RDReadResponseLast:   {"Reliable Datagram (RD) - RDMA READ response Last", 5},
	RDReadResponseOnly:   {"Reliable Datagram (RD) - RDMA READ response Only", 5},
	RDAcknowledge:        {"Reliable Datagram (RD) - Acknowledge", 7},
	RDAtomicAcknowledge:  {"Reliable Datagram (RD) - ATOMIC Acknowledge", 8},
	RDCmpSwap:            {"Reliable Datagram (RD) - CmpSwap", 9},
	RDFetchAdd:           {"Reliable Datagram (RD) - FetchAdd", 9},
	RDResync:             {"Reliable Datagram (RD) - RESYNC", 10},
	RDFlush:              {"Reliable Datagram (RD) - FLUSH", 25},
	RDAtomicWrite:        {"Reliable Datagram (RD) - ATOMIC WRITE", 26},

	UDSendOnly:    {"Unreliable Datagram (UD) - SEND only", 11},
	UDSendOnlyImm: {"Unreliable Datagram (UD) - SEND only with Immediate", 12},

	NativeCNP: {"CNP", cnpNative},
	RoCECNP:   {"CNP (RoCEv2)", cnpRoCE},

	XRCSendFirst:          {"Extended Reliable Connection (XRC) - SEND First", xrcPayload},
	XRCSendMiddle:         {"Extended Reliable Connection (XRC) - SEND Middle", xrcPayload},
	XRCSendLast:           {"Extended Reliable Connection (XRC) - SEND Last", xrcPayload},
	XRCSendLastImm:        {"Extended Reliable Connection (XRC) - SEND Last with Immediate", xrcImmPayload},
	XRCSendOnly:           {"Extended Reliable Connection (XRC) - SEND Only", xrcPayload},
	XRCSendOnlyImm:        {"Extended Reliable Connection (XRC) - SEND Only with Immediate", xrcImmPayload},
	XRCWriteFirst:         {"Extended Reliable Connection (XRC) - RDMA WRITE First", xrcRethPayload},
	XRCWriteMiddle:        {"Extended Reliable Connection (XRC) - RDMA WRITE Middle", xrcPayload},
	XRCWriteLast:          {"Extended Reliable Connection (XRC) - RDMA WRITE Last", xrcPayload},
	XRCWriteLastImm:       {"Extended Reliable Connection (XRC) - RDMA WRITE Last with Immediate", xrcImmPayload},
	XRCWriteOnly:          {"Extended Reliable Connection (XRC) - RDMA WRITE Only", xrcRethPayload},
	XRCWriteOnlyImm:       {"Extended Reliable Connection (XRC) - RDMA WRITE Only with Immediate", xrcRethImmPayload},
	XRCReadRequest:        {"Extended Reliable Connection (XRC) - RDMA READ Request", xrcReth},
	XRCReadResponseFirst:  {"Extended Reliable Connection (XRC) - RDMA READ response First", 18},
	XRCReadResponseMiddle: {"Extended Reliable Connection (XRC) - RDMA READ response Middle", 13},
	XRCReadResponseLast:   {"Extended Reliable Connection (XRC) - RDMA READ response Last", 18},
	XRCReadResponseOnly:   {"Extended Reliable Connection (XRC) - RDMA READ response Only", 18},
	XRCAcknowledge:        {"Extended Reliable Connection (XRC) - Acknowledge", 19},
	XRCAtomicAcknowledge:  {"Extended Reliable Connection (XRC) - ATOMIC Acknowledge", 20},
	XRCCmpSwap:            {"Extended Reliable Connection (XRC) - CmpSwap", xrcAtomic},
	XRCFetchAdd:           {"Extended Reliable Connection (XRC) - FetchAdd", xrcAtomic},
	XRCSendLastInv:        {"Extended Reliable Connection (XRC) - SEND Last with Invalidate", xrcInvalPayload},
	XRCSendOnlyInv:        {"Extended Reliable Connection (XRC) - SEND Only with Invalidate", xrcInvalPayload},
	XRCFlush:              {"Extended Reliable Connection (XRC) - FLUSH", xrcFlush},
	XRCAtomicWrite:        {"Extended Reliable Connection (XRC) - ATOMIC WRITE", xrcRethPayload},
}

// sequences and sets are table spread out for look-up by opcode: a BTH is
// decoded for every packet.
var sequences, sets = func() (q [256]Sequence, s [256]HeaderSet) {
	for o, row := range table {
		q[o] = row.sequence
		if row.name == "" {
			q[o] = Opaque
		}
		s[o] = q[o].Headers()
	}
	return q, s
}()
