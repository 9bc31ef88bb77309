package check

import (
	"fmt"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/crc"
)

func icrc(in *Input) string {
	c := in.ICRC()
	if in.icrcStatus() != ibwire.Bad {
		return ""
	}
	return icrcText(c.Value, c.Expected)
}

// icrcStatus returns what is known of the ICRC. Of a packet that the capture has
// cut none is Bad: a length field in it may be wrong, and the ICRC be lost.
func (in *Input) icrcStatus() ibwire.Status { return in.unlessCut(in.ICRC().Status) }

// vcrcStatus returns what is known of the VCRC.
func (in *Input) vcrcStatus() ibwire.Status { return in.unlessCut(in.VCRC().Status) }

func (in *Input) unlessCut(s ibwire.Status) ibwire.Status {
	if in.cut && s == ibwire.Bad {
		return ibwire.Unverified
	}
	return s
}

func icrcText(value, expected uint32) string {
	return fmt.Sprintf("ICRC is 0x%08x, should be 0x%08x", value, expected)
}

func vcrc(in *Input) string {
	c := in.VCRC()
	if in.vcrcStatus() != ibwire.Bad || in.vcrcEnd() > in.end || in.otherVL() >= 0 {
		return ""
	}
	return fmt.Sprintf("VCRC is 0x%04x, should be 0x%04x", c.Value, c.Expected)
}

func vcrcVL(in *Input) string {
	c := in.VCRC()
	if in.vcrcStatus() != ibwire.Bad || in.vcrcEnd() > in.end {
		return ""
	}
	vl := in.otherVL()
	if vl < 0 {
		return ""
	}
	return fmt.Sprintf("VCRC 0x%04x is right for VL %d, but VL is %d", c.Value, vl, in.LRH.VL)
}

// vcrcEnd returns where the VCRC ends in Data. Behind the length on the wire is
// none.
func (in *Input) vcrcEnd() int { return in.Offset(ibwire.LRH) + in.pktLen() + crc.VCRCSize }

// otherVL returns the VL that the VCRC is right for, or -1.
func (in *Input) otherVL() int {
	at := in.Offset(ibwire.LRH)
	in.buffer = append(in.buffer[:0], in.Data[at:at+in.pktLen()]...)
	for vl := range 16 {
		in.buffer[0] = uint8(vl<<4) | in.LRH.LVer
		if vl != int(in.LRH.VL) && crc.VCRC(in.buffer) == in.LRH.VCRC {
			return vl
		}
	}
	return -1
}
