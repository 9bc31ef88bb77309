package capture

import "math"

// writePcapng writes a packet of an interface to a pcapng file, and before it
// what is not there yet: the section header and its interface.
func (w *Writer) writePcapng(rec *Record, key interfaceKey) error {
	b := w.buf[:0]
	if !w.begun {
		b = appendSection(b)
	}
	if key.section != w.section { // of a Reader it does not come again
		w.section, w.ids = key.section, make(map[interfaceKey]int)
	}
	id, known := w.ids[key]
	if !known {
		b, id = w.appendInterfaces(b, key)
	}
	w.buf = w.appendPacket(b, rec, id)
	_, err := w.w.Write(w.buf)
	return err
}

// appendInterfaces appends the interface of key, unless a section before had the
// same one, and returns its number. If it comes from a pcapng file, those before
// it go first, used or not, so that numbers stay.
func (w *Writer) appendInterfaces(b []byte, key interfaceKey) ([]byte, int) {
	if w.fromFormat() == FormatPcapng {
		for i := range min(key.index, len(w.from.ifaces)) {
			before := interfaceKey{w.from.ifaces[i].link, key.section, i}
			if w.as != 0 {
				before.link = w.as
			}
			if _, known := w.ids[before]; !known {
				b = w.appendInterface(b, before)
			}
		}
	}
	return w.appendInterface(b, key), w.ids[key]
}

// appendSection appends the header of a section of unknown length.
func appendSection(b []byte) []byte {
	b, start := beginBlock(b, blockSection)
	b = le.AppendUint32(b, byteOrderMagic)
	b = le.AppendUint16(b, 1) // version 1.0
	b = le.AppendUint16(b, 0)
	b = le.AppendUint64(b, math.MaxUint64)
	return endBlock(b, start)
}

// A writtenInterface tells interfaces apart that are written: by their place in
// a section too, as two of a section may be described alike.
type writtenInterface struct {
	outInterface
	index int
}

// appendInterface appends the description of an interface of the source, unless
// it is there. The number of sections has no bound, so interfaces are not written
// again for each; where there are as many as a Reader takes, a section begins.
func (w *Writer) appendInterface(b []byte, key interfaceKey) []byte {
	in := w.describe(key.index, key.link)
	if id, is := w.written[writtenInterface{in, key.index}]; is {
		w.ids[key] = id
		return b
	}
	if len(w.ifaces) == maxInterfaces {
		b = appendSection(b)
		clear(w.ids)
		clear(w.written)
		w.ifaces = w.ifaces[:0]
	}
	w.ids[key] = len(w.ifaces)
	w.written[writtenInterface{in, key.index}] = len(w.ifaces)
	w.ifaces = append(w.ifaces, in)
	b, start := beginBlock(b, blockInterface)
	b = le.AppendUint16(b, uint16(in.LinkType))
	b = le.AppendUint16(b, 0)
	b = le.AppendUint32(b, in.SnapLen)
	options := len(b)
	if in.Name != "" {
		b = appendOption(b, optionIfName, in.Name)
	}
	if in.Description != "" {
		b = appendOption(b, optionIfDescription, in.Description)
	}
	if in.Resolution != microseconds {
		b = appendOption(b, optionIfResolution, string([]byte{in.Resolution}))
	}
	if in.FCSLen >= 0 { // in bits
		b = appendOption(b, optionIfFCSLen, string([]byte{byte(min(in.FCSLen*8, math.MaxUint8))}))
	}
	if len(b) > options {
		b = appendOption(b, optionEnd, "")
	}
	return endBlock(b, start)
}

// appendPacket appends an enhanced packet block.
func (w *Writer) appendPacket(b []byte, rec *Record, id int) []byte {
	in := &w.ifaces[id]
	sec, fraction := w.time(rec, in, 34) // 2^64 ns are more
	units := uint64(1e9)
	if in.Resolution == microseconds {
		units = 1e6
	}
	t := sec*units + uint64(fraction)
	b, start := beginBlock(b, blockEnhanced)
	b = le.AppendUint32(b, uint32(id))
	b = le.AppendUint32(b, uint32(t>>32))
	b = le.AppendUint32(b, uint32(t))
	b = le.AppendUint32(b, uint32(len(rec.Data)))
	b = le.AppendUint32(b, w.wireLength(rec))
	b = append(b, rec.Data...)
	b = pad4(b, start)
	if rec.FCSLen != in.FCSLen {
		if rec.FCSLen < 1 || rec.FCSLen > 0xf {
			w.loss |= LossFCSLen
		} else {
			flags := [4]byte{byte(rec.FCSLen << 5), byte(rec.FCSLen >> 3)}
			b = le.AppendUint16(b, optionPacketFlags)
			b = le.AppendUint16(b, uint16(len(flags)))
			b = append(b, flags[:]...)
			b = le.AppendUint32(b, optionEnd)
		}
	}
	return endBlock(b, start)
}

// beginBlock appends the beginning of a block. It returns where that is.
func beginBlock(b []byte, typ uint32) (block []byte, start int) {
	start = len(b)
	b = le.AppendUint32(b, typ)
	return le.AppendUint32(b, 0), start
}

// endBlock appends the end of the block at start, a multiple of four bytes, and
// sets its length.
func endBlock(b []byte, start int) []byte {
	n := uint32(len(b) - start + 4)
	le.PutUint32(b[start+4:], n)
	return le.AppendUint32(b, n)
}

// pad4 appends zeros up to a multiple of four bytes behind start.
func pad4(b []byte, start int) []byte {
	for (len(b)-start)%4 != 0 {
		b = append(b, 0)
	}
	return b
}

// appendOption appends an option of at most 65,535 bytes.
func appendOption(b []byte, code uint16, value string) []byte {
	start := len(b)
	b = le.AppendUint16(b, code)
	b = le.AppendUint16(b, uint16(len(value)))
	return pad4(append(b, value...), start)
}
