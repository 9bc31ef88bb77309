package crc

import (
	"encoding/binary"
	"sync"
)

// calculators are for the functions that write an ICRC: who builds a packet has
// none at hand, and to make one each time would allocate.
var calculators = sync.Pool{New: func() any { return new(ICRC) }}

// PutNative writes the ICRC of a native packet into the last four bytes of
// packet, which begins with the LRH and ends in front of the VCRC. Where
// ICRC.Native reports false, so does this, and writes nothing.
func PutNative(packet []byte) bool { return put(packet, (*ICRC).Native) }

// PutRoCEv1 is the same for a packet that begins with a GRH.
func PutRoCEv1(packet []byte) bool { return put(packet, (*ICRC).RoCEv1) }

func put(packet []byte, icrc func(*ICRC, []byte) (uint32, bool)) bool {
	end := len(packet) - ICRCSize
	if end < 0 {
		return false
	}
	c := calculators.Get().(*ICRC)
	defer calculators.Put(c)
	value, ok := icrc(c, packet[:end])
	if ok {
		binary.BigEndian.PutUint32(packet[end:], value)
	}
	return ok
}
