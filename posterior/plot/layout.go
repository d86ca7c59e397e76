package plot

import (
	"fmt"
	"math"
	"strings"
)

// gap is the space between neighbouring panels, in units.
const gap = 12.0

// A layout places the parts of a figure on a canvas.
type layout struct {
	c         canvas
	f         *Figure
	top, foot float64   // of the panels
	lefts     []float64 // what ticks and label of the y axes of a column need
	width     float64   // of a frame
	height    float64
	// line is the height of a line of characters, at whose ends frames begin and end; 0: they may begin
	// anywhere.
	line float64
}

// The least sizes of a frame, in units.
const (
	leastWidth  = 24.0
	leastHeight = 16.0
)

// draw draws the figure on a canvas: title, legend, panels row by row, and the note. It fills the canvas,
// unless the height of a frame is given. The error is that of a canvas that is too small.
func (f *Figure) draw(c canvas, frameHeight, line float64) error {
	for i := range f.panels {
		f.panels[i].ends()
	}
	width, height := c.size()
	c.fill(rectangle(0, 0, width, height), white, 1)
	l := &layout{c: c, f: f, top: margin, line: line}
	l.heading(width - 2*margin)
	letters := lettering{size: tickSize, color: grey}
	note := wrapped(c, f.note+" "+f.shades, letters, width-2*margin)
	l.foot = height - margin - float64(lineHeight*float64(len(note)))
	l.measure(width)
	if frameHeight > 0 {
		l.height = frameHeight
	} else if l.width < leastWidth || l.height < leastHeight {
		wide, high := f.natural()
		return fmt.Errorf("the picture is too small for %d by %d panels, which take %.0f by %.0f pixels",
			f.across, f.rows(), wide, high)
	}
	y := l.top
	for row := range f.rows() {
		y = l.row(row, y)
	}
	if frameHeight > 0 {
		l.foot = y
	}
	for i, text := range note {
		c.text(point{margin, l.foot + float64(lineHeight*(float64(i)+0.5))}, text, letters)
	}
	return nil
}

// onLine moves a height down to the next end of a line.
func (l *layout) onLine(y float64) float64 {
	if l.line == 0 {
		return y
	}
	return math.Ceil(y/l.line) * l.line
}

// onColumn moves a place to the right to the next end of a column of characters: what is right of it then
// shares no character with what is left.
func (l *layout) onColumn(x float64) float64 {
	if l.line == 0 {
		return x
	}
	return math.Ceil(x/cellWidth) * cellWidth
}

// heading draws title and legend.
func (l *layout) heading(room float64) {
	title := lettering{size: titleSize, bold: true, color: black}
	l.c.text(point{margin, l.top + titleSize/2}, fitted(l.c, l.f.title, title, room), title)
	l.top += titleSize + 10
	if len(l.f.legend) == 0 {
		return
	}
	x, letters := margin, lettering{size: textSize, color: black}
	for _, e := range l.f.legend {
		text := fitted(l.c, e.text, letters, room-28)
		wide := 24 + l.c.measure(text, letters) + 16
		if x > margin && x+wide-16 > margin+room {
			x, l.top = margin, l.top+lineHeight
		}
		l.sample(e, x, l.top+lineHeight/2)
		l.c.text(point{x + 24, l.top + lineHeight/2}, text, letters)
		x += wide
	}
	l.top += lineHeight + 6
}

// sampleWidth is the width of the lines of a legend.
const sampleWidth = 3.0

// sample draws the line of an entry of the legend.
func (l *layout) sample(e entry, x, y float64) {
	if e.cross {
		l.c.cross(point{x + 9, y}, 3.5, e.pen.color, 1)
		return
	}
	p := e.pen
	p.width, p.alpha = sampleWidth, 1
	l.c.line([]point{{x, y}, {x + 18, y}}, p)
}

