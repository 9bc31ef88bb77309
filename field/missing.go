package field

import (
	"path"
	"slices"
	"strings"
)

// absent are the fields that Wireshark has of the protocols of the table, and the
// table has not, as patterns of path.Match: by why they are not there.
var absent = []struct {
	why   string
	names string
}{
	{"management datagrams are payload here", "infiniband.cm infiniband.cm.* infiniband.mad* infiniband.sa infiniband.sa.* infiniband.rmpp* infiniband.smp* " +
		"infiniband.*info infiniband.*info.* infiniband.*record infiniband.*record.* infiniband.*table infiniband.*table.* " +
		"infiniband.portcounters* infiniband.notice* infiniband.trap* infiniband.vendordiag* infiniband.nodedescription* infiniband.rawdata"},
	{"what a payload holds is not taken apart here", "infiniband.eoib* infiniband_sdp* data.text data.md5_hash data.uncompressed.*"},
	{"what ERF says of its sources and hosts is not taken apart here", "erf.meta* erf.source_meta* erf.anchor.frame"},
	{"options are not taken apart here", "ip.opt.* ip.options.* ip.cipso.* ip.*_rt ip.*_rt_host ip.nop ip.subopt* ip.evil_packet geneve.option geneve.option.*"},
	{"extension headers of IPv6 are not taken apart here", "ipv6.opt* ipv6.routing.* ipv6.fraghdr.* ipv6.hopopts.* ipv6.dstopts.*"},
	{"fragments are not put together here", "ip.fragment* ip.reassembled* ipv6.fragment* ipv6.reassembled*"},
	{"names, vendors and places are not looked up here", "*geoip* *_resolved *oui udp.proc.* vlan.id_name"},
	{"addresses are not taken apart here; a slice does it, as eth.dst[0] & 01", "eth.*ig eth.*lg ipv6.*6to4* ipv6.*embed* ipv6.*isatap* ipv6.*slaac* ipv6.*tc_* ipv6.*ts_*"},
	{"it is ip.dsfield here", "ip.tos ip.tos.* ip.flags.sf"},
	{"it is vlan.dei here", "vlan.cfi"},
	{"it is vlan.id or ieee8021ad.id here", "ieee8021ad.?vid"},
	{"the headers of 802.1ah are not taken apart here", "ieee8021ah ieee8021ah.*"},
	{"frames of 802.3 with lengths are not taken apart here", "eth.len vlan.len"},
	{"what is behind a packet is infiniband.trailer here", "eth.padding eth.trailer vlan.trailer ieee8021ah.trailer sll.trailer eth.fcs eth.fcs.status"},
	{"checksums of IP and UDP are not verified here", "ip.checksum* udp.checksum*"},
	{"fields are about one packet here", "udp.stream udp.time_* udp.pdu.size"},
	{"fields are about the packet, and not about the file or the user", "frame.bblog* frame.cb_* frame.coloring_rule* frame.comment* frame.drop_count " +
		"frame.encap_type frame.file_off frame.ignored frame.incomplete frame.interface_* frame.len_lt_caplen frame.link_nr frame.marked frame.md5_hash " +
		"frame.offset_shift frame.p2p_dir frame.packet_* frame.pcaplog* frame.ref_time frame.section_number frame.time_delta_displayed frame.time_invalid frame.verdict*"},
	{"columns and remarks on packets are not fields here", "_ws.* *.bogus_* *.invalid* *.past_end *_bad *.bad *.bad_zero *.incorrect *.version.unknown *.not_multicast " +
		"erf.checksum.error erf.ehdr.more_not_shown erf.packet_loss eth.src_not_group ip.ttl.* ipv6.plen_* ipv6.src_route_list.* udp.possible_traceroute vlan.too_many_tags"},
	{"these parts of GRE are not taken apart here", "gre.*3gpp2* gre.ggp2* gre.wccp.* gre.routing gre.routing.* gre.ack_number gre.flags.ack gre.key.*"},
	{"the generic extension of VXLAN is not taken apart here", "vxlan.?_bit vxlan.next_proto vxlan.reserved_16 vxlan.ver"},
	{"it is sll.etype or sll.src.other here", "sll.gretype sll.ltype sll.src.ipv4"},
}

// Missing says what there is to say of a name that is not in the table, to be put
// behind that: why a field of Wireshark is not there, or which names may have been
// meant. It may be nothing.
func Missing(name string) string {
	for _, a := range absent {
		for pattern := range strings.FieldsSeq(a.names) {
			if ok, _ := path.Match(pattern, name); ok {
				return ": " + a.why
			}
		}
	}
	if near := Suggest(name); near != nil {
		return "; is it " + strings.Join(near, " or ") + "?"
	}
	return ""
}

// Suggest returns up to three names that may have been meant by a name that is
// not in the table, the likeliest first.
func Suggest(name string) []string {
	const most = 3
	type candidate struct {
		name string
		far  int
	}
	var near []candidate
	name = strings.ToLower(name)
	last := lastPart(name)
	for _, fd := range table {
		if byName[fd.Name][0] != fd {
			continue
		}
		changes, end := distance(name, fd.Name), lastPart(fd.Name)
		far := 24 * changes
		switch {
		case end == last && last != fd.Name: // what is in front of it is missing, or wrong
			far = min(far, 20+3*changes)
		case len(last) > 1 && strings.HasSuffix(end, last) || len(last) > 2 && strings.Contains(end, last):
			far = 6 * changes // the likelier, the more of it is right
		case changes > min(max(2, len(name)/5), len(name)/3):
			continue
		}
		near = append(near, candidate{fd.Name, far})
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return a.far - b.far })
	var names []string
	for _, c := range near[:min(len(near), most)] {
		names = append(names, c.name)
	}
	return names
}

func lastPart(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// distance returns how many characters have to be changed, put in, taken out or
// swapped with the next one to make b of a.
func distance(a, b string) int {
	before, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		before, above, row = above, row, before
		row[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(above[j]+cost, above[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
