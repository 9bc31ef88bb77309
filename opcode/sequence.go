package opcode

import "strconv"

// A Sequence is the number of a header sequence: which extension headers
// follow the BTH, and whether a payload does. 0-26 are numbered as in
// Wireshark; the ones above are this package's own.
type Sequence uint8

// The sequences that Wireshark has no number for.
const (
	xrcPayload        Sequence = iota + 27 // XRCETH PAYLD
	xrcImmPayload                          // XRCETH IMMDT PAYLD
	xrcRethPayload                         // XRCETH RETH PAYLD
	xrcRethImmPayload                      // XRCETH RETH IMMDT PAYLD
	xrcReth                                // XRCETH RETH
	xrcAtomic                              // XRCETH ATOMICETH
	xrcInvalPayload                        // XRCETH IETH PAYLD
	xrcFlush                               // XRCETH FETH RETH
	cnpNative                              // opcode 0x80: nothing is assumed, what is there is payload
	cnpRoCE                                // opcode 0x81: the 16 reserved bytes
	Opaque                                 // an opcode that is not assigned: everything up to the ICRC is payload
	numSequences      = iota + 27
)

// sequenceRows has a row for each Sequence.
var sequenceRows = [numSequences]struct {
	headers HeaderSet
	payload bool
}{
	0:  {RDETH | DETH, true},
	1:  {RDETH | DETH | RETH, true},
	2:  {RDETH | DETH | ImmDt, true},
	3:  {RDETH | DETH | RETH | ImmDt, true},
	4:  {RDETH | DETH | RETH, false},
	5:  {RDETH | AETH, true},
	6:  {RDETH, true},
	7:  {RDETH | AETH, false},
	8:  {RDETH | AETH | AtomicAckETH, false},
	9:  {RDETH | DETH | AtomicETH, false},
	10: {RDETH | DETH, false},
	11: {DETH, true},
	12: {DETH | ImmDt, true},
	13: {0, true},
	14: {ImmDt, true},
	15: {RETH, true},
	16: {RETH | ImmDt, true},
	17: {RETH, false},
	18: {AETH, true},
	19: {AETH, false},
	20: {AETH | AtomicAckETH, false},
	21: {AtomicETH, false},
	22: {IETH, true},
	// No opcode maps to 23. Wireshark takes RD RESYNC (0x55) without SE for the
	// connect packet of Mellanox' Dynamically Connected transport; by the
	// specification 0x55 is sequence 10.
	23: {DCCETH, true},
	24: {FETH | RETH, false},
	25: {RDETH | FETH | RETH, false},
	26: {RDETH | RETH, true},

	xrcPayload:        {XRCETH, true},
	xrcImmPayload:     {XRCETH | ImmDt, true},
	xrcRethPayload:    {XRCETH | RETH, true},
	xrcRethImmPayload: {XRCETH | RETH | ImmDt, true},
	xrcReth:           {XRCETH | RETH, false},
	xrcAtomic:         {XRCETH | AtomicETH, false},
	xrcInvalPayload:   {XRCETH | IETH, true},
	xrcFlush:          {XRCETH | FETH | RETH, false},
	cnpNative:         {0, true},
	cnpRoCE:           {CNPRsv, false},
	Opaque:            {0, true},
}

// Headers returns the extension headers of q; HeaderSet.All gives them in the
// order of the wire. A number that is no sequence has none.
func (q Sequence) Headers() HeaderSet {
	if q < numSequences {
		return sequenceRows[q].headers
	}
	return 0
}

// HasPayload reports whether a payload follows the headers of q. It may be
// empty.
func (q Sequence) HasPayload() bool { return q < numSequences && sequenceRows[q].payload }

// String lists what q holds, as "RETH ImmDt PAYLD", or returns "Sequence(99)".
func (q Sequence) String() string {
	if q >= numSequences {
		return "Sequence(" + strconv.Itoa(int(q)) + ")"
	}
	s := q.Headers().String()
	if !q.HasPayload() {
		return s
	}
	if s != "" {
		s += " "
	}
	return s + "PAYLD"
}
