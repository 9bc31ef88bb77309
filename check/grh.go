package check

import (
	"fmt"

	"github.com/ibwire/ibwire/grh"
)

func grhIPVer(in *Input) string {
	if in.GRH.IPVer == 6 {
		return ""
	}
	return fmt.Sprintf("IPVer is %d, not 6", in.GRH.IPVer)
}

func grhNxtHdr(in *Input) string {
	if in.GRH.NxtHdr == grh.NxtHdrIBA {
		return ""
	}
	return fmt.Sprintf("NxtHdr is 0x%02x, not 0x1b", in.GRH.NxtHdr)
}

func sgidMulticast(in *Input) string {
	if !in.GRH.SGID.IsMulticast() {
		return ""
	}
	return fmt.Sprintf("SGID is %v, a multicast GID", in.GRH.SGID)
}
