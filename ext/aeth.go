package ext

import (
	"strconv"
	"time"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"

	"github.com/ibwire/ibwire/opcode"
)

//go:generate go tool -modfile=../tools.mod stringer -linecomment -type=SyndromeType,NakCode,Selectivity -output=string.go

// AETH is the ACK Extended Transport Header of acknowledges and of READ
// responses First, Last and Only (IBTA Vol 1, 9.7.5).
//
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	|R|typ|  value  |                      MSN                      |
type AETH struct {
	layers.BaseLayer
	Syndrome Syndrome
	MSN      uint32 // 24 bits, messages completed
}

// DecodeFromBytes reads the header from the front of data.
func (a *AETH) DecodeFromBytes(data []byte, df gopacket.DecodeFeedback) (err error) {
	if a.BaseLayer, err = split(opcode.AETH, data, df); err != nil {
		*a = AETH{}
		return err
	}
	s, msn := word(data)
	a.Syndrome, a.MSN = Syndrome(s), msn
	return nil
}

// SerializeTo implements gopacket.SerializableLayer.
func (a *AETH) SerializeTo(b gopacket.SerializeBuffer, _ gopacket.SerializeOptions) error {
	p, err := b.PrependBytes(opcode.AETH.Size())
	if err != nil {
		return err
	}
	return putWord(p, "AETH.MSN", uint8(a.Syndrome), a.MSN)
}

// A Syndrome is the first byte of an AETH: a reserved bit 7, the type in bits
// 6-5 and a value in bits 4-0 whose meaning the type decides.
type Syndrome uint8

// SyndromeType tells what the value of a Syndrome means.
type SyndromeType uint8

// Syndrome types. The value is a credit count, a timer, not assigned, an error
// code.
const (
	Ack          SyndromeType = iota // Ack
	RNRNak                           // RNR Nak
	ReservedType                     // Reserved
	Nak                              // Nak
)

// Reserved returns bit 7, which does not take part in the type.
func (s Syndrome) Reserved() bool { return s&0x80 != 0 }

// Type returns bits 6-5.
func (s Syndrome) Type() SyndromeType { return SyndromeType(s >> 5 & 3) }

// Value returns bits 4-0.
func (s Syndrome) Value() uint8 { return uint8(s & 0x1f) }

// Credits returns the number of messages that the credit count code of an Ack
// stands for: codes 0-30 grow by powers of two and the steps half way between.
// ok is false for code 31, which says that there is no limit, and for any other
// type.
func (s Syndrome) Credits() (n int, ok bool) {
	code := int(s.Value())
	if s.Type() != Ack || code == 31 {
		return 0, false
	}
	if code < 4 {
		return code, true
	}
	return (2 + code&1) << (code/2 - 1), true
}

// RNRTimer returns how long the requester has to wait after an RNRNak, which is
// at least 10 microseconds. It is 0 for any other type.
func (s Syndrome) RNRTimer() time.Duration {
	if s.Type() != RNRNak {
		return 0
	}
	const unit = 10 * time.Microsecond
	switch code := int(s.Value()); {
	case code == 0: // the longest of all
		return 65536 * unit
	case code < 4:
		return time.Duration(code) * unit
	default:
		return unit * time.Duration((2+code&1)<<(code/2-1))
	}
}

// NakCode returns the error code of a Nak; ok is false for any other type.
func (s Syndrome) NakCode() (c NakCode, ok bool) {
	return NakCode(s.Value()), s.Type() == Nak
}

// String says what s means, as "Ack, 128 credits", "RNR Nak, 655.36ms" or "Nak,
// PSN Sequence Error".
func (s Syndrome) String() string {
	switch s.Type() {
	case Ack:
		n, ok := s.Credits()
		if !ok {
			return "Ack, no credit limit"
		}
		return "Ack, " + strconv.Itoa(n) + " credits"
	case RNRNak:
		return "RNR Nak, " + s.RNRTimer().String()
	case Nak:
		return "Nak, " + NakCode(s.Value()).String()
	}
	return "Reserved, value " + strconv.Itoa(int(s.Value()))
}

// A NakCode is the error that a Nak reports.
type NakCode uint8

// Nak codes; 5-31 are reserved.
const (
	PSNSequenceError       NakCode = iota // PSN Sequence Error
	InvalidRequest                        // Invalid Request
	RemoteAccessError                     // Remote Access Error
	RemoteOperationalError                // Remote Operational Error
	InvalidRDRequest                      // Invalid RD Request
)
