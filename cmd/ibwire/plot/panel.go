package plot

import (
	"fmt"
	"image/color"
	"math"
	"strconv"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

var (
	dashed = []vg.Length{5, 3}
	dotted = []vg.Length{1.5, 2.5}
)

const (
	fewPoints = 60  // of a line, so that each of them is shown
	fewMarks  = 200 // of a kind, so that they are of full size
)

// A panel is a plot with its legend beside it.
type panel struct {
	*plot.Plot
	legend plot.Legend
}

func newPanel(x *timeAxis, y string) *panel {
	p := &panel{plot.New(), plot.NewLegend()}
	p.X.Label.Text, p.Y.Label.Text = "time since the first packet ("+x.unit+")", y
	p.X.Min, p.X.Max = x.from, x.to
	p.X.Tick.Marker, p.Y.Tick.Marker = ticks{many: 10}, apart{ticks{many: 7, whole: true}}
	for _, s := range []*text.Style{&p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &p.legend.TextStyle} {
		s.Font = sans(11)
	}
	p.Y.Tick.Label.YAlign = draw.YCenter
	p.legend.Top, p.legend.Left = true, true
	p.legend.ThumbnailWidth, p.legend.Padding = 22, 4
	grid := plotter.NewGrid()
	grid.Vertical.Color = color.Gray{0xe0}
	grid.Horizontal.Color = color.Gray{0xe0}
	p.Add(grid)
	return p
}

// sans returns the font of all text.
func sans(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

// line adds a line.
func (p *panel) line(xys plotter.XYs, name string, c color.Color, dashes []vg.Length) {
	style := draw.LineStyle{Color: c, Width: 1.2, Dashes: dashes}
	line := &plotter.Line{XYs: xys, LineStyle: style}
	p.Add(line)
	p.legend.Add(name, line)
	if len(xys) <= fewPoints {
		p.Add(&plotter.Scatter{XYs: xys, GlyphStyle: draw.GlyphStyle{Color: c, Radius: 2, Shape: draw.CircleGlyph{}}})
	}
}

// steps adds a line that goes level through each interval.
func (p *panel) steps(xys plotter.XYs, name string, c color.Color, dashes []vg.Length) {
	line := &plotter.Line{XYs: xys, StepStyle: plotter.PostStep, LineStyle: draw.LineStyle{Color: c, Width: 1.4, Dashes: dashes}}
	p.Add(line)
	p.legend.Add(name, line)
}

// marks adds the marks of a kind. In the legend they stand also if there are none.
func (p *panel) marks(m mark, xys plotter.XYs, total, every int64) {
	style := &markStyles[m]
	scatter := &plotter.Scatter{XYs: xys, GlyphStyle: style.GlyphStyle}
	if len(xys) > 0 {
		drawn := *scatter
		if len(xys) > fewMarks {
			drawn.Radius /= 2
		}
		p.Add(&drawn)
	}
	if scatter.Shape == (below{}) { // there is room for it here
		scatter.Shape = draw.PyramidGlyph{}
	}
	switch {
	case total == 0:
		p.legend.Add("no " + style.many)
	case every > 1:
		p.legend.Add(fmt.Sprintf("%s (%d, every %d%s drawn)", style.name, total, every, ordinal(every)), scatter)
	default:
		p.legend.Add(fmt.Sprintf("%s (%d)", style.name, total), scatter)
	}
}

// ordinal returns the ending of a power of two as an ordinal number.
func ordinal(n int64) string {
	if n%10 == 2 && n%100 != 12 {
		return "nd"
	}
	return "th"
}

// draw draws the plot in one area, and the legend at the right of another.
func (p *panel) draw(left, all draw.Canvas) {
	p.Plot.Draw(left)
	p.legend.Draw(draw.Crop(all, all.Size().X-legendWidth+14, 0, 0, 0))
}

// align makes two areas narrower, so that the axes of the plots in them stand above
// each other.
func align(a, b *plot.Plot, inA, inB *draw.Canvas) {
	dataA, dataB := a.DataCanvas(*inA), b.DataCanvas(*inB)
	left, right := dataA.Min.X-dataB.Min.X, dataA.Max.X-dataB.Max.X
	*inA = draw.Crop(*inA, max(-left, 0), -max(right, 0), 0, 0)
	*inB = draw.Crop(*inB, max(left, 0), -max(-right, 0), 0, 0)
}

// title writes two lines above the picture.
func title(c draw.Canvas, lines [2]string) {
	style := text.Style{Color: black, Font: sans(14), Handler: plot.DefaultTextHandler}
	c.FillText(style, vg.Point{X: margin, Y: c.Max.Y - 20}, lines[0])
	style.Font, style.Color = sans(11), color.Gray{0x50}
	c.FillText(style, vg.Point{X: margin, Y: c.Max.Y - 36}, lines[1])
}

// apart are the ticks of a vertical axis, away from their numbers: viewers without
// the fonts that the numbers were measured in may show wider ones.
type apart struct{ ticks }

// Ticks implements plot.Ticker.
func (a apart) Ticks(from, to float64) []plot.Tick {
	all := a.ticks.Ticks(from, to)
	for i := range all {
		all[i].Label += "  "
	}
	return all
}

// A timeAxis counts from the first packet, in a unit that suits the capture.
type timeAxis struct {
	unit     string
	scale    float64 // nanoseconds of it
	from, to float64
}

// newTimeAxis returns the axis of what is drawn, which may be a part of the capture.
func newTimeAxis(from, to int64) *timeAxis {
	a := &timeAxis{unit: "s", scale: float64(time.Second)}
	switch {
	case to < int64(time.Millisecond):
		a.unit, a.scale = "µs", float64(time.Microsecond)
	case to < int64(time.Second):
		a.unit, a.scale = "ms", float64(time.Millisecond)
	}
	a.from, a.to = float64(from)/a.scale, float64(max(to, from+int64(time.Microsecond)))/a.scale
	return a
}

func (a *timeAxis) points(points []point, y func(int64) float64) plotter.XYs {
	var xys plotter.XYs
	for _, p := range points {
		xys = append(xys, plotter.XY{X: float64(p.t) / a.scale, Y: y(p.y)})
	}
	return xys
}

// intervals returns counts as steps, down to 0 behind the last one.
func (a *timeAxis) intervals(counts []int64, width int64) plotter.XYs {
	var xys plotter.XYs
	for i, n := range append(counts, 0) {
		xys = append(xys, plotter.XY{X: min(a.from+float64(int64(i)*width)/a.scale, a.to), Y: float64(n)})
	}
	return xys
}

// duration writes a length of time as "20 ms".
func duration(ns int64) string {
	switch {
	case ns >= int64(time.Second):
		return strconv.FormatFloat(float64(ns)/1e9, 'g', -1, 64) + " s"
	case ns >= int64(time.Millisecond):
		return strconv.FormatInt(ns/1e6, 10) + " ms"
	}
	return strconv.FormatInt(ns/1e3, 10) + " µs"
}

// ticks sets ticks at round numbers, without exponents: PSNs are read digit by
// digit.
type ticks struct {
	many  int
	whole bool // no fractions
}

// Ticks implements plot.Ticker.
func (t ticks) Ticks(from, to float64) (all []plot.Tick) {
	step := math.Pow(10, math.Floor(math.Log10((to-from)/float64(t.many))))
	for _, k := range []float64{1, 2, 5, 10} {
		if (to-from)/(step*k) <= float64(t.many) {
			step *= k
			break
		}
	}
	if t.whole {
		step = max(step, 1)
	}
	digits := max(0, int(-math.Floor(math.Log10(step)+1e-9)))
	for i := math.Ceil(from/step - 1e-9); i*step <= to+step*1e-9; i++ {
		v := i*step + 0 // and not -0
		all = append(all, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'f', digits, 64)})
	}
	return all
}
