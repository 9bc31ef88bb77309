package capture

import (
	"encoding/binary"
	"fmt"

	"github.com/ibwire/ibwire/linktype"
)

// Options of pcapng blocks.
const (
	optionEnd           = 0
	optionPacketFlags   = 2
	optionIfName        = 2
	optionIfDescription = 3
	optionIfResolution  = 9
	optionIfFCSLen      = 13
	optionIfTimeOffset  = 14
)

// maxName is the most bytes of a name or description that are kept.
const maxName = 255

// option takes the next option off b. At the end, ok is false and rest empty; if
// an option does not fit b, rest is not.
func (p *pcapng) option(b []byte) (code uint16, value, rest []byte, ok bool) {
	const headerSize = 4
	if len(b) < headerSize {
		return 0, nil, b, false
	}
	code = p.uint16(b)
	if code == optionEnd {
		return 0, nil, nil, false
	}
	n := int(p.uint16(b[2:]))
	if n > len(b)-headerSize {
		return 0, nil, b, false
	}
	value, rest = b[headerSize:headerSize+n], b[headerSize+n:]
	return code, value, rest[min(-n&3, len(rest)):], true
}

// packetFCSLen returns how many bytes of FCS the options of a packet say, or
// otherwise if they do not.
func (p *pcapng) packetFCSLen(options []byte, otherwise int) int {
	for {
		code, value, rest, ok := p.option(options)
		if !ok {
			return otherwise
		}
		if code == optionPacketFlags && len(value) == 4 {
			if n := p.uint32(value) >> 5 & 0xf; n != 0 {
				return int(n)
			}
		}
		options = rest
	}
}

// hasMoreOptions reports whether the options of a packet say more than its FCS
// length.
func (p *pcapng) hasMoreOptions(options []byte) bool {
	for {
		code, value, rest, ok := p.option(options)
		if !ok {
			return false
		}
		if code != optionPacketFlags || len(value) != 4 || p.uint32(value)&^(0xf<<5) != 0 {
			return true
		}
		options = rest
	}
}

// readInterface adds the interface of the block b at start.
func (p *pcapng) readInterface(start int64, b []byte) {
	if len(b) < minInterface {
		p.unknownInterface(start, fmt.Sprintf("an interface block of %d bytes", len(b)), fmt.Sprintf("at least %d", minInterface))
		return
	}
	in := Interface{
		LinkType: linktype.Type(p.uint16(b[8:])), SnapLen: p.uint32(b[12:]), Resolution: microseconds, FCSLen: -1,
	}
	more := false
	options := b[16 : len(b)-4]
	for {
		code, value, rest, ok := p.option(options)
		if !ok {
			if len(rest) > 0 {
				p.warn(p.fail(start, "an option that does not fit its interface block", "options that do",
					ErrDamaged, "the options before it are used"))
			}
			break
		}
		options = rest
		switch {
		case code == optionIfName:
			in.Name = string(value[:min(len(value), maxName)])
			more = more || len(value) > maxName
		case code == optionIfDescription:
			in.Description = string(value[:min(len(value), maxName)])
			more = more || len(value) > maxName
		case code == optionIfResolution && len(value) == 1:
			in.Resolution = value[0]
		case code == optionIfTimeOffset && len(value) == 8:
			in.TimeOffset = p.int64(value)
		case code == optionIfFCSLen && len(value) == 1:
			in.FCSLen = int(value[0]) / 8
			if value[0] < 8 { // bits, but some writers count bytes
				in.FCSLen = int(value[0])
			}
		default:
			more = true
		}
	}
	if f := p.addToSection(start, in); f != nil {
		f.more = more
	}
}

// int64 returns the signed number in b.
func (big bigEndian) int64(b []byte) int64 {
	if big {
		return int64(binary.BigEndian.Uint64(b))
	}
	return int64(binary.LittleEndian.Uint64(b))
}

// unknownInterface keeps the place of an interface with a damaged description,
// so that the ones behind it have the right index.
func (p *pcapng) unknownInterface(start int64, found, want string) {
	p.damaged(start, found, want)
	if f := p.addToSection(start, Interface{FCSLen: -1}); f != nil {
		f.unknown = true
	}
}

// addToSection adds an interface unless there are too many.
func (p *pcapng) addToSection(start int64, in Interface) *iface {
	if len(p.ifaces) == maxInterfaces {
		p.damaged(start, "one more interface", fmt.Sprintf("at most %d in a section", maxInterfaces))
		return nil
	}
	return p.addInterface(in)
}
