package check

import "github.com/ibwire/ibwire"

// Headers and states that rows have in common.
const (
	lrhAndBTH = ibwire.LRH | ibwire.BTH
	payload   = whole | known // the payload of an opcode that says what it is
)

// Codes of rules that a Checker has to know.
const (
	codeICRC          = "icrc"
	codeICRCDirection = "icrc-direction"
	codeVCRC          = "vcrc"
	codeVCRCVL        = "vcrc-vl"
)

// The rules, a row each. Of the sources, Linux stands for its receive paths, which
// drop what breaks a rule: qib for InfiniBand, hfi1 for Omni-Path, rxe for RoCE in
// software; chapters and numbers of the specification are those that it names. pib
// is an adapter and a switch in software, ib_types.h a part of OpenSM, Endace its
// description of ERF.
var rules = [...]Rule{
	// ERF records. The length in the file is no rule: many tools leave the padding out, though rlen counts it.
	{"erf-rlen", Error, "ERF: rlen counts at least the headers of the record", "Endace: rlen is the length of the whole record", ibwire.ERF, infiniBand, erfRLen},
	{"erf-rlen-packet", Warning, "ERF: rlen counts the packet that the record holds", "Endace: rlen is the length of the whole record", ibwire.ERF, infiniBand, erfRLenPacket},
	{"erf-truncated", Warning, "ERF: the flag for a packet cut for lack of buffer is clear", "Endace: flag 0x08", ibwire.ERF, infiniBand | marked, erfTruncated},
	{"erf-rx-error", Warning, "ERF: the flag for a packet received with an error is clear", "Endace: flag 0x10, the error was on the wire", ibwire.ERF, infiniBand | marked, erfRxError},
	{"erf-ds-error", Warning, "ERF: the flag for an error inside the card is clear", "Endace: flag 0x20, the record may be none", ibwire.ERF, infiniBand | marked, erfDSError},
	{"erf-flags-reserved", Warning, "ERF: reserved flags are clear", "Endace: flags 0xc0", ibwire.ERF, infiniBand | marked, erfFlagsReserved},
	{"erf-loss", Warning, "ERF: no packets were lost in front of this one", "Endace: the loss counter", ibwire.ERF, infiniBand | marked, erfLoss},
	{"erf-time", Info, "ERF: the time in the record is that of the file, within 10 µs", "ibdump's times of records run up to 8 µs ahead", ibwire.ERF, infiniBand, erfTime},

	// Lengths.
	{"truncated", Info, "all of the packet was captured", "only whole headers of a truncated packet are checked", 0, infiniBand, truncated},
	{"pktlen-short", Error, "PktLen has room for the headers and the ICRC: 6 words at least, 5 in raw packets", "qib drops less than 24 bytes; the headers that the opcode has", ibwire.LRH, doubtful, pktLenShort},
	{"paylen-short", Error, "PayLen has room for BTH, extension headers and ICRC", "the headers that the opcode has", ibwire.GRH, doubtful, payLenShort},
	{"udplen-short", Error, "the UDP length of RoCE v2 has room for BTH, extension headers and ICRC", "the headers that the opcode has", ibwire.UDP, doubtful, udpLenShort},
	{"pktlen-captured", Error, "PktLen is the length of a packet that ends with a CRC that fits", "PktLen counts words from the LRH through the ICRC", ibwire.LRH, doubtful, pktLenCaptured},
	{"trailer", Warning, "nothing is behind the VCRC", "PktLen counts words from the LRH through the ICRC", ibwire.LRH, doubtful, trailer},
	{"pktlen-max", Warning, "PktLen is at most 1055 words: 4096 bytes of payload, 124 of headers and ICRC", "the largest MTU; Omni-Path has larger ones", ibwire.LRH, 0, pktLenMax},
	{"grh-paylen", Error, "PktLen and PayLen agree: 4*PktLen = 48 + PayLen", "qib computes both so", ibwire.LRH | ibwire.GRH, doubtful, grhPayLen},

	// Local Route Header.
	{"lver", Error, "LVer is 0", "pib and other models of adapters drop others", ibwire.LRH, 0, lver},
	{"lrh-reserved", Info, "reserved bits of the LRH are 0", "ignored by receivers; Omni-Path uses one for its lengths", ibwire.LRH, 0, lrhReserved},
	{"dlid-zero", Warning, "DLID is not 0", "switches and routers drop it: LID 0 is reserved", ibwire.LRH, special, dlidZero},
	{"slid-zero", Info, "SLID is not 0", "LID 0 is reserved; a port without a LID sends it", ibwire.LRH, special, slidZero},
	{"slid-multicast", Warning, "SLID is no multicast LID", "ib_types.h: 0xc000-0xfffe are destinations only", ibwire.LRH, special, slidMulticast},
	{"permissive-lid", Warning, "LID 0xffff is in directed route SMPs only: DestQP 0, class 0x81", "Linux: IBTA Vol 1, 9.6.1.4.1 and 9.6.1.5.1", lrhAndBTH, native | special, permissiveLID},
	{"multicast", Warning, "a packet to a multicast DLID has a GRH, DestQP 0xffffff and an opcode of UD", "Linux and pib: IBTA Vol 1, 8.4.1", lrhAndBTH, native | special, multicast},
	{"qp0-vl", Warning, "packets to QP0 are on VL15", "Linux: IBTA Vol 1, 13.5.3.1", lrhAndBTH, native, qp0VL},
	{"vl15-qp", Warning, "packets on VL15 are to QP0", "Linux: IBTA Vol 1, 13.5.3.1", lrhAndBTH, native, vl15QP},

	// Global Route Header.
	{"grh-ipver", Warning, "GRH: IPVer is 6", "qib drops others", ibwire.GRH, 0, grhIPVer},
	{"grh-nxthdr", Warning, "GRH: NxtHdr is 0x1b, unless it is a vendor's raw use", "qib drops others: IBTA Vol 1, 8.4.1, C8-7", ibwire.GRH, 0, grhNxtHdr},
	{"sgid-multicast", Warning, "SGID is no multicast GID", "Linux; ff00::/8 are destinations only", ibwire.GRH, 0, sgidMulticast},

	// Base Transport Header.
	{"tver", Warning, "TVer is 0", "rxe drops others; Omni-Path's own packets have 1", ibwire.BTH, 0, tver},
	{"pad-no-payload", Info, "PadCnt is 0 in a packet without payload", "PadCnt makes whole words; acknowledges with PadCnt 2 are known", ibwire.BTH, payload, padNoPayload},
	{"pkey-zero", Info, "P_Key is not 0 but for its top bit, except on QP0", "ib_types.h: such a P_Key is invalid; software adapters send 0", ibwire.BTH, 0, pkeyZero},
	{"bth-reserved6", Info, "the 6 bits behind FECN and BECN are 0", "sent as 0, ignored by receivers; adapters of Huawei set one", ibwire.BTH, 0, bthReserved6},
	{"bth-reserved7", Info, "the 7 bits behind AckReq are 0", "ignored by receivers", ibwire.BTH, 0, bthReserved7},
	{"ackreq", Info, "AckReq is 0 in UC, UD and responses", "nothing acknowledges them; pib drops UD with it", ibwire.BTH, known, ackReq},
	{"opcode", Info, "the opcode is assigned, or the manufacturer's", "Linux drops others; 0x40-0x5f are in use for more than RD", ibwire.BTH, 0, opcodeKnown},
	{"cnp", Info, "a congestion notification of RoCE v2 has BECN, PSN 0 and 16 zero bytes, a native one 0 or 16 bytes", "captures of adapters; vendors extend it", ibwire.BTH, payload, cnp},
	{"deth-reserved", Info, "the first byte behind the Q_Key is 0", "ignored by receivers", ibwire.DETH, known, dethReserved},

	// Payload.
	{"payload-mtu", Warning, "the payload is at most the path MTU: 4096 bytes, or as it is given", "Linux drops more", ibwire.BTH, payload, payloadMTU},
	{"payload-words", Error, "payload and pad are whole words", "Linux: PadCnt is what is missing to a multiple of 4", ibwire.BTH, payload, payloadWords},
	{"first-middle-pad", Warning, "PadCnt is 0 in First and Middle", "Linux: IBTA Vol 1, C9-92", ibwire.BTH, payload, firstMiddlePad},
	{"first-middle-payload", Warning, "the payload of First and Middle is 256, 512, 1024, 2048 or 4096 bytes", "Linux: IBTA Vol 1, C9-92: it is the path MTU", ibwire.BTH, payload, firstMiddlePayload},
	{"last-empty", Warning, "Last has a payload", "Linux: IBTA Vol 1, C9-92", ibwire.BTH, payload, lastEmpty},
	{"extra-bytes", Warning, "nothing is between headers and ICRC where the opcode has no payload", "Linux drops it; some adapters send longer acknowledges", ibwire.BTH, payload, extraBytes},

	// Extension headers.
	{"dmalen-max", Error, "DMALen of READ and WRITE is at most 2^31", "Linux: IBTA Vol 1, C9-94", ibwire.RETH, known, dmaLenMax},
	{"write-only-dmalen", Error, "DMALen of a WRITE Only is the length of the payload", "Linux refuses others", ibwire.RETH, payload, writeOnlyDMALen},
	{"write-first-dmalen", Error, "DMALen of a WRITE First is more than the length of the payload", "Linux refuses less", ibwire.RETH, payload, writeFirstDMALen},
	{"atomic-va", Warning, "VA of CmpSwap and FetchAdd is a multiple of 8", "Linux refuses others", ibwire.AtomicETH, known, atomicVA},
	{"atomic-write-payload", Warning, "ATOMIC WRITE has 8 bytes of payload", "Linux refuses others", ibwire.RETH, payload, atomicWritePayload},
	{"aeth-reserved", Warning, "the top bit of the syndrome is 0", "it is reserved", ibwire.AETH, known, aethReserved},
	{"aeth-type", Warning, "the syndrome is an Ack, RNR Nak or Nak", "type 2 is reserved", ibwire.AETH, known, aethType},
	{"aeth-nak", Warning, "the code of a Nak is at most 4", "5-31 are reserved", ibwire.AETH, known, aethNak},

	// Management datagrams. Any class is right on QP1, and QP0 has no Q_Key.
	{"mad-opcode", Warning, "packets to QP0 and QP1 are UD SEND Only", "Linux drops others", ibwire.BTH, management, madOpcode},
	{"mad-length", Warning, "a datagram to QP0 or QP1 has 256 bytes, up to 2048 on Omni-Path", "Linux drops others", ibwire.DETH, payload | management, madLength},
	{"smp-class", Warning, "a datagram to QP0 has BaseVersion 1, or Omni-Path's 0x80, and class 0x01 or 0x81", "they are the classes of SMPs", ibwire.DETH, payload | management, smpClass},
	{"qp1-qkey", Warning, "packets to QP1 have the Q_Key 0x80010000", "Linux and pib drop others", ibwire.DETH, known | management, qp1QKey},

	// CRCs.
	{codeICRC, Error, "the ICRC is right", "CRC-32 over all that does not change on the way", ibwire.BTH, 0, icrc},
	{codeICRCDirection, Warning, "not all ICRCs from one address to another are wrong", "a capture at the sender may be taken before the adapter fills them in", ibwire.BTH, 0, nil},
	{codeVCRC, Warning, "the VCRC is right", "CRC-16 over all of a native packet", ibwire.LRH, 0, vcrc},
	{codeVCRCVL, Info, "the VCRC is right, not only with another VL", "some capture points write another VL", ibwire.LRH, 0, vcrcVL},
}

// all are pointers to the rules.
var all = func() []*Rule {
	list := make([]*Rule, len(rules))
	for i := range rules {
		list[i] = &rules[i]
	}
	return list
}()
