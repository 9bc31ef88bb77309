package plot

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/ibwire/ibwire/opcode"
)

// Sizes of what is drawn of a flow.
const (
	headHeight  = 18
	panelGap    = 6   // above a panel
	blockGap    = 8   // below it
	psnHeight   = 400 // of the PSNs of all flows, if that is enough
	leastPSN    = 104 // of the PSNs of each flow
	ratesHeight = 240 // of congestion, in the same way
	leastRate   = 50
	mostRate    = 100
	unitWidth   = 14 // of what stands at the vertical axes
)

// Colours that those who do not see red or green tell apart (Okabe and Ito).
var (
	black    = color.RGBA{0, 0, 0, 255}
	darkGrey = color.RGBA{0x50, 0x50, 0x50, 255}

	// trackColours are those of flows.
	trackColours = [drawnTracks]color.Color{
		color.RGBA{0, 0x72, 0xb2, 255},    // blue
		color.RGBA{0xe6, 0x9f, 0, 255},    // orange
		color.RGBA{0, 0x9e, 0x73, 255},    // green
		color.RGBA{0xcc, 0x79, 0xa7, 255}, // purple
		color.RGBA{0x56, 0xb4, 0xe9, 255}, // sky blue
		color.RGBA{0xd5, 0x5e, 0, 255},    // vermillion
	}
)

// A block is what is drawn of a flow, under its name: panels below each other.
type block struct {
	name, other string // other is the other direction
	color       color.Color
	rest        bool // it is of all flows that have none
	panels      []*panel
}

// blocks returns what is to be drawn, from top to bottom. Flows stand below each
// other, since those of one application often go on at the same pace: in one
// frame each would hide the others.
func (r *Recorder) blocks(tracks []*track) (blocks []*block) {
	x := newTimeAxis(r.from, r.to)
	for i, t := range tracks {
		b := &block{name: fmt.Sprintf("Flow %d: %v", t.flow.ID, t.flow.Key), other: direction(t), color: trackColours[i]}
		if t.begun {
			b.panels = append(b.panels, psnPanel(t, x, b.color))
		}
		b.rates(&t.rates.cnp, x, "CNPs/s", "CNPs that throttle the flow")
		b.rates(&t.rates.ce, x, "CE/s", "packets of the flow with ECN CE")
		blocks = append(blocks, b)
	}
	rest := r.undrawn(tracks)
	b := &block{name: "Other flows", color: darkGrey, rest: true}
	b.rates(&rest.cnp, x, "CNPs/s", "CNPs that throttle other flows")
	b.rates(&rest.ce, x, "CE/s", "packets of other flows with ECN CE")
	if len(b.panels) == 0 {
		b.name = "Unknown flows"
	}
	b.rates(&r.unknown, x, "CNPs/s", "CNPs that throttle unknown flows")
	if len(b.panels) > 0 {
		blocks = append(blocks, b)
	}
	if len(blocks) > 0 {
		scale(blocks)
		last := blocks[len(blocks)-1].panels
		last[len(last)-1].showTime(x)
	}
	return blocks
}

// direction says what is known of the other direction of a flow.
func direction(t *track) string {
	peer, how := t.flow.Peer()
	switch {
	case peer == nil && (t.flow.Key.Transport == opcode.UD || t.flow.Key.Transport == opcode.CNP):
		return "" // there is none
	case peer == nil:
		return "other direction not known"
	case !t.begun:
		return fmt.Sprintf("answers flow %d (%v)", peer.ID, how)
	}
	return fmt.Sprintf("answered by flow %d (%v)", peer.ID, how)
}

// psnPanel draws the PSNs of a flow over time.
func psnPanel(t *track, x *timeAxis, c color.Color) *panel {
	p := newPanel(x, "PSN")
	p.line(x.points(t.sent.points()), "requests", t.sent.total, c, nil)
	answers, answerColour := "answers", c
	if t.sent.total > 0 {
		answerColour = darkGrey
	}
	if peer, _ := t.flow.Peer(); peer != nil {
		answers = fmt.Sprintf("answers to QP=0x%06x", peer.Key.DestQP)
	}
	p.line(x.points(t.answered.points()), answers, t.answered.total, answerColour, dotted)
	p.allMarks(t, x)
	if t.late > 0 {
		p.legend.Add("not kept before " + x.at(t.late))
	}
	low, high := p.Y.Min, p.Y.Max
	p.psns = &psnTicks{low: low, high: high}
	p.Y.Tick.Marker = apart{p.psns}
	if high-low >= psns {
		p.unit = "PSN, unwrapped"
	}
	if low == high {
		p.Y.Min, p.Y.Max = low-1, high+1
	}
	return p
}

