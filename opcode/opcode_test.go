package opcode_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/opcode"
)

// rows reads a table of testdata: lines of tab-separated columns.
func rows(t *testing.T, name string) [][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	var rows [][]string
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
		}
	}
	return rows
}

func hex(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.ParseUint(s, 16, 8)
	require.NoError(t, err)
	return int(n)
}

// Wireshark's names are ours, in full for every opcode that it knows; its Info
// texts are too, but for RD, which it calls DC.
func TestNamesAreWiresharks(t *testing.T) {
	named := map[opcode.Opcode]bool{}
	for _, r := range rows(t, "wireshark.tsv") {
		o := opcode.Opcode(hex(t, r[0]))
		named[o] = true
		require.Equal(t, r[1], o.String())
		if r[2] != "" && o.Transport() != opcode.RD {
			require.Equal(t, r[2], o.Info())
		}
	}
	require.Equal(t, 90, len(named))
	for i := range 256 {
		o := opcode.Opcode(i)
		switch {
		case named[o]:
		case o == opcode.RoCECNP:
			require.Equal(t, "CNP (RoCEv2)", o.String())
		default:
			require.Equal(t, fmt.Sprintf("Opcode(0x%02x)", i), o.String())
			require.False(t, o.Assigned(), o)
		}
	}
}

func TestInfo(t *testing.T) {
	for o, want := range map[opcode.Opcode]string{
		opcode.RDSendLastImm: "RD Send Last Immediate",
		opcode.RDResync:      "RD Resync",
		opcode.RDFlush:       "RD Flush",
		opcode.RCAtomicWrite: "RC Atomic Write",
		opcode.XRCSendOnly:   "XRC Send Only",
		opcode.XRCCmpSwap:    "XRC Compare Swap",
		opcode.NativeCNP:     "CNP",
		opcode.RoCECNP:       "CNP (RoCEv2)",
		0x15:                 "Unknown OpCode 0x15",
		0x99:                 "Unknown OpCode 0x99",
		0xc1:                 "Unknown OpCode 0xc1",
	} {
		require.Equal(t, want, o.Info())
	}
}

// The headers of all 256 values, against a list that was typed by itself.
func TestHeaders(t *testing.T) {
	seen := 0
	for _, r := range rows(t, "headers.tsv") {
		from, to, _ := strings.Cut(r[0], "-")
		for i := hex(t, from); i <= hex(t, to); i++ {
			seen++
			o := opcode.Opcode(i)
			require.Equal(t, r[2], o.Sequence().String(), "%#02x", i)
			require.Equal(t, o.Sequence().Headers(), o.Headers(), "%#02x", i)
			require.Equal(t, strings.Contains(r[2], "PAYLD"), o.HasPayload(), "%#02x", i)
			if r[1] != "-" {
				require.Equal(t, r[1], strconv.Itoa(int(o.Sequence())), "%#02x", i)
			} else if o.Transport() != opcode.XRC {
				require.Greater(t, int(o.Sequence()), 26, "%#02x", i)
			}
		}
	}
	require.Equal(t, 256, seen)
}

func TestSequences(t *testing.T) {
	for n, want := range []string{
		"RDETH DETH PAYLD",
		"RDETH DETH RETH PAYLD",
		"RDETH DETH ImmDt PAYLD",
		"RDETH DETH RETH ImmDt PAYLD",
		"RDETH DETH RETH",
		"RDETH AETH PAYLD",
		"RDETH PAYLD",
		"RDETH AETH",
		"RDETH AETH AtomicAckETH",
		"RDETH DETH AtomicETH",
		"RDETH DETH",
		"DETH PAYLD",
		"DETH ImmDt PAYLD",
		"PAYLD",
		"ImmDt PAYLD",
		"RETH PAYLD",
		"RETH ImmDt PAYLD",
		"RETH",
		"AETH PAYLD",
		"AETH",
		"AETH AtomicAckETH",
		"AtomicETH",
		"IETH PAYLD",
		"DCCETH PAYLD",
		"FETH RETH",
		"RDETH FETH RETH",
		"RDETH RETH PAYLD",
	} {
		require.Equal(t, want, opcode.Sequence(n).String())
	}
	require.Equal(t, "Sequence(38)", opcode.Sequence(38).String())
	require.Zero(t, opcode.Sequence(38).Headers())
	require.False(t, opcode.Sequence(38).HasPayload())
	require.Equal(t, opcode.Sequence(37), opcode.Opaque)
	for i := range 256 {
		require.NotEqual(t, opcode.Sequence(23), opcode.Opcode(i).Sequence(), "DCCETH has no opcode")
	}
}

