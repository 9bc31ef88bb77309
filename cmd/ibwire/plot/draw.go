package plot

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"io"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/ibwire/ibwire/flow"
)

// Sizes of the picture.
const (
	pictureWidth = 1000
	psnHeight    = 420
	rateHeight   = 220
	titleHeight  = 44
	legendWidth  = 250
	margin       = 10
)

// Colours that those who do not see red or green tell apart (Okabe and Ito).
var (
	black      = color.RGBA{0, 0, 0, 255}
	orange     = color.RGBA{0xe6, 0x9f, 0, 255}
	skyBlue    = color.RGBA{0x56, 0xb4, 0xe9, 255}
	green      = color.RGBA{0, 0x9e, 0x73, 255}
	blue       = color.RGBA{0, 0x72, 0xb2, 255}
	vermillion = color.RGBA{0xd5, 0x5e, 0, 255}
	purple     = color.RGBA{0xcc, 0x79, 0xa7, 255}
	grey       = color.RGBA{0x99, 0x99, 0x99, 255}
)

// trackColours are those of the flows of a whole capture.
var trackColours = [drawnTracks]color.Color{blue, skyBlue, green, orange, purple, grey}

// markStyles tell the marks apart by shape and colour.
var markStyles = [numMarks]struct {
	name, many string
	draw.GlyphStyle
}{
	gapMark:            {"gap", "gaps", draw.GlyphStyle{Color: black, Radius: 6, Shape: outline(ring)}},
	retransmissionMark: {"retransmission", "retransmissions", draw.GlyphStyle{Color: vermillion, Radius: 5, Shape: below{}}},
	nakMark:            {"NAK", "NAKs", draw.GlyphStyle{Color: black, Radius: 4.5, Shape: outline(cross)}},
	rnrMark:            {"RNR NAK", "RNR NAKs", draw.GlyphStyle{Color: purple, Radius: 5.5, Shape: outline(plus)}},
	cnpMark:            {"CNP", "CNPs", draw.GlyphStyle{Color: orange, Radius: 3.5, Shape: draw.BoxGlyph{}}},
}

