package linktype_test

import (
	"testing"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/linktype"
)

// Numbers and names are those of the registry of libpcap.
func TestString(t *testing.T) {
	for _, tt := range []struct {
		t    linktype.Type
		n    uint16
		want string
	}{
		{0, 0, "NULL"},
		{linktype.Ethernet, 1, "ETHERNET"},
		{linktype.Raw, 101, "RAW"},
		{105, 105, "IEEE802_11"},
		{linktype.LinuxSLL, 113, "LINUX_SLL"},
		{146, 146, "LinkType(146)"},
		{linktype.User0, 147, "USER0"},
		{148, 148, "USER1"},
		{linktype.User15, 162, "USER15"},
		{linktype.ERF, 197, "ERF"},
		{linktype.IPv4, 228, "IPV4"},
		{linktype.IPv6, 229, "IPV6"},
		{242, 242, "IPOIB"},
		{linktype.InfiniBand, 247, "INFINIBAND"},
		{linktype.LinuxSLL2, 276, "LINUX_SLL2"},
		{300, 300, "LinkType(300)"},
		{65535, 65535, "LinkType(65535)"},
	} {
		require.EqualValues(t, tt.n, tt.t)
		require.Equal(t, tt.want, tt.t.String())
	}
}

func TestDecode(t *testing.T) {
	p := gopacket.NewPacket(make([]byte, 64), linktype.Ethernet, gopacket.Default)
	require.NotNil(t, p.Layer(layers.LayerTypeEthernet))
	for n, want := range map[linktype.Type]string{
		300:  "linktype: no layer for link type 300 (LinkType(300))",
		276:  "linktype: no layer for link type 276 (LINUX_SLL2)",
		1025: "linktype: no layer for link type 1025 (LinkType(1025))", // 1 in eight bits
		200:  "Unable to decode LinkType 200",
	} {
		p := gopacket.NewPacket(make([]byte, 64), n, gopacket.Default)
		require.NotNil(t, p.ErrorLayer(), n)
		require.EqualError(t, p.ErrorLayer().Error(), want)
	}
}
