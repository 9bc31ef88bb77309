package filter

import (
	"encoding/hex"
	"math"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/ibwire/ibwire/field"
)

// literal returns the value that n stands for beside another operand.
func (c *compiler) literal(n *node, beside *operand) (*operand, *Error) {
	v, err := c.literalValue(n, beside)
	if err != nil {
		return nil, err
	}
	fixed := []value{v}
	return &operand{class: beside.class, kind: beside.kind, fixed: true, get: func(*field.Frame) []value { return fixed }}, nil
}

func (c *compiler) literalValue(n *node, beside *operand) (value, *Error) {
	switch class := beside.class; {
	case class == noClass:
		return value{}, c.fail(n, "this is beside a field that has no value")
	case class == textClass:
		if meant := n.meant(); meant != "" {
			return value{}, c.fail(n, "text is wanted here, in double quotes: %q%s", n.text, meant)
		}
		return value{bytes: []byte(n.text)}, nil
	case n.op == opChar && class == boolClass:
		return value{num: min(uint64(n.text[0]), 1)}, nil
	case n.op == opChar && class <= numberClass:
		return value{num: uint64(n.text[0])}, nil
	case n.op != opWord && class == bytesClass:
		return value{bytes: []byte(n.text)}, nil
	case class <= numberClass:
		return c.number(n, beside)
	case n.op != opWord && class != timeClass:
		return value{}, c.fail(n, "%v is wanted here, without quotes", class)
	case class == secondsClass:
		return c.seconds(n)
	case class == timeClass:
		return c.time(n)
	case class.isBytes() && class < ipv4Class:
		return c.bytes(n, class)
	}
	return c.address(n, beside.class)
}

// wrong is the error of a word that is no value of a class.
func (c *compiler) wrong(n *node, class class, example string) *Error {
	return c.fail(n, "%q is not %v, as %s%s", n.text, class, example, n.meant())
}

// meant suggests fields in place of a word that stands for no value.
func (n *node) meant() string {
	if n.op != opWord || !strings.Contains(n.text, ".") || '0' <= n.text[0] && n.text[0] <= '9' {
		return ""
	}
	return field.Missing(n.text)
}

// meantIn suggests names of values, or else fields.
func (n *node) meantIn(rows []*field.Field) string {
	const most = 3
	for _, fd := range rows {
		if names := fd.NamesWith(n.text, most); len(n.text) > 1 && names != nil {
			return `; is it "` + strings.Join(names, `" or "`) + `"?`
		}
	}
	return n.meant()
}

// sizes are the bits of numbers.
var sizes = [...]int{field.Uint8: 8, field.Uint16: 16, field.Uint24: 24, field.Uint32: 32, field.Uint48: 48, field.Uint64: 64}

// number reads a number in base 10, 16 (0x), 2 (0b) or 8 (0), or the name of a
// value.
func (c *compiler) number(n *node, beside *operand) (value, *Error) {
	v, err := parseNumber(n.text)
	if n.op == opWord && err == nil {
		switch {
		case beside.class == boolClass:
			return value{num: min(v, 1)}, nil
		case beside.kind.IsNumber() && v>>(sizes[beside.kind]-1)>>1 != 0:
			return value{}, c.fail(n, "%s is too large here: the largest %v is %d", n.text, beside.kind, uint64(1)<<sizes[beside.kind]-1)
		}
		return value{num: v}, nil
	}
	named := false
	for _, fd := range beside.rows {
		if v, ok := fd.ValueOf(n.text); ok {
			return value{num: v}, nil
		}
		named = named || fd.HasNames()
	}
	if beside.class == boolClass && (n.op == opWord || !named) {
		switch strings.ToLower(n.text) {
		case "true":
			return value{num: 1}, nil
		case "false":
			return value{}, nil
		}
	}
	switch {
	case n.op == opWord && errIsRange(err):
		return value{}, c.fail(n, "%s is too large: it has more than 64 bits", n.text)
	case named:
		return value{}, c.fail(n, "%q is neither a number nor the name of a value of this field%s", n.text, n.meantIn(beside.rows))
	case n.op != opWord:
		return value{}, c.fail(n, "%v is wanted here, without quotes", beside.class)
	case beside.class == boolClass:
		return value{}, c.wrong(n, beside.class, "true or 1")
	}
	return value{}, c.wrong(n, beside.class, "12, 0x0c or 0b1100")
}

