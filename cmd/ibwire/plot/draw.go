package plot

import (
	"bytes"
	"errors"
	"fmt"
	"image/color"
	"io"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Sizes of the picture.
const (
	pictureWidth = 1000
	titleLine    = 15
	legendWidth  = 230
	margin       = 10
)

// WriteSVG writes the picture, when the table is closed. It is an error if there is nothing to draw.
func (r *Recorder) WriteSVG(w io.Writer) error {
	r.flush()
	tracks, all := r.drawn()
	blocks := r.blocks(tracks)
	if len(blocks) == 0 {
		return r.nothing()
	}
	titles := r.titles(len(tracks), all)
	top := vg.Length(10 + titleLine*len(titles))
	height := top + margin
	for _, b := range blocks {
		height += b.height()
	}
	svg := vgsvg.New(pictureWidth, height)
	c := draw.New(svg)
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	title(c, titles)
	drawBlocks(blocks, draw.Crop(c, margin, -margin, margin, -top))
	var b bytes.Buffer
	if _, err := svg.WriteTo(&b); err != nil {
		return err
	}
	// Where this font is not there, one of its measures is better than any.
	_, err := w.Write(bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;")))
	return err
}

// nothing tells why there is nothing to draw.
func (r *Recorder) nothing() error {
	switch {
	case !r.read:
		return errors.New("there are no packets")
	case !r.begun:
		return errors.New("no packet has a time")
	case r.only == 0:
		return errors.New("there is nothing to draw: no PSNs, no CNPs and no CE")
	case r.flow == nil:
		return fmt.Errorf("there is no flow %d; 'ibwire flows' has their numbers", r.only)
	}
	if peer, _ := r.flow.Peer(); peer != nil {
		return fmt.Errorf("flow %d has no PSNs of its own, no CNPs and no CE: it answers flow %d", r.only, peer.ID)
	}
	return fmt.Errorf("flow %d has no PSNs, no CNPs that throttle it, and no CE", r.only)
}

// titles returns what is drawn, of what, and what is left out.
func (r *Recorder) titles(drawn int, all bool) []string {
	from := "first packet at " + time.Unix(0, r.start).UTC().Format("2006-01-02 15:04:05.999999999 UTC")
	if r.moved > 0 {
		from += fmt.Sprintf("; %d with earlier times stand at the left edge", r.moved)
	}
	if len(r.files) > 0 {
		name := shorten(filepath.Base(r.files[0]))
		if name == "-" {
			name = "standard input"
		}
		if n := len(r.files) - 1; n > 0 {
			name = fmt.Sprintf("%s and %d more", name, n)
		}
		from = name + ", " + from
	}
	switch {
	case r.only != 0:
		return []string{fmt.Sprintf("PSNs of flow %d of %d", r.only, r.flows), from}
	case drawn == 0:
		return []string{"Congestion of the whole capture", from, "no flow has PSNs, or is known to be throttled"}
	case int64(drawn) == r.flows:
		return []string{"PSNs of the whole capture", from, fmt.Sprintf("all flows: %d", drawn)}
	case all:
		return []string{"PSNs of the whole capture", from, fmt.Sprintf("%d of %d flows: all that have PSNs of their own, CNPs or CE", drawn, r.flows)}
	}
	return []string{"PSNs of the whole capture", from, fmt.Sprintf(
		"%d of %d flows: those with the most gaps, retransmissions, NAKs and CNPs, then the most CE, then the most packets", drawn, r.flows)}
}

// shorten makes the name of a file one that fits the title, and that XML can hold.
func shorten(name string) string {
	const most = 80
	runes := []rune(strings.Map(func(c rune) rune {
		if unicode.IsPrint(c) {
			return c
		}
		return unicode.ReplacementChar
	}, name))
	if len(runes) > most {
		return string(runes[:most/2]) + "…" + string(runes[len(runes)-most/2:])
	}
	return string(runes)
}

// title writes lines above the picture, the first one greater.
func title(c draw.Canvas, lines []string) {
	style := text.Style{Color: black, Font: sans(14), Handler: plot.DefaultTextHandler}
	y := c.Max.Y - 20
	for _, l := range lines {
		c.FillText(style, vg.Point{X: margin, Y: y}, l)
		style.Font, style.Color = sans(11), darkGrey
		y -= titleLine
	}
}