// allMarks adds the marks of a flow.
func (p *panel) allMarks(t *track, x *timeAxis) {
	drawn, kinds := 0, 0
	for m := range t.marks {
		if n := len(t.marks[m].points); n > 0 {
			drawn, kinds = drawn+n, kinds+1
		}
	}
	many := drawn > fewMarks
	for m := range t.marks {
		if k := &t.marks[m]; k.total > 0 {
			p.marks(mark(m), x.points(k.points), k, many)
		}
	}
	switch {
	case drawn == 0:
		p.legend.Add("no gaps, retransmissions, NAKs, CNPs")
	case many && kinds > 1:
		p.legend.Add("marks stand apart, by kind")
	}
}

// rates draws CNPs or CE over time, if there are any.
func (b *block) rates(s *rate, x *timeAxis, unit, name string) {
	if s.total == 0 {
		return
	}
	s.widen(x.steps)
	p := newPanel(x, unit)
	p.steps(x.intervals(s.counts), fmt.Sprintf("%s (%d)", name, s.total), b.color)
	p.legend.Add("per second, mean of each " + duration(width(x.steps)))
	p.Y.Min = 0
	b.panels = append(b.panels, p)
}

// scale sets the heights of panels, the same time for all, and the same scale for
// the rates of all flows.
func scale(blocks []*block) {
	most, end, numPSNs, numRates := map[string]float64{}, 0.0, 0, 0
	for _, b := range blocks {
		for _, p := range b.panels {
			end = max(end, p.X.Max) // that of rates is the end of the last interval
			switch {
			case p.psns != nil:
				numPSNs++
				continue
			case !b.rest:
				most[p.unit] = max(most[p.unit], p.Y.Max)
			}
			numRates++
		}
	}
	for _, b := range blocks {
		for _, p := range b.panels {
			p.X.Max = end
			if p.psns != nil {
				p.height = max(psnHeight/vg.Length(numPSNs), leastPSN, p.legendHeight())
				p.psns.many = int(p.height / 30)
			} else {
				p.height = min(max(ratesHeight/vg.Length(numRates), leastRate), mostRate)
				if !b.rest {
					p.Y.Max = most[p.unit]
				}
			}
			point := (p.Y.Max - p.Y.Min) / float64(p.height)
			p.Y.Max += point * float64(max(p.room, 4))
			p.Y.Min -= point * float64(p.room)
		}
	}
}

// height returns the height of a block.
func (b *block) height() vg.Length {
	h := vg.Length(headHeight + blockGap)
	for _, p := range b.panels {
		h += p.height
	}
	return h
}

// head writes the name of a flow, with its colour.
func (b *block) head(c draw.Canvas) {
	c.SetColor(b.color)
	c.Fill(vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: c.Max.Y - 14}, Max: vg.Point{X: c.Min.X + 24, Y: c.Max.Y - 7}}.Path())
	style := text.Style{Color: black, Font: sans(12), Handler: plot.DefaultTextHandler}
	c.FillText(style, vg.Point{X: c.Min.X + 30, Y: c.Max.Y - 15}, b.name)
	style.Font, style.Color = sans(10), darkGrey
	c.FillText(style, vg.Point{X: c.Max.X - legendWidth + 14, Y: c.Max.Y - 15}, b.other)
}

// drawBlocks draws blocks below each other, with all axes above each other.
func drawBlocks(blocks []*block, c draw.Canvas) {
	var panels []*panel
	var areas []draw.Canvas
	for _, b := range blocks {
		b.head(c)
		c.Max.Y -= headHeight
		for _, p := range b.panels {
			area := draw.Crop(c, 0, 0, 0, -panelGap)
			area.Min.Y = c.Max.Y - p.height
			panels, areas = append(panels, p), append(areas, area)
			c.Max.Y -= p.height
		}
		c.Max.Y -= blockGap
	}
	left, right := c.Min.X, c.Max.X-legendWidth
	for i, p := range panels {
		data := p.DataCanvas(draw.Crop(areas[i], unitWidth, -legendWidth, 0, 0))
		left, right = max(left, data.Min.X), min(right, data.Max.X)
	}
	for i, p := range panels {
		p.draw(areas[i], left, right)
	}
}
