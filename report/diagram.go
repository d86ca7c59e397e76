package report

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/vflc/vflc/compile"
)

// A diagram is a drawing in pixels: a box for each party, the clients on the left and the server on the
// right, and between them an arrow for everything that crosses in a round.
type diagram struct {
	Width, Height int
	Boxes         []box
	Arrows        []arrow
	Frame         *box // around all parties, with a title, where one process holds all data
}

// A box is a party.
type box struct {
	X, Y, W, H int
	Class      string
	Title      line
	Kind       line
	Lines      []line
	Stacked    bool // a family: more than one of it
}

// A line is a text at a place, cut to the width of its box; Full is all of it.
type line struct {
	X, Y       int
	Text, Full string
}

// An arrow goes from X1 to X2 at the height Y, with its text above it.
type arrow struct {
	X1, X2, Y int
	Class     string
	Up        bool // from a client to the server
	Label     line
	Head      string // points of its head
}

// Measures of a diagram. A character of the monospaced font is 0.6 of its size wide: 12 pixels in boxes, 11
// above arrows; a bold one of a title at most 10 pixels on average.
const (
	boxWidth   = 360
	gapWidth   = 330
	margin     = 12
	padding    = 12
	lineHeight = 17
	titleSpace = 52
	lane       = 30
	boxGap     = 22
	head       = 8
	inTitle    = (boxWidth - 2*padding) / 10
	inBox      = (boxWidth - 2*padding) * 10 / 73
	inGap      = (gapWidth - 2*padding) * 10 / 67
	serverX    = margin + boxWidth + gapWidth
)

// draw lays out the parties.
func (r *Report) draw(rows []compile.Disclosure) *diagram {
	if r.bundle == nil {
		return r.drawPooled()
	}
	d := &diagram{Width: serverX + boxWidth + margin}
	y := margin
	for k, party := range r.parties()[1:] {
		lanes := crossing(rows, party)
		b := r.box(k+1, statements(r.bundle.Programs[k+1]), margin, y, len(lanes)*lane)
		for i, c := range lanes {
			d.Arrows = append(d.Arrows, r.arrow(c, party, y+lane*i+lane-6))
		}
		d.Boxes = append(d.Boxes, b)
		y += b.H + boxGap
	}
	server := statements(r.bundle.Programs[0])
	for _, g := range r.groups() {
		server = append(server, "", g.Sum+": "+g.Need)
	}
	b := r.box(0, server, serverX, margin, y-boxGap-margin)
	d.Boxes = append(d.Boxes, b)
	d.Height = max(y-boxGap, b.Y+b.H) + margin
	return d
}

// drawPooled lays out the parties side by side in one process.
func (r *Report) drawPooled() *diagram {
	d := &diagram{Frame: &box{X: margin, Y: margin, Title: line{2 * margin, margin + 22, "one process", ""}}}
	x, top, tallest := 2*margin, margin+34, 0
	for k, party := range r.parties() {
		b := r.box(k, r.pooledStatements(party), x, top, 0)
		d.Boxes = append(d.Boxes, b)
		x, tallest = x+boxWidth+boxGap, max(tallest, b.H)
	}
	for i := range d.Boxes {
		d.Boxes[i].H = tallest
	}
	d.Frame.W, d.Frame.H = x-boxGap, top+tallest
	d.Width, d.Height = d.Frame.W+2*margin, d.Frame.H+2*margin
	return d
}

// box is the k-th party with its statements, at least so high.
func (r *Report) box(k int, statements []string, x, y, height int) box {
	party := r.parties()[k]
	b := box{X: x, Y: y, W: boxWidth, Class: r.classOf(party), Stacked: k > 0 &&
		r.model.Checked.Clients[k-1].Family}
	b.Title, b.Kind = line{x + padding, y + 24, cut(party, inTitle), party},
		line{x + padding, y + 41, r.role(k), ""}
	at := y + titleSpace
	for _, text := range statements {
		for i, part := range wrapped(text, inBox) {
			at += lineHeight
			b.Lines = append(b.Lines, line{x + padding, at - 5, part, ""})
			if i == 0 {
				b.Lines[len(b.Lines)-1].Full = text
			}
		}
	}
	b.H = max(height, at-y+padding)
	return b
}

// arrow is something that crosses between a client and the server.
func (r *Report) arrow(c compile.Disclosure, client string, y int) arrow {
	left, right := margin+boxWidth+4, serverX-4
	up := c.From == client
	full := c.What
	if len(c.Shape) > 0 {
		full += " " + shapeText(c.Shape)
	}
	a := arrow{X1: left, X2: right, Y: y, Class: r.classOf(client), Up: up,
		Label: line{(left + right) / 2, y - 6, cut(full, inGap), fmt.Sprintf("%s, from %s to %s, %s", full,
			c.From, c.To, c.Often)}}
	a.Head = points(right, y, -head)
	if !up {
		a.Head = points(left, y, head)
	}
	return a
}

// points are those of an arrow's head with its tip at a place.
func points(x, y, back int) string {
	return fmt.Sprintf("%d,%d %d,%d %d,%d", x, y, x+back, y-4, x+back, y+4)
}

// cut shortens a text to some characters.
func cut(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}

// wrapped breaks a text into lines of at most so many characters, at blanks where there are any; lines after
// the first are indented.
func wrapped(text string, most int) []string {
	var out []string
	now := ""
	for _, word := range strings.Fields(text) {
		switch {
		case now == "":
			now = word
		case utf8.RuneCountInString(now+" "+word) <= most:
			now += " " + word
		default:
			out, now = append(out, cut(now, most)), "  "+word
		}
	}
	return append(out, cut(now, most))
}
