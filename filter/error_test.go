package filter_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/field"
	"github.com/ibwire/ibwire/filter"
)

// Each filter is followed by a line that points at what is wrong.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ text, pointer, reason string }{
		// names
		{"infiniband.bth.opcod == 4", "^~~~~~~~~~~~~~~~~~~~", `no field is named "infiniband.bth.opcod"; is it infiniband.bth.opcode or`},
		{"ip && slid == 3", "      ^~~~", `no field is named "slid"; is it infiniband.lrh.slid?`},
		{"infiniband.mad.method == 1", "^~~~~~~~~~~~~~~~~~~~~", `no field is named "infiniband.mad.method": management datagrams are payload here`},
		{"qwertyuiop", "^~~~~~~~~~", `no field is named "qwertyuiop"`},
		{"Frame.Number == 1", "^~~~~~~~~~~~", "is it frame.number"},
		{"!(frame.numbr)", "  ^~~~~~~~~~~", "is it frame.number"},
		{"frame.number == frame.numbr", "                ^~~~~~~~~~~", "is not a number, as 12, 0x0c or 0b1100; is it frame.number"},
		{"infiniband.bth.opcode == ip.prot", "                         ^~~~~~~", "neither a number nor the name of a value of this field; is it ip.proto"},
		{"foo(frame)", "^~~~~~~~~~", "no function is called foo; there are abs, count, len, lower, max, min, string, upper"},
		// what cannot stand there
		{"frame.number ==", "               ^", "the filter ends too early"},
		{"frame.number == ", "                ^", "the filter ends too early"},
		{"not", "   ^", "the filter ends too early"},
		{"(frame.number == 1", "^", "not closed with )"},
		{"frame.number == 1)", "                 ^", ") cannot stand here"},
		{"frame.number in {1", "                ^", "not closed with }"},
		{"frame.number in {1 2}", "                   ^", "a comma is wanted in front of 2, or } behind the set"},
		{"frame.number in {}", "                 ^", "} cannot stand here"},
		{"frame.number in {1,}", "                   ^", "} cannot stand here"},
		{"frame.number in 1", "                ^", "a set is wanted behind in, as {4, 10..11}"},
		{"frame.number in (1, 2)", "                ^", "a set is wanted behind in, as {4, 10..11}"},
		{"frame.number in {4-5}", "                 ^~~", "is not a number, as 12, 0x0c or 0b1100; a range is written 4..5"},
		{"ip.src in {10.0.0.1-10.0.0.9}", "           ^~~~~~~~", "which - is not for; a range is written 10.0.0.1..10.0.0.9"},
		{"frame.number == 1 2", "                  ^", "2 cannot stand here"},
		{"frame.number AND frame", "             ^~~", "AND cannot stand here; is it and?"},
		{"frame.number => 1", "             ^~", "=> is no operator; is it >=?"},
		{"frame.number =< 1", "             ^~", "=< is no operator; is it <=?"},
		{"frame.number <> 1", "             ^~", "<> is no operator; is it !=?"},
		{"len frame > 3", "    ^~~~~", "frame cannot stand here; the argument of a function is in parentheses"},
		{"frame.time > 2020-01-01 10:00", "                        ^~~~~", "10:00 cannot stand here; a value with blanks is in double quotes"},
		{"ip.proto == Payload Data", "                    ^~~~", "Data cannot stand here; a value with blanks is in double quotes"},
		{"frame.number == 1 frame", "                  ^~~~~", "frame cannot stand here"},
		{"frame.number == $x", "                ^", "there is no selected packet to refer to with ${...}"},
		{"len(frame", "   ^", "not closed with )"},
		{"len() == 1", "^~~~~", "len takes one argument, not 0"},
		{"len(frame, frame) == 1", "^~~~~~~~~~~~~~~~~", "len takes one argument, not 2"},
		{"frame.number = 1", "             ^", "is it ==?"},
		{"frame | ip", "      ^", "is it ||?"},
		{"frame]", "     ^", "nothing is to be closed with ]"},
		{"frame == ü", "         ^", "'ü' has no meaning outside quotes"},
		{"any frame", "^~~", "any wants a comparison behind it"},
		{"all not frame == 00", "^~~", "all wants a comparison behind it"},
		{strings.Repeat("(", 300), strings.Repeat(" ", 200) + "^", "nested deeper than 200"},
		// quotes, brackets and comments
		{"ip /* all of them", "   ^~", "the comment is not closed"},
		{`frame contains "abc`, "               ^", "the string is not closed"},
		{`frame contains r"abc\"`, "               ^~", "the string is not closed"},
		{`frame contains "é\q"`, "                 ^~", `\q is no escape`},
		{`frame contains "\x"`, "                ^~", `\x is no escape`},
		{`frame contains "\400"`, "                ^~", `\4 is no escape`},
		{`frame contains "\u12"`, "                ^~", `\u is no escape`},
		{`frame contains "\ud800"`, "                ^~", `\u is no escape`},
		{`frame contains "\`, "                ^", "the string is not closed"},
		{"frame[0] == ''", "            ^~", "want one character between the quotes"},
		{"frame[0] == 'ab'", "            ^~~~", "want one character between the quotes, of one byte; text is in double quotes"},
		{"frame[0] == 'é'", "            ^~~", "want one character between the quotes"},
		{"frame[0] == 'a", "            ^", "the character is not closed"},
		{`frame[0] == '\'`, "            ^~~", "want one character between the quotes"},
		{"frame[0:2", "     ^", "the bracket is not closed"},
		{"frame[]", "      ^", `"" is no range`},
		{"frame[0,3-1]", "        ^~~", `"3-1" is no range; want i:j`},
		{"frame[0:0]", "      ^~~", `"0:0" is no range`},
		{"frame[1:x]", "      ^~~", `"1:x" is no range`},
		{"frame[5--1]", "      ^~~~", `"5--1" is no range`},
		{"frame[99999999999]", "      ^~~~~~~~~~~", "is no range"},
		{"frame#x", "      ^", `"x" is no range`},
		{"frame#", "      ^", "the filter ends too early"},
		{"frame.number[0] == 1", "^~~~~~~~~~~~", "a slice is of bytes or text, and frame.number is a number"},
		{"string(frame.number)#1 == 1", "^~~~~~~~~~~~~~~~~~~~", "# is for fields"},
		// types
		{"infiniband.bth.opcode == 300", "                         ^~~", "300 is too large here: the largest uint8 is 255"},
		{"infiniband.bth.opcode == 99999999999999999999", "                         ^~~~~~~~~~~~~~~~~~~~", "it has more than 64 bits"},
		{`frame.number == "x"`, "                ^~~", "a number is wanted here, without quotes"},
		{"frame.number == 1_000", "                ^~~~~", "is not a number"},
		{"frame.number == 08", "                ^~", "is not a number"},
		{"frame.number == 1.5", "                ^~~", "is not a number"},
		{"infiniband.bth.m == maybe", "                    ^~~~~", "is not true or false, as true or 1"},
		{`infiniband.bth.opcode == "UD Send"`, "                         ^~~~~~~~~", "neither a number nor the name of a value of this field"},
		{"infiniband.aeth.syndrome.error_code == psn", "                                       ^~~", `name of a value of this field; is it "PSN Sequence Error"?`},
		{"frame.number == 4 & ip", "^~~~~~~~~~~~~~~~~~~~~~", "they cannot be compared; && is and, & is for bits"},
		{"frame.protocols == ip", "^~~~~~~~~~~~~~~~~~~~~", `frame.protocols is text, and ip is bytes: they cannot be compared; as text it is "ip"`},
		{"ip.src == eth.src or ip.src == infiniband.grh.sgid", "                     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~", "ip.src is an IPv4 address, and infiniband.grh.sgid is an IPv6 address"},
		{"frame.number == ip.src", "^~~~~~~~~~~~~~~~~~~~~~", "frame.number is a number, and ip.src is an IPv4 address"},
		{"frame.number in {ip.src}", "                 ^~~~~~", "frame.number is a number, and ip.src is an IPv4 address"},
		{"ip.src == 10", "          ^~", `"10" is not an IPv4 address, as 10.0.0.1 or 10.0.0.0/8`},
		{"ip.src == 10.0.0.1/33", "          ^~~~~~~~~~~", "is not an IPv4 address"},
		{"ip.src == fe80::1", "          ^~~~~~~", "is not an IPv4 address"},
		{"infiniband.grh.sgid == 10.0.0.1", "                       ^~~~~~~~", "is not an IPv6 address, as fe80::1 or fe80::/10"},
		{`ip.src == "10.0.0.1"`, "          ^~~~~~~~~~", "an IPv4 address is wanted here, without quotes"},
		{"eth.src == 01:02", "           ^~~~~", "an Ethernet address has 6 bytes, and 01:02 has 2"},
		{"frame[0] == 0x1", "            ^~~", `"0x1" is not bytes, as 0a:1b:2c or 0a1b2c without 0x, or "text" in double quotes`},
		{"frame[0:2] == 0x0102", "              ^~~~~~", `"0x0102" is not bytes`},
		{"frame contains 12g", "               ^~~", `"12g" is not bytes, as 0a:1b:2c or 0a1b2c`},
		{"frame.protocols == frame.protocls", "                   ^~~~~~~~~~~~~~", "text is wanted here, in double quotes: \"frame.protocls\"; is it frame.protocols"},
		{"frame contains 01:zz", "               ^~~~~", `"01:zz" is not bytes`},
		{"ip.src contains 0a", "^~~~~~", "contains is for bytes and text, and ip.src is an IPv4 address; string() makes text of numbers and addresses"},
		{"frame.number contains 1", "^~~~~~~~~~~~", "contains is for bytes and text, and frame.number is a number"},
		{`frame.number matches "1"`, "^~~~~~~~~~~~", "string() makes text of numbers"},
		{"frame.protocols matches erf", "                        ^~~", "a regular expression is wanted here, in double quotes"},
		{`frame matches "("`, "              ^~~", "no regular expression of Go: missing closing )"},
		{`frame matches "(?=x)"`, "              ^~~~~~~", "no regular expression of Go"},
		{`frame.time > "yesterday"`, "             ^~~~~~~~~~~", "is not a time, as"},
		{"frame.time_delta > 1e-5", "                   ^~~~", "is not a number of seconds"},
		{"frame.time_delta > 0.0000000001", "                   ^~~~~~~~~~~~", "with up to nine decimals"},
		{"infiniband.bth.se & 1", "^~~~~~~~~~~~~~~~~", "infiniband.bth.se is true or false, which & is not for"},
		{"frame.time_delta * 2 > 1", "^~~~~~~~~~~~~~~~", "a number of seconds, which * is not for"},
		{"-ip.src == 10.0.0.1", "^~~~~~~", "a minus is for numbers, and ip.src is an IPv4 address"},
		{"upper(frame) == \"x\"", "      ^~~~~", "upper is for text, and frame is bytes"},
		{"len(frame.time) == 1", "    ^~~~~~~~~~", "len is for bytes, text and fields of numbers"},
		{"abs(frame) == 1", "    ^~~~~", "abs is for numbers, and frame is bytes"},
		{"string(frame) == \"x\"", "       ^~~~~", "string is for numbers and for fields that are addresses"},
		{"max(ip.src, frame.number) == 1", "            ^~~~~~~~~~~~", "frame.number is a number, and ip.src is an IPv4 address"},
		{"len(frame)", "^~~~~~~~~~", "a function is no test by itself; compare it, as len(frame) == 1"},
		{"1 == 1", "^", "a field is wanted here, and 1 is a value"},
		{`"a" == frame.protocols[0] and "a"`, "                              ^~~", `a field is wanted here, and "a" is a value`},
		{"(frame.number == 1) == 1", " ^~~~~~~~~~~~~~~~~", "frame.number == 1 is true or false, and a value is wanted here"},
		{"erf.eth == 1", "           ^", "a field that has no value"},
	} {
		_, err := filter.Compile(c.text)
		var e *filter.Error
		require.ErrorAs(t, err, &e, c.text)
		require.Contains(t, e.Error(), c.reason, c.text)
		require.Equal(t, c.text+"\n"+c.pointer, e.Pointer(), c.text)
		require.Equal(t, strings.Count(c.pointer, " ")+1, e.Column, c.text)
		require.Regexp(t, `^filter: column \d+: `, e.Error())
	}
}

