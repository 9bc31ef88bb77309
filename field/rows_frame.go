package field

import (
	"strconv"

	"github.com/ibwire/ibwire"
)

// frameRows are what the capture file says.
var frameRows = []Field{
	{Name: "frame", Label: "Frame", Kind: Protocol, text: frameLine, line: frameLine, find: always},
	{Name: "frame.time", Label: "Arrival Time", Kind: AbsoluteTime, level: 1, text: frameTime,
		find: func(f *Frame) (Value, bool) { return Value{Num: uint64(f.Time.UnixNano())}, timed(f) }},
	{Name: "frame.time_epoch", Label: "Epoch Time", Kind: RelativeTime, level: 1, text: frameEpoch, note: seconds,
		find: func(f *Frame) (Value, bool) { return Value{Num: uint64(f.Time.UnixNano())}, timed(f) }},
	{Name: "frame.time_delta", Label: "Time delta from previous captured frame", Kind: RelativeTime, level: 1, flags: generated, note: seconds,
		find: func(f *Frame) (v Value, ok bool) {
			if !f.Previous.IsZero() {
				v.Num = uint64(f.Time.Sub(f.Previous))
			}
			return v, timed(f)
		}},
	{Name: "frame.time_relative", Label: "Time since reference or first frame", Kind: RelativeTime, level: 1, flags: generated, note: seconds,
		find: func(f *Frame) (v Value, ok bool) {
			if !f.First.IsZero() {
				v.Num = uint64(f.Time.Sub(f.First))
			}
			return v, timed(f)
		}},
	{Name: "frame.number", Label: "Frame Number", Kind: Uint32, level: 1,
		find: func(f *Frame) (Value, bool) { return Value{Num: uint64(f.Number)}, true }},
	{Name: "frame.len", Label: "Frame Length", Kind: Uint32, level: 1, note: bytesAndBits,
		find: func(f *Frame) (Value, bool) { return Value{Num: uint64(f.Len())}, true }},
	{Name: "frame.cap_len", Label: "Capture Length", Kind: Uint32, level: 1, note: bytesAndBits,
		find: func(f *Frame) (Value, bool) { return Value{Num: uint64(f.CapLen())}, true }},
	{Name: "frame.protocols", Label: "Protocols in frame", Kind: String, level: 1, flags: generated, text: protocols, find: always},
}

// timed reports whether the capture file says when the packet came: a simple
// packet block of pcapng does not.
func timed(f *Frame) bool { return !f.Time.IsZero() }

func always(*Frame) (Value, bool) { return Value{}, true }

func seconds(dst []byte, _ Value) []byte { return append(dst, " seconds"...) }

// bytesAndBits follows a number of bytes.
func bytesAndBits(dst []byte, v Value) []byte {
	dst = append(dst, " bytes ("...)
	dst = strconv.AppendUint(dst, v.Num*8, 10)
	return append(dst, " bits)"...)
}

func frameLine(dst []byte, v Value) []byte {
	f := v.Frame
	dst = append(dst, "Frame "...)
	dst = strconv.AppendInt(dst, int64(f.Number), 10)
	dst = append(dst, ": "...)
	for i, n := range [...]int{f.Len(), f.CapLen()} {
		dst = strconv.AppendInt(dst, int64(n), 10)
		dst = append(dst, [...]string{" bytes on wire (", " bytes captured ("}[i]...)
		dst = strconv.AppendInt(dst, int64(n)*8, 10)
		dst = append(dst, [...]string{" bits), ", " bits)"}[i]...)
	}
	return dst
}

// frameTime writes the time in the zone that it has.
func frameTime(dst []byte, v Value) []byte {
	return v.Frame.Time.AppendFormat(dst, "Jan _2, 2006 15:04:05.000000000 MST")
}

// frameEpoch does not go by nanoseconds since 1970, which end in 2262.
func frameEpoch(dst []byte, v Value) []byte {
	t := v.Frame.Time
	sec, ns := t.Unix(), int64(t.Nanosecond())
	if sec < 0 {
		return appendSeconds(dst, sec*second+ns)
	}
	dst = strconv.AppendInt(dst, sec, 10)
	return appendFraction(dst, uint64(ns))
}

// protocols lists the protocols of the headers and of what is behind them, as
// "erf:infiniband:data".
func protocols(dst []byte, v Value) []byte {
	f, start := v.Frame, len(dst)
	add := func(name string) {
		if len(dst) > start {
			dst = append(dst, ':')
		}
		dst = append(dst, name...)
	}
	for h, header := range f.Headers {
		switch {
		case f.isInfiniBand(h):
			if header.Layer == ibwire.FlowControl {
				add("infiniband_link")
			} else if !f.isInfiniBand(h - 1) {
				add("infiniband")
			}
		case header.Layer == ibwire.ERF:
			add("erf")
		case header.Layer == ibwire.LinuxSLL, header.Layer == ibwire.LinuxSLL2:
			add("sll:ethertype")
		case header.Layer == ibwire.Ethernet:
			add("eth:ethertype")
		case header.Layer == ibwire.VLAN && isServiceTag(f, h):
			add("ieee8021ad:ethertype")
		case header.Layer == ibwire.VLAN:
			add("vlan:ethertype")
		case header.Layer == ibwire.IPv4:
			add("ip")
		case header.Layer == ibwire.IPv6:
			add("ipv6")
		case header.Layer == ibwire.IPv6Ext:
			add(ipv6ExtName(f, h))
		case header.Layer == ibwire.UDP:
			add("udp")
		}
	}
	if len(f.Payload) > 0 {
		add("data")
	}
	return dst
}
