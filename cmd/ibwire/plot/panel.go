package plot

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

var (
	dotted    = []vg.Length{1.5, 2.5}
	gridStyle = draw.LineStyle{Color: color.Gray{0xe0}, Width: 0.5}
)

const (
	fewPoints = 60 // of a line, so that each of them is shown
	fewMarks  = 60 // of a flow, so that they are of full size
)

// A panel is a plot with its legend beside it.
type panel struct {
	*plot.Plot
	legend plot.Legend
	unit   string // of the vertical axis
	height vg.Length
	room   vg.Length // above and below the lines
	psns   *psnTicks // nil if it is of rates
}

func newPanel(x *timeAxis, unit string) *panel {
	p := &panel{Plot: plot.New(), legend: plot.NewLegend(), unit: unit}
	p.BackgroundColor = nil
	p.X.Min, p.X.Max = x.from, x.to
	for _, s := range []*text.Style{&p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &p.legend.TextStyle} {
		s.Font = sans(10)
	}
	p.Y.Tick.Label.YAlign = draw.YCenter
	p.Y.Tick.Marker = apart{ticks{many: 3, whole: true}}
	p.X.Tick.Marker, p.X.Width = plot.ConstantTicks{}, 0
	p.legend.Top, p.legend.Left = true, true
	p.legend.ThumbnailWidth, p.legend.Padding = 22, 3
	grid := plotter.NewGrid()
	grid.Horizontal, grid.Vertical.Color = gridStyle, nil
	p.Add(verticals{x}, grid)
	return p
}

// showTime draws the time axis below the panel.
func (p *panel) showTime(x *timeAxis) {
	page := draw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: pictureWidth, Y: pictureWidth}}}
	before := p.DataCanvas(page).Size().Y
	p.X.Label.Text, p.X.Tick.Marker, p.X.Width = "time since the first packet ("+x.unit+")", x, p.Y.Width
	p.height += before - p.DataCanvas(page).Size().Y
}

// sans returns the font of all text.
func sans(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

// line adds a line, if there is one.
func (p *panel) line(xys plotter.XYs, name string, total int64, c color.Color, dashes []vg.Length) {
	if total == 0 {
		return
	}
	line := &plotter.Line{XYs: xys, LineStyle: draw.LineStyle{Color: c, Width: 1.2, Dashes: dashes}}
	p.Add(line)
	p.legend.Add(fmt.Sprintf("%s (%d)", name, total), line)
	if len(xys) <= fewPoints {
		p.Add(&plotter.Scatter{XYs: xys, GlyphStyle: draw.GlyphStyle{Color: c, Radius: 2.5, Shape: draw.CircleGlyph{}}})
	}
}

// steps adds an area that goes level through each interval.
func (p *panel) steps(xys plotter.XYs, name string, c color.Color) {
	line := &plotter.Line{XYs: xys, StepStyle: plotter.PostStep, LineStyle: draw.LineStyle{Color: c, Width: 0.8}, FillColor: c}
	p.Add(line)
	p.legend.Add(name, line)
}

// marks adds the marks of a kind. Where there are many they are small, and those
// of each kind by themselves.
func (p *panel) marks(m mark, xys plotter.XYs, k *marks, many bool) {
	style := &markStyles[m]
	drawn := &plotter.Scatter{XYs: xys, GlyphStyle: style.GlyphStyle}
	if many {
		drawn.Radius /= 2
		drawn.Shape = aside{drawn.Shape, style.aside}
		p.room = maxAside
	}
	p.Add(drawn)
	name := fmt.Sprintf("%s (%d)", style.name, k.total)
	if k.every > 1 {
		name = fmt.Sprintf("%s (%d, every %d%s drawn)", style.name, k.total, k.every, ordinal(k.every))
	}
	legend := &plotter.Scatter{GlyphStyle: style.GlyphStyle}
	legend.Radius = min(legend.Radius, 4)
	if legend.Shape == (below{}) { // there is room for it here
		legend.Shape = draw.PyramidGlyph{}
	}
	p.legend.Add(name, legend)
}

// ordinal returns the ending of a power of two as an ordinal number.
func ordinal(n int64) string {
	if n%10 == 2 && n%100 != 12 {
		return "nd"
	}
	return "th"
}

// legendHeight returns how high the legend is.
func (p *panel) legendHeight() vg.Length {
	return p.legend.Rectangle(draw.Canvas{}).Size().Y + 6
}

// draw draws the plot, with its data from left to right, the unit of its vertical
// axis where it stands at all of them, and the legend at the right of the area.
func (p *panel) draw(c draw.Canvas, left, right vg.Length) {
	area := draw.Crop(c, 0, -legendWidth, 0, 0)
	data := p.DataCanvas(area)
	p.Plot.Draw(draw.Crop(area, left-data.Min.X, right-data.Max.X, 0, 0))
	style := p.Y.Label.TextStyle
	style.Rotation, style.XAlign = math.Pi/2, draw.XCenter
	c.FillText(style, vg.Point{X: c.Min.X + unitWidth - 4, Y: data.Center().Y}, p.unit)
	p.legend.Draw(draw.Crop(c, c.Size().X-legendWidth+14, 0, 0, 0))
}
