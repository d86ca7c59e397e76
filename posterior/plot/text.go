package plot

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/vflc/vflc/posterior"
)

// A character is cellWidth by cellHeight units.
const (
	cellWidth  = 7.0
	cellHeight = lineHeight
)

// leastColumns is the least number of characters across a panel of a grid.
const leastColumns = 36

// paper is a canvas of characters. Lines are drawn in Braille, whose characters have two by four dots; areas,
// and lines at ticks, are left out.
type paper struct {
	color         bool
	width, height int
	letters       []rune
	braille       []uint8 // the dots of a character, as in Unicode
	colors        []color
}

// Text draws the figure in characters. Height is the number of lines of a panel; 0: 12.
func (f *Figure) Text(s Canvas) string {
	if s.Height == 0 {
		s.Height = 12
	}
	s.Width = max(s.Width, 20)
	if f.text != nil {
		return f.text(s)
	}
	return f.characters(s)
}

// characters draws the panels of the figure.
func (f *Figure) characters(s Canvas) string {
	g := *f
	g.shades = ""
	if g.flows {
		g.across = max(1, min(g.across, s.Width/leastColumns))
	}
	if !s.Color {
		g.legend = slices.DeleteFunc(slices.Clone(g.legend), func(e entry) bool { return !e.cross })
	}
	note := wrapped(&paper{}, g.note, lettering{}, float64(float64(s.Width)*cellWidth)-2*margin)
	c := &paper{color: s.Color, width: s.Width, height: g.rows()*(s.Height+5) + 6 + len(g.legend) + len(note)}
	n := c.width * c.height
	c.letters, c.braille, c.colors = make([]rune, n), make([]uint8, n), make([]color, n)
	if err := g.draw(c, float64(s.Height)*lineHeight, lineHeight); err != nil {
		panic("plot: " + err.Error()) // the height of its frames is given
	}
	return c.String()
}

func (c *paper) size() (width, height float64) {
	return float64(c.width) * cellWidth, float64(c.height) * cellHeight
}

func (c *paper) measure(s string, _ lettering) float64 {
	return float64(posterior.Width(s)) * cellWidth
}

func (c *paper) fill([]point, color, float64) {}

// cell is the index of the character at a place, -1 outside.
func (c *paper) cell(p point) int {
	x, y := int(math.Floor(p.x/cellWidth)), int(math.Floor(p.y/cellHeight))
	if x < 0 || y < 0 || x >= c.width || y >= c.height {
		return -1
	}
	return y*c.width + x
}

func (c *paper) put(p point, letter rune, k color) {
	if i := c.cell(p); i >= 0 {
		c.letters[i], c.colors[i] = letter, k
	}
}

func (c *paper) text(at point, s string, l lettering) {
	if l.up {
		return
	}
	x := at.x - float64(c.measure(s, l)*[]float64{0, 0.5, 1}[l.anchor])
	for _, letter := range s {
		c.put(point{x + cellWidth/2, at.y}, letter, l.color)
		if x += cellWidth; posterior.Width(string(letter)) == 2 {
			c.put(point{x + cellWidth/2, at.y}, covered, l.color)
			x += cellWidth
		}
	}
}

// covered is a character that the wide one before it covers.
const covered = -1

// brailleBits are the bits of the dots of a character, by line and column.
func brailleBits() [4][2]uint8 {
	return [4][2]uint8{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}
}

func (c *paper) dots(at []point, _ float64, k color, _ float64) {
	for _, p := range at {
		c.dot(p, k)
	}
}

// dot sets one dot of a character, unless it is a letter.
func (c *paper) dot(at point, k color) {
	i := c.cell(at)
	if i < 0 || c.letters[i] != 0 && c.letters[i] != '─' && c.letters[i] != '╌' {
		return
	}
	_, x := math.Modf(at.x / cellWidth)
	_, y := math.Modf(at.y / cellHeight)
	c.braille[i] |= brailleBits()[int(y*4)][int(x*2)]
	c.letters[i], c.colors[i] = 0, k
}

func (c *paper) cross(at point, _ float64, k color, _ float64) { c.put(at, '×', k) }

func (c *paper) line(points []point, p pen) {
	if p.color == pale {
		return
	}
	if p.width == sampleWidth {
		for x := points[0].x + cellWidth/2; x < points[1].x; x += cellWidth {
			c.put(point{x, points[0].y}, '━', p.color)
		}
		return
	}
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		if p.color == grey {
			c.rule(a, b, p.dashed)
			continue
		}
		n := int(math.Ceil(max(math.Abs(b.x-a.x)/cellWidth*2, math.Abs(b.y-a.y)/cellHeight*4)))
		for k := range n + 1 {
			t := float64(k) / float64(max(1, n))
			c.dot(point{a.x + float64(t*(b.x-a.x)), a.y + float64(t*(b.y-a.y))}, p.color)
		}
	}
}

// rule is a horizontal or vertical line of an axis. Ticks, which are shorter than a character, are left out.
func (c *paper) rule(a, b point, dashed bool) {
	across, down := '─', '│'
	if dashed {
		across, down = '╌', '┊'
	}
	if a.y == b.y && b.x-a.x >= cellWidth {
		for x := a.x + cellWidth/2; x < b.x; x += cellWidth {
			c.put(point{x, a.y}, across, grey)
		}
	}
	if a.x == b.x && math.Abs(b.y-a.y) >= cellHeight {
		for y := min(a.y, b.y) + 1; y < max(a.y, b.y); y += cellHeight {
			c.put(point{a.x - cellWidth/2, y}, down, grey)
		}
	}
}

// ansi is the code of a hue among the 256 colours of a terminal; "" for others.
func ansi(k color) string {
	for i, h := range hues() {
		if h == k {
			return []string{"33", "166", "36", "175", "214", "74"}[i]
		}
	}
	return ""
}

// String returns the lines, without blank ones at both ends.
func (c *paper) String() string {
	var lines []string
	for y := range c.height {
		lines = append(lines, c.lineAt(y))
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n") + "\n"
}

func (c *paper) lineAt(y int) string {
	var b strings.Builder
	for x := range c.width {
		i := y*c.width + x
		letter := c.letters[i]
		switch {
		case letter == covered:
			continue
		case letter == 0 && c.braille[i] != 0:
			letter = rune(0x2800 + int(c.braille[i]))
		case letter == 0:
			letter = ' '
		}
		if code := ansi(c.colors[i]); c.color && code != "" && letter != ' ' {
			fmt.Fprintf(&b, "\x1b[38;5;%sm%c\x1b[0m", code, letter)
			continue
		}
		b.WriteRune(letter)
	}
	return strings.TrimRight(b.String(), " ")
}
