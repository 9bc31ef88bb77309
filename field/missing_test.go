package field_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/field"
	"github.com/ibwire/ibwire/testdata/wireshark"
)

func TestSuggest(t *testing.T) {
	for name, want := range map[string]string{
		"infiniband.bth.pns":   "infiniband.bth.psn",
		"infiniband.bth.qp":    "infiniband.bth.destqp",
		"psn":                  "infiniband.bth.psn",
		"slid":                 "infiniband.lrh.slid",
		"bth.destqp":           "infiniband.bth.destqp",
		"Infiniband.BTH.PSN":   "infiniband.bth.psn",
		"infiniband.lrh.scid":  "infiniband.lrh.slid",
		"infiniband.deth.qkey": "infiniband.deth.q_key",
		"erf.ehdr.type":        "erf.ehdr.types",
		"eht":                  "eth",
		"upd.port":             "udp.port",
		"infiniband.qp":        "infiniband.bth.destqp",
	} {
		near := field.Suggest(name)
		require.NotEmpty(t, near, name)
		require.Equal(t, want, near[0], name)
		require.LessOrEqual(t, len(near), 3)
	}
	for _, name := range []string{"tcp.window_size_value", "tcp", "arp", "icmp"} {
		require.Empty(t, field.Suggest(name), name)
	}
}

func TestMissing(t *testing.T) {
	for name, want := range map[string]string{
		"infiniband.mad.method":         ": management datagrams are payload here",
		"infiniband.portinfo.lid":       ": management datagrams are payload here",
		"ip.opt.type":                   ": options are not taken apart here",
		"ipv6.routing.type":             ": extension headers of IPv6 are not taken apart here",
		"erf.meta.section_none":         ": what ERF says of its sources and hosts is not taken apart here",
		"eth.src_resolved":              ": names, vendors and places are not looked up here",
		"frame.interface_id":            ": fields are about the packet, and not about the file or the user",
		"ip.tos":                        ": it is ip.dsfield here",
		"infiniband.invariant.crc.stat": "; is it infiniband.invariant.crc.status or infiniband.variant.crc.status or infiniband.invariant.crc?",
		"http.request":                  "",
	} {
		require.Equal(t, want, field.Missing(name), name)
	}
}

// Of the protocols of the table, each field of Wireshark is in the table, or there
// is a reason why not.
func TestFieldsOfWireshark(t *testing.T) {
	live(t)
	theirs, err := wireshark.TsharkFields()
	require.NoError(t, err)
	var unknown []string
	for name := range theirs {
		family, _, _ := strings.Cut(name, ".")
		ours := field.Lookup(family) != nil || family == "ieee8021ah" || family == "_ws"
		if ours && field.Lookup(name) == nil && !strings.HasPrefix(field.Missing(name), ": ") {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	require.Empty(t, unknown)
}
