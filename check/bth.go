package check

import (
	"fmt"

	"github.com/ibwire/ibwire/opcode"
)

func tver(in *Input) string {
	if in.BTH.TVer == 0 {
		return ""
	}
	return fmt.Sprintf("TVer is %d, not 0", in.BTH.TVer)
}

func padNoPayload(in *Input) string {
	if in.BTH.PadCnt == 0 || in.BTH.OpCode.HasPayload() && in.behindHeaders() > 0 {
		return ""
	}
	return fmt.Sprintf("PadCnt is %d, but there is no payload", in.BTH.PadCnt)
}

func pkeyZero(in *Input) string {
	const key = 0x7fff
	if in.BTH.PKey&key != 0 || in.BTH.DestQP == 0 {
		return ""
	}
	return fmt.Sprintf("P_Key is 0x%04x", in.BTH.PKey)
}

func bthReserved6(in *Input) string {
	if in.BTH.Rsv6 == 0 {
		return ""
	}
	return fmt.Sprintf("the bits behind FECN and BECN are 0x%02x, not 0", in.BTH.Rsv6)
}

func bthReserved7(in *Input) string {
	if in.BTH.Rsv7 == 0 {
		return ""
	}
	return fmt.Sprintf("the bits behind AckReq are 0x%02x, not 0", in.BTH.Rsv7)
}

func ackReq(in *Input) string {
	o := in.BTH.OpCode
	if t := o.Transport(); !in.BTH.AckReq || t != opcode.UC && t != opcode.UD && !o.IsResponse() {
		return ""
	}
	return fmt.Sprintf("AckReq is set in %s", opcodeText(o))
}

func opcodeKnown(in *Input) string {
	o := in.BTH.OpCode
	if t := o.Transport(); o.Assigned() || t == opcode.Manufacturer || t == opcode.RD {
		return ""
	}
	return fmt.Sprintf("opcode 0x%02x is not assigned", uint8(o))
}

func cnp(in *Input) string {
	n := in.behindHeaders()
	switch in.BTH.OpCode {
	case opcode.NativeCNP:
		if n == 0 || n == len(in.Ext.CNP.Rsv) {
			return ""
		}
		return fmt.Sprintf("%s behind the BTH of a CNP, not 0 or 16", count(n))
	case opcode.RoCECNP:
		zero := in.Ext.CNP.Rsv == [len(in.Ext.CNP.Rsv)]byte{}
		if zero && n == 0 && in.BTH.BECN && in.BTH.PSN == 0 {
			return ""
		}
		return fmt.Sprintf("a CNP with BECN %t, PSN %d, reserved bytes all zero %t, and %d bytes behind them", in.BTH.BECN, in.BTH.PSN, zero, n)
	}
	return ""
}

func dethReserved(in *Input) string {
	if in.Ext.DETH.Rsv == 0 {
		return ""
	}
	return fmt.Sprintf("the byte behind the Q_Key is 0x%02x, not 0", in.Ext.DETH.Rsv)
}
