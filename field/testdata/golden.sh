#!/usr/bin/env bash
# golden.sh: writes what tshark 4.0.17 shows of captures to *.tsv in this folder,
# for the packets that it takes apart right. Names of the fields are in the first
# line that is no comment.
set -euo pipefail
cd "$(dirname "$0")"
captures=../../testdata

# The dissectors that guess at payloads are off: they hide fields of InfiniBand.
off=(tftp rpcordma smb_direct nvme-rdma lnet iser smc fcoib infiniband_sdp)

# Of the opcodes tshark knows the headers of RC 0-20, 22, 23, of UC and of UD.
known='infiniband.bth.opcode <= 20 or infiniband.bth.opcode in {22,23,32..43,100,101}'

frame='frame.number frame.len frame.cap_len frame.time_epoch frame.time_relative frame.time_delta'
transport='infiniband.bth.opcode infiniband.bth.se infiniband.bth.m infiniband.bth.padcnt infiniband.bth.tver
	infiniband.bth.p_key infiniband.reserved infiniband.bth.destqp infiniband.bth.a infiniband.bth.reserved7
	infiniband.bth.psn infiniband.deth.q_key infiniband.deth.srcqp infiniband.reth.va infiniband.reth.r_key
	infiniband.reth.dmalen infiniband.atomiceth.swapdt infiniband.atomiceth.cmpdt infiniband.aeth
	infiniband.aeth.syndrome infiniband.aeth.syndrome.opcode infiniband.aeth.syndrome.credit_count
	infiniband.aeth.syndrome.timer infiniband.aeth.syndrome.reserved_value infiniband.aeth.syndrome.error_code
	infiniband.aeth.msn infiniband.atomicacketh.origremdt infiniband.immdt infiniband.ieth'
lrh='infiniband.lrh infiniband.lrh.vl infiniband.lrh.lver infiniband.lrh.sl infiniband.lrh.reserved2
	infiniband.lrh.lnh infiniband.lrh.dlid infiniband.lrh.reserved5 infiniband.lrh.pktlen infiniband.lrh.slid'
grh='infiniband.grh.ipver infiniband.grh.tclass infiniband.grh.flowlabel infiniband.grh.paylen
	infiniband.grh.nxthdr infiniband.grh.hoplmt infiniband.grh.sgid infiniband.grh.dgid'
crc='infiniband.invariant.crc infiniband.variant.crc'

golden() { # NAME FILTER FIELD...
	local name=$1 filter=$2
	shift 2
	local options=() disable=()
	for f in "$@"; do options+=(-e "$f"); done
	for p in "${off[@]}"; do disable+=(--disable-protocol "$p"); done
	{
		echo "# $(tshark -v 2>/dev/null | head -n 1 | cut -d ' ' -f 1-3)"
		echo "# tshark -n -r $name -Y '$filter' -T fields -E header=y ${disable[*]} -e ..."
		tshark -n -r "$captures/$name" -Y "$filter" -T fields -E header=y "${disable[@]}" "${options[@]}" 2>/dev/null
	} >"${name%.pcap}.tsv"
}

# Where the fields are lists they are meant to be split.
# shellcheck disable=SC2086
{
	golden native.erf.pcap "$known" $frame erf.ts erf.rlen erf.wlen $lrh $grh $transport $crc
	golden rocev1.pcap "$known" $frame eth.dst eth.src eth.addr eth.type $grh $transport $crc
	golden rocev2-ipv4.pcap "$known" $frame ip.src ip.dst ip.addr ip.dsfield.dscp ip.dsfield.ecn ip.id ip.ttl udp.port udp.length $transport $crc
	golden rocev2-ipv6.pcap "$known" $frame ipv6.src ipv6.dst ipv6.tclass ipv6.flow ipv6.plen udp.srcport udp.dstport udp.checksum $transport $crc
	golden erf-types.pcap 'erf' $frame $(sed -n 's/.*Name: "\(erf\.[^"]*\)".*/\1/p' ../rows_erf*.go)
}
