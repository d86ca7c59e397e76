package plot

import (
	"fmt"
	"strings"
)

// An EffectPanel is the expected response along a column: a line for each value of a second one, each with
// the band between two quantiles, or with Names a point with an interval at each category.
type EffectPanel struct {
	Title, X, Y string
	Names       []string // of categories, which are at 0, 1, …; nil: X has numbers
	Lines       []BandLine
	Band        string // what the band is: "95 %"
}

// A BandLine is a line with its band. Name says at which value of the second column.
type BandLine struct {
	Name                    string
	X, Middle, Lower, Upper []float64
}

func effectsKind() Kind {
	return Kind{Name: "effects", Doc: "the expected response along a column, others as in an ordinary row",
		one: true, Effects: true, make: effects}
}

func effects(in input) (*Figure, error) {
	run := in.runs[0]
	if len(run.Effects) == 0 {
		return nil, fmt.Errorf("%s has no effects", run.Name)
	}
	f := &Figure{title: in.title("Conditional effects"), across: columnsFor(len(run.Effects)), flows: true}
	f.wide, f.high = panelSize(f.across)
	for _, e := range run.Effects {
		p := panel{title: e.Title, x: axis{label: e.X}, y: axis{label: e.Y}}
		if e.Names != nil {
			p.x.lo, p.x.hi = -0.5, float64(len(e.Names))-0.5
			for k, name := range e.Names {
				p.x.given = append(p.x.given, tick{float64(k), name})
			}
		}
		for k, b := range e.Lines {
			p.marks = append(p.marks, e.marks(b, k)...)
		}
		f.panels = append(f.panels, p)
		f.legend = append(f.legend, e.legend(f.legend)...)
	}
	f.shades = "Shaded: the " + run.Effects[0].Band + " band."
	f.note = "Line or point: median. Other columns are as in an ordinary row."
	return f, nil
}

// marks are those of the k-th curve: a line in its band, or a point and an interval at each category.
func (e *EffectPanel) marks(b BandLine, k int) (out []mark) {
	pen := penOf(k)
	if e.Names == nil {
		edge := pen
		edge.width, edge.alpha = 0.6, 0.5
		return []mark{area{b.X, b.Upper, b.Lower, pen.color, 0.2}, curve{b.X, b.Upper, edge},
			curve{b.X, b.Lower, edge}, curve{b.X, b.Middle, pen}}
	}
	pen.width = 2
	for i, x := range b.X {
		x += 0.5 * (float64(k) - float64(float64(len(e.Lines)-1)/2)) / float64(len(e.Lines))
		out = append(out, segment{x, b.Lower[i], x, b.Upper[i], pen, false},
			scatter{[]float64{x}, b.Middle[i : i+1], 4, pen.color, 1, false})
	}
	return out
}

// legend names the curves that no panel before has named.
func (e *EffectPanel) legend(have []entry) (out []entry) {
	for k, b := range e.Lines {
		one := entry{text: strings.TrimSpace(b.Name), pen: penOf(k)}
		known := b.Name == ""
		for _, h := range have {
			known = known || h == one
		}
		if !known {
			out = append(out, one)
		}
	}
	return out
}
