package plot

import "sort"

// A point is a place on a canvas, in units from its upper left corner: pixels of an SVG file at scale 1.
type point struct{ x, y float64 }

// A color is red, green and blue.
type color [3]uint8

// A pen draws lines. Alpha is its opacity, from 0 to 1.
type pen struct {
	color  color
	width  float64
	alpha  float64
	dashed bool
}

// An anchor is the part of a text that is at its place.
type anchor int

const (
	start anchor = iota
	middle
	end
)

// A lettering is how a text is set. Up turns it by 90°, so that it reads upwards.
type lettering struct {
	size   float64 // of the font, in units
	bold   bool
	color  color
	anchor anchor
	up     bool
}

// A canvas is what a figure is drawn on.
type canvas interface {
	// size is the width and height of the canvas.
	size() (width, height float64)
	// line draws a line through points.
	line(points []point, p pen)
	// fill fills a closed polygon.
	fill(points []point, c color, alpha float64)
	// dots draws filled circles, over one another where they overlap.
	dots(at []point, radius float64, c color, alpha float64)
	// cross draws a cross.
	cross(at point, radius float64, c color, alpha float64)
	// text writes one line, whose middle has the height of at.
	text(at point, s string, l lettering)
	// measure is the width of a text.
	measure(s string, l lettering) float64
}

func rectangle(x0, y0, x1, y1 float64) []point {
	return []point{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}
}

// fitted cuts the middle out of a text that is wider than the room it has.
func fitted(c canvas, s string, l lettering, room float64) string {
	if c.measure(s, l) <= room {
		return s
	}
	letters := []rune(s)
	cut := func(keep int) string {
		head := (keep + 1) / 2
		return string(letters[:head]) + "…" + string(letters[len(letters)-(keep-head):])
	}
	over := sort.Search(len(letters), func(keep int) bool { return c.measure(cut(keep), l) > room })
	return cut(max(0, over-1))
}
