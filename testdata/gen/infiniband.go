package main

import (
	"encoding/binary"
	"net/netip"
)

// LRH.LNH: what follows the LRH.
const (
	lnhRaw = iota
	lnhIPv6
	lnhLocal
	lnhGlobal
)

const (
	lrhSize  = 8
	grhSize  = 40
	bthSize  = 12
	icrcSize = 4
)

type lrh struct {
	vl, lver, sl, reserved2, lnh uint64
	dlid                         uint64
	reserved5, pktLen            uint64
	slid                         uint64
}

func newLRH(v *values, lnh uint64) lrh {
	return lrh{
		vl:        v.Uint64N(15), // VL15 is for management
		lver:      v.spare(),
		sl:        v.Uint64(),
		reserved2: v.spare(),
		lnh:       lnh,
		dlid:      v.unicastLID(),
		reserved5: v.spare(),
		slid:      v.unicastLID(),
	}
}

func (h lrh) header() header {
	return newHeader("LRH", "lrh",
		num("infiniband.lrh.vl", 4, h.vl),
		num("infiniband.lrh.lver", 4, h.lver),
		num("infiniband.lrh.sl", 4, h.sl),
		num("infiniband.lrh.reserved2", 2, h.reserved2),
		num("infiniband.lrh.lnh", 2, h.lnh),
		num("infiniband.lrh.dlid", 16, h.dlid),
		num("infiniband.lrh.reserved5", 5, h.reserved5),
		num("infiniband.lrh.pktlen", 11, h.pktLen),
		num("infiniband.lrh.slid", 16, h.slid),
	)
}

// nxtHdrBTH is the GRH.NxtHdr of IBA transport.
const nxtHdrBTH = 0x1b

type grh struct {
	ipVer, tClass, flowLabel uint64
	payLen, nxtHdr, hopLmt   uint64
	sgid, dgid               netip.Addr
}

func newGRH(v *values) grh {
	return grh{
		ipVer:     6,
		tClass:    v.Uint64(),
		flowLabel: v.Uint64(),
		nxtHdr:    nxtHdrBTH,
		hopLmt:    v.Uint64(),
		sgid:      v.gid(),
		dgid:      v.gid(),
	}
}

func (h grh) header() header {
	return newHeader("GRH", "grh",
		num("infiniband.grh.ipver", 4, h.ipVer),
		num("infiniband.grh.tclass", 8, h.tClass),
		num("infiniband.grh.flowlabel", 20, h.flowLabel),
		num("infiniband.grh.paylen", 16, h.payLen),
		num("infiniband.grh.nxthdr", 8, h.nxtHdr),
		num("infiniband.grh.hoplmt", 8, h.hopLmt),
		gid("infiniband.grh.sgid", h.sgid),
		gid("infiniband.grh.dgid", h.dgid),
	)
}

func rwh(v *values, etherType uint64) header {
	return newHeader("RWH", "lrh",
		num("infiniband.rwh.reserved", 16, v.spare()),
		num("infiniband.rwh.etype", 16, etherType),
	)
}

type bth struct {
	opcode, se, m, padCnt, tver uint64
	pKey                        uint64
	fecn, becn, reserved6       uint64
	destQP                      uint64
	a, reserved7                uint64
	psn                         uint64
}

func newBTH(v *values, code uint64) bth {
	return bth{
		opcode:    code,
		se:        v.Uint64(),
		m:         v.Uint64(),
		tver:      v.spare(),
		pKey:      v.Uint64(),
		fecn:      v.Uint64(),
		becn:      v.Uint64(),
		reserved6: v.spare(),
		destQP:    v.qp(),
		a:         v.Uint64(),
		reserved7: v.spare(),
		psn:       v.Uint64(),
	}
}

func (h bth) header() header {
	return newHeader("BTH", "bth",
		num("infiniband.bth.opcode", 8, h.opcode),
		num("infiniband.bth.se", 1, h.se),
		num("infiniband.bth.m", 1, h.m),
		num("infiniband.bth.padcnt", 2, h.padCnt),
		num("infiniband.bth.tver", 4, h.tver),
		num("infiniband.bth.p_key", 16, h.pKey),
		num("infiniband.bth.fecn", 1, h.fecn),
		num("infiniband.bth.becn", 1, h.becn),
		num("infiniband.bth.reserved6", 6, h.reserved6),
		num("infiniband.bth.destqp", 24, h.destQP),
		num("infiniband.bth.a", 1, h.a),
		num("infiniband.bth.reserved7", 7, h.reserved7),
		num("infiniband.bth.psn", 24, h.psn),
	)
}

// flowControl is a flow-control packet. Its LPCRC has the VCRC's polynomial.
func flowControl(v *values, op uint64) header {
	fields := []field{
		num("infiniband_link.op", 4, op),
		num("infiniband_link.fctbs", 12, v.Uint64()),
		num("infiniband_link.vl", 4, v.Uint64N(15)),
		num("infiniband_link.fccl", 12, v.Uint64()),
	}
	lpcrc := binary.BigEndian.Uint16(vcrc(pack(fields)))
	fields = append(fields, num("infiniband_link.lpcrc", 16, uint64(lpcrc)))
	return newHeader("FlowControl", "lrh", fields...)
}
