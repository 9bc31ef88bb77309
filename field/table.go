package field

import (
	"iter"
	"math/bits"
	"path"
	"slices"
	"strings"

	"github.com/ibwire/ibwire"
)

// A group is the rows of a header, or of none.
type group struct {
	layer ibwire.Layer
	rows  []Field
}

// table has every row, in the order of JSON. That is the order of a packet with
// every header, and what is behind the headers is at the end.
var table = build(
	group{0, frameRows},
	group{ibwire.ERF, erfRows},
	group{ibwire.ERFExt, erfExtRows},
	group{ibwire.ERFSub, erfSubRows},
	group{ibwire.LinuxSLL, sllRows},
	group{ibwire.LinuxSLL2, sll2Rows},
	group{ibwire.Ethernet, ethernetRows},
	group{ibwire.VLAN, vlanRows},
	group{ibwire.IPv4, ipv4Rows},
	group{ibwire.IPv6, ipv6Rows},
	group{ibwire.IPv6Ext, ipv6ExtRows},
	group{ibwire.UDP, udpRows},
	group{ibwire.MPLS, mplsRows},
	group{ibwire.GRE, greRows},
	group{ibwire.ERSPANII, erspanIIRows},
	group{ibwire.ERSPANIII, erspanIIIRows},
	group{ibwire.VXLAN, vxlanRows},
	group{ibwire.Geneve, geneveRows},
	group{ibwire.LRH, lrhRows},
	group{ibwire.RWH, rwhRows},
	group{ibwire.Mirror, mirrorRows},
	group{ibwire.FlowControl, flowControlRows},
	group{ibwire.GRH, grhRows},
	group{ibwire.BTH, bthRows},
	group{ibwire.RDETH, rdethRows},
	group{ibwire.XRCETH, xrcethRows},
	group{ibwire.DETH, dethRows},
	group{ibwire.FETH, fethRows},
	group{ibwire.RETH, rethRows},
	group{ibwire.AtomicETH, atomicETHRows},
	group{ibwire.AETH, aethRows},
	group{ibwire.AtomicAckETH, atomicAckETHRows},
	group{ibwire.ImmDt, immDtRows},
	group{ibwire.IETH, iethRows},
	group{ibwire.CNP, cnpRows},
	group{0, endRows},
	group{0, restRows},
)

func build(groups ...group) []*Field {
	var all []*Field
	for _, g := range groups {
		for i := range g.rows {
			fd := &g.rows[i]
			fd.Layer = g.layer
			if fd.Length == 0 {
				fd.Length = fd.Kind.bytes()
			}
			if fd.Mask != 0 {
				fd.shift = uint8(bits.TrailingZeros64(fd.Mask))
			}
			all = append(all, fd)
		}
	}
	return all
}

// byLayer has the rows of each header, by the number of its bit.
var byLayer = func() (rows [64][]*Field) {
	for _, fd := range table {
		if fd.Layer != 0 {
			i := bits.TrailingZeros64(uint64(fd.Layer))
			rows[i] = append(rows[i], fd)
		}
	}
	return rows
}()

// byName has the rows of each name.
var byName = func() map[string][]*Field {
	rows := map[string][]*Field{}
	for _, fd := range table {
		rows[fd.Name] = append(rows[fd.Name], fd)
	}
	return rows
}()

// All returns the rows of the table in its order.
func All() iter.Seq[*Field] { return slices.Values(table) }

// Lookup returns the rows with a name, or nil.
func Lookup(name string) []*Field { return slices.Clone(byName[name]) }

// Match returns the first row of each name that a pattern fits, in the order of
// the table. A pattern with one of *, ? and [ has to fit the whole name, as
// path.Match has it; any other one is to be found in the name or the label,
// whatever the case. The empty pattern fits all.
func Match(pattern string) ([]*Field, error) {
	if _, err := path.Match(pattern, ""); err != nil {
		return nil, err
	}
	glob := strings.ContainsAny(pattern, "*?[")
	lower := strings.ToLower(pattern)
	var found []*Field
	for _, fd := range table {
		if byName[fd.Name][0] != fd {
			continue
		}
		fits := strings.Contains(strings.ToLower(fd.Name+"\n"+fd.Label), lower)
		if glob {
			fits, _ = path.Match(pattern, fd.Name)
		}
		if fits {
			found = append(found, fd)
		}
	}
	return found, nil
}
