package main

import "slices"

// A packet is what lies on the wire, already taken apart as a decoder should
// take it apart. The parts are in wire order.
type packet struct {
	what       string
	headers    []header // those that are there as a whole
	lost       []byte   // of a header that is cut
	payload    []byte
	pad        []byte
	icrc       []byte
	gap        []byte // between what the inner and the outer length field count
	vcrc       []byte
	trailer    []byte
	erfTrailer []byte

	wireLen   int // before the capture cut it; 0: not cut
	truncated bool
	err       string
}

// tail returns everything behind the headers.
func (p packet) tail() []byte {
	return slices.Concat(p.lost, p.payload, p.pad, p.icrc, p.gap, p.vcrc, p.trailer, p.erfTrailer)
}

func (p packet) bytes() []byte {
	return append(join(p.headers), p.tail()...)
}

// covered returns how many bytes the length fields count.
func (p packet) covered() int {
	return size(p.headers) + len(p.payload) + len(p.pad) + len(p.icrc)
}

// A reading says how many bytes behind the headers belong to what. The rest is
// trailer.
type reading struct {
	lost, payload, pad, icrc, gap, vcrc int
	truncated                           bool
	err                                 string
}

// readAs returns the same bytes, but only n of the headers and the parts that
// follow them as r says.
func (p packet) readAs(n int, r reading) packet {
	rest := append(join(p.headers[n:]), p.tail()...)
	take := func(n int) []byte {
		part := rest[:n]
		rest = rest[n:]
		return part
	}
	return packet{
		what:      p.what,
		headers:   p.headers[:n],
		lost:      take(r.lost),
		payload:   take(r.payload),
		pad:       take(r.pad),
		icrc:      take(r.icrc),
		gap:       take(r.gap),
		vcrc:      take(r.vcrc),
		trailer:   rest,
		wireLen:   p.wireLen,
		truncated: r.truncated,
		err:       r.err,
	}
}

// cut returns the packet as a pcap file shows it that keeps only n bytes.
func (p packet) cut(n int) packet {
	q := p.keep(n)
	q.wireLen = len(p.bytes())
	return q
}

// keep returns what a decoder makes of the first n bytes.
func (p packet) keep(n int) packet {
	if n >= p.covered() {
		return p.keepBehindLengths(p.bytes()[p.covered():n])
	}
	q := packet{what: p.what}
	for i, h := range p.headers {
		if n < len(h.raw) {
			q.headers, q.lost = p.headers[:i], h.raw[:n]
			q.truncated = n > 0 || countsLength(q.headers)
			if n > 0 {
				q.err = h.owner
			}
			return q
		}
		n -= len(h.raw)
	}
	q.headers, q.payload, q.truncated = p.headers, p.tail()[:n], true
	return q
}

// keepBehindLengths puts what is left in place of the VCRC and the trailer.
// Nothing that a length field counts is missing, and half a VCRC is trailer.
func (p packet) keepBehindLengths(left []byte) packet {
	n := len(p.vcrc)
	if len(left) < n {
		n = 0
	}
	p.vcrc, p.trailer = left[:n], left[n:]
	return p
}

// countsLength tells whether one of the headers has a field that counts the
// bytes behind it. Without one nobody can know that a header is missing.
func countsLength(headers []header) bool {
	return slices.ContainsFunc(headers, func(h header) bool {
		return h.layer != "Ethernet" && h.layer != "Dot1Q"
	})
}
