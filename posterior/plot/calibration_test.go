package plot

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// binaryOf is a binary response whose rows are 1 with the probabilities p, with replicates that are 1 with
// the probabilities q.
func binaryOf(p, q func(x float64) float64) Replicated {
	r := rand.New(rand.NewPCG(3, 4))
	out := Replicated{Name: "y"}
	draw := func(p func(float64) float64) (y []float64) {
		for i := range 2000 {
			v := 0.0
			if r.Float64() < p(float64(i)/2000) {
				v = 1
			}
			y = append(y, v)
		}
		return y
	}
	out.Observed = draw(p)
	for range 200 {
		out.Replicates = append(out.Replicates, draw(q))
	}
	return out
}

// outside counts the bins whose observed share lies outside the bar of the replicates, and how many bins
// there are.
func outside(t *testing.T, r Replicated) (out, bins int) {
	t.Helper()
	var bars []segment
	var points scatter
	for _, m := range calibrated(r, penOf(1), penOf(0)).marks {
		switch m := m.(type) {
		case segment:
			if !m.guide {
				bars = append(bars, m)
			}
		case scatter:
			points = m
		}
	}
	for k, b := range bars {
		if b.x0 != points.xs[k] || b.y0 > b.y1 {
			t.Fatalf("bar %d: %+v", k, b)
		}
		if y := points.ys[k]; y < b.y0 || y > b.y1 {
			out++
		}
	}
	return out, len(bars)
}

// Of a model that is right, one bin in ten has its observed share outside the bar; of one that is not, most
// have, also where the share of all ones is as predicted, and where no row is predicted otherwise than
// another, no bin is moved by the noise of the replicates.
func TestCalibration(t *testing.T) {
	straight := func(x float64) float64 { return 0.1 + 0.8*x }
	flat := func(float64) float64 { return 0.5 }
	for name, c := range map[string]struct {
		r           Replicated
		least, most int
	}{
		"right":             {binaryOf(straight, straight), 0, 3},
		"no effect, none":   {binaryOf(flat, flat), 0, 3},
		"too weak":          {binaryOf(straight, func(x float64) float64 { return 0.4 + 0.2*x }), 7, 10},
		"of the wrong sign": {binaryOf(straight, func(x float64) float64 { return 0.9 - 0.8*x }), 8, 10},
	} {
		if out, bins := outside(t, c.r); bins != mostBins || out < c.least || out > c.most {
			t.Errorf("%s: %d of %d bins", name, out, bins)
		}
	}
}

// Binary responses are drawn so among others.
func TestCalibrationOfBinaryResponses(t *testing.T) {
	run := example("a", "b", 3, 2, 50)
	f, err := Make("ppc", []RunView{run}, nil)
	if err != nil || len(f.panels) != 3 || f.panels[2].x.label != "predicted probability" ||
		f.panels[1].x.label != "value" || !strings.Contains(f.note, "binary") {
		t.Errorf("%v, %+v", err, f)
	}
}

// Where there is no room for all parameters, those that are named first come first, and the others in their
// order.
func TestFirstParameters(t *testing.T) {
	run := example("a", "b", 20, 2, 50)
	titles := func() (out []string) {
		f, err := Make("trace", []RunView{run}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range f.panels {
			out = append(out, p.title)
		}
		return out
	}
	if got := titles(); len(got) != 12 || got[0] != "mu" {
		t.Error(got)
	}
	run.First = []string{"b[19]", "b[7]", "not there"}
	if got := titles(); len(got) != 12 || !slices.Equal(got[:4], []string{"b[19]", "b[7]", "mu", "b[1]"}) {
		t.Error(got)
	}
}

// On a narrow screen panels that need not be side by side are below one another.
func TestNarrow(t *testing.T) {
	run := example("a", "b", 20, 2, 50)
	for _, k := range Kinds() {
		f, err := Make(k.Name, []RunView{run}, nil)
		if err != nil {
			t.Fatal(err)
		}
		across := f.across
		if n := f.Narrow(); n.across != 1 && k.Name != "pairs" || f.across != across {
			t.Errorf("%s: %d panels side by side", k.Name, n.across)
		}
	}
}
