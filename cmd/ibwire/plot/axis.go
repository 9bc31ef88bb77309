package plot

import (
	"math"
	"strconv"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// A timeAxis counts from the first packet, in a unit that suits the capture.
type timeAxis struct {
	unit      string
	scale     float64 // nanoseconds of it
	from, to  float64
	low, high float64 // of what is drawn
	steps     int     // of the intervals of rates
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
	a.from, a.to = float64(from)/a.scale, float64(to)/a.scale
	a.low, a.high, a.steps = a.from, a.to, stepsFor(to-from)
	switch {
	case from == to: // it stands in the middle
		microsecond := float64(time.Microsecond) / a.scale
		a.from, a.to = a.from-microsecond, a.to+microsecond
	case from < (to-from)/10: // then it need not begin anywhere but at 0
		a.from = 0
	}
	return a
}

// points returns points as they are drawn.
func (a *timeAxis) points(points []point) plotter.XYs {
	var xys plotter.XYs
	for _, p := range points {
		xys = append(xys, plotter.XY{X: float64(p.t) / a.scale, Y: float64(p.y)})
	}
	return xys
}

// intervals returns counts as steps of packets per second, from the beginning of
// what is drawn to its end and down to 0.
func (a *timeAxis) intervals(counts []int64) plotter.XYs {
	w := float64(width(a.steps))
	xys := make(plotter.XYs, max(int((a.high-a.low)*a.scale/w)+1, len(counts))+1)
	for i := range xys {
		xys[i].X = a.low + float64(i)*w/a.scale
		if i < len(counts) {
			xys[i].Y = float64(counts[i]) / (w / 1e9)
		}
	}
	return xys
}

// at writes a time as "12.5 ms".
func (a *timeAxis) at(t int64) string {
	return strconv.FormatFloat(float64(t)/a.scale, 'f', -1, 64) + " " + a.unit
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

// Ticks implements plot.Ticker.
func (a *timeAxis) Ticks(from, to float64) []plot.Tick {
	if a.low == a.high {
		return []plot.Tick{{Value: a.low, Label: strconv.FormatFloat(a.low, 'f', -1, 64)}}
	}
	return ticks{many: 10}.Ticks(from, to)
}

// verticals are the lines of the grid that belong to a time axis, also where it is
// not drawn.
type verticals struct{ *timeAxis }

// Plot implements plot.Plotter.
func (v verticals) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	for _, t := range v.Ticks(p.X.Min, p.X.Max) {
		c.StrokeLine2(gridStyle, x(t.Value), c.Min.Y, x(t.Value), c.Max.Y)
	}
}

// ticks sets ticks at round numbers, without exponents: PSNs are read digit by
// digit.
type ticks struct {
	many  int
	whole bool // no fractions
}

// Ticks implements plot.Ticker.
func (t ticks) Ticks(from, to float64) (all []plot.Tick) {
	step := t.step(from, to)
	digits := max(0, int(-math.Floor(math.Log10(step)+1e-9)))
	for i := math.Ceil(from/step - 1e-9); i*step <= to+step*1e-9; i++ {
		v := i*step + 0 // and not -0
		all = append(all, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'f', digits, 64)})
	}
	return all
}

// step returns the distance of ticks.
func (t ticks) step(from, to float64) float64 {
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
	return step
}

// psns is how many PSNs there are.
const psns = 1 << 24

// psnTicks sets ticks at round PSNs, which begin anew at 0 behind the last one, if
// no PSN is there twice.
type psnTicks struct {
	low, high float64 // what there is
	many      int
}

// Ticks implements plot.Ticker.
func (p *psnTicks) Ticks(_, _ float64) (all []plot.Tick) {
	t := ticks{many: p.many, whole: true}
	if p.low == p.high {
		return []plot.Tick{{Value: p.low, Label: strconv.Itoa(int(p.low) & (psns - 1))}}
	}
	if p.high-p.low >= psns {
		return t.Ticks(p.low, p.high)
	}
	step := t.step(p.low, p.high)
	for wrap := math.Floor(p.low/psns) * psns; wrap <= p.high; wrap += psns {
		next := wrap + psns
		for i := max(math.Ceil((p.low-wrap)/step), 0); wrap+i*step <= min(p.high, next-1); i++ {
			if v := wrap + i*step; next-v > step/2 || next > p.high { // not upon the 0 behind it
				all = append(all, plot.Tick{Value: v, Label: strconv.Itoa(int(v - wrap))})
			}
		}
	}
	return all
}

// apart are the ticks of a vertical axis, away from their numbers: viewers without
// the fonts that the numbers were measured in may show wider ones.
type apart struct{ plot.Ticker }

// Ticks implements plot.Ticker.
func (a apart) Ticks(from, to float64) []plot.Tick {
	all := a.Ticker.Ticks(from, to)
	for i := range all {
		all[i].Label += "  "
	}
	return all
}
