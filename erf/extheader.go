package erf

import "strconv"

// ExtHeaderSize is the length of an extension header in bytes.
const ExtHeaderSize = 8

// ExtHeader is an extension header. The bit that says whether another one
// follows is no field: it follows from the place in Record.Ext.
//
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	|X|    Type     |                     Body                      |
//	|                             Body                              |
type ExtHeader struct {
	Type ExtType // 7 bits
	Body [7]byte
}

// An ExtType says what the body of an extension header holds.
type ExtType uint8

// Types of extension headers.
const (
	ExtClassification ExtType = 3
	ExtInterceptID    ExtType = 4
	ExtRawLink        ExtType = 5
	ExtBFS            ExtType = 6
	ExtChannelised    ExtType = 12
	ExtSignature      ExtType = 14
	ExtPacketID       ExtType = 15
	ExtFlowID         ExtType = 16
	ExtHostID         ExtType = 17 // source ID in byte 0 of the body, host ID in bytes 1-6
	ExtAnchorID       ExtType = 18 // bit 0x80 of byte 0 of the body: definition
	ExtEntropy        ExtType = 19
)

var extNames = [...]string{
	ExtClassification: "Classification",
	ExtInterceptID:    "InterceptID",
	ExtRawLink:        "Raw Link",
	ExtBFS:            "BFS",
	ExtChannelised:    "Channelised",
	ExtSignature:      "Signature",
	ExtPacketID:       "Packet ID",
	ExtFlowID:         "Flow ID",
	ExtHostID:         "Host ID",
	ExtAnchorID:       "Anchor ID",
	ExtEntropy:        "Entropy",
}

// String returns the name of t, or "ExtType(7)" if t is not known.
func (t ExtType) String() string {
	if int(t) < len(extNames) && extNames[t] != "" {
		return extNames[t]
	}
	return "ExtType(" + strconv.Itoa(int(t)) + ")"
}
