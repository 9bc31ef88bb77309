package field_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/field"
	"github.com/ibwire/ibwire/linktype"
)

// A native packet without its CRCs, and headers of RoCE v2 packets.
const (
	send     = "00020002000800010440ffff00000123000000103031323334353637"
	ack      = "1140ffff00000123000000101f000005"
	ethernet = "0002c90000020002c90000010800"
	ipv4Ack  = "4502003012344000401114850a0000010a000002" + "12b70009001c0000" + ack + "e4e6c4bf"
)

// crcFields are the rows of CRCs, in the order of the table.
var crcFields = []string{
	"infiniband.invariant.crc", "infiniband.invariant.crc.status", "infiniband.invariant.crc.calculated",
	"infiniband.variant.crc", "infiniband.variant.crc.status", "infiniband.variant.crc.calculated",
}

// crcCases have the numbers and words of tshark 4.0.17 for ip.checksum and
// udp.checksum.
var crcCases = map[string]struct {
	link            linktype.Type
	wire            string
	row, json, tree string
}{
	"good": {
		linktype.InfiniBand, send + "d7a387384a60",
		"0xd7a38738 1 0xd7a38738 0x4a60 1 0x4a60",
		`{"infiniband.invariant.crc":3617818424,"infiniband.invariant.crc.status":1,"infiniband.invariant.crc.calculated":3617818424,` +
			`"infiniband.variant.crc":19040,"infiniband.variant.crc.status":1,"infiniband.variant.crc.calculated":19040}`,
		goodCRCs("d7a38738", "4a60"),
	},
	"bad": {
		linktype.InfiniBand, send + "010203040506",
		"0x01020304 0 0xd7a38738 0x0506 0 0x04d6",
		`{"infiniband.invariant.crc":16909060,"infiniband.invariant.crc.status":0,"infiniband.invariant.crc.calculated":3617818424,` +
			`"infiniband.variant.crc":1286,"infiniband.variant.crc.status":0,"infiniband.variant.crc.calculated":1238}`,
		`    Invariant CRC: 0x01020304 incorrect, should be 0xd7a38738
    [Invariant CRC Status: Bad]
    [Calculated CRC: 0xd7a38738]
    Variant CRC: 0x0506 incorrect, should be 0x04d6
    [Variant CRC Status: Bad]
    [Calculated CRC: 0x04d6]
`,
	},
	"unverified: PktLen too low": {
		linktype.InfiniBand, "00020002000700010440ffff000001230000001030313233343536375f78874e2926",
		"0x34353637 2 0xf7f41a14 0x5f78 2 0x56e8",
		`{"infiniband.invariant.crc":875902519,"infiniband.invariant.crc.status":2,"infiniband.invariant.crc.calculated":4159969812,` +
			`"infiniband.variant.crc":24440,"infiniband.variant.crc.status":2,"infiniband.variant.crc.calculated":22248}`,
		`    Invariant CRC: 0x34353637 [unverified]
    [Invariant CRC Status: Unverified]
    [Calculated CRC: 0xf7f41a14]
    Variant CRC: 0x5f78 [unverified]
    [Variant CRC Status: Unverified]
    [Calculated CRC: 0x56e8]
    Trailer: 874e2926
`,
	},
	"unverified: more options than can be computed with": {
		linktype.IPv6, "60000000011c3c40" + strings.Repeat("00", 32) + "111f" + strings.Repeat("00", 254) + "12b70009001c0000" + ack + "01020304",
		"0x01020304 2    ",
		`{"infiniband.invariant.crc":16909060,"infiniband.invariant.crc.status":2}`,
		"    Invariant CRC: 0x01020304 [unverified]\n    [Invariant CRC Status: Unverified]\n",
	},
	"not present": {
		linktype.InfiniBand, send,
		" 3   3 ",
		`{"infiniband.invariant.crc.status":3,"infiniband.variant.crc.status":3}`,
		"    [Invariant CRC Status: Not present]\n    [Variant CRC Status: Not present]\n" +
			"[Packet truncated: a length field counts more bytes than are there]\n",
	},
	"no VCRC": {
		linktype.InfiniBand, send + "d7a38738",
		"0xd7a38738 1 0xd7a38738  3 ",
		`{"infiniband.invariant.crc":3617818424,"infiniband.invariant.crc.status":1,"infiniband.invariant.crc.calculated":3617818424,"infiniband.variant.crc.status":3}`,
		"    Invariant CRC: 0xd7a38738 [correct]\n    [Invariant CRC Status: Good]\n    [Calculated CRC: 0xd7a38738]\n    [Variant CRC Status: Not present]\n",
	},
	"RoCE": {
		linktype.Ethernet, ethernet + ipv4Ack,
		"0xe4e6c4bf 1 0xe4e6c4bf   ",
		`{"infiniband.invariant.crc":3840328895,"infiniband.invariant.crc.status":1,"infiniband.invariant.crc.calculated":3840328895}`,
		"    Invariant CRC: 0xe4e6c4bf [correct]\n    [Invariant CRC Status: Good]\n    [Calculated CRC: 0xe4e6c4bf]\n",
	},
	"fragment": {
		linktype.Ethernet, ethernet + strings.Replace(ipv4Ack, "4000", "2000", 1),
		" 3    ",
		`{"infiniband.invariant.crc.status":3}`,
		"    [Invariant CRC Status: Not present]\n[Packet truncated: a length field counts more bytes than are there]\n",
	},
	"raw": {
		linktype.InfiniBand, "0000000200050001000012343031323334353637d839",
		"   0xd839 1 0xd839",
		`{"infiniband.variant.crc":55353,"infiniband.variant.crc.status":1,"infiniband.variant.crc.calculated":55353}`,
		"    Variant CRC: 0xd839 [correct]\n    [Variant CRC Status: Good]\n    [Calculated CRC: 0xd839]\n",
	},
	"link packet": { // nobody knows what its CRC covers
		linktype.ERF, "0000008000000000" + "19040016" + "00000006" + "0abc3def0000",
		"     ", `{}`, "",
	},
}

