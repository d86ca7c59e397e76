package plot

import (
	"math"
	"slices"
)

// A frame maps the numbers of a panel to places on a canvas.
type frame struct {
	left, top, right, bottom float64
	x, y                     axis
}

func (f frame) atX(v float64) float64 {
	return f.left + float64((v-f.x.lo)/(f.x.hi-f.x.lo)*(f.right-f.left))
}
func (f frame) atY(v float64) float64 {
	return f.bottom - float64((v-f.y.lo)/(f.y.hi-f.y.lo)*(f.bottom-f.top))
}

// at is the place of a point, NaN where it is not finite.
func (f frame) at(x, y float64) point {
	if !finite(x) || !finite(y) {
		return point{math.NaN(), math.NaN()}
	}
	return point{f.atX(x), f.atY(y)}
}

// A mark is something that is drawn in a panel.
type mark interface {
	// extent widens the box to the mark.
	extent(b *box)
	draw(c canvas, f frame)
}

// A box is a range of x and of y.
type box struct{ left, right, low, high float64 }

func emptyBox() box { return box{math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)} }

func (b *box) add(xs, ys []float64) {
	for i := range xs {
		if finite(xs[i]) && finite(ys[i]) {
			b.left, b.right = min(b.left, xs[i]), max(b.right, xs[i])
			b.low, b.high = min(b.low, ys[i]), max(b.high, ys[i])
		}
	}
}

// mostValue is the largest value that a plot shows: differences of larger ones are not finite.
const mostValue = 1e300

func finite(v float64) bool { return math.Abs(v) <= mostValue }

// A curve is a line through points whose x ascend. Where a point is not finite, it has a gap.
type curve struct {
	xs, ys []float64
	pen    pen
}

func (m curve) extent(b *box) { b.add(m.xs, m.ys) }

func (m curve) draw(c canvas, f frame) {
	var run []point
	flush := func() {
		if len(run) > 1 {
			c.line(run, m.pen)
		} else if len(run) == 1 {
			c.dots(run, m.pen.width, m.pen.color, m.pen.alpha)
		}
		run = nil
	}
	for _, p := range m.thinned(f) {
		if !finite(p.x) || !finite(p.y) {
			flush()
			continue
		}
		run = append(run, p)
	}
	flush()
}

// thinned keeps, of many points in the same unit of the canvas, the lowest and the highest: the line looks
// the same.
func (m curve) thinned(f frame) []point {
	var out []point
	if float64(len(m.xs)) < 2*(f.right-f.left) {
		for i := range m.xs {
			out = append(out, f.at(m.xs[i], m.ys[i]))
		}
		return out
	}
	for i := 0; i < len(m.xs); {
		unit, lowest, highest := math.Floor(f.atX(m.xs[i])), i, i
		for ; i < len(m.xs) && math.Floor(f.atX(m.xs[i])) == unit; i++ {
			if m.ys[i] < m.ys[lowest] || !finite(m.ys[lowest]) {
				lowest = i
			}
			if m.ys[i] > m.ys[highest] || !finite(m.ys[highest]) {
				highest = i
			}
		}
		for _, k := range slices.Compact([]int{min(lowest, highest), max(lowest, highest)}) {
			out = append(out, f.at(m.xs[k], m.ys[k]))
		}
	}
	return out
}

// An area lies between a curve and a lower one, or 0 if low is nil.
type area struct {
	xs, ys, low []float64
	color       color
	alpha       float64
}

func (m area) bottom(i int) float64 {
	if m.low == nil {
		return 0
	}
	return m.low[i]
}

func (m area) extent(b *box) {
	b.add(m.xs, m.ys)
	for i, x := range m.xs {
		b.add([]float64{x}, []float64{m.bottom(i)})
	}
}

func (m area) draw(c canvas, f frame) {
	points := make([]point, 0, 2*len(m.xs))
	for i := range m.xs {
		points = append(points, f.at(m.xs[i], m.ys[i]))
	}
	for i := len(m.xs) - 1; i >= 0; i-- {
		points = append(points, f.at(m.xs[i], m.bottom(i)))
	}
	c.fill(points, m.color, m.alpha)
}

// A scatter is points.
type scatter struct {
	xs, ys []float64
	radius float64
	color  color
	alpha  float64
	cross  bool // crosses, not dots
}

func (m scatter) extent(b *box) { b.add(m.xs, m.ys) }

func (m scatter) draw(c canvas, f frame) {
	var shown []point
	for i := range m.xs {
		if at := f.at(m.xs[i], m.ys[i]); finite(at.x) && finite(at.y) {
			shown = append(shown, at)
		}
	}
	if !m.cross {
		c.dots(shown, m.radius, m.color, m.alpha)
		return
	}
	for _, at := range shown {
		c.cross(at, m.radius, m.color, m.alpha)
	}
}

// A segment is a straight line. It does not widen the panel if it is a guide.
type segment struct {
	x0, y0, x1, y1 float64
	pen            pen
	guide          bool
}

func (m segment) extent(b *box) {
	if !m.guide {
		b.add([]float64{m.x0, m.x1}, []float64{m.y0, m.y1})
	}
}

// draw draws the part of a guide that is inside the frame.
func (m segment) draw(c canvas, f frame) {
	hold := func(v float64, a axis) float64 { return min(max(v, a.lo), a.hi) }
	if m.guide && (max(m.x0, m.x1) < f.x.lo || min(m.x0, m.x1) > f.x.hi || max(m.y0, m.y1) < f.y.lo ||
		min(m.y0, m.y1) > f.y.hi) {
		return
	}
	c.line([]point{f.at(hold(m.x0, f.x), hold(m.y0, f.y)), f.at(hold(m.x1, f.x), hold(m.y1, f.y))}, m.pen)
}

// A rug is short lines at the lower end of a panel.
type rug struct {
	xs  []float64
	pen pen
}

func (m rug) extent(*box) {}

func (m rug) draw(c canvas, f frame) {
	for _, x := range m.xs {
		c.line([]point{{f.atX(x), f.bottom}, {f.atX(x), f.bottom - 7}}, m.pen)
	}
}

// A remark is a text in the middle of a panel.
type remark struct{ text string }

func (m remark) extent(*box) {}

func (m remark) draw(c canvas, f frame) {
	l := lettering{size: textSize, color: grey, anchor: middle}
	c.text(point{(f.left + f.right) / 2, (f.top + f.bottom) / 2}, fitted(c, m.text, l, f.right-f.left), l)
}
