package main

import (
	"net/netip"

	"github.com/ibwire/ibwire/field"
)

// A textPrinter writes a line for each packet, or a tree, and its bytes.
type textPrinter struct {
	tree, hex bool
	time      timeColumn
}

func (t *textPrinter) begin(dst []byte) []byte          { return dst }
func (t *textPrinter) file(dst []byte, _ string) []byte { return dst }
func (t *textPrinter) end(dst []byte) []byte            { return dst }

func (t *textPrinter) packet(dst []byte, p *packet, err error) []byte {
	if t.tree {
		dst = field.AppendTree(dst, &p.Frame, err)
	} else {
		dst = appendLine(dst, p, t.time, err)
	}
	if t.hex {
		dst = appendDump(append(dst, '\n'), p.Data[p.Start():][:p.CapLen()])
	}
	if t.tree || t.hex {
		dst = append(dst, '\n')
	}
	return dst
}

// appendDump appends bytes in lines of 16, in hexadecimal digits and as text.
func appendDump(dst, b []byte) []byte {
	for at := 0; at < len(b); at += 16 {
		dst = appendHex(dst, uint64(at), 4)
		dst = append(dst, ' ')
		line := b[at:min(at+16, len(b))]
		for i := range 16 {
			if i < len(line) {
				dst = appendHex(append(dst, ' '), uint64(line[i]), 2)
			} else {
				dst = append(dst, "   "...)
			}
		}
		dst = append(dst, "   "...)
		for _, x := range line {
			if x < ' ' || x > '~' {
				x = '.'
			}
			dst = append(dst, x)
		}
		dst = append(dst, '\n')
	}
	return dst
}

const hexDigits = "0123456789abcdef"

// appendHex appends the last digits of v.
func appendHex(dst []byte, v uint64, digits int) []byte {
	for i := digits - 1; i >= 0; i-- {
		dst = append(dst, hexDigits[v>>(4*i)&0xf])
	}
	return dst
}

// appendMAC appends a MAC address.
func appendMAC(dst, mac []byte) []byte {
	for i, x := range mac {
		if i > 0 {
			dst = append(dst, ':')
		}
		dst = appendHex(dst, uint64(x), 2)
	}
	return dst
}

// appendIP appends an IP address of 4 or 16 bytes.
func appendIP(dst, ip []byte) []byte {
	a, _ := netip.AddrFromSlice(ip)
	return a.AppendTo(dst)
}
