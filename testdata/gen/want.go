package main

import (
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
)

// want returns the expected decoding of packet number n, a line of JSON. It has
// the fields of layer fieldsOf only, or of all layers if that is empty.
func (p packet) want(n int, fieldsOf string) string {
	members := []string{
		member("n", strconv.Itoa(n)),
		member("what", strconv.Quote(p.what)),
		member("layers", p.layers()),
		member("fields", p.fields(fieldsOf)),
	}
	members = appendOctets(members, "payload", p.payload)
	members = appendOctets(members, "pad", p.pad)
	members = appendOctets(members, "icrc", p.icrc)
	members = appendOctets(members, "vcrc", p.vcrc)
	members = appendOctets(members, "trailer", slices.Concat(p.gap, p.trailer))
	members = appendOctets(members, "erf_trailer", p.erfTrailer)
	if p.truncated {
		members = append(members, member("truncated", "true"))
	}
	if p.err != "" {
		members = append(members, member("error", strconv.Quote(p.err)))
	}
	return object(members) + "\n"
}

func (p packet) layers() string {
	var names []string
	for _, h := range p.headers {
		names = append(names, strconv.Quote(h.layer))
	}
	return "[" + strings.Join(names, ",") + "]"
}

func (p packet) fields(of string) string {
	var members []string
	for i, h := range p.headers {
		again := slices.ContainsFunc(p.headers[i+1:], func(inner header) bool { return inner.layer == h.layer })
		if of != "" && of != h.layer || again {
			continue
		}
		for _, f := range h.fields {
			if f.name != "" && f.want != "0" {
				members = append(members, member(f.name, f.want))
			}
		}
	}
	return object(members)
}

func member(name, value string) string { return strconv.Quote(name) + ":" + value }

func object(members []string) string { return "{" + strings.Join(members, ",") + "}" }

// appendOctets leaves a part out that is not there.
func appendOctets(members []string, name string, b []byte) []string {
	if len(b) == 0 {
		return members
	}
	return append(members, member(name, strconv.Quote(hex.EncodeToString(b))))
}