// parseNumber is strconv.ParseUint for the bases that there are, without
// underscores.
func parseNumber(s string) (uint64, error) {
	if strings.Contains(s, "_") || strings.HasPrefix(strings.ToLower(s), "0o") {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseUint(s, 0, 64)
}

func errIsRange(err error) bool {
	e, ok := err.(*strconv.NumError)
	return ok && e.Err == strconv.ErrRange
}

// seconds reads a number with up to nine decimals.
func (c *compiler) seconds(n *node) (value, *Error) {
	const decimals, example = 9, "1.5, with up to nine decimals"
	whole, fraction, point := strings.Cut(n.text, ".")
	if len(fraction) > decimals || point && fraction == "" {
		return value{}, c.wrong(n, secondsClass, example)
	}
	s, err := strconv.ParseUint(whole, 10, 64)
	ns, err2 := strconv.ParseUint(fraction+strings.Repeat("0", decimals-len(fraction)), 10, 64)
	if err != nil || err2 != nil || s > math.MaxInt64/uint64(time.Second) {
		return value{}, c.wrong(n, secondsClass, example)
	}
	return value{num: s*uint64(time.Second) + ns}, nil
}

// times are the forms of a time: a date, the time of day, the zone. Numbers may
// have one digit.
var times = func() (all []string) {
	for _, zone := range []string{"", "Z07:00", "Z0700", "Z07"} {
		for _, day := range []string{"", " 15", "T15:4", " 15:4", "T15:4:5", " 15:4:5"} {
			all = append(all, "2006-1-2"+day+zone)
		}
	}
	return append(all, "Jan _2, 2006 15:4:5", "Jan _2, 2006 15:4", "Jan _2, 2006")
}()

// time reads a time, which is one of the local zone if it does not say another.
func (c *compiler) time(n *node) (value, *Error) {
	text, utc := strings.CutSuffix(n.text, "UTC")
	zone := time.Local
	if utc {
		zone = time.UTC
	}
	for _, form := range times {
		t, err := time.ParseInLocation(form, strings.TrimSpace(text), zone)
		if err == nil {
			return signed(t.UnixNano()), nil
		}
	}
	return value{}, c.fail(n, `%q is not a time, as "2020-07-04 12:34:56.789", "2020-07-04T12:34:56Z" or "Jul 4, 2020 12:34:56"`, n.text)
}

var bytesExample = [...]string{
	bytesClass: `0a:1b:2c or 0a1b2c without 0x, or "text" in double quotes`,
	etherClass: "02:00:00:00:00:01",
}

// bytes reads hexadecimal bytes with one of the marks : - . between them, or
// none. The last byte before a mark or the end may have one digit, and a single
// byte be 0xNN.
func (c *compiler) bytes(n *node, class class) (value, *Error) {
	text := n.text
	if rest, ok := strings.CutPrefix(strings.ToLower(text), "0x"); ok && len(rest) == 2 {
		text = rest
	}
	mark := ":"
	for _, m := range []string{"-", "."} {
		if strings.Contains(text, m) {
			mark = m
		}
	}
	var all []byte
	for group := range strings.SplitSeq(strings.TrimSuffix(text, ":"), mark) {
		if last := len(group) - 1; last%2 == 0 {
			group = group[:last] + "0" + group[last:]
		}
		b, err := hex.DecodeString(group)
		if err != nil || group == "" {
			return value{}, c.wrong(n, class, bytesExample[class])
		}
		all = append(all, b...)
	}
	if class == etherClass && len(all) != 6 {
		return value{}, c.fail(n, "an Ethernet address has 6 bytes, and %s has %d", n.text, len(all))
	}
	return value{bytes: all}, nil
}

// address reads an IP address, or a network as 10.0.0.0/8.
func (c *compiler) address(n *node, class class) (value, *Error) {
	example := "10.0.0.1 or 10.0.0.0/8"
	if class == ipv6Class {
		example = "fe80::1 or fe80::/10"
	}
	host, _, isNetwork := strings.Cut(n.text, "/")
	a, err := netip.ParseAddr(host)
	if err != nil || a.Is4() != (class == ipv4Class) || a.Zone() != "" {
		return value{}, c.wrong(n, class, example)
	}
	v := value{bytes: a.AsSlice()}
	if !isNetwork {
		return v, nil
	}
	network, err := netip.ParsePrefix(n.text)
	if err != nil {
		return value{}, c.wrong(n, class, example)
	}
	v.mask = make([]byte, len(v.bytes))
	for i := range network.Bits() {
		v.mask[i/8] |= 0x80 >> (i % 8)
	}
	return v, nil
}
