package plot

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// svg is a canvas that writes an SVG document. It has no identifiers, styles or scripts, so that several
// stand in one page, under any content policy.
type svg struct {
	*typeface
	out           bytes.Buffer
	width, height float64
}

// SVG writes the figure as an SVG document of a size in pixels; 0: a size that suits it.
func (f *Figure) SVG(w io.Writer, width, height int) error {
	wide, high := f.sized(float64(width), float64(height))
	c := &svg{typeface: newTypeface(), width: wide, height: high}
	title := escaped(f.title)
	fmt.Fprintf(&c.out,
		`<svg xmlns="http://www.w3.org/2000/svg" width="%g" height="%g" viewBox="0 0 %g %g" role="img" aria-label="%s" font-family="Helvetica, Arial, 'Liberation Sans', sans-serif">`+"\n",
		wide, high, wide, high, title)
	fmt.Fprintf(&c.out, "<title>%s</title>\n", title)
	if err := f.draw(c, 0, 0); err != nil {
		return err
	}
	c.out.WriteString("</svg>\n")
	_, err := w.Write(c.out.Bytes())
	return err
}

// sized fills in the sides that are 0.
func (f *Figure) sized(width, height float64) (float64, float64) {
	wide, high := f.natural()
	if width > 0 {
		wide = width
	}
	if height > 0 {
		high = height
	}
	return wide, high
}

func (c *svg) size() (width, height float64) { return c.width, c.height }

// escaped is a text of a document: control characters, which no document may have, are replaced.
func escaped(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s)) // a Builder does not fail
	return b.String()
}

// short writes a coordinate to a tenth of a unit.
func short(v float64) string {
	return strconv.FormatFloat(math.Round(v*10)/10+0, 'f', -1, 64)
}

func (c *svg) points(points []point) {
	c.out.WriteString(` points="`)
	for i, p := range points {
		if i > 0 {
			c.out.WriteByte(' ')
		}
		c.out.WriteString(short(p.x) + "," + short(p.y))
	}
	c.out.WriteByte('"')
}

func (k color) String() string { return fmt.Sprintf("#%02x%02x%02x", k[0], k[1], k[2]) }

func (c *svg) opacity(name string, alpha float64) {
	if alpha < 1 {
		fmt.Fprintf(&c.out, ` %s="%g"`, name, alpha)
	}
}

func (c *svg) line(points []point, p pen) {
	c.out.WriteString("<polyline")
	c.points(points)
	fmt.Fprintf(&c.out, ` fill="none" stroke="%v" stroke-width="%s" stroke-linejoin="round"`, p.color,
		short(p.width))
	c.opacity("stroke-opacity", p.alpha)
	if p.dashed {
		fmt.Fprintf(&c.out, ` stroke-dasharray="%s %s"`, short(dash(p)), short(dash(p)))
	}
	c.out.WriteString("/>\n")
}

// dash is the length of the dashes of a pen, and of the gaps between them.
func dash(p pen) float64 { return 3 + p.width }

func (c *svg) fill(points []point, k color, alpha float64) {
	c.out.WriteString("<polygon")
	c.points(points)
	fmt.Fprintf(&c.out, ` fill="%v"`, k)
	c.opacity("fill-opacity", alpha)
	c.out.WriteString("/>\n")
}

func (c *svg) dots(at []point, radius float64, k color, alpha float64) {
	fmt.Fprintf(&c.out, `<g fill="%v"`, k)
	c.opacity("fill-opacity", alpha)
	c.out.WriteString(">\n")
	for _, p := range at {
		fmt.Fprintf(&c.out, `<circle cx="%s" cy="%s" r="%s"/>`, short(p.x), short(p.y), short(radius))
	}
	c.out.WriteString("</g>\n")
}

func (c *svg) cross(at point, radius float64, k color, alpha float64) {
	a, b, e, g := short(at.x-radius), short(at.y-radius), short(at.x+radius), short(at.y+radius)
	fmt.Fprintf(&c.out, `<path d="M%s %sL%s %sM%s %sL%s %s" stroke="%v" stroke-width="%s"`, a, b, e, g, a, g,
		e, b, k, short(radius/2))
	c.opacity("stroke-opacity", alpha)
	c.out.WriteString("/>\n")
}

func (c *svg) text(at point, s string, l lettering) {
	if s == "" {
		return
	}
	base := point{at.x, at.y + float64(baseline*l.size)}
	turn := ""
	if l.up {
		base = point{at.x + float64(baseline*l.size), at.y}
		turn = fmt.Sprintf(` transform="rotate(-90 %s %s)"`, short(base.x), short(base.y))
	}
	weight := ""
	if l.bold {
		weight = ` font-weight="bold"`
	}
	fmt.Fprintf(&c.out, `<text x="%s" y="%s" font-size="%s"%s fill="%v" text-anchor="%s"%s>%s</text>`+"\n",
		short(base.x), short(base.y), short(l.size), weight, l.color,
		[]string{"start", "middle", "end"}[l.anchor], turn, escaped(s))
}

// baseline is how far the base of a line of text lies below the middle of its letters, in sizes of the font.
const baseline = 0.36