// Only the line that is wrong is shown, with tabs as they are.
func TestPointerLines(t *testing.T) {
	_, err := filter.Compile("ip // über\n\tand nofield\n and udp")
	var e *filter.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, "\tand nofield\n\t    ^~~~~~~", e.Pointer())
	require.Equal(t, 17, e.Column)
	_, err = filter.Compile("ip ==\n")
	require.ErrorAs(t, err, &e)
	require.Equal(t, "\n^", e.Pointer())
}

// checkCompile compiles any text. An error must point into it, and a filter must
// select the same packets when it is asked again, and its negation the others.
func checkCompile(t *testing.T, frames []*field.Frame, text string) {
	t.Helper()
	f, err := filter.Compile(text)
	if err == nil {
		not, err := filter.Compile("not (" + text + "\n)") // which may be nested too deeply
		for _, frame := range frames {
			selected := f.Match(frame)
			require.Equal(t, selected, f.Match(frame), text)
			require.True(t, err != nil || not.Match(frame) != selected, text)
		}
		return
	}
	var e *filter.Error
	require.ErrorAs(t, err, &e, text)
	require.Equal(t, text, e.Filter)
	require.NotEmpty(t, e.Reason)
	runes := utf8.RuneCountInString(text)
	require.GreaterOrEqual(t, e.Column, 1)
	require.LessOrEqual(t, e.Column, runes+1)
	require.GreaterOrEqual(t, e.Length, 1)
	require.LessOrEqual(t, e.Column-1+e.Length, max(runes, e.Column))
	require.Equal(t, 1, strings.Count(e.Pointer(), "\n"))
}

