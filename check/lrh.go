package check

import (
	"fmt"
	"strings"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/lrh"
	"github.com/ibwire/ibwire/opcode"
)

func lver(in *Input) string {
	if in.LRH.LVer == 0 {
		return ""
	}
	return fmt.Sprintf("LVer is %d, not 0", in.LRH.LVer)
}

func lrhReserved(in *Input) string {
	if in.LRH.Rsv2 == 0 && in.LRH.Rsv5&^lengthBit == 0 {
		return ""
	}
	return fmt.Sprintf("reserved bits of the LRH are %#x and %#x, not 0", in.LRH.Rsv2, in.LRH.Rsv5)
}

func dlidZero(in *Input) string {
	if in.LRH.DLID != 0 {
		return ""
	}
	return "DLID is 0, which is reserved"
}

func slidZero(in *Input) string {
	if in.LRH.SLID != 0 {
		return ""
	}
	return "SLID is 0: a port without a LID"
}

func slidMulticast(in *Input) string {
	if !in.LRH.SLID.IsMulticast() {
		return ""
	}
	return fmt.Sprintf("SLID is 0x%04x, a multicast LID", uint16(in.LRH.SLID))
}

func permissiveLID(in *Input) string {
	const permissive = 0xffff
	l := &in.LRH
	switch {
	case l.DLID != permissive && l.SLID != permissive:
		return ""
	case in.BTH.DestQP != 0:
		return fmt.Sprintf("LIDs 0x%04x to 0x%04x, but DestQP is 0x%06x, not 0", uint16(l.SLID), uint16(l.DLID), in.BTH.DestQP)
	}
	version, class, ok := in.mad()
	if !ok || class == classDirected || version == versionOmniPath {
		return ""
	}
	return fmt.Sprintf("LIDs 0x%04x to 0x%04x, but the class is 0x%02x, not 0x81", uint16(l.SLID), uint16(l.DLID), class)
}

const vl15 = 15

// A capture point that writes another VL makes the VCRC wrong, and then the VL
// says nothing.
func qp0VL(in *Input) string {
	if in.BTH.DestQP != 0 || in.LRH.VL == vl15 || in.VCRC().Status == ibwire.Bad {
		return ""
	}
	return fmt.Sprintf("DestQP is 0, but VL is %d, not 15", in.LRH.VL)
}

func vl15QP(in *Input) string {
	if in.BTH.DestQP == 0 || in.LRH.VL != vl15 || in.VCRC().Status == ibwire.Bad {
		return ""
	}
	return fmt.Sprintf("VL is 15, but DestQP is 0x%06x, not 0", in.BTH.DestQP)
}

func multicast(in *Input) string {
	const multicastQP = 0xffffff
	if !in.LRH.DLID.IsMulticast() {
		return ""
	}
	var wrong []string
	if in.LRH.LNH != lrh.LNHGlobal {
		wrong = append(wrong, "there is no GRH")
	}
	if in.BTH.DestQP != multicastQP {
		wrong = append(wrong, fmt.Sprintf("DestQP is 0x%06x, not 0xffffff", in.BTH.DestQP))
	}
	if o := in.BTH.OpCode; o != opcode.UDSendOnly && o != opcode.UDSendOnlyImm {
		wrong = append(wrong, fmt.Sprintf("the opcode is %s, not of UD", opcodeText(o)))
	}
	if wrong == nil {
		return ""
	}
	return fmt.Sprintf("DLID 0x%04x is a multicast LID, but %s", uint16(in.LRH.DLID), strings.Join(wrong, ", "))
}
