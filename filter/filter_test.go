package filter_test

import (
	"encoding/hex"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/field"
	"github.com/ibwire/ibwire/filter"
	"github.com/ibwire/ibwire/linktype"
)

// native is an RC RDMA READ Response Only from LID 3 to LID 7, of opcode 0x10
// and for queue pair 0x12345, with an AETH of syndrome 0x61 and the payload
// "Payload\x80".
const native = "f002000700090003" + "10407fff0001234500000007" + "61000102" + "5061796c6f616480" + "01020304" + "0506"

// roce is an RC RDMA WRITE Only with Immediate over UDP from 10.1.2.3, port
// 50000, to 10.1.2.4, port 4791.
const roce = "020000000002" + "020000000001" + "0800" +
	"45020040000040004011000" + "00a0102030a010204" + "c35012b7002c0000" +
	"0b00ffff0000000500000001" + "8000000000001000" + "00001234" + "00000010" + "deadbeef" + "00000000"

// decoded returns a frame of a packet.
func decoded(t testing.TB, link linktype.Type, digits string) *field.Frame {
	t.Helper()
	data, err := hex.DecodeString(digits)
	require.NoError(t, err)
	f := &field.Frame{Packet: &ibwire.Packet{}, Number: 5, Length: len(data), Captured: len(data)}
	f.Advance(time.Date(2026, 3, 4, 5, 6, 6, 0, time.UTC))
	f.Advance(time.Date(2026, 3, 4, 5, 6, 7, 890_000_000, time.UTC))
	require.NoError(t, f.Decode(link, data))
	return f
}

func compiled(t testing.TB, text string) *filter.Filter {
	t.Helper()
	f, err := filter.Compile(text)
	require.NoError(t, err, text)
	return f
}

