package plot

import (
	"fmt"
	"image"
	imagecolor "image/color"
	"image/draw"
	"image/png"
	"io"
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"

	"github.com/vflc/vflc/portable"
)

const (
	// density is the number of pixels of a PNG file in a unit: figures are for screens with small pixels, and
	// for print.
	density = 2
	// mostPixels is the largest number of pixels of a PNG file.
	mostPixels = 100e6
)

// pixels is a canvas of pixels.
type pixels struct {
	*typeface
	image  *image.RGBA
	raster vector.Rasterizer
}

// PNG writes the figure as a PNG image of a size in pixels; 0: a size that suits it.
func (f *Figure) PNG(w io.Writer, width, height int) error {
	wide, high := f.sized(float64(width)/density, float64(height)/density)
	bounds := image.Rect(0, 0, int(math.Round(wide*density)), int(math.Round(high*density)))
	if n := float64(bounds.Dx()) * float64(bounds.Dy()); n > mostPixels {
		return fmt.Errorf("a picture of %d by %d pixels is too large: it may have 100 million; fewer "+
			"parameters, or an SVG file, take less", bounds.Dx(), bounds.Dy())
	}
	c := &pixels{typeface: newTypeface(), image: image.NewRGBA(bounds)}
	if err := f.draw(c, 0, 0); err != nil {
		return err
	}
	return png.Encode(w, c.image)
}

func (c *pixels) size() (width, height float64) {
	b := c.image.Bounds()
	return float64(b.Dx()) / density, float64(b.Dy()) / density
}

func shade(k color, alpha float64) *image.Uniform {
	return image.NewUniform(imagecolor.NRGBA{k[0], k[1], k[2], uint8(math.Round(255 * alpha))})
}

// paint fills closed polygons, given in pixels. Where they overlap, they are one area if they turn the same
// way.
func (c *pixels) paint(shapes [][]point, src image.Image) {
	b := emptyBox()
	for _, s := range shapes {
		for _, p := range s {
			b.add([]float64{p.x}, []float64{p.y})
		}
	}
	area := image.Rect(int(math.Floor(b.left)), int(math.Floor(b.low)), int(math.Ceil(b.right))+1,
		int(math.Ceil(b.high))+1).Intersect(c.image.Bounds())
	if area.Empty() || b.left > b.right {
		return
	}
	c.raster.Reset(area.Dx(), area.Dy())
	to := func(p point) (x, y float32) {
		return float32(p.x - float64(area.Min.X)), float32(p.y - float64(area.Min.Y))
	}
	for _, s := range shapes {
		c.raster.MoveTo(to(s[0]))
		for _, p := range s[1:] {
			c.raster.LineTo(to(p))
		}
		c.raster.ClosePath()
	}
	c.raster.Draw(c.image, area, src, image.Point{})
}

// scaled maps units to pixels.
func scaled(points []point) []point {
	out := make([]point, len(points))
	for i, p := range points {
		out[i] = point{p.x * density, p.y * density}
	}
	return out
}

func (c *pixels) fill(points []point, k color, alpha float64) {
	c.paint([][]point{scaled(points)}, shade(k, alpha))
}

// circle is a polygon that looks round.
func circle(at point, radius float64) []point {
	n := 8 + 2*int(radius)
	out := make([]point, n)
	for i := range out {
		angle := 2 * math.Pi * float64(i) / float64(n)
		sin, cos := portable.Sin(angle), portable.Cos(angle)
		out[i] = point{at.x + float64(radius*cos), at.y + float64(radius*sin)}
	}
	return out
}

func (c *pixels) dots(at []point, radius float64, k color, alpha float64) {
	src := shade(k, alpha)
	for _, p := range scaled(at) {
		c.paint([][]point{circle(p, radius*density)}, src)
	}
}

