package check

import (
	"fmt"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/opcode"
)

// maxMTU is the largest MTU of InfiniBand in bytes.
const maxMTU = 4096

// behindHeaders returns how many bytes are between headers and ICRC.
func (in *Input) behindHeaders() int { return len(in.Payload) + len(in.Pad) }

func payloadMTU(in *Input) string {
	limit := in.MTU
	if limit == 0 {
		limit = maxMTU
	}
	if len(in.Payload) <= limit {
		return ""
	}
	return fmt.Sprintf("the payload has %d bytes, more than the MTU of %d", len(in.Payload), limit)
}

func payloadWords(in *Input) string {
	if !in.BTH.OpCode.HasPayload() || in.behindHeaders()%word == 0 {
		return ""
	}
	return fmt.Sprintf("payload and pad have %s, with PadCnt %d: no whole words", count(in.behindHeaders()), in.BTH.PadCnt)
}

// isFirstOrMiddle reports whether more packets of the message must follow.
func (in *Input) isFirstOrMiddle() bool {
	p := in.BTH.OpCode.Operation().Position()
	return p == opcode.First || p == opcode.Middle
}

func firstMiddlePad(in *Input) string {
	if in.BTH.PadCnt == 0 || !in.isFirstOrMiddle() {
		return ""
	}
	return fmt.Sprintf("PadCnt is %d in %s", in.BTH.PadCnt, opcodeText(in.BTH.OpCode))
}

func firstMiddlePayload(in *Input) string {
	if !in.isFirstOrMiddle() {
		return ""
	}
	switch len(in.Payload) {
	case 256, 512, 1024, 2048, maxMTU:
		return ""
	case 8192, 10240: // Omni-Path
		if in.has&ibwire.LRH != 0 {
			return ""
		}
	}
	return "the payload of " + opcodeText(in.BTH.OpCode) + " has " + count(len(in.Payload)) + ", which is no MTU"
}

func lastEmpty(in *Input) string {
	if len(in.Payload) > 0 || in.BTH.OpCode.Operation().Position() != opcode.Last {
		return ""
	}
	return fmt.Sprintf("%s has no payload", opcodeText(in.BTH.OpCode))
}

func extraBytes(in *Input) string {
	o := in.BTH.OpCode
	if o.HasPayload() || o.Transport() == opcode.CNP || in.behindHeaders() == 0 {
		return ""
	}
	return fmt.Sprintf("%s between headers and ICRC of %s", count(in.behindHeaders()), opcodeText(o))
}