// WriteSVG writes the picture, when the table is closed. It is an error if there is nothing to draw.
func (r *Recorder) WriteSVG(w io.Writer) error {
	if err := r.check(); err != nil {
		return err
	}
	r.flush()
	svg := vgsvg.New(pictureWidth, psnHeight+rateHeight)
	all := draw.New(svg)
	all.SetColor(color.White)
	all.Fill(all.Rectangle.Path())
	tracks := r.drawn()
	rated, rest := r.congested()
	top := draw.Crop(all, margin, -margin, rateHeight, -titleHeight)
	bottom := draw.Crop(all, margin, -margin, margin, -psnHeight)
	if len(rated) == 0 && rest == nil {
		top = draw.Crop(all, margin, -margin, margin, -titleHeight)
	}
	x := newTimeAxis(r.from, r.to)
	psns := r.psnPanel(tracks, x)
	left := draw.Crop(top, 0, -legendWidth, 0, 0)
	if len(rated) > 0 || rest != nil {
		p := r.ratePanel(rated, rest, x)
		below := draw.Crop(bottom, 0, -legendWidth, 0, 0)
		align(psns.Plot, p.Plot, &left, &below)
		p.draw(below, bottom)
	}
	psns.draw(left, top)
	title(all, r.titles(len(tracks)))
	var b bytes.Buffer
	if _, err := svg.WriteTo(&b); err != nil {
		return err
	}
	// Where this font is not there, one of its measures is better than any.
	_, err := w.Write(bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;")))
	return err
}

// check tells why there is nothing to draw.
func (r *Recorder) check() error {
	switch {
	case !r.begun:
		return errors.New("no packet has a time")
	case r.only != 0 && r.flow == nil:
		return fmt.Errorf("there is no flow %d; 'ibwire flows' has their numbers", r.only)
	}
	if len(r.drawn()) > 0 {
		return nil
	}
	if r.flow != nil {
		if peer, _ := r.flow.Peer(); peer != nil {
			return fmt.Errorf("flow %d has no PSNs of its own: it answers flow %d", r.only, peer.ID)
		}
	}
	return errors.New("there are no PSNs to draw")
}

// titles returns what is drawn, and what else is to be known.
func (r *Recorder) titles(drawn int) [2]string {
	if r.only != 0 {
		second := "no other direction is known"
		if peer, how := r.flow.Peer(); peer != nil {
			second = fmt.Sprintf("answered by flow %d (%v), queue pair 0x%06x", peer.ID, how, peer.Key.DestQP)
		}
		return [2]string{fmt.Sprintf("Flow %d: %v", r.only, r.flow.Key), second}
	}
	flows := 0
	for _, t := range r.tracks {
		if t.begun {
			flows++
		}
	}
	return [2]string{"PSNs of the whole capture", fmt.Sprintf("%d of %d flows with PSNs: those with the most packets", drawn, flows)}
}

// congested returns the tracks with the most CNPs and CE, and the sum of the rest,
// nil if there is none. All have intervals of the same length.
func (r *Recorder) congested() (rated []*track, rest *rates) {
	sum := &r.others
	steps := stepsFor(r.to - r.from)
	sum.cnp.widen(steps)
	sum.ce.widen(steps)
	for _, t := range r.tracks {
		if t.rates.cnp.total+t.rates.ce.total > 0 {
			t.rates.cnp.widen(steps)
			t.rates.ce.widen(steps)
			rated = append(rated, t)
		}
	}
	slices.SortFunc(rated, func(a, b *track) int {
		return cmp.Or(cmp.Compare(b.rates.cnp.total+b.rates.ce.total, a.rates.cnp.total+a.rates.ce.total), cmp.Compare(a.flow.ID, b.flow.ID))
	})
	for len(rated) > drawnRates {
		t := rated[len(rated)-1]
		sum.cnp.addAll(&t.rates.cnp)
		sum.ce.addAll(&t.rates.ce)
		rated = rated[:len(rated)-1]
	}
	if sum.cnp.total+sum.ce.total > 0 {
		rest = sum
	}
	return rated, rest
}

// psnPanel draws PSNs over time.
func (r *Recorder) psnPanel(tracks []*track, x *timeAxis) *panel {
	p := newPanel(x, "PSN")
	value := func(_ *track, y int64) float64 { return float64(y) }
	const wrap = 1 << 24
	switch {
	case r.only != 0 && len(tracks) > 0 && tracks[0].last >= wrap:
		p.Y.Label.Text = fmt.Sprintf("PSN, counted on past %d", wrap)
	case r.only == 0:
		p.Y.Label.Text = "PSNs since the first of the flow"
		value = func(t *track, y int64) float64 { return float64(y - t.origin) }
	}
	for i, t := range tracks {
		curve := func(s *series, name string, c color.Color, dashes []vg.Length) {
			if s.total > 0 {
				p.line(x.points(s.points(), func(y int64) float64 { return value(t, y) }), fmt.Sprintf("%s (%d)", name, s.total), c, dashes)
			}
		}
		if r.only != 0 {
			curve(&t.sent, "requests", blue, nil)
			curve(&t.answered, "answers", green, dotted)
		} else if name := short(t.flow); t.sent.total > 0 {
			curve(&t.sent, name, trackColours[i], nil)
		} else {
			curve(&t.answered, name, trackColours[i], dotted)
		}
	}
	for m := range markStyles {
		var xys plotter.XYs
		total, every := int64(0), int64(1)
		for _, t := range tracks {
			k := &t.marks[m]
			xys = append(xys, x.points(k.points, func(y int64) float64 { return value(t, y) })...)
			total, every = total+k.total, max(every, k.every)
		}
		p.marks(mark(m), xys, total, every)
	}
	return p
}

// ratePanel draws CNPs and CE over time.
func (r *Recorder) ratePanel(rated []*track, rest *rates, x *timeAxis) *panel {
	w := width(stepsFor(r.to - r.from))
	p := newPanel(x, "packets per "+duration(w))
	p.Y.Min = 0
	curve := func(r *rate, name string, c color.Color, dashes []vg.Length) {
		if r.total > 0 {
			p.steps(x.intervals(r.counts, w), fmt.Sprintf("%s (%d)", name, r.total), c, dashes)
		}
	}
	for i, t := range rated {
		curve(&t.rates.cnp, fmt.Sprintf("CNPs to flow %d", t.flow.ID), trackColours[i], nil)
		curve(&t.rates.ce, fmt.Sprintf("CE in flow %d", t.flow.ID), trackColours[i], dashed)
	}
	if rest != nil {
		curve(&rest.cnp, "CNPs to other flows", black, nil)
		curve(&rest.ce, "CE in other flows", black, dashed)
	}
	p.Y.Max *= 1.05
	return p
}

// short returns the name of a flow that fits the legend.
func short(f *flow.Flow) string {
	return fmt.Sprintf("flow %d: %v 0x%06x", f.ID, f.Key.Transport, f.Key.DestQP)
}
