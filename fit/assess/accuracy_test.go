package assess

import (
	"math"
	"strings"
	"testing"

	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/export"
)

// certain is a run whose observations have the same log density at every draw, which leaves no uncertainty:
// elpd is their sum, and the effective number of parameters is 0.
func certain(path string, values, density []float64) Candidate {
	const draws = 40
	d := posterior.NewDraws([]posterior.Variable{{Name: "b"}}, 1, draws)
	d.Transitions = make([][]posterior.Transition, 1)
	y := export.Observed{Name: "y", Shape: []int{len(values)}, Values: values}
	for range values {
		y.LogLik = append(y.LogLik, [][]float64{make([]float64, draws)})
	}
	for i := range draws {
		d.Append(0, []float64{math.Sin(float64(i))})
		d.AppendTransition(0, posterior.Transition{})
		for k, lp := range density {
			y.LogLik[k][0][i] = lp
		}
	}
	return Candidate{Run: &posterior.Run{Path: path, Draws: d}, Responses: []export.Observed{y}}
}

func equal(a posterior.Number, b float64) bool { return math.Abs(float64(a)-b) < 1e-9 }

func TestAccuracyOfCertainty(t *testing.T) {
	y := []float64{1, 2, 4}
	c := certain("good", y, []float64{-1, -2, -0.5})
	r := WAIC().Of(c.Run, c.Responses, nil)
	if got := r.Responses[0]; !equal(got.ELPD, -3.5) || !equal(got.P, 0) || got.Observations != 3 ||
		got.Draws != 40 || len(r.Warnings) != 0 {
		t.Errorf("%+v, %v", got, r.Warnings)
	}
	if r.Criterion != "waic" || r.Model != "good" {
		t.Errorf("%s of %s", r.Criterion, r.Model)
	}
}

// The best comes first whatever the order of the runs, and the others differ from it by their elpd.
func TestComparisonRanks(t *testing.T) {
	y := []float64{1, 2, 4}
	good, bad := certain("good", y, []float64{-1, -2, -0.5}), certain("bad", y, []float64{-2, -3, -1.5})
	for _, order := range [][]Candidate{{good, bad}, {bad, good}} {
		c, err := WAIC().Compare(order, nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.Models[0].Run != "good" || c.Models[1].Run != "bad" || !equal(c.Models[1].Diff, -3) ||
			!equal(c.Models[1].DiffSE, 0) {
			t.Errorf("%+v", c.Models)
		}
		var text strings.Builder
		if err := c.WriteTable(&text); err != nil ||
			strings.Index(text.String(), "\ngood ") > strings.Index(text.String(), "\nbad ") {
			t.Errorf("%v\n%s", err, text.String())
		}
	}
}

func TestDifferentResponses(t *testing.T) {
	a, b := certain("a", []float64{1, 2}, []float64{0, 0}), certain("b", []float64{1, 3}, []float64{0, 0})
	if why := Different(a.Responses, a.Responses); why != "" {
		t.Errorf("equal responses differ by %s", why)
	}
	if Different(a.Responses, b.Responses) == "" || Different(a.Responses, nil) == "" {
		t.Error("other responses are taken for the same")
	}
}

// Differences are in standard deviations of the first run, the largest first; what is generated for each row
// is in none.
func TestDifferencesOfMeans(t *testing.T) {
	vars := []posterior.Variable{{Name: "a"}, {Name: "b"}, {Name: "y", Dims: []int{60}, Generated: true}}
	draws := func(shift float64) *posterior.Draws {
		d := posterior.NewDraws(vars, 1, 0)
		for i := range 100 {
			at := make([]float64, 62)
			at[0], at[1] = math.Sin(float64(i)), math.Cos(float64(i))+shift
			d.Append(0, at)
		}
		return d
	}
	first := draws(0)
	all := Differences([]string{"one", "two"}, []*posterior.Draws{first, draws(3)})
	sd := float64(posterior.Summarise(first)[1].SD)
	if len(all) != 2 || all[0].Name != "b" || math.Abs(float64(all[0].SDs)-3/sd) > 1e-9 ||
		float64(all[1].SDs) != 0 || all[0].Run != "two" {
		t.Errorf("%+v", all)
	}
}