// besides are filters that are not in the list that is compared with tshark: of
// fields that it does not have, and what this module takes besides.
var besides = map[string][2]bool{
	"":                              {true, true},
	" /* all */ ":                   {true, true},
	"infiniband.lrh // and no more": {true, false},
	"infiniband.lrh // native\n&& infiniband.aeth":        {true, false},
	"infiniband.lrh /* the * and / of a comment */ or ip": {true, true},
	"frame contains \"Pay/*load*/\"":                      {false, false},
	"infiniband.payload == \"Payload\\x80\"":              {true, false},
	"infiniband.payload == \"Payload\\200\"":              {true, false},
	"infiniband.payload contains \"pay\"":                 {false, false},
	"infiniband.payload matches \"^pay\"":                 {true, false},
	"infiniband.payload matches \"(?-i)^pay\"":            {false, false},
	`infiniband.payload matches "d\\x80$"`:                {true, false},
	`infiniband.payload matches "d\\x{80}$"`:              {true, false},
	`infiniband.payload matches "d\\200$"`:                {true, false},
	`infiniband.payload matches r"[\x7f-\xff]"`:           {true, false},
	`infiniband.payload matches "[\xa0]"`:                 {false, false}, // no other case of \x80
	"infiniband.bth.destqp == 0x12345":                    {true, false},
	"infiniband.lrh.slid == 3":                            {true, false},
	"infiniband.lrh.lnh == 2":                             {true, false},
	"infiniband.bth.p_key == 0xFFFF":                      {false, true},
	"infiniband.reth && !infiniband.immdt":                {false, false},
	"infiniband.bth.fecn == 0":                            {true, true},
	"infiniband.bth.becn":                                 {true, true},
	"infiniband.payload.length == 8":                      {true, false},
	"infiniband.invariant.crc.status == 0":                {true, true},
	"infiniband.trailer":                                  {false, false},
	"ibwire.truncated":                                    {false, false},
	"4791 == udp.port":                                    {false, true},
	"2 < infiniband.lrh.slid <= 3":                        {true, false},
	"2 < infiniband.lrh.slid < 3":                         {false, false},
	"2 * frame.number == 10":                              {true, true},
	"(frame.number + 1) * 2 == 12":                        {true, true},
	"frame.number-1 == 4":                                 {true, true},
	"frame.number/5 == 1":                                 {true, true},
	"frame.number > -5":                                   {true, true},
	"-5 < frame.number":                                   {true, true},
	"-frame.number & 3 == 3":                              {true, true},
	"-frame.number & -3 == -7":                            {true, true},
	"-frame.number / 2 == -2":                             {true, true},
	"-frame.number % 3 == -2":                             {true, true},
	"frame.number - 5 == 0 && frame.number - 5 == -0":     {true, true},
	"infiniband.bth.opcode & 0xe0 in {0, 0x60}":           {true, true},
	"frame[0:2] in {f0:02, 00}":                           {true, false},
	"frame[0:2] in {02:00 .. f0:02}":                      {true, true},
	"len(frame) in {36, 38}":                              {true, false},
	"all infiniband.lrh.slid in {3, 4} ":                  {true, false},
	"all udp.port in {4791, 50000}":                       {false, true},
	"all udp.port not in {1}":                             {true, true},
	"udp.port in {infiniband.lrh.slid}":                   {false, false},
	"udp.srcport in {udp.dstport .. 60000}":               {false, true},
	"ip.src == ip[12:4]":                                  {false, true},
	"ip.src & ip.dst == 10.1.2.0":                         {false, true},
	"eth.src & eth.dst == 02:00:00:00:00:00":              {false, true},
	"ip.addr#1 == 10.1.2.4":                               {false, true},
	"ip.addr#2":                                           {false, false},
	"infiniband.immdt#1 == de:ad:be:ef":                   {false, true},
	"frame.number#1 == 5":                                 {true, true},
	"frame.number#[2-3]":                                  {false, false},
	"infiniband.bth.opcode == \"reliable connection (rc) - rdma read response only\"": {true, false},
	"infiniband.aeth.syndrome.opcode == nak":                                          {true, false},
	"infiniband.reth.va == 0x8000000000001000":                                        {false, true},
	"infiniband.reth.va - 1 == 0x8000000000000fff":                                    {false, true},
	"infiniband.reth.va == 9223372036854779904":                                       {false, true},
	"infiniband.lrh.slid == '\\003'":                                                  {true, false},
	"infiniband.lrh.slid == '\\x3'":                                                   {true, false},
	"infiniband.bth.opcode == '\\v' or frame[0] == '\\''":                             {false, true},
	"frame.time == \"2026-03-04 05:06:07.89 UTC\"":                                    {true, true},
	"frame.time > \"2026-03-04T05:06:07.89Z\"":                                        {false, false},
	"frame.time >= \"2026-03-04T07:06:07.89+02\"":                                     {true, true},
	"frame.time < \"Mar  4, 2026 05:06:08 UTC\"":                                      {true, true},
	"frame.time in {\"2026-03-04Z\" .. \"2026-03-05Z\"}":                              {true, true},
	"frame.time_delta == 1.89":                                                        {true, true},
	"frame.time_delta - 2 == -0.11":                                                   {true, true},
	"frame.time_delta > 1.889999999 and frame.time_delta < 1.890000001":               {true, true},
	"frame.time_epoch == 1772600767.89":                                               {true, true},
	"abs(frame.time_delta - 2) < 0.2":                                                 {true, true},
	"max(2, frame.number, 9) == 9":                                                    {true, true},
	"min(infiniband.lrh.slid, infiniband.lrh.dlid, infiniband.bth.opcode) == 3":       {true, false},
	"min(udp.port) == 4791 && max(udp.port) == 50000":                                 {false, true},
	"upper(string(eth.src)) == \"02:00:00:00:00:01\"":                                 {false, true},
	"lower(frame.protocols)[0:3] == \"eth\"":                                          {false, true},
	"string(frame.number - 7) == \"-2\"":                                              {true, true},
	"len(string(infiniband.bth.opcode)) == 2":                                         {true, true},
	"any frame contains 0b and not all udp.port == 4791":                              {false, true},
	"!(infiniband.lrh) and !(udp.port > 50000)":                                       {false, true},
	"not infiniband.reth.va in {1, 2}":                                                {true, true},
	"infiniband.reth.va not in {1, 2}":                                                {true, true},
	"infiniband.reth.va != 1":                                                         {false, true},
}

func TestMatch(t *testing.T) {
	frames := samples(t)
	for text, want := range besides {
		f := compiled(t, text)
		require.Equal(t, text, f.String())
		for i, frame := range frames {
			require.Equal(t, want[i], f.Match(frame), "%s: packet %d", text, i)
		}
	}
}

// samples are packets of two kinds.
func samples(t testing.TB) []*field.Frame {
	t.Helper()
	return []*field.Frame{decoded(t, linktype.InfiniBand, native), decoded(t, linktype.Ethernet, roce)}
}

func BenchmarkMatch(b *testing.B) {
	frames := samples(b)
	for _, text := range []string{
		"infiniband.grh",
		"infiniband.bth.opcode == 4",
		"infiniband.bth.opcode & 0xE0 == 0x60",
		"infiniband.bth.destqp in {0x12, 0x15, 0x100..0x1ff}",
		"udp.port == 4791 && ip.addr == 10.0.0.0/8",
		"infiniband.bth.opcode == 17 && infiniband.aeth.syndrome.opcode != 0 || frame.len > 4096",
		`frame matches "load"`,
	} {
		b.Run(text, func(b *testing.B) {
			f := compiled(b, text)
			b.ReportAllocs()
			for b.Loop() {
				for _, frame := range frames {
					f.Match(frame)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(frames)), "ns/packet")
		})
	}
}
