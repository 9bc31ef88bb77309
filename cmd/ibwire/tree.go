package main

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
)

// showTree writes a packet with every layer and every field of it.
func showTree(w io.Writer, p packet) {
	fmt.Fprintf(w, "Frame %d: %d bytes on wire, %d bytes captured\n", p.number, p.length, p.captured)
	fmt.Fprintf(w, "    Arrival Time: %s\n", p.time.Format("Jan _2, 2006 15:04:05.000000000 MST"))
	fmt.Fprintf(w, "    Time since first frame: %.9f seconds\n", p.time.Sub(p.first).Seconds())
	for _, l := range p.Layers() {
		if e, ok := l.(gopacket.ErrorLayer); ok {
			fmt.Fprintf(w, "Not decoded: %v\n", e.Error())
			continue
		}
		fmt.Fprintf(w, "%v (%d bytes)\n", l.LayerType(), len(l.LayerContents()))
		if v := reflect.Indirect(reflect.ValueOf(l)); v.Kind() == reflect.Struct {
			showFields(w, v, "")
		} else { // payload or fragment: nothing but bytes
			showBytes(w, l.LayerContents())
		}
	}
	if p.Metadata().Truncated {
		fmt.Fprintln(w, "[Packet truncated: a length field counts bytes that are not there, or cannot be true]")
	}
	fmt.Fprintln(w)
}

// showFields writes the exported fields of a layer, one a line.
func showFields(w io.Writer, v reflect.Value, prefix string) {
	t := v.Type()
	for i := range t.NumField() {
		f, x := t.Field(i), v.Field(i)
		switch {
		case !f.IsExported(), f.Type == reflect.TypeFor[layers.BaseLayer](), x.Kind() == reflect.Pointer:
			// The header's bytes and wiring, which are no fields of it.
		case f.Name == "ICRC" || f.Name == "VCRC":
			if has := v.FieldByName("Has" + f.Name); has.Bool() {
				fmt.Fprintf(w, "    %s%s: 0x%0*x\n", prefix, f.Name, 2*int(f.Type.Size()), x.Uint())
			} else {
				fmt.Fprintf(w, "    %s%s: not present\n", prefix, f.Name)
			}
		case f.Name == "HasICRC" || f.Name == "HasVCRC":
		default:
			showField(w, prefix+f.Name, x)
		}
	}
}

// showField writes a field, with its name where the value has one.
func showField(w io.Writer, name string, x reflect.Value) {
	switch v := x.Interface().(type) {
	case []byte:
		fmt.Fprintf(w, "    %s: %s\n", name, hexOrNone(v))
		return
	case interface{ Time() time.Time }:
		fmt.Fprintf(w, "    %s: %s (%#016x)\n", name, v.Time().Format("2006-01-02 15:04:05.000000000"), x.Uint())
		return
	case fmt.Stringer:
		if x.CanUint() {
			fmt.Fprintf(w, "    %s: %s (%#0*x)\n", name, v, 2*int(x.Type().Size()), x.Uint())
		} else {
			fmt.Fprintf(w, "    %s: %s\n", name, v)
		}
		return
	}
	switch {
	case x.CanUint() && x.Type().Size() == 1:
		fmt.Fprintf(w, "    %s: %d\n", name, x.Uint())
	case x.CanUint():
		fmt.Fprintf(w, "    %s: %d (%#0*x)\n", name, x.Uint(), 2*int(x.Type().Size()), x.Uint())
	case x.Kind() == reflect.Array && x.Type().Elem().Kind() == reflect.Uint8:
		fmt.Fprintf(w, "    %s: %x\n", name, x.Interface())
	case x.Kind() == reflect.Slice && x.Type().Elem().Kind() == reflect.Struct:
		for i := range x.Len() {
			showFields(w, x.Index(i), fmt.Sprintf("%s %d ", name, i+1))
		}
	default:
		fmt.Fprintf(w, "    %s: %v\n", name, x.Interface())
	}
}

func hexOrNone(b []byte) string {
	if len(b) == 0 {
		return "none"
	}
	return fmt.Sprintf("%x", b)
}

// showBytes writes bytes in lines of 16, in hexadecimal digits and as text.
func showBytes(w io.Writer, b []byte) {
	for at := 0; at < len(b); at += 16 {
		line := b[at:min(at+16, len(b))]
		text := strings.Map(func(r rune) rune {
			if r < ' ' || r > '~' {
				return '.'
			}
			return r
		}, latin1(line))
		fmt.Fprintf(w, "    %04x  %-48s %s\n", at, fmt.Sprintf("% x", line), text)
	}
}

// latin1 returns each byte as a character of its own.
func latin1(b []byte) string {
	runes := make([]rune, len(b))
	for i, x := range b {
		runes[i] = rune(x)
	}
	return string(runes)
}
