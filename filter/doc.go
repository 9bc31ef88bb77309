// Package filter selects packets by Wireshark's display-filter language, over the
// fields of package field.
//
//	f, err := filter.Compile("infiniband.bth.destqp == 0x12 && !infiniband.aeth")
//	...
//	if f.Match(frame) { ... } // a *field.Frame
//
// A filter is compiled once to closures. Match computes only the fields that the
// filter names, as far as it needs them, and allocates nothing.
//
// # Language
//
// It is that of tshark 4.0, which has its meaning in all that follows here. From
// the operators that bind the least to those that bind the most:
//
//	test     = test ("or" | "||") test
//	         | test ("and" | "&&") test
//	         | ("not" | "!") test
//	         | ["any" | "all"] relation
//	         | value                                  a field, slice or arithmetic
//	relation = value compare value { compare value }  a < b < c is a < b and b < c
//	         | value "contains" value
//	         | value ("matches" | "~") string
//	         | value ["not"] "in" "{" element { "," element } "}"
//	element  = value [ ".." value ]
//	value    = value ("&" | "bitwise_and") value
//	         | value ("+" | "-") value
//	         | value ("*" | "/" | "%") value
//	         | ("-" | "+") value
//	         | value "[" ranges "]"                   bytes, also of text
//	         | field "#" number | field "#[" ranges "]"
//	         | function "(" value { "," value } ")"
//	         | field | literal | "(" test ")" | "{" value "}"
//	ranges   = range { "," range }                    one behind the other
//	range    = i ":" length | i "-" last | i | ":" length | i ":"
//
// Negative numbers in a range count from the end. From the first range on that is
// not there as a whole, nothing is taken. #2 is the second layer of a field's
// protocol, as the IP header in a tunnel.
//
//	compare              meaning, where a field has several values
//	==  eq  any_eq       one value is equal
//	!=  ne  all_ne       no value is equal
//	=== all_eq           all values are equal
//	!== any_ne  ~=       one value is not equal
//	>   gt  >=  ge
//	<   lt  <=  le       one value is so
//
// With any or all in front, it is one value or all, whatever the operator. A
// relation of a field that the packet does not have is false, also with !=; but
// a not in {...} is not (a in {...}), whatever is in front. A field alone is true
// if the packet has it, a slice if something is left of it, arithmetic if the
// result is not 0.
//
// What contains and matches search in a protocol, as ip or udp, is all that the
// protocol was given, and not its header alone: udp contains "NVMe" looks into
// payloads. For everything else a protocol is its header.
//
// The functions are len, count, upper, lower, string, max, min and abs.
//
// Literals are read as the field beside them is: numbers in base 10, 16 (0x1f), 2
// (0b11) or 8 (017), or the name that a value has in the tree; true and false;
// seconds with up to nine decimals; times as "2020-07-04 12:34:56.789" or
// "2020-07-04T12:34:56Z", local unless they say a zone; bytes as 0a:1b:2c,
// 0a-1b-2c, 0a.1b.2c or 0a1b2c, or as a string; Ethernet addresses; IPv4 and IPv6
// addresses, which GIDs are too, and networks as 10.0.0.0/8; characters as 'a',
// which are numbers or bytes; text in double quotes, with the escapes of C, or
// raw: r"\d", or without quotes if it has no blanks and is no field's name. Numbers
// must fit the field. Of bytes the shorter are less.
//
// Regular expressions go by bytes and do not distinguish capitals, unless they
// begin with (?-i).
//
// # Differences from Wireshark
//
// Filters are compared with tshark 4.0 while those of its (heuristic) dissectors
// are switched off that guess at what a payload holds, and while it does not put
// fragments together. With them, it may see other protocols in payloads, and then
// has fields that are not here, and lacks some that are.
//
// These are more than tshark 4.0 takes: comments, /* to */ and // to the end of
// the line; literals on the left; parentheses, not only braces, around arithmetic;
// sets behind arithmetic, slices and functions; arguments of functions that are
// no fields; characters and large numbers in arithmetic; true and false where
// values have other names; frame.number-1 without blanks.
//
// These differ:
//
//   - A number is compared with a negative one as numbers are, where tshark takes
//     -5 for a large one. Arithmetic has 64 bits, and not 32.
//   - A relation with a result that there is not, as of a division by 0, is false;
//     tshark has === and != true.
//   - The results of & of IPv6 addresses are compared, and so are IPv6 addresses
//     with slices. To tshark the former are all equal.
//   - The bytes of gre, geneve, mpls and ipv6.routing are those of the header, and
//     each label of MPLS is a layer. A field with # has no effect on the same field
//     elsewhere in the filter.
//   - infiniband.vendor is of opcodes that are not assigned, and not of XRC, FLUSH,
//     ATOMIC WRITE and CNP, whose headers are known here.
//   - len is for what has a length, and not for times and booleans.
//   - Regular expressions are those of Go's package regexp, which has no look-around
//     and no references, and whose $ is the end and not a newline in front of it.
//   - Text without quotes that looks like a misspelt field is an error. Names of
//     hosts are no addresses. There are no references to a selected packet, ${...},
//     since there is none.
package filter
