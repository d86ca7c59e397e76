package plot

import (
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
)

// A typeface holds the fonts of a figure, Go Regular and Go Bold, which have the letters of European
// languages. An SVG file is set in the fonts of its reader, which are about as wide.
type typeface struct {
	fonts map[bool]*opentype.Font // by boldness
	faces map[faceKey]font.Face
}

type faceKey struct {
	size float64
	bold bool
}

func newTypeface() *typeface {
	t := &typeface{map[bool]*opentype.Font{}, map[faceKey]font.Face{}}
	for bold, data := range map[bool][]byte{false: goregular.TTF, true: gobold.TTF} {
		f, err := opentype.Parse(data)
		if err != nil {
			panic("plot: a font of the program cannot be read: " + err.Error())
		}
		t.fonts[bold] = f
	}
	return t
}

// face returns the font in a size, in pixels.
func (t *typeface) face(size float64, bold bool) font.Face {
	key := faceKey{size, bold}
	if f, ok := t.faces[key]; ok {
		return f
	}
	f, err := opentype.NewFace(t.fonts[bold], &opentype.FaceOptions{Size: size, DPI: 72,
		Hinting: font.HintingNone})
	if err != nil {
		panic("plot: a font of the program has no size " + err.Error())
	}
	t.faces[key] = f
	return f
}

// measure is the width of a text in units.
func (t *typeface) measure(s string, l lettering) float64 {
	return float64(font.MeasureString(t.face(l.size, l.bold), s)) / 64
}
