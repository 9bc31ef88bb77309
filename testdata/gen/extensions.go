package main

import "strings"

// extensions returns the headers that follow a BTH with opcode o.
func extensions(v *values, o opcode) []header {
	var list []header
	for _, name := range strings.Fields(o.extensions) {
		list = append(list, newHeader(name, "ext", extensionFields[name](v)...))
	}
	return list
}

var extensionFields = map[string]func(*values) []field{
	"RDETH": func(v *values) []field {
		return []field{
			num("infiniband.rdeth.reserved", 8, v.spare()),
			num("infiniband.rdeth.eecnxt", 24, v.Uint64()),
		}
	},
	"XRCETH": func(v *values) []field {
		return []field{
			num("infiniband.xrceth.reserved", 8, v.spare()),
			num("infiniband.xrceth.xrcsrq", 24, v.Uint64()),
		}
	},
	"DETH": func(v *values) []field {
		return []field{
			num("infiniband.deth.q_key", 32, v.Uint64()),
			num("infiniband.deth.reserved", 8, v.spare()),
			num("infiniband.deth.srcqp", 24, v.qp()),
		}
	},
	"FETH": func(v *values) []field {
		return []field{num("infiniband.feth", 32, v.Uint64())}
	},
	"RETH": func(v *values) []field {
		return []field{
			num("infiniband.reth.va", 64, v.Uint64()),
			num("infiniband.reth.r_key", 32, v.Uint64()),
			num("infiniband.reth.dmalen", 32, v.Uint64N(1<<31)),
		}
	},
	"AtomicETH": func(v *values) []field {
		return []field{
			num("infiniband.atomiceth.va", 64, v.Uint64()),
			num("infiniband.atomiceth.r_key", 32, v.Uint64()),
			num("infiniband.atomiceth.swapdt", 64, v.Uint64()),
			num("infiniband.atomiceth.cmpdt", 64, v.Uint64()),
		}
	},
	"AETH": func(v *values) []field {
		return []field{
			num("infiniband.aeth.syndrome", 8, v.Uint64()),
			num("infiniband.aeth.msn", 24, v.Uint64()),
		}
	},
	"AtomicAckETH": func(v *values) []field {
		return []field{num("infiniband.atomicacketh.origremdt", 64, v.Uint64())}
	},
	"ImmDt": func(v *values) []field {
		return []field{num("infiniband.immdt", 32, v.Uint64())}
	},
	"IETH": func(v *values) []field {
		return []field{num("infiniband.ieth", 32, v.Uint64())}
	},
	"CNP": func(v *values) []field {
		reserved := make([]byte, 16)
		if v.reserved {
			reserved = v.octets(16)
		}
		return []field{octets("infiniband.cnp.reserved", reserved)}
	},
}
