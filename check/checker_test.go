package check_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/check"
)

// run checks packets, numbered from 1, and returns "packet code: text" of each
// finding.
func run(t *testing.T, o check.Options, frames ...frame) (found []string, counts check.Counts) {
	t.Helper()
	c, err := check.New(o)
	require.NoError(t, err)
	var findings []check.Finding
	for i, f := range frames {
		in := f.input()
		in.Number = int64(i + 1)
		findings = c.Append(findings, in)
	}
	for _, f := range c.End(findings) {
		found = append(found, fmt.Sprintf("%d %s: %s", f.Packet, f.Code, f.Text))
	}
	require.Empty(t, c.End(nil))
	return found, c.Counts()
}

// Packets of RoCE v2 from 10.0.0.1 to 10.0.0.2 and, in the last byte, elsewhere.
var (
	right = roce2(bth("04", "40", qp), eight)
	wrong = right.with(40, "ff")
)

const wrongText = "icrc: ICRC is 0xa00975ad, should be 0x3b5cf30e"

func TestDirections(t *testing.T) {
	const all = "icrc-direction: all 3 ICRCs from 10.0.0.1 to 10.0.0.2 are wrong: likely captured at the sender, before the adapter filled them in"
	other := roce2(bth("04", "40", qp), eight).with(12, "0a000002 0a000001") // the ICRC is that of the way back
	for _, c := range []struct {
		name   string
		frames []frame
		want   []string
	}{
		{"two are no direction", []frame{wrong, wrong}, []string{"1 " + wrongText, "2 " + wrongText}},
		{"three are", []frame{wrong, wrong, wrong}, []string{"1 " + all}},
		{"a right one behind them", []frame{wrong, wrong, wrong, right}, []string{"1 " + wrongText, "2 " + wrongText, "3 " + wrongText}},
		{"a right one before them", []frame{right, wrong, wrong, wrong}, []string{"2 " + wrongText, "3 " + wrongText, "4 " + wrongText}},
		{"right ones in other directions", []frame{wrong, backwards(right), wrong, backwards(right), wrong}, []string{"1 " + all}},
		{"cut ones tell nothing", []frame{wrong, right.snapped(1), wrong, wrong}, []string{"1 " + all}},
		{"two directions", []frame{other, wrong, other, wrong, other, wrong}, []string{
			"1 icrc-direction: all 3 ICRCs from 10.0.0.2 to 10.0.0.1 are wrong: likely captured at the sender, before the adapter filled them in", "2 " + all,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			found, _ := run(t, check.Options{}, c.frames...)
			require.Equal(t, c.want, found)
		})
	}
}

// backwards returns right on its way back, with the ICRC that it should have.
func backwards(f frame) frame {
	f = f.with(12, "0a000002 0a000001")
	in := f.input()
	return f.with(len(f.data)-4, fmt.Sprintf("%08x", in.ICRC().Expected))
}

// The addresses are those of the innermost header that has any.
func TestDirectionNames(t *testing.T) {
	const gids = "from fe80::2:c903:0:1111 to fe80::2:c903:0:2222 "
	for _, c := range []struct {
		frame frame
		want  string
	}{
		{send.with(20, "ff"), "from LID 1 to LID 2 "},
		{routed.with(60, "ff"), gids},
		{roce1(bth("04", "40", qp), eight).with(66, "ff"), gids},
	} {
		found, _ := run(t, check.Options{Only: []string{"icrc", "icrc-direction"}}, c.frame, c.frame, c.frame)
		require.Len(t, found, 1)
		require.Contains(t, found[0], c.want)
	}
}

// What is kept of wrong ICRCs has an end, but none goes uncounted.
func TestDirectionsAreBounded(t *testing.T) {
	many := make([]frame, 300)
	for i := range many {
		many[i] = wrong
	}
	found, _ := run(t, check.Options{}, append(many, right)...)
	require.Len(t, found, 257)
	require.Equal(t, "256 "+wrongText, found[255])
	require.Equal(t, "300 icrc: 44 more ICRCs from 10.0.0.1 to 10.0.0.2 are wrong, the last one in this packet", found[256])

	found, _ = run(t, check.Options{}, many...)
	require.Len(t, found, 1)
	require.Contains(t, found[0], "all 300 ICRCs")

	// From one address to many others, up to 16384, and some that are one too many.
	c, err := check.New(check.Options{})
	require.NoError(t, err)
	var all []check.Finding
	in := wrong.with(18, "0000").input()
	for i := range 1<<14 + 7 {
		in.Number = int64(i + 1)
		in.Data[18], in.Data[19] = byte(i>>8), byte(i) // of the destination
		require.NoError(t, in.Decode(wrong.link, in.Data))
		all = c.Append(all, in)
	}
	require.Empty(t, all)
	all = c.End(all)
	require.Len(t, all, 2)
	require.Equal(t, "all 16384 ICRCs from 10.0.0.1 to 16384 addresses are wrong: likely captured at the sender, before the adapter filled them in", all[0].Text)
	require.Equal(t, "7 more ICRCs are wrong, to and from more addresses than are told apart", all[1].Text)
	require.EqualValues(t, 1<<14+1, all[1].Packet)
}