func (c *pixels) cross(at point, radius float64, k color, alpha float64) {
	p := pen{k, radius / 2, alpha, false}
	c.line([]point{{at.x - radius, at.y - radius}, {at.x + radius, at.y + radius}}, p)
	c.line([]point{{at.x - radius, at.y + radius}, {at.x + radius, at.y - radius}}, p)
}

func (c *pixels) line(points []point, p pen) {
	var shapes [][]point
	pieces := [][]point{scaled(points)}
	if p.dashed {
		pieces = dashes(pieces[0], dash(p)*density)
	}
	for _, piece := range pieces {
		shapes = append(shapes, outline(piece, p.width*density)...)
	}
	if len(shapes) > 0 {
		c.paint(shapes, shade(p.color, p.alpha))
	}
}

// outline is the area of a line of some width, as polygons that turn the same way: one for each part of it,
// and one for each joint.
func outline(points []point, width float64) [][]point {
	var out [][]point
	half := width / 2
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		length := portable.Hypot(b.x-a.x, b.y-a.y)
		if length == 0 {
			continue
		}
		dx, dy := float64((b.x-a.x)/length*half), float64((b.y-a.y)/length*half)
		out = append(out, []point{{a.x + dy, a.y - dx}, {b.x + dy, b.y - dx}, {b.x - dy, b.y + dx},
			{a.x - dy, a.y + dx}})
		if i > 1 && width > 2 {
			out = append(out, circle(a, half))
		}
	}
	return out
}

// dashes cuts a line into dashes with gaps of the same length.
func dashes(points []point, length float64) [][]point {
	var out [][]point
	left, on := length, true
	piece := []point{points[0]}
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		for {
			rest := portable.Hypot(b.x-a.x, b.y-a.y)
			if rest <= left {
				left -= rest
				piece = append(piece, b)
				break
			}
			a = point{a.x + (b.x-a.x)*left/rest, a.y + (b.y-a.y)*left/rest}
			if piece = append(piece, a); on {
				out = append(out, piece)
			}
			piece, left, on = []point{a}, length, !on
		}
	}
	if on {
		out = append(out, piece)
	}
	return out
}

func (c *pixels) text(at point, s string, l lettering) {
	if s == "" {
		return
	}
	face := c.face(l.size*density, l.bold)
	wide := float64(float64(font.MeasureString(face, s)) / 64)
	back := float64(wide * []float64{0, 0.5, 1}[l.anchor])
	if !l.up {
		d := font.Drawer{Dst: c.image, Src: shade(l.color, 1), Face: face,
			Dot: dotAt(float64(at.x*density)-back, (at.y+float64(baseline*l.size))*density)}
		d.DrawString(s)
		return
	}
	high := int(math.Ceil(2 * l.size * density))
	flat := image.NewAlpha(image.Rect(0, 0, int(math.Ceil(wide))+2, high))
	line := float64(baseline * density * l.size)
	d := font.Drawer{Dst: flat, Src: image.Opaque, Face: face, Dot: dotAt(1, line+float64(0.5*float64(high)))}
	d.DrawString(s)
	corner := image.Pt(int(math.Round(at.x*density))-high/2, int(math.Round(float64(at.y*density)-wide+back)))
	draw.DrawMask(c.image, image.Rectangle{corner, corner.Add(image.Pt(high, flat.Bounds().Dx()))},
		shade(l.color, 1), image.Point{}, turned(flat), image.Point{}, draw.Over)
}

func dotAt(x, y float64) fixed.Point26_6 {
	return fixed.Point26_6{X: fixed.Int26_6(math.Round(x * 64)), Y: fixed.Int26_6(math.Round(y * 64))}
}

// turned turns a mask by 90°: what was right is up.
func turned(flat *image.Alpha) *image.Alpha {
	w, h := flat.Bounds().Dx(), flat.Bounds().Dy()
	out := image.NewAlpha(image.Rect(0, 0, h, w))
	for y := range h {
		for x := range w {
			out.SetAlpha(y, w-1-x, flat.AlphaAt(x, y))
		}
	}
	return out
}
