package plot

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// markStyles tell the kinds of marks apart by their shape. They are black on the
// colour of the flow.
var markStyles = [numMarks]struct {
	name string
	draw.GlyphStyle
	aside vg.Length // how far above the line they stand where there are many
}{
	gapMark:            {"gap", draw.GlyphStyle{Color: black, Radius: 5.5, Shape: outline(ring)}, 0},
	retransmissionMark: {"retransmission", draw.GlyphStyle{Color: black, Radius: 4.5, Shape: below{}}, -2},
	nakMark:            {"NAK", draw.GlyphStyle{Color: black, Radius: 4.5, Shape: outline(cross)}, 7},
	rnrMark:            {"RNR NAK", draw.GlyphStyle{Color: black, Radius: 5.5, Shape: outline(plus)}, 14},
	cnpMark:            {"CNP", draw.GlyphStyle{Color: black, Radius: 3, Shape: draw.BoxGlyph{}}, -11},
}

// maxAside is the greatest distance from the line, with the mark.
const maxAside = 17

// An aside is a mark that does not stand at its place but above it.
type aside struct {
	draw.GlyphDrawer
	by vg.Length
}

// DrawGlyph implements draw.GlyphDrawer.
func (a aside) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	at.Y += a.by
	a.GlyphDrawer.DrawGlyph(c, style, at)
}

// An outline is a mark of lines, which do not hide what is below. Those of the
// plotting library are too thin to be seen.
type outline func(at vg.Point, r vg.Length) vg.Path

// DrawGlyph implements draw.GlyphDrawer.
func (o outline) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	c.SetLineStyle(draw.LineStyle{Color: style.Color, Width: style.Radius / 3})
	c.Stroke(o(at, style.Radius))
}

func ring(at vg.Point, r vg.Length) (p vg.Path) {
	p.Move(vg.Point{X: at.X + r, Y: at.Y})
	p.Arc(at, r, 0, 2*math.Pi)
	p.Close()
	return p
}

func cross(at vg.Point, r vg.Length) (p vg.Path) {
	p.Move(vg.Point{X: at.X - r, Y: at.Y - r})
	p.Line(vg.Point{X: at.X + r, Y: at.Y + r})
	p.Move(vg.Point{X: at.X - r, Y: at.Y + r})
	p.Line(vg.Point{X: at.X + r, Y: at.Y - r})
	return p
}

func plus(at vg.Point, r vg.Length) (p vg.Path) {
	p.Move(vg.Point{X: at.X - r, Y: at.Y})
	p.Line(vg.Point{X: at.X + r, Y: at.Y})
	p.Move(vg.Point{X: at.X, Y: at.Y - r})
	p.Line(vg.Point{X: at.X, Y: at.Y + r})
	return p
}

// below is a triangle that points to its place from below, where no other mark is.
type below struct{}

// DrawGlyph implements draw.GlyphDrawer.
func (below) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	c.SetColor(style.Color)
	var p vg.Path
	p.Move(at)
	p.Line(vg.Point{X: at.X - style.Radius, Y: at.Y - 2*style.Radius})
	p.Line(vg.Point{X: at.X + style.Radius, Y: at.Y - 2*style.Radius})
	p.Close()
	c.Fill(p)
}