// However wrong ICRCs are told, their counts add up.
func TestCountOfFindings(t *testing.T) {
	c, err := check.New(check.Options{})
	require.NoError(t, err)
	var all []check.Finding
	for range 1000 {
		all = c.Append(all, wrong.input())
	}
	all = c.Append(all, right.input())
	n := int64(0)
	for _, f := range all {
		require.Equal(t, "icrc", f.Code)
		n += f.Count
	}
	require.EqualValues(t, 1000, n)
	require.Empty(t, c.End(nil))
}

func TestOptions(t *testing.T) {
	// Breaks lver, bth-reserved6 and tver, and has no VCRC.
	odd := send.with(0, "01").with(9, "41").with(12, "10").cut(2)
	codes := func(o check.Options) (s []string) {
		c, err := check.New(o)
		require.NoError(t, err)
		for _, f := range append(c.Append(nil, odd.input()), c.End(nil)...) {
			s = append(s, f.Code)
		}
		return s
	}
	require.Equal(t, []string{"lver", "tver", "icrc"}, codes(check.Options{}))
	require.Equal(t, []string{"lver", "tver", "bth-reserved6", "icrc"}, codes(check.Options{Info: true}))
	require.Equal(t, []string{"tver"}, codes(check.Options{Ignore: []string{"lver", "icrc"}}))
	require.Equal(t, []string{"bth-reserved6"}, codes(check.Options{Only: []string{"bth-reserved6"}}))
	require.Equal(t, []string{"lver"}, codes(check.Options{Only: []string{"lver", "tver"}, Ignore: []string{"tver"}}))

	three := []frame{wrong, wrong, wrong}
	for _, c := range []struct {
		options check.Options
		want    int
	}{
		{check.Options{}, 1}, // icrc-direction
		{check.Options{Ignore: []string{"icrc"}}, 1},
		{check.Options{Ignore: []string{"icrc-direction"}}, 0},
		{check.Options{Ignore: []string{"icrc", "icrc-direction"}}, 0},
		{check.Options{Only: []string{"icrc"}}, 3},
		{check.Options{Only: []string{"icrc", "icrc-direction"}}, 1},
		{check.Options{Only: []string{"icrc-direction"}}, 1},
		{check.Options{Only: []string{"vcrc"}}, 0},
	} {
		found, _ := run(t, c.options, three...)
		require.Len(t, found, c.want, c.options)
	}
}

func TestCounts(t *testing.T) {
	doubtful := send.with(4, "0007") // 4 bytes behind the VCRC
	frames := []frame{send, wrong, right, ack.snapped(3), rawIP, doubtful, onUDP("12b8", eight), read.cut(2), send.with(33, "00")}
	_, counts := run(t, check.Options{}, frames...)
	require.EqualValues(t, 9, counts.Packets)
	require.EqualValues(t, 8, counts.InfiniBand)
	require.Equal(t, [4]int64{ibwire.NotPresent: 1, ibwire.Unverified: 1, ibwire.Good: 4, ibwire.Bad: 1}, counts.ICRC)
	require.Equal(t, [4]int64{ibwire.NotPresent: 2, ibwire.Unverified: 1, ibwire.Good: 2, ibwire.Bad: 1}, counts.VCRC)

	_, counts = run(t, check.Options{Ignore: []string{"icrc", "icrc-direction", "vcrc"}}, frames...)
	require.Equal(t, check.Counts{Packets: 9, InfiniBand: 8}, counts)
}

// A rule by itself needs no Checker.
func TestFind(t *testing.T) {
	r, err := check.Lookup("udplen-short")
	require.NoError(t, err)
	require.Equal(t, check.Error, r.Severity)
	require.Empty(t, r.Find(send.input()), "there is no UDP")
	for _, r := range check.Rules() {
		require.Empty(t, r.Find(&check.Input{Packet: &ibwire.Packet{}}), "nothing was decoded: %s", r.Code)
	}
}

// A direction can be asked for alone.
func TestOnlyDirections(t *testing.T) {
	o := check.Options{Only: []string{"icrc-direction"}}
	found, _ := run(t, o, wrong, wrong, wrong)
	require.Len(t, found, 1)
	found, _ = run(t, o, wrong, wrong, wrong, right, wrong)
	require.Empty(t, found)
}

// Of a packet that the capture has cut, the lengths in it may be wrong, and what
// stands in the place of a CRC may be none.
func TestCutPacketsHaveNoBadCRC(t *testing.T) {
	for _, f := range []frame{
		send.with(4, "0007").snapped(6), send.with(4, "0007").snapped(1), send.with(4, "0007").then("010203").snapped(2),
		wrong.snapped(0).then("ff").snapped(1),
	} {
		found, counts := run(t, check.Options{Info: true}, f)
		for _, text := range found {
			require.Regexp(t, "^1 (truncated|trailer|pktlen)", text)
		}
		require.Zero(t, counts.ICRC[ibwire.Bad])
		require.Zero(t, counts.VCRC[ibwire.Bad])
	}
}