func TestCRCs(t *testing.T) {
	cols := columns(t, crcFields...)
	for name, c := range crcCases {
		f := &field.Frame{Packet: &ibwire.Packet{}, Number: 1}
		require.NoError(t, f.Decode(c.link, unhex(t, c.wire)), name)
		require.Equal(t, c.row, string(cols.AppendRow(nil, f, &field.Format{Separator: ' '})), name)
		require.Equal(t, c.json, string(cols.AppendJSON(nil, f)), name)
		tree := string(field.AppendTree(nil, f, nil))
		if c.tree == "" {
			require.NotContains(t, tree, "Status", name)
			continue
		}
		require.True(t, strings.HasSuffix(tree, c.tree), "%s: %s", name, tree)
		require.Equal(t, strings.Count(c.tree, "Status"), strings.Count(tree, "Status"), name)
	}
}

// Neither the verdict nor what comes of it allocates anything.
func TestCRCsAllocateNothing(t *testing.T) {
	cols := columns(t, crcFields...)
	f := &field.Frame{Packet: &ibwire.Packet{}}
	var buf []byte
	for name, c := range crcCases {
		data := unhex(t, c.wire)
		require.Zero(t, testing.AllocsPerRun(2, func() {
			_ = f.Decode(c.link, data)
			buf = cols.AppendRow(buf[:0], f, &field.Format{})
			buf = cols.AppendJSON(buf, f)
			buf = field.AppendTree(buf, f, nil)
		}), name)
	}
}

// A CRC alone is read from the packet, and nothing is computed: the verdict that
// is asked for afterwards knows of the damage in between.
func TestCRCsAreNotComputedUnlessAskedFor(t *testing.T) {
	for name, want := range map[string]ibwire.Status{
		"infiniband.invariant.crc": ibwire.Bad, "infiniband.variant.crc": ibwire.Bad,
		"infiniband.invariant.crc.status": ibwire.Good, "infiniband.variant.crc.calculated": ibwire.Good,
	} {
		f := decoded(t, send+"d7a387384a60")
		require.NotEmpty(t, columns(t, name).AppendRow(nil, f, &field.Format{}))
		f.Payload[0] ^= 1
		got := f.VCRC()
		if strings.HasPrefix(name, "infiniband.invariant") {
			got = f.ICRC()
		}
		require.Equal(t, want, got.Status, name)
	}
}