// wrapped breaks a text into lines at blanks.
func wrapped(c canvas, text string, l lettering, room float64) []string {
	var out []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && c.measure(line+" "+word, l) > room {
			out, line = append(out, line), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	if line != "" {
		out = append(out, line)
	}
	return out
}

func small() lettering { return lettering{size: tickSize, color: black} }

// measure sets the sizes of frames, which are all the same.
func (l *layout) measure(width float64) {
	room := width - 2*margin - float64(gap*float64(l.f.across-1))
	if l.line > 0 {
		room -= float64(cellWidth * float64(l.f.across)) // see onColumn
	}
	l.lefts = make([]float64, l.f.across)
	for k, p := range l.f.panels {
		if len(p.marks) > 0 {
			column := k % l.f.across
			l.lefts[column] = max(l.lefts[column], l.beside(p, room/float64(l.f.across), column == 0))
		}
	}
	l.width = room
	for _, left := range l.lefts {
		l.width -= left
	}
	l.width /= float64(l.f.across)
	fixed := 0.0
	for row := range l.f.rows() {
		above, below := l.around(row)
		fixed += above + below
	}
	l.height = (l.foot - l.top - fixed) / float64(l.f.rows())
}

// beside is the room that the y axis of a panel needs, with its label or without.
func (l *layout) beside(p panel, column float64, label bool) float64 {
	wide := 0.0
	for _, name := range p.y.names {
		wide = max(wide, l.c.measure(name, small()))
	}
	if p.y.names == nil && !p.y.bare {
		for _, t := range p.y.ticks(5) {
			wide = max(wide, l.c.measure(t.text, small()))
		}
	}
	wide = min(wide, 0.45*column)
	if p.y.label != "" && label {
		wide += lineHeight
	}
	return wide + tickLength + 4
}

// panel returns the panel of a row and column, or one without marks.
func (l *layout) panel(row, column int) panel {
	if k := row*l.f.across + column; row < l.f.rows() && k < len(l.f.panels) {
		return l.f.panels[k]
	}
	return panel{}
}

// labelled reports whether a panel has the label of its x axis: the lowest of a column with axes.
func (l *layout) labelled(row, column int) bool {
	for below := row + 1; below < l.f.rows(); below++ {
		if p := l.panel(below, column); len(p.marks) > 0 && !p.bare {
			return false
		}
	}
	return l.panel(row, column).x.label != ""
}

// around is the room that the panels of a row need above and below their frames.
func (l *layout) around(row int) (above, below float64) {
	above, below = 4, gap
	for column := range l.f.across {
		p := l.panel(row, column)
		if p.title != "" {
			above = lineHeight + 2
		}
		if len(p.marks) > 0 && !p.x.bare {
			below = max(below, gap+lineHeight)
		}
		if l.labelled(row, column) {
			below = max(below, gap+2*lineHeight)
		}
	}
	return above, below
}

// row draws a row of panels, and returns where the next begins.
func (l *layout) row(row int, y float64) float64 {
	above, below := l.around(row)
	left, top := margin, l.onLine(y+above)
	for column := range l.f.across {
		p := l.panel(row, column)
		left = l.onColumn(left + l.lefts[column])
		f := frame{left, top, left + l.width, top + l.height, p.x, p.y}
		if l.line > 0 {
			f.bottom-- // into its last line
		}
		left += l.width + gap
		if len(p.marks) == 0 {
			continue
		}
		l.axes(p, f, row, column)
		for _, m := range p.marks {
			m.draw(l.c, f)
		}
	}
	return top + l.height + below
}

// axes draws the title of a panel, its axes, and lines at the ticks.
func (l *layout) axes(p panel, f frame, row, column int) {
	bold := lettering{size: textSize, bold: true, color: black}
	l.c.text(point{f.left, f.top - lineHeight/2 - 1}, fitted(l.c, p.title, bold, l.width), bold)
	if p.bare {
		return
	}
	l.xAxis(p.x, f)
	l.yAxis(p.y, f, l.lefts[column], column == 0)
	edge := pen{grey, 1, 1, false}
	l.c.line([]point{{f.left, f.bottom}, {f.right, f.bottom}}, edge)
	l.c.line([]point{{f.left, f.top}, {f.left, f.bottom}}, edge)
	text := lettering{size: textSize, color: black, anchor: middle}
	if l.labelled(row, column) {
		l.c.text(point{(f.left + f.right) / 2, f.bottom + tickLength + lineHeight*1.5},
			fitted(l.c, p.x.label, text, l.width), text)
	}
	if column == 0 && p.y.label != "" {
		text.up = true
		l.c.text(point{f.left - l.lefts[0] + lineHeight/2, (f.top + f.bottom) / 2},
			fitted(l.c, p.y.label, text, l.height), text)
	}
}

// xAxis draws ticks below a frame, as many as their texts leave room for.
func (l *layout) xAxis(a axis, f frame) {
	if a.bare {
		return
	}
	letters := small()
	letters.anchor = middle
	for _, t := range l.legible(a, letters) {
		x := f.atX(t.at)
		l.c.line([]point{{x, f.top}, {x, f.bottom}}, pen{pale, 1, 1, false})
		l.c.line([]point{{x, f.bottom}, {x, f.bottom + tickLength}}, pen{grey, 1, 1, false})
		half := float64(l.c.measure(t.text, letters) / 2)
		l.c.text(point{min(x, f.right+gap-half), f.bottom + tickLength + lineHeight/2}, t.text, letters)
	}
}

// legible returns ticks whose texts do not touch.
func (l *layout) legible(a axis, letters lettering) []tick {
	fit := func(ticks []tick) bool {
		wide := 0.0
		for _, t := range ticks {
			wide += l.c.measure(t.text, letters) + 12
		}
		return wide <= l.width
	}
	about := int(max(2, l.width/50))
	ticks := a.ticks(about)
	for ; about > 1 && !fit(ticks); about-- {
		ticks = a.ticks(about - 1)
	}
	all := ticks
	for step := 2; step <= len(all) && !fit(ticks); step++ { // a narrow panel has room for few of the fewest
		ticks = nil
		for k := 0; k < len(all); k += step {
			ticks = append(ticks, all[k])
		}
	}
	return ticks
}

// yAxis draws ticks, or names, to the left of a frame.
func (l *layout) yAxis(a axis, f frame, left float64, label bool) {
	letters := small()
	letters.anchor = end
	room := left - tickLength - 4
	if a.label != "" && label {
		room -= lineHeight
	}
	for k, name := range a.names {
		l.c.text(point{f.left - tickLength - 2, f.atY(float64(k))}, fitted(l.c, name, letters, room), letters)
	}
	if a.names != nil || a.bare {
		return
	}
	for _, t := range a.ticks(int(math.Round(min(5, max(2, l.height/32))))) {
		y := f.atY(t.at)
		l.c.line([]point{{f.left, y}, {f.right, y}}, pen{pale, 1, 1, false})
		l.c.line([]point{{f.left - tickLength, y}, {f.left, y}}, pen{grey, 1, 1, false})
		l.c.text(point{f.left - tickLength - 2, y}, t.text, letters)
	}
}
