package plot

import (
	"bytes"
	"fmt"
	"math"
	"testing"
)

// Lines have texts that do not touch, places in proportion to logarithms, the same in all panels, and at
// least two ticks on either axis; what has no logarithm is a gap, and a panel without points an empty place.
func TestLines(t *testing.T) {
	for _, c := range []struct {
		line  Line
		ticks string
	}{
		{Line{[]float64{.5, 1, 3, 8}, []float64{27, 7, 1.4, 1.01}}, "1 2 5 10 20"},
		{Line{[]float64{1, 2}, []float64{2.4, 2.6}}, "2 5"},
		{Line{[]float64{1, 4}, []float64{.02, 1e5}}, "0.01 0.1 1 10 100 1000 10000 100000"},
		{Line{[]float64{-1, 0, 1, 2, 3}, []float64{1, 1, 10, math.NaN(), 1}}, "1 2 5 10"},
		{Line{}, "1 2 5 10"},
	} {
		f := Lines("Widths", "A note.", "epsilon", 2, []string{"one", "two"}, []Panel{
			{"first", "width", []Line{c.line, {}}}, {"second", "width", []Line{{}, {}}},
			{"third", "width", []Line{{}, {c.line.X[:len(c.line.X)/2], c.line.Y[:len(c.line.Y)/2]}}}})
		p := f.panels[0]
		if len(f.panels[1].marks) != 0 || fmt.Sprint(p.y) != fmt.Sprint(f.panels[2].y) {
			t.Error(c, "an empty panel is drawn, or axes differ")
		}
		texts := ""
		for k, a := range p.y.given {
			texts += " " + a.text
			var v float64
			fmt.Sscan(a.text, &v)
			if k > 0 && math.Abs(math.Pow(10, a.at)-v) > 1e-9*v {
				t.Errorf("%v: %s stands at %g", c, a.text, a.at)
			}
		}
		if texts != " "+c.ticks {
			t.Errorf("%v: the ticks are%s", c, texts)
		}
		if len(p.marks) > 0 {
			readable(t, fmt.Sprint(c), f)
		}
		var b bytes.Buffer
		if err := f.SVG(&b, 0, 0); err != nil {
			t.Error(err)
		}
		sound(t, fmt.Sprint(c), b.Bytes())
	}
}
