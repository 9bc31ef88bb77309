package plot_test

import (
	"bytes"
	"encoding/xml"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// legendX is where legends begin.
const legendX = 770

// A drawing is what is read back of a picture, or of a part of it, from the top.
type drawing struct {
	labels []label
	shapes []shape
}

// A label is a text.
type label struct {
	text string
	size string  // of the font
	y    float64 // upwards, as all places here
}

// A shape is a path.
type shape struct {
	what       string // what is drawn so, as "gap", "line" or "area"
	colour     string // as "#0072B2"
	x, y       float64
	high       float64 // the highest y
	horizontal bool    // it begins with a horizontal line
}

// read reads a picture, which must be well-formed.
func read(t *testing.T, svg []byte) (d drawing) {
	t.Helper()
	dec := xml.NewDecoder(bytes.NewReader(svg))
	var l *label
	for {
		token, err := dec.Token()
		if err == io.EOF {
			return d
		}
		require.NoError(t, err)
		switch e := token.(type) {
		case xml.StartElement:
			a := attributes(e.Attr)
			switch e.Name.Local {
			case "text":
				y, err := strconv.ParseFloat(a["y"], 64)
				require.NoError(t, err)
				l = &label{size: a["font-size"], y: -y}
			case "path":
				d.shapes = append(d.shapes, shapeOf(t, a))
			}
		case xml.CharData:
			if l != nil {
				l.text += string(e)
			}
		case xml.EndElement:
			if l != nil {
				l.text = strings.TrimSpace(l.text)
				d.labels = append(d.labels, *l)
				l = nil
			}
		}
	}
}

// attributes returns the attributes of an element, and its style taken apart.
func attributes(attr []xml.Attr) map[string]string {
	all := map[string]string{}
	for _, a := range attr {
		all[a.Name.Local] = a.Value
		if a.Name.Local == "style" {
			for _, s := range strings.Split(a.Value, ";") {
				k, v, _ := strings.Cut(s, ":")
				all[k] = v
			}
		}
	}
	return all
}

// shapeOf tells by its lines and its style what a path shows.
func shapeOf(t *testing.T, a map[string]string) shape {
	t.Helper()
	s := shape{colour: "#000000", high: math.Inf(-1)}
	filled := a["fill"] != "none"
	if c := a["fill"]; filled && c != "" {
		s.colour = c
	} else if c := a["stroke"]; !filled && c != "" {
		s.colour = c
	}
	var commands string
	var ys []float64
	for _, part := range strings.FieldsFunc(strings.NewReplacer("M", " M", "L", " L", "A", " A", "Z", " Z").Replace(a["d"]), func(r rune) bool { return r == ' ' }) {
		if !strings.Contains("MLAZ", part[:1]) {
			continue // of an arc
		}
		commands += part[:1]
		x, y, ok := strings.Cut(part[1:], ",")
		if part[0] == 'A' || !ok {
			continue
		}
		px, err := strconv.ParseFloat(x, 64)
		require.NoError(t, err)
		py, err := strconv.ParseFloat(y, 64)
		require.NoError(t, err)
		if len(ys) == 0 {
			s.x, s.y = px, py
		}
		ys = append(ys, py)
		s.high = max(s.high, py)
	}
	s.horizontal = len(ys) > 1 && ys[0] == ys[1]
	s.what = what(commands, filled, s)
	return s
}

func what(commands string, filled bool, s shape) string {
	switch {
	case commands == "MAAZ" && filled:
		return "dot"
	case commands == "MAAZ":
		return "gap"
	case commands == "MLML" && s.horizontal:
		return "RNR NAK"
	case commands == "MLML":
		return "NAK"
	case commands == "MLLZ":
		return "retransmission"
	case commands == "MLLLZ" && s.colour == "#000000":
		return "CNP"
	case filled:
		return "area"
	}
	return "line"
}

// texts returns all texts.
func (d drawing) texts() (texts []string) {
	for _, l := range d.labels {
		texts = append(texts, l.text)
	}
	return texts
}

// of returns the shapes of a kind, outside of legends.
func (d drawing) of(what string) (shapes []shape) {
	for _, s := range d.shapes {
		if s.what == what && s.x < legendX {
			shapes = append(shapes, s)
		}
	}
	return shapes
}

func (d drawing) count(what string) int { return len(d.of(what)) }

// heads returns the names of flows, from top to bottom.
func (d drawing) heads() (heads []label) {
	for _, l := range d.labels {
		if l.size == "12px" {
			heads = append(heads, l)
		}
	}
	return heads
}

// names returns the names of flows without their keys.
func (d drawing) names() (names []string) {
	for _, l := range d.heads() {
		name, _, _ := strings.Cut(l.text, ":")
		names = append(names, name)
	}
	return names
}

// flow returns what is drawn of a flow, below and beside its name.
func (d drawing) flow(t *testing.T, name string) (part drawing) {
	t.Helper()
	heads := d.heads()
	for i, h := range heads {
		if n, _, _ := strings.Cut(h.text, ":"); n != name {
			continue
		}
		top, bottom := h.y+10, 0.0
		if i+1 < len(heads) {
			bottom = heads[i+1].y + 10
		}
		for _, l := range d.labels {
			if l.y < top && l.y > bottom {
				part.labels = append(part.labels, l)
			}
		}
		for _, s := range d.shapes {
			if s.y < top && s.y > bottom {
				part.shapes = append(part.shapes, s)
			}
		}
		return part
	}
	require.Contains(t, d.names(), name)
	return part
}

// colours returns the colours of what is drawn, but for greys.
func (d drawing) colours(what string) (colours []string) {
	for _, s := range d.shapes {
		grey := s.colour[1:3] == s.colour[3:5] && s.colour[3:5] == s.colour[5:]
		if s.what == what && !grey {
			colours = append(colours, s.colour)
		}
	}
	return colours
}
