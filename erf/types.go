package erf

import "strconv"

// A Type says what kind of packet a record holds.
type Type uint8

// Types of records. 32 to 47 are for internal use of the capture system.
const (
	TypeLegacy          Type = 0
	TypeHDLCPOS         Type = 1
	TypeETH             Type = 2
	TypeATM             Type = 3
	TypeAAL5            Type = 4
	TypeMCHDLC          Type = 5
	TypeMCRaw           Type = 6
	TypeMCATM           Type = 7
	TypeMCRawChannel    Type = 8
	TypeMCAAL5          Type = 9
	TypeColorHDLCPOS    Type = 10
	TypeColorETH        Type = 11
	TypeMCAAL2          Type = 12
	TypeIPCounter       Type = 13
	TypeTCPFlowCounter  Type = 14
	TypeDSMColorHDLCPOS Type = 15
	TypeDSMColorETH     Type = 16
	TypeColorMCHDLCPOS  Type = 17
	TypeAAL2            Type = 18
	TypeColorHashPOS    Type = 19
	TypeColorHashETH    Type = 20
	TypeInfiniband      Type = 21 // a packet from the LRH through the VCRC
	TypeIPv4            Type = 22
	TypeIPv6            Type = 23
	TypeRawLink         Type = 24
	TypeInfinibandLink  Type = 25 // a flow-control link packet
	TypeMeta            Type = 27 // provenance: about the capture, no packet
	TypeOmniPathSNC     Type = 28
	TypeOmniPath        Type = 29
	TypeInternal0       Type = 32 // first of 16
	TypeInternal15      Type = 47 // last of 16
	TypePad             Type = 48 // fills up, no packet
)

var typeNames = [...]string{
	TypeLegacy:          "LEGACY",
	TypeHDLCPOS:         "HDLC_POS",
	TypeETH:             "ETH",
	TypeATM:             "ATM",
	TypeAAL5:            "AAL5",
	TypeMCHDLC:          "MC_HDLC",
	TypeMCRaw:           "MC_RAW",
	TypeMCATM:           "MC_ATM",
	TypeMCRawChannel:    "MC_RAW_CHANNEL",
	TypeMCAAL5:          "MC_AAL5",
	TypeColorHDLCPOS:    "COLOR_HDLC_POS",
	TypeColorETH:        "COLOR_ETH",
	TypeMCAAL2:          "MC_AAL2",
	TypeIPCounter:       "IP_COUNTER",
	TypeTCPFlowCounter:  "TCP_FLOW_COUNTER",
	TypeDSMColorHDLCPOS: "DSM_COLOR_HDLC_POS",
	TypeDSMColorETH:     "DSM_COLOR_ETH",
	TypeColorMCHDLCPOS:  "COLOR_MC_HDLC_POS",
	TypeAAL2:            "AAL2",
	TypeColorHashPOS:    "COLOR_HASH_POS",
	TypeColorHashETH:    "COLOR_HASH_ETH",
	TypeInfiniband:      "INFINIBAND",
	TypeIPv4:            "IPV4",
	TypeIPv6:            "IPV6",
	TypeRawLink:         "RAW_LINK",
	TypeInfinibandLink:  "INFINIBAND_LINK",
	TypeMeta:            "META",
	TypeOmniPathSNC:     "OMNI-PATH_SNC",
	TypeOmniPath:        "OMNI-PATH",
	TypePad:             "PAD",
}

// String returns the name of t, or "Type(26)" if t is not assigned.
func (t Type) String() string {
	switch {
	case t >= TypeInternal0 && t <= TypeInternal15:
		return "INTERNAL" + strconv.Itoa(int(t-TypeInternal0))
	case int(t) < len(typeNames) && typeNames[t] != "":
		return typeNames[t]
	}
	return "Type(" + strconv.Itoa(int(t)) + ")"
}

// SubHeaderSize returns the length in bytes of the sub-header between the
// extension headers and the packet: two for Ethernet (offset, pad), four for
// multichannel types and AAL2, none for all others.
func (t Type) SubHeaderSize() int {
	switch t {
	case TypeETH, TypeColorETH, TypeDSMColorETH, TypeColorHashETH:
		return 2
	case TypeMCHDLC, TypeMCRaw, TypeMCATM, TypeMCRawChannel, TypeMCAAL5, TypeMCAAL2,
		TypeColorMCHDLCPOS, TypeAAL2:
		return 4
	}
	return 0
}

// HasColor reports whether Record.LCtr holds a color in records of type t. In
// all other types it counts lost packets.
func (t Type) HasColor() bool {
	switch t {
	case TypeColorHDLCPOS, TypeColorETH, TypeDSMColorHDLCPOS, TypeDSMColorETH,
		TypeColorMCHDLCPOS, TypeColorHashPOS, TypeColorHashETH:
		return true
	}
	return false
}

// Flags is the flags byte of a record.
type Flags uint8

// Bits of Flags.
const (
	FlagInterface Flags = 0x03 // capture interface, see Flags.Interface
	FlagVLen      Flags = 0x04 // varying record length; clear: padded or cut to the snap length
	FlagTrunc     Flags = 0x08 // cut for lack of buffer; deprecated
	FlagRxError   Flags = 0x10 // receive error, on the wire
	FlagDSError   Flags = 0x20 // made by an error inside the card, not on the wire
	FlagReserved  Flags = 0xc0
)

// Interface returns the capture interface, 0 to 3. Wireshark shows it as Port A
// to D.
func (f Flags) Interface() int { return int(f & FlagInterface) }

// Has reports whether any bit of mask is set.
func (f Flags) Has(mask Flags) bool { return f&mask != 0 }
