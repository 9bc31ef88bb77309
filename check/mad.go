package check

import (
	"fmt"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/opcode"
)

// Values of management datagrams.
const (
	madSize         = 256
	madSizeOmniPath = 2048 // at most
	versionOmniPath = 0x80
	versionIB       = 1
	classLID        = 0x01 // SMP that is LID routed
	classDirected   = 0x81 // SMP with a directed route
	qp1QKeyValue    = 0x80010000
	maxManagementQP = 1
)

// mad returns the first two bytes of a management datagram, as far as they are
// there, also of a packet that is cut.
func (in *Input) mad() (version, class uint8, ok bool) {
	if in.has&ibwire.DETH == 0 || in.BTH.OpCode != opcode.UDSendOnly || len(in.Payload) < 2 || in.PayloadLen < 2 {
		return 0, 0, false
	}
	return in.Payload[0], in.Payload[1], true
}

// A congestion notification may be for QP1, as for any other.
func madOpcode(in *Input) string {
	o := in.BTH.OpCode
	if o == opcode.UDSendOnly || o.Transport() == opcode.CNP {
		return ""
	}
	return fmt.Sprintf("DestQP is %d, but the opcode is %s, not UD Send Only", in.BTH.DestQP, opcodeText(o))
}

func madLength(in *Input) string {
	if in.BTH.OpCode != opcode.UDSendOnly || in.PayloadLen == madSize {
		return ""
	}
	if version, _, ok := in.mad(); ok && version == versionOmniPath && in.PayloadLen <= madSizeOmniPath {
		return ""
	}
	return fmt.Sprintf("DestQP is %d, but the payload has %d bytes, not 256", in.BTH.DestQP, in.PayloadLen)
}

func smpClass(in *Input) string {
	version, class, ok := in.mad()
	if !ok || in.BTH.DestQP != 0 {
		return ""
	}
	if (version == versionIB || version == versionOmniPath) && (class == classLID || class == classDirected) {
		return ""
	}
	return fmt.Sprintf("DestQP is 0, but BaseVersion is 0x%02x and the class 0x%02x", version, class)
}

func qp1QKey(in *Input) string {
	if in.BTH.DestQP != 1 || in.Ext.DETH.QKey == qp1QKeyValue {
		return ""
	}
	return fmt.Sprintf("DestQP is 1, but the Q_Key is 0x%08x, not 0x80010000", in.Ext.DETH.QKey)
}
