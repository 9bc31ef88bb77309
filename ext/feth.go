package ext

import (
	"strconv"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"

	"github.com/ibwire/ibwire/opcode"
)

// FETH is the FLUSH Extended Transport Header (IBTA Vol 1, A19.4.1). Decoders
// disagree on the split of its low bits: Linux, whose receivers act on it, has
// the one drawn here; Wireshark takes SEL from bits 4-3 and PLT from bits 2-0.
// So the word itself is the field, and the split comes from methods.
//
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	|                         Rsv                       |SEL|  PLT  |
type FETH struct {
	layers.BaseLayer
	Word uint32
}

// DecodeFromBytes reads the header from the front of data.
func (f *FETH) DecodeFromBytes(data []byte, df gopacket.DecodeFeedback) (err error) {
	if f.BaseLayer, err = split(opcode.FETH, data, df); err != nil {
		*f = FETH{}
		return err
	}
	f.Word = be.Uint32(data)
	return nil
}

// SerializeTo implements gopacket.SerializableLayer.
func (f *FETH) SerializeTo(b gopacket.SerializeBuffer, _ gopacket.SerializeOptions) error {
	return prepend32(b, f.Word)
}

// Rsv returns the 26 reserved bits above SEL.
func (f *FETH) Rsv() uint32 { return f.Word >> 6 }

// SEL returns the selectivity level.
func (f *FETH) SEL() Selectivity { return Selectivity(f.Word >> 4 & 3) }

// PLT returns the placement type.
func (f *FETH) PLT() Placement { return Placement(f.Word & 0xf) }

// Selectivity is the SEL field of a FETH: what to flush.
type Selectivity uint8

// Selectivity levels. With WholeMR the address and length of the RETH behind
// need not be set.
const (
	Range   Selectivity = 0 // Memory Region Range
	WholeMR Selectivity = 1 // Whole Memory Region
)

// Placement is the PLT field of a FETH, a set of bits: how far to flush.
type Placement uint8

// Placement bits.
const (
	GlobalVisibility Placement = 1 << iota
	Persistence
)

// String returns the names of the bits that are set.
func (p Placement) String() string {
	switch p {
	case 0:
		return "None"
	case GlobalVisibility:
		return "Global Visibility"
	case Persistence:
		return "Persistence"
	case GlobalVisibility | Persistence:
		return "Global Visibility, Persistence"
	}
	return "Placement(" + strconv.Itoa(int(p)) + ")"
}