func FuzzCompile(f *testing.F) {
	for _, l := range list(f) {
		f.Add(l.text)
	}
	for _, text := range oddities {
		f.Add(text)
	}
	frames := samples(f)
	f.Fuzz(func(t *testing.T, text string) { checkCompile(t, frames, text) })
}

// oddities are texts that a lexer or a parser may stumble over.
var oddities = []string{
	"", " ", "/*", "//", "/*/", "'", "'''", `'\`, `'\''`, `"`, `"\`, `r"\`, "[", "#", "#[", ":", "::", ":1", ".", "..", "...", "1..2", "-", "--1", "+", "a-", "a/1",
	"1/2", "frame[", "frame[-]", "frame[:]", "frame[1:-1]", "frame[0x]", "frame[,]", "any any frame == 0", "all not frame", "not in", "frame not", "frame ! in {0}",
	"frame.number in {1..2..3}", "frame.number in {1 ..}", "frame == {", "len(", "len(len(frame)) == 1", "max() == 1", "max(1) == 1", "min(1, 2) == frame.number",
	"1 + 1 == 2", "-1", "-frame", "frame.number - -1", "frame & frame", "frame & ff & ff == 0", "\xff", "frame == \xff", "frame == \"\xff\"", "frame matches \"\xff\"",
	`frame matches "\\x{"`, `frame matches "\\x{80"`, `frame matches "\\8"`, "ip.src == 1.2.3.4/0", "ip.src == ::/0", "frame.time == \"\"", "frame.time_delta == 1.", "frame.time_delta == .1",
	"infiniband.immdt#[-1] == 0", "infiniband.immdt#[1-2,3:]", "frame.number < 1 < 2 < 3", "frame.number == 1 / 0", "frame.number == 9223372036854775808 * 2", "frame.number == 0b", "frame.number == 0x", "frame.number == 0o7",
}

func TestOddities(t *testing.T) {
	frames := samples(t)
	for _, text := range oddities {
		checkCompile(t, frames, text)
	}
	for _, l := range list(t) {
		checkCompile(t, frames, l.text)
		for i := range l.text { // and all that they begin with
			checkCompile(t, frames, l.text[:i])
		}
	}
}
