package erf_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/erf"
)

// types is written by hand after the format's list of types.
var types = []struct {
	number    uint8
	name      string
	subHeader int
	color     bool
	constant  erf.Type
}{
	{0, "LEGACY", 0, false, erf.TypeLegacy},
	{1, "HDLC_POS", 0, false, erf.TypeHDLCPOS},
	{2, "ETH", 2, false, erf.TypeETH},
	{3, "ATM", 0, false, erf.TypeATM},
	{4, "AAL5", 0, false, erf.TypeAAL5},
	{5, "MC_HDLC", 4, false, erf.TypeMCHDLC},
	{6, "MC_RAW", 4, false, erf.TypeMCRaw},
	{7, "MC_ATM", 4, false, erf.TypeMCATM},
	{8, "MC_RAW_CHANNEL", 4, false, erf.TypeMCRawChannel},
	{9, "MC_AAL5", 4, false, erf.TypeMCAAL5},
	{10, "COLOR_HDLC_POS", 0, true, erf.TypeColorHDLCPOS},
	{11, "COLOR_ETH", 2, true, erf.TypeColorETH},
	{12, "MC_AAL2", 4, false, erf.TypeMCAAL2},
	{13, "IP_COUNTER", 0, false, erf.TypeIPCounter},
	{14, "TCP_FLOW_COUNTER", 0, false, erf.TypeTCPFlowCounter},
	{15, "DSM_COLOR_HDLC_POS", 0, true, erf.TypeDSMColorHDLCPOS},
	{16, "DSM_COLOR_ETH", 2, true, erf.TypeDSMColorETH},
	{17, "COLOR_MC_HDLC_POS", 4, true, erf.TypeColorMCHDLCPOS},
	{18, "AAL2", 4, false, erf.TypeAAL2},
	{19, "COLOR_HASH_POS", 0, true, erf.TypeColorHashPOS},
	{20, "COLOR_HASH_ETH", 2, true, erf.TypeColorHashETH},
	{21, "INFINIBAND", 0, false, erf.TypeInfiniband},
	{22, "IPV4", 0, false, erf.TypeIPv4},
	{23, "IPV6", 0, false, erf.TypeIPv6},
	{24, "RAW_LINK", 0, false, erf.TypeRawLink},
	{25, "INFINIBAND_LINK", 0, false, erf.TypeInfinibandLink},
	{27, "META", 0, false, erf.TypeMeta},
	{28, "OMNI-PATH_SNC", 0, false, erf.TypeOmniPathSNC},
	{29, "OMNI-PATH", 0, false, erf.TypeOmniPath},
	{32, "INTERNAL0", 0, false, erf.TypeInternal0},
	{47, "INTERNAL15", 0, false, erf.TypeInternal15},
	{48, "PAD", 0, false, erf.TypePad},
}

func TestTypes(t *testing.T) {
	known := map[uint8]bool{}
	for _, tt := range types {
		known[tt.number] = true
		typ := erf.Type(tt.number)
		require.Equal(t, typ, tt.constant, tt.name)
		require.Equal(t, tt.name, typ.String())
		require.Equal(t, tt.subHeader, typ.SubHeaderSize(), tt.name)
		require.Equal(t, tt.color, typ.HasColor(), tt.name)
	}
	for n := range 256 {
		typ := erf.Type(n)
		switch {
		case known[uint8(n)]:
			continue
		case n > 32 && n < 47:
			require.Equal(t, fmt.Sprintf("INTERNAL%d", n-32), typ.String())
		default:
			require.Equal(t, fmt.Sprintf("Type(%d)", n), typ.String())
		}
		require.Zero(t, typ.SubHeaderSize(), n)
		require.False(t, typ.HasColor(), n)
	}
}

func TestExtTypes(t *testing.T) {
	want := map[erf.ExtType]string{
		3: "Classification", 4: "InterceptID", 5: "Raw Link", 6: "BFS", 12: "Channelised", 14: "Signature",
		15: "Packet ID", 16: "Flow ID", 17: "Host ID", 18: "Anchor ID", 19: "Entropy",
	}
	for n := range 256 {
		typ := erf.ExtType(n)
		name, ok := want[typ]
		if !ok {
			name = fmt.Sprintf("ExtType(%d)", n)
		}
		require.Equal(t, name, typ.String())
	}
	require.Equal(t, []erf.ExtType{3, 4, 5, 6, 12, 14, 15, 16, 17, 18, 19}, []erf.ExtType{
		erf.ExtClassification, erf.ExtInterceptID, erf.ExtRawLink, erf.ExtBFS, erf.ExtChannelised, erf.ExtSignature,
		erf.ExtPacketID, erf.ExtFlowID, erf.ExtHostID, erf.ExtAnchorID, erf.ExtEntropy,
	})
}

func TestFlags(t *testing.T) {
	masks := []erf.Flags{erf.FlagInterface, erf.FlagVLen, erf.FlagTrunc, erf.FlagRxError, erf.FlagDSError, erf.FlagReserved}
	require.Equal(t, []erf.Flags{0x03, 0x04, 0x08, 0x10, 0x20, 0xc0}, masks)
	require.Equal(t, 3, erf.Flags(0xff).Interface())
	require.Equal(t, 2, erf.Flags(0x06).Interface())
	require.True(t, erf.Flags(0x16).Has(erf.FlagRxError))
	require.False(t, erf.Flags(0xef).Has(erf.FlagRxError))
}
