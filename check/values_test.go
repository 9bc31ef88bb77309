package check_test

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/ibwire/ibwire/testdata"
)

// valuesExpected is what is wrong with packets of random values, by the values that
// the program has written which made them, and which no package of this module has
// decoded.
func valuesExpected(wants []testdata.Want) map[int64][]string {
	codes := map[int64][]string{}
	for _, w := range wants {
		v := values{w}
		add := func(code string, broken bool) {
			if broken {
				codes[int64(w.N)] = append(codes[int64(w.N)], code)
			}
		}
		// LRH and BTH
		add("lver", v.num("lrh.lver") != 0)
		add("lrh-reserved", v.num("lrh.reserved2") != 0 || v.num("lrh.reserved5")&0x1e != 0)
		add("tver", v.num("bth.tver") != 0)
		add("pkey-zero", v.num("bth.p_key")&0x7fff == 0)
		add("bth-reserved6", v.num("bth.reserved6") != 0)
		add("bth-reserved7", v.num("bth.reserved7") != 0)
		if strings.Contains(w.What, "the UDP length leaves") {
			add("udplen-short", true)
			continue
		}
		op, transport := v.num("bth.opcode")&0x1f, v.num("bth.opcode")>>5
		response := op >= 0x0d && op <= 0x12
		payload, behind := len(w.Payload)/2, (len(w.Payload)+len(w.Pad))/2
		const rd, cnp, uc, ud = 2, 4, 1, 3
		if transport == cnp {
			add("cnp", v.num("bth.opcode") == 0x81 && (v.num("bth.becn") == 0 || v.num("bth.psn") != 0 || v.Fields["infiniband.cnp.reserved"] != nil))
			continue
		}
		if transport == rd {
			continue
		}
		add("ackreq", v.num("bth.a") != 0 && (transport == uc || transport == ud || response))
		// Payload
		empty := op == 0x0c || op == 0x11 || op == 0x12 || op == 0x13 || op == 0x14 || op == 0x1c
		add("pad-no-payload", v.num("bth.padcnt") != 0 && (empty || behind == 0))
		add("extra-bytes", empty && behind > 0)
		add("payload-words", !empty && behind%4 != 0)
		more := op == 0x00 || op == 0x01 || op == 0x06 || op == 0x07 || op == 0x0d || op == 0x0e
		add("first-middle-pad", more && v.num("bth.padcnt") != 0)
		add("first-middle-payload", more) // all are shorter than 256 bytes
		last := op == 0x02 || op == 0x03 || op == 0x08 || op == 0x09 || op == 0x0f || op == 0x16
		add("last-empty", last && payload == 0)
		// Extension headers
		add("dmalen-max", (op == 0x06 || op == 0x0a || op == 0x0b || op == 0x0c) && v.num("reth.dmalen") > 1<<31)
		add("write-only-dmalen", (op == 0x0a || op == 0x0b) && v.num("reth.dmalen") != uint64(payload))
		add("write-first-dmalen", op == 0x06 && v.num("reth.dmalen") <= uint64(payload))
		add("atomic-va", (op == 0x13 || op == 0x14) && v.num("atomiceth.va")%8 != 0)
		add("atomic-write-payload", op == 0x1d && payload != 8)
		add("deth-reserved", v.num("deth.reserved") != 0)
		s := v.num("aeth.syndrome")
		add("aeth-reserved", s&0x80 != 0)
		add("aeth-type", s&0x60 == 0x40)
		add("aeth-nak", s&0x60 == 0x60 && s&0x1f > 4)
	}
	return codes
}

// values are the fields of a packet.
type values struct{ testdata.Want }

// num returns a field, without "infiniband."; those that are 0 are not written.
func (v values) num(name string) uint64 {
	n, _ := v.Fields["infiniband."+name].(json.Number)
	u, _ := strconv.ParseUint(n.String(), 10, 64)
	return u
}
