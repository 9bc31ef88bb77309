package field_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/field"
	"github.com/ibwire/ibwire/testdata"
)

// captures are all files that the tests of this package read.
func captures(t testing.TB) []string {
	t.Helper()
	own, err := filepath.Glob("testdata/*.pcap")
	require.NoError(t, err)
	require.NotEmpty(t, own)
	return append(append(testdata.Glob(t, "*.pcap"), testdata.Glob(t, "*.erf")...), own...)
}

var wellFormed = regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[a-z0-9_]+)*$`)

func TestRowsAreWellFormed(t *testing.T) {
	type place struct {
		name   string
		label  string
		layer  uint64
		offset int
		mask   uint64
	}
	seen := map[place]bool{}
	for fd := range field.All() {
		require.Regexp(t, wellFormed, fd.Name)
		require.NotEmpty(t, fd.Label, fd.Name)
		require.NotContains(t, fd.Kind.String(), "Kind(", fd.Name)
		p := place{fd.Name, fd.Label, uint64(fd.Layer), fd.Offset, fd.Mask}
		require.False(t, seen[p], "two rows: %+v", p)
		seen[p] = true

		if fd.Kind.IsNumber() && fd.Layer != 0 {
			require.Positive(t, fd.Length, fd.Name)
			require.LessOrEqual(t, fd.Length, 8, fd.Name)
		}
		if fd.Mask != 0 {
			require.Zero(t, fd.Mask>>(8*fd.Length), "%s: the mask is wider than the bytes", fd.Name)
			bits := fd.Mask / (fd.Mask & -fd.Mask)
			hole := fd.Name == "vxlan.flags_reserved" // as in tshark
			require.Equal(t, hole, bits&(bits+1) != 0, "%s: the mask has a hole", fd.Name)
		}
	}
}

// All rows of a name are of one kind, so that a column has one.
func TestNamesHaveOneKind(t *testing.T) {
	for fd := range field.All() {
		for _, other := range field.Lookup(fd.Name) {
			if strings.HasPrefix(fd.Name, "sll.") {
				continue // the two versions differ in width, as in tshark
			}
			require.Equal(t, fd.Kind, other.Kind, fd.Name)
			if fd.Name != "ip.version" { // IPv4's own, and a second name in IPv6
				require.Equal(t, fd.Alias, other.Alias, fd.Name)
			}
		}
	}
}

// Every row is reached by a packet of some capture.
func TestEveryRowIsReached(t *testing.T) {
	reached := map[*field.Field]bool{}
	for _, file := range captures(t) {
		each(t, file, func(f *field.Frame, _ error) {
			for v := range f.Values() {
				reached[v.Field] = true
			}
		})
	}
	for fd := range field.All() {
		if !reached[fd] {
			t.Errorf("%s of %v (offset %d) is in no packet of the captures", fd.Name, fd.Layer, fd.Offset)
		}
	}
}

func TestLookup(t *testing.T) {
	require.Len(t, field.Lookup("infiniband.bth.psn"), 1)
	require.Len(t, field.Lookup("infiniband.reth.va"), 2, "RETH and AtomicETH")
	require.Empty(t, field.Lookup("infiniband.bth.pns"))
}

func names(rows []*field.Field) (names []string) {
	for _, fd := range rows {
		names = append(names, fd.Name)
	}
	return names
}

func TestMatch(t *testing.T) {
	for pattern, want := range map[string][]string{
		"infiniband.reth.*": {"infiniband.reth.va", "infiniband.reth.r_key", "infiniband.reth.dmalen"},
		"*.ps?":             {"infiniband.bth.psn"},
		"queue key":         {"infiniband.deth.q_key"},
		"BECN":              {"infiniband.bth.becn"},
		"no such thing":     nil,
		"infiniband.reserv": {"infiniband.reserved"},
	} {
		found, err := field.Match(pattern)
		require.NoError(t, err)
		require.Equal(t, want, names(found), pattern)
	}
	all, err := field.Match("")
	require.NoError(t, err)
	seen := map[string]bool{}
	for fd := range field.All() {
		seen[fd.Name] = true
	}
	require.Len(t, all, len(seen), "each name once")
	_, err = field.Match("a[")
	require.Error(t, err)
}

func TestUnknownColumn(t *testing.T) {
	_, err := field.NewColumns("frame.number", "infiniband.bth.pns")
	require.ErrorContains(t, err, `field: no field is named "infiniband.bth.pns"; is it infiniband.bth.psn`)
	_, err = field.NewColumns("nonsense.altogether")
	require.EqualError(t, err, `field: no field is named "nonsense.altogether"`)
}

// Names of values are those of the tree, in capitals or not.
func TestValueOf(t *testing.T) {
	for _, c := range []struct {
		field, name string
		want        uint64
		ok          bool
	}{
		{"infiniband.bth.opcode", "Reliable Connection (RC) - SEND First", 0, true},
		{"infiniband.bth.opcode", "reliable connection (rc) - acknowledge", 17, true},
		{"infiniband.bth.opcode", "Acknowledge", 0, false},
		{"infiniband.bth.opcode", "", 0, false},
		{"infiniband.aeth.syndrome.opcode", "Nak", 3, true},
		{"eth.type", "RDMA over Converged Ethernet", 0x8915, true},
		{"vlan.dei", "Eligible", 1, true},
		{"ip.flags.df", "not set", 0, true},
		{"ipv6.tclass.dscp", "Expedited Forwarding", 46, true},
		{"infiniband.lrh.slid", "1", 0, false},
	} {
		n, ok := field.Lookup(c.field)[0].ValueOf(c.name)
		require.Equal(t, c.ok, ok, "%s: %s", c.field, c.name)
		require.Equal(t, c.want, n, "%s: %s", c.field, c.name)
	}
	row := func(name string) *field.Field { return field.Lookup(name)[0] }
	require.Equal(t, []string{"PSN Sequence Error"}, row("infiniband.aeth.syndrome.error_code").NamesWith("psn", 3))
	require.Equal(t, []string{"Not set", "Set"}, row("ip.flags.df").NamesWith("SET", 3))
	require.Equal(t, []string{"Reliable Connection (RC) - Acknowledge"}, row("infiniband.bth.opcode").NamesWith("acknowledge", 1))
	require.Empty(t, row("infiniband.bth.opcode").NamesWith("no such name", 3))
	require.Empty(t, row("infiniband.lrh.slid").NamesWith("", 3))
	named := 0
	for fd := range field.All() {
		if fd.HasNames() {
			named++
		}
		_, ok := fd.ValueOf("no such name")
		require.False(t, ok, fd.Name)
	}
	require.Greater(t, named, 20)
}
