package field

import (
	"strconv"
	"time"

	"github.com/ibwire/ibwire"
)

// frameRows are what the capture file says.
var frameRows = []Field{
	{Name: "frame", Label: "Frame", Kind: Protocol, text: frameLine, line: frameLine,
		find: func(f *Frame) (Value, bool) { return Value{Offset: f.Start(), Length: len(f.whole())}, true }},
	{Name: "frame.time", Label: "Arrival Time", Kind: AbsoluteTime, level: 1, text: frameTime,
		find: func(f *Frame) (Value, bool) { return Value{Num: uint64(f.Time.UnixNano())}, !f.Time.IsZero() }},
	{Name: "frame.time_epoch", Label: "Epoch Time", Kind: RelativeTime, level: 1, text: frameEpoch, note: seconds,
		find: func(f *Frame) (Value, bool) { return Value{Num: uint64(f.Time.UnixNano())}, !f.Time.IsZero() }},
	{Name: "frame.time_delta", Label: "Time delta from previous captured frame", Kind: RelativeTime, level: 1, flags: generated, text: frameDelta, note: seconds,
		find: func(f *Frame) (Value, bool) {
			return Value{Num: uint64(f.Time.Sub(since(f, f.Previous)))}, !f.Time.IsZero()
		}},
	{Name: "frame.time_relative", Label: "Time since reference or first frame", Kind: RelativeTime, level: 1, flags: generated, text: frameRelative, note: seconds,
		find: func(f *Frame) (Value, bool) {
			return Value{Num: uint64(f.Time.Sub(since(f, f.First)))}, !f.Time.IsZero()
		}},
	{Name: "frame.number", Label: "Frame Number", Kind: Uint32, level: 1,
		find: func(f *Frame) (Value, bool) { return Value{Num: uint64(f.Number)}, true }},
	{Name: "frame.len", Label: "Frame Length", Kind: Uint32, level: 1, note: bytesAndBits,
		find: func(f *Frame) (Value, bool) { return Value{Num: uint64(f.Len())}, true }},
	{Name: "frame.cap_len", Label: "Capture Length", Kind: Uint32, level: 1, note: bytesAndBits,
		find: func(f *Frame) (Value, bool) { return Value{Num: uint64(f.CapLen())}, true }},
	{Name: "frame.protocols", Label: "Protocols in frame", Kind: String, level: 1, flags: generated, text: protocols, find: always},
}

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

// since returns t, or the time of the frame itself where t is none.
func since(f *Frame, t time.Time) time.Time {
	if t.IsZero() {
		return f.Time
	}
	return t
}

func frameEpoch(dst []byte, v Value) []byte {
	return appendElapsed(dst, time.Unix(0, 0), v.Frame.Time)
}

func frameDelta(dst []byte, v Value) []byte {
	return appendElapsed(dst, since(v.Frame, v.Frame.Previous), v.Frame.Time)
}

func frameRelative(dst []byte, v Value) []byte {
	return appendElapsed(dst, since(v.Frame, v.Frame.First), v.Frame.Time)
}

// appendElapsed appends the seconds from one time to another. It does not count
// in nanoseconds, of which 64 bits hold no more than 292 years.
func appendElapsed(dst []byte, from, to time.Time) []byte {
	sec, ns := to.Unix()-from.Unix(), int64(to.Nanosecond()-from.Nanosecond())
	switch {
	case sec > 0 && ns < 0:
		sec, ns = sec-1, ns+second
	case sec < 0 && ns > 0:
		sec, ns = sec+1, ns-second
	}
	if sec < 0 || ns < 0 {
		dst, sec, ns = append(dst, '-'), -sec, -ns
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
			} else if beginsInfiniBand(f, h) {
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
		case header.Layer == ibwire.MPLS && f.Headers[h-1].Layer != ibwire.MPLS:
			add("mpls")
		case header.Layer == ibwire.GRE && isERSPANI(f, h):
			add("gre:erspan")
		case header.Layer == ibwire.GRE:
			add("gre")
		case header.Layer == ibwire.ERSPANII, header.Layer == ibwire.ERSPANIII:
			add("erspan")
		case header.Layer == ibwire.VXLAN:
			add("vxlan")
		case header.Layer == ibwire.Geneve:
			add("geneve")
		}
	}
	if len(f.Payload) > 0 {
		add("data")
	}
	return dst
}
