package plot

import "math"

// A panel is a frame with axes and marks. One without marks keeps its place empty.
type panel struct {
	title string
	x, y  axis
	marks []mark
	// bare panels have no axes: their marks are texts.
	bare bool
}

// ends sets the ends of axes that have none from the marks. The y axis of a density begins at 0, which its
// area includes.
func (p *panel) ends() {
	b := emptyBox()
	for _, m := range p.marks {
		m.extent(&b)
	}
	if p.x.lo == p.x.hi {
		p.x.lo, p.x.hi = wider(b.left, b.right, 0.03)
	}
	if p.y.lo == p.y.hi {
		low := b.low
		p.y.lo, p.y.hi = wider(b.low, b.high, 0.06)
		if low == 0 {
			p.y.lo = 0
		}
	}
}

// fromZero lets the y axis begin at 0, as one of shares does, whose heights are compared.
func (p *panel) fromZero() {
	b := emptyBox()
	for _, m := range p.marks {
		m.extent(&b)
	}
	_, p.y.hi = wider(0, b.high, 0.06)
}

// An entry of a legend names the colour of a line.
type entry struct {
	text  string
	pen   pen
	cross bool
}

// telling is a panel with a text in place of a plot.
func telling(text string) panel {
	return panel{x: axis{bare: true}, y: axis{bare: true}, marks: []mark{remark{text}}, bare: true}
}

// A Figure is a plot with all that is drawn in it, in numbers; it can be drawn as text and as SVG.
type Figure struct {
	title, note string
	shades      string // what shaded areas mean, which text does not have
	legend      []entry
	across      int // panels in a row
	wide, high  float64
	panels      []panel
	// flows lets text have fewer panels in a row.
	flows bool
	// text draws the figure in characters, if there is a better way than to draw its panels.
	text func(s Canvas) string
}

// The sizes of letters and of the spaces between parts, in units.
const (
	titleSize  = 16.0
	textSize   = 12.0
	tickSize   = 11.0
	lineHeight = 18.0
	margin     = 16.0
	tickLength = 4.0
)

// Narrow is the figure for a narrow screen: its panels below one another, unless they belong side by side.
func (f *Figure) Narrow() *Figure {
	out := *f
	if f.flows {
		out.across = 1
	} else if f.across > 1 {
		out.high = narrowWidth / float64(f.across)
	}
	return &out
}

// narrowWidth is about that of a telephone, in units.
const narrowWidth = 360.0

// rows is the number of rows of panels.
func (f *Figure) rows() int { return (len(f.panels) + f.across - 1) / f.across }

// natural is the size that a figure has if none is asked for.
func (f *Figure) natural() (width, height float64) {
	return math.Round(f.wide*float64(f.across)) + 2*margin, math.Round(f.high*float64(f.rows())) + 2*margin +
		3*lineHeight
}