func TestHeaderSet(t *testing.T) {
	sizes := []struct {
		h    opcode.HeaderSet
		name string
		size int
	}{
		{opcode.RDETH, "RDETH", 4},
		{opcode.XRCETH, "XRCETH", 4},
		{opcode.DETH, "DETH", 8},
		{opcode.DCCETH, "DCCETH", 16},
		{opcode.FETH, "FETH", 4},
		{opcode.RETH, "RETH", 16},
		{opcode.AtomicETH, "AtomicETH", 28},
		{opcode.AETH, "AETH", 4},
		{opcode.AtomicAckETH, "AtomicAckETH", 8},
		{opcode.ImmDt, "ImmDt", 4},
		{opcode.IETH, "IETH", 4},
		{opcode.CNPRsv, "CNP", 16},
	}
	total, all := 0, opcode.HeaderSet(0)
	for i, s := range sizes {
		require.Equal(t, i, s.h.Index())
		require.Equal(t, s.name, s.h.String())
		require.Equal(t, s.size, s.h.Size())
		require.Equal(t, s.h, s.h.First())
		require.Zero(t, s.h.Rest())
		total, all = total+s.size, all|s.h
	}
	require.Equal(t, opcode.AllHeaders, all)
	require.Equal(t, total, all.Size())
	require.Equal(t, total, (all | 0xf000).Size(), "bits that are no header count nothing")
	require.True(t, all.Has(opcode.RETH|opcode.ImmDt))
	require.False(t, opcode.RETH.Has(opcode.RETH|opcode.ImmDt))

	set := opcode.RDETH | opcode.DETH | opcode.RETH | opcode.ImmDt
	var order []string
	for h := range set.All() {
		order = append(order, h.String())
		if h == opcode.RETH {
			break
		}
	}
	require.Equal(t, []string{"RDETH", "DETH", "RETH"}, order)
	require.Empty(t, opcode.HeaderSet(0).String())
	require.Equal(t, 16, opcode.HeaderSet(0).Index())
}

func TestTransportAndOperation(t *testing.T) {
	type facts struct {
		transport opcode.Transport
		operation opcode.Operation
		position  opcode.Position
		request   bool
		response  bool
	}
	for o, want := range map[opcode.Opcode]facts{
		opcode.RCSendFirst:          {opcode.RC, opcode.SendFirst, opcode.First, true, false},
		opcode.UCWriteMiddle:        {opcode.UC, opcode.WriteMiddle, opcode.Middle, true, false},
		opcode.RDReadResponseFirst:  {opcode.RD, opcode.ReadResponseFirst, opcode.First, false, true},
		opcode.RDReadResponseMiddle: {opcode.RD, opcode.ReadResponseMiddle, opcode.Middle, false, true},
		opcode.RCReadResponseLast:   {opcode.RC, opcode.ReadResponseLast, opcode.Last, false, true},
		opcode.XRCReadResponseOnly:  {opcode.XRC, opcode.ReadResponseOnly, opcode.Only, false, true},
		opcode.RDResync:             {opcode.RD, opcode.Resync, opcode.Only, true, false},
		opcode.UDSendOnlyImm:        {opcode.UD, opcode.SendOnlyImm, opcode.Only, true, false},
		opcode.XRCSendLastInv:       {opcode.XRC, opcode.SendLastInv, opcode.Last, true, false},
		opcode.RCAcknowledge:        {opcode.RC, opcode.Acknowledge, opcode.Only, false, true},
		opcode.RCAtomicAcknowledge:  {opcode.RC, opcode.AtomicAcknowledge, opcode.Only, false, true},
		opcode.RCReadRequest:        {opcode.RC, opcode.ReadRequest, opcode.Only, true, false},
		opcode.RCFlush:              {opcode.RC, opcode.Flush, opcode.Only, true, false},
		opcode.NativeCNP:            {opcode.CNP, opcode.NoOperation, opcode.NoPosition, false, false},
		opcode.RoCECNP:              {opcode.CNP, opcode.NoOperation, opcode.NoPosition, false, false},
		0x15:                        {opcode.RC, opcode.NoOperation, opcode.NoPosition, false, false},
		0x31:                        {opcode.UC, opcode.NoOperation, opcode.NoPosition, false, false},
		0xc4:                        {opcode.Manufacturer, opcode.NoOperation, opcode.NoPosition, false, false},
		0xff:                        {opcode.Manufacturer, opcode.NoOperation, opcode.NoPosition, false, false},
	} {
		got := facts{o.Transport(), o.Operation(), o.Operation().Position(), o.IsRequest(), o.IsResponse()}
		require.Equal(t, want, got, o)
	}
}

// The long name of an opcode is made of the names of its transport and its
// operation; Wireshark writes "only" small for UD.
func TestOperationNames(t *testing.T) {
	for i := range 256 {
		o := opcode.Opcode(i)
		if o.Operation() == opcode.NoOperation {
			continue
		}
		require.True(t, strings.HasSuffix(strings.ToLower(o.String()), "("+strings.ToLower(o.Transport().String()+") - "+o.Operation().String())), o)
	}
}

func TestStringsOfValuesWithoutName(t *testing.T) {
	require.Equal(t, "Operation(24)", opcode.Operation(0x18).String())
	require.Equal(t, "Operation(255)", opcode.NoOperation.Info())
	require.Equal(t, "Transport(9)", opcode.Transport(9).String())
	require.Equal(t, "Position(5)", (opcode.Only + 1).String())
	require.Equal(t, "No position", opcode.NoPosition.String())
	for p, want := range map[opcode.Position]string{opcode.First: "First", opcode.Middle: "Middle", opcode.Last: "Last", opcode.Only: "Only"} {
		require.Equal(t, want, p.String())
	}
}

// The package must stay usable without gopacket.
func TestImportsOnlyStandardLibrary(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, i := range f.Imports {
			require.NotContains(t, i.Path.Value, ".", "%s imports %s", name, i.Path.Value)
		}
	}
}
