package ibwire_test

import (
	"encoding/hex"
	"strconv"

	"github.com/google/gopacket"

	"github.com/ibwire/ibwire/bth"
	"github.com/ibwire/ibwire/erf"
	"github.com/ibwire/ibwire/ext"
	"github.com/ibwire/ibwire/grh"
	"github.com/ibwire/ibwire/lrh"
)

// fields returns the fields of a layer by their names, as text: numbers in
// decimal.
func fields(l gopacket.Layer) map[string]string {
	switch l := l.(type) {
	case *erf.Record:
		f := numbers("erf.", map[string]uint64{
			"ts": uint64(l.Timestamp), "types.type": uint64(l.Type), "types.ext_header": flag(len(l.Ext) > 0),
			"flags": uint64(l.Flags), "rlen": uint64(l.RLen), "lctr": uint64(l.LCtr), "wlen": uint64(l.WLen),
		})
		for i := range l.Ext {
			at := erf.HeaderSize + 8*i // the header's bytes are what the list of numbers is about
			f["erf.ehdr"] += " " + number(l.Contents[at:at+8])
		}
		if len(l.SubHeader) > 0 {
			f["erf.subheader"] = hex.EncodeToString(l.SubHeader)
		}
		return f
	case *lrh.LRH:
		return numbers("infiniband.lrh.", map[string]uint64{
			"vl": uint64(l.VL), "lver": uint64(l.LVer), "sl": uint64(l.SL), "reserved2": uint64(l.Rsv2), "lnh": uint64(l.LNH),
			"dlid": uint64(l.DLID), "reserved5": uint64(l.Rsv5), "pktlen": uint64(l.PktLen), "slid": uint64(l.SLID),
		})
	case *lrh.RWH:
		return numbers("infiniband.rwh.", map[string]uint64{"reserved": uint64(l.Rsv), "etype": uint64(l.EtherType)})
	case *lrh.Mirror:
		return numbers("infiniband.mirror.", map[string]uint64{"prefix": uint64(l.Prefix)})
	case *lrh.FlowControl:
		return numbers("infiniband_link.", map[string]uint64{
			"op": uint64(l.Op), "fctbs": uint64(l.FCTBS), "vl": uint64(l.VL), "fccl": uint64(l.FCCL), "lpcrc": uint64(l.LPCRC),
		})
	case *grh.GRH:
		f := numbers("infiniband.grh.", map[string]uint64{
			"ipver": uint64(l.IPVer), "tclass": uint64(l.TClass), "flowlabel": uint64(l.FlowLabel), "paylen": uint64(l.PayLen),
			"nxthdr": uint64(l.NxtHdr), "hoplmt": uint64(l.HopLmt),
		})
		f["infiniband.grh.sgid"], f["infiniband.grh.dgid"] = l.SGID.String(), l.DGID.String()
		return f
	case *bth.BTH:
		return numbers("infiniband.bth.", map[string]uint64{
			"opcode": uint64(l.OpCode), "se": flag(l.SE), "m": flag(l.MigReq), "padcnt": uint64(l.PadCnt), "tver": uint64(l.TVer),
			"p_key": uint64(l.PKey), "fecn": flag(l.FECN), "becn": flag(l.BECN), "reserved6": uint64(l.Rsv6),
			"destqp": uint64(l.DestQP), "a": flag(l.AckReq), "reserved7": uint64(l.Rsv7), "psn": uint64(l.PSN),
		})
	}
	return extensionFields(l)
}

func extensionFields(l gopacket.Layer) map[string]string {
	switch l := l.(type) {
	case *ext.RDETH:
		return numbers("infiniband.rdeth.", map[string]uint64{"reserved": uint64(l.Rsv), "eecnxt": uint64(l.EEContext)})
	case *ext.XRCETH:
		return numbers("infiniband.xrceth.", map[string]uint64{"reserved": uint64(l.Rsv), "xrcsrq": uint64(l.XRCSRQ)})
	case *ext.DETH:
		return numbers("infiniband.deth.", map[string]uint64{"q_key": uint64(l.QKey), "reserved": uint64(l.Rsv), "srcqp": uint64(l.SrcQP)})
	case *ext.FETH:
		return numbers("infiniband.", map[string]uint64{"feth": uint64(l.Word)})
	case *ext.RETH:
		return numbers("infiniband.reth.", map[string]uint64{"va": l.VA, "r_key": uint64(l.RKey), "dmalen": uint64(l.DMALen)})
	case *ext.AtomicETH:
		return numbers("infiniband.atomiceth.", map[string]uint64{"va": l.VA, "r_key": uint64(l.RKey), "swapdt": l.SwapAdd, "cmpdt": l.CmpData})
	case *ext.AETH:
		return numbers("infiniband.aeth.", map[string]uint64{"syndrome": uint64(l.Syndrome), "msn": uint64(l.MSN)})
	case *ext.AtomicAckETH:
		return numbers("infiniband.atomicacketh.", map[string]uint64{"origremdt": l.OrigRemData})
	case *ext.ImmDt:
		return numbers("infiniband.", map[string]uint64{"immdt": uint64(l.Data)})
	case *ext.IETH:
		return numbers("infiniband.", map[string]uint64{"ieth": uint64(l.RKey)})
	case *ext.CNP:
		return map[string]string{"infiniband.cnp.reserved": hex.EncodeToString(l.Rsv[:])}
	}
	return nil
}

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// number returns the value of big-endian bytes in decimal.
func number(b []byte) string {
	n := uint64(0)
	for _, x := range b {
		n = n<<8 | uint64(x)
	}
	return strconv.FormatUint(n, 10)
}

func numbers(prefix string, values map[string]uint64) map[string]string {
	f := map[string]string{}
	for name, v := range values {
		f[prefix+name] = strconv.FormatUint(v, 10)
	}
	return f
}
