package main

import "fmt"

// eachOpcode builds a packet for every assigned opcode, with changing lengths
// of payload and every now and then with reserved bits set.
func eachOpcode(seed uint64, build func(v *values, what string, m message) packet) []packet {
	lengths := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 31, 64}
	v := newValues(seed)
	var list []packet
	for i, o := range assigned {
		v.reserved = i%5 == 4
		n := 0
		if o.payload {
			n = lengths[(i+int(seed))%len(lengths)]
		}
		list = append(list, build(v, o.name, newMessage(v, o, n)))
	}
	return list
}

func nativePackets() []packet {
	local := eachOpcode(1, func(v *values, what string, m message) packet {
		return newNative(v, lnhLocal, m).packet(what + ", LNH 2")
	})
	global := eachOpcode(2, func(v *values, what string, m message) packet {
		return newNative(v, lnhGlobal, m).packet(what + ", LNH 3")
	})
	return append(local, global...)
}

// nativeRecords returns the native packets in ERF records.
func nativeRecords(align int) []packet {
	var list []packet
	for i, p := range nativePackets() {
		list = append(list, newRecord(erfTypeInfiniBand, i).wrap(p, align))
	}
	return list
}

func rocev1Packets() []packet {
	return eachOpcode(3, func(v *values, what string, m message) packet {
		return newRoCEv1(v, m).packet(what).behind(ethernet(v, etherTypeRoCE))
	})
}

func rocev2IPv4Packets() []packet {
	return eachOpcode(4, func(v *values, what string, m message) packet {
		return newRoCEv2(v, ipv4{}, m).packet(what).behind(ethernet(v, etherTypeIPv4))
	})
}

func rocev2IPv6Packets() []packet {
	return eachOpcode(5, func(v *values, what string, m message) packet {
		return newRoCEv2(v, ipv6{}, m).packet(what).behind(ethernet(v, etherTypeIPv6))
	})
}

// otherOpcodePackets has the opcodes that name no headers: unassigned ones and
// the manufacturers' own, and the native CNP with something behind its BTH.
func otherOpcodePackets() []packet {
	v := newValues(6)
	build := func(what string, code uint64, n int) packet {
		return newNative(v, lnhLocal, newMessage(v, lookup(code), n)).packet(what)
	}
	var list []packet
	for code := range uint64(256) {
		switch o := lookup(code); {
		case o.name != "":
		case code < firstManufacturer:
			list = append(list, build(fmt.Sprintf("opcode 0x%02x, unassigned", code), code, 5))
		default:
			list = append(list, build(fmt.Sprintf("opcode 0x%02x, manufacturer's", code), code, 6))
		}
	}
	return append(list, build("CNP, native, 16 bytes behind the BTH", cnpNative, 16))
}

// rawPackets has the packets without IBA transport.
func rawPackets() []packet {
	v := newValues(7)
	text := v.text(16)
	datagram := func(ip network) []header {
		u := udp{source: 40000, destination: 40001, length: udpSize + len(text)}
		return append(ip.headers(v, u.length), u.header())
	}
	onIPv4 := append([]header{rwh(v, etherTypeIPv4)}, datagram(ipv4{})...)
	list := []packet{
		newRaw(v, "RWH, IPv4, UDP", lnhRaw, onIPv4, text),
		newRaw(v, "RWH, ARP", lnhRaw, []header{rwh(v, etherTypeARP), arp(v)}, nil),
		newRaw(v, "RWH, EtherType 0x1234", lnhRaw, []header{rwh(v, etherTypeOther)}, text),
		newRaw(v, "RWH, EtherType 0x1234, no payload", lnhRaw, []header{rwh(v, etherTypeOther)}, nil),
		newRaw(v, "IPv6, UDP", lnhIPv6, datagram(ipv6{}), text),
	}
	v.reserved = true
	return append(list,
		newRaw(v, "RWH, reserved bits set", lnhRaw, []header{rwh(v, etherTypeOther)}, text))
}
