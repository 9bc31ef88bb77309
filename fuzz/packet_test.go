package fuzz_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/linktype"
)

// links are all link types that ibwire.Packet knows, and one that it does not.
var links = []linktype.Type{
	linktype.ERF, linktype.InfiniBand, linktype.Ethernet, linktype.IPv4, linktype.IPv6,
	linktype.Raw, linktype.LinuxSLL, linktype.LinuxSLL2, linktype.User0,
}

// checkPaths is checkFrame for the link type with a number.
func checkPaths(t *testing.T, link uint8, before, data []byte) {
	checkFrame(t, links[int(link)%len(links)], before, data)
}

func FuzzPaths(f *testing.F) {
	before := map[linktype.Type][]byte{}
	for _, x := range frames(f) {
		for i, link := range links {
			if link == x.link {
				f.Add(uint8(i), before[link], x.data)
			}
		}
		before[x.link] = x.data
	}
	for i, link := range links {
		f.Add(uint8(i), before[link], before[linktype.Ethernet])
	}
	f.Fuzz(checkPaths)
}

// checkPlausible checks the packet that input makes, behind an undamaged one of
// the same link type.
func checkPlausible(t *testing.T, input []byte) {
	c := &choices{input}
	before := makePacket(c)
	after := makePacket(c)
	if after.link != before.link {
		before.parts = nil
	}
	checkFrame(t, after.link, before.bytes(), damage(c, after))
}

func FuzzPlausible(f *testing.F) {
	randomInputs(300, func(input []byte) { f.Add(input) })
	f.Fuzz(checkPlausible)
}

func TestPlausible(t *testing.T) {
	randomInputs(5000, func(input []byte) { checkPlausible(t, input) })
}

// Packets that choices make, and nobody damages, come to what they were made
// for: or damage would be all that the fuzz engine ever sees.
func TestMadePackets(t *testing.T) {
	whole, inside := map[linktype.Type]int{}, map[ibwire.Layer]int{}
	randomInputs(4000, func(input []byte) {
		m := makePacket(&choices{input})
		var p ibwire.Packet
		if p.Decode(m.link, m.bytes()) == nil && p.HasICRC() && p.ICRC().Value == 0x1c1c1c1c {
			whole[m.link]++
			for _, h := range p.Headers {
				inside[h.Layer]++
			}
		}
	})
	for _, link := range links[:8] {
		require.Greater(t, whole[link], 10, link)
	}
	for _, tunnel := range []ibwire.Layer{ibwire.MPLS, ibwire.GRE, ibwire.ERSPANII, ibwire.ERSPANIII, ibwire.VXLAN, ibwire.Geneve, ibwire.Mirror} {
		require.Greater(t, inside[tunnel], 1, tunnel)
	}
}

// Inputs that once failed, by what was wrong. In all of them it was the
// comparison that expected too much.
func TestPastFailures(t *testing.T) {
	for _, c := range []struct {
		name   string
		link   linktype.Type
		before string
		data   string
	}{
		{"gopacket reads a CDP header behind the end of its slice", linktype.Ethernet, "000000000000 \x00\x00", ""},
		{"a header of IPv6 by its number behind IPv4", linktype.InfiniBand, "", "0000000000\b\x00%00000\x00\x000,000000000000000000"},
		{"gopacket gives IPv6 what is behind it, for its options", linktype.Ethernet, "",
			"000000000000\x86\xdd0000\x00\b\x00000000000000000000000000000000000,\x000\x04000000000000"},
		{"gopacket's packet and parser give UDP different bytes behind options", linktype.IPv6, "", unhex("60000000001a0040" +
			"0000000000000000000000000000000010111213141516171819 1a1b1c1d1e1f 1100302030303030" +
			"c03012b7001c0000 3030ffcf3030303030303030 30000000 1c1c1c1c")},
		{"IPv4 in IPv4", linktype.Ethernet, "", "000000000000\b\x00%00000\x00\x000\x040000000000%0000000000000000000"},
		{"a mirrored packet that ends in its LRH, and the parser's only LRH with it", linktype.InfiniBand, "",
			unhex("0000000100050002 00001123 00000000 00020001")},
		{"IPv6 in IPv6", linktype.InfiniBand, "", "01000000000000)" + strings.Repeat("0", 73)},
	} {
		t.Run(c.name, func(t *testing.T) {
			checkFrame(t, c.link, []byte(c.before), []byte(c.data))
			checkFrame(t, c.link, []byte(c.data), []byte(c.before))
		})
	}
}

// unhex returns the bytes of hexadecimal digits with blanks between them.
func unhex(s string) string {
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		panic(err) // a slip in a test's table
	}
	return string(b)
}
