package wireshark

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"html"
	"io"
	"strconv"
)

// maxLine is the longest line of PDML: a payload of 256 KiB three times.
const maxLine = 2 << 20

// readPDML reads the output of tshark -T pdml. It has an element a line, and is
// read as lines: encoding/xml takes longer than tshark.
func readPDML(r *bufio.Reader, each func(int, []Item) error) error {
	var (
		items  []Item
		known  = names{}
		number = 0
	)
	for {
		line, err := readElement(r)
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("pdml, frame %d: %w", number, err)
		}
		switch line = bytes.TrimLeft(line, " "); {
		case bytes.HasPrefix(line, []byte("<field ")), bytes.HasPrefix(line, []byte("<proto ")):
			if item, ok := element(line, known); ok {
				items = append(items, item)
			}
		case bytes.HasPrefix(line, []byte("<packet>")):
			items = items[:0]
		case bytes.HasPrefix(line, []byte("</packet>")):
			number++
			if err := each(number, items); err != nil {
				return err
			}
		}
	}
}

// readElement reads a line, or several if an attribute goes on in the next one,
// as the name of an interface may.
func readElement(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	for err == nil && bytes.HasPrefix(bytes.TrimLeft(line, " "), []byte("<")) && !bytes.HasSuffix(line, []byte(">\n")) {
		first := bytes.Clone(line)
		line, err = r.ReadSlice('\n')
		line = append(first, line...)
	}
	return line, err
}

// element reads an element such as
//
//	<field name="erf.rlen" showname="Record length: 46" size="0" pos="0" show="46"/>
//
// Those with no place are in no packet: tshark puts them around others.
func element(line []byte, known names) (item Item, ok bool) {
	line = line[len("<field "):]
	var show, value []byte
	for {
		key, val, rest, found := attribute(line)
		if !found {
			break
		}
		line = rest
		switch string(key) {
		case "name":
			if item.Name = known.compared(val); item.Name == "" {
				return Item{}, false
			}
		case "showname":
			item.Label = unescape(val)
		case "size":
			item.Length, _ = strconv.Atoi(string(val))
			ok = true
		case "pos":
			item.Offset, _ = strconv.Atoi(string(val))
		case "show":
			show = val
		case "value":
			value = val
		}
	}
	item.Text = unescape(show)
	if len(value) > 2*maxShown { // what is shown is cut
		item.Text = string(value)
	}
	return item, ok
}

// maxShown is the least number of bytes of which tshark may not show all.
const maxShown = 32

// attribute reads key="val" from the front of line.
func attribute(line []byte) (key, val, rest []byte, ok bool) {
	key, rest, ok = bytes.Cut(line, []byte(`="`))
	if !ok {
		return nil, nil, nil, false
	}
	val, rest, ok = bytes.Cut(rest, []byte(`"`))
	return bytes.TrimLeft(key, " "), val, rest, ok
}

func unescape(b []byte) string {
	if bytes.IndexByte(b, '&') < 0 {
		return string(b)
	}
	return html.UnescapeString(string(b))
}
