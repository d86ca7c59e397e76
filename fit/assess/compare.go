package assess

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/export"
)

// A Comparison ranks models of the same data by how well they predict, the best first.
type Comparison struct {
	Models   []CompareLine `json:"models"`
	Schema   int           `json:"schema"`
	Warnings []string      `json:"warnings"`
}

// A CompareLine is one model of a comparison. Differences are from the best.
type CompareLine struct {
	Run    string           `json:"run"`
	Model  string           `json:"model"`
	ELPD   posterior.Number `json:"elpd"`
	SE     posterior.Number `json:"se"`
	Diff   posterior.Number `json:"diff"`
	DiffSE posterior.Number `json:"diff_se"`
	P      posterior.Number `json:"p"`
	HighK  int              `json:"high_k"`
	// weights of averages of the models' predictions, which add up to 1
	Stacking  posterior.Number `json:"stacking"`
	PseudoBMA posterior.Number `json:"pseudo_bma_plus"`
}

// A Candidate is a run to compare, with the log likelihood of its responses (fit.LogLikelihood).
type Candidate struct {
	Run       *posterior.Run
	Responses []export.Observed
	// Moving are the densities of the responses at new points, to which draws are moved; nil: they are not.
	Moving []PointDensity
}

// beside is the density of responses side by side, as together puts them.
type beside struct {
	PointDensity // the first
	all          []PointDensity
	responses    []export.Observed
}

func (k *Candidate) moving() PointDensity {
	if len(k.Moving) == 0 {
		return nil
	}
	return beside{k.Moving[0], k.Moving, k.Responses}
}

// At implements PointDensity.
func (d beside) At(points [][]float64, i int, joint, row []float64) {
	for k, y := range d.responses {
		if i < len(y.LogLik) {
			d.all[k].At(points, i, joint, row)
			return
		}
		i -= len(y.LogLik)
	}
}

// Compare ranks the models of some runs, which must have the same data. progress may be nil.
func (c Criterion) Compare(candidates []Candidate, progress Progress) (Comparison, error) {
	out := Comparison{Schema: posterior.Schema, Models: []CompareLine{}, Warnings: []string{}}
	var all []named
	for _, k := range candidates {
		e := c.estimate(together(k.Responses), k.Run.Draws.Independent(), k.moving(), progress)
		all = append(all, named{k.Run.Path, k.Run.Name(), e})
		out.Warnings = append(out.Warnings, c.warnings(k.Run.Path, e)...)
	}
	var err error
	out.Models, err = ranked(all)
	return out, err
}

// A named is the estimate of a model by a run.
type named struct {
	run, model string
	Estimate
}

// ranked orders models by their elpd, the best first, models of equal elpd in the order given. They must have
// been estimated for the same observations. The standard error of a difference is from the paired differences
// by observation.
func ranked(models []named) ([]CompareLine, error) {
	if len(models) < 2 {
		return nil, errors.New("a comparison needs two models")
	}
	for _, m := range models[1:] {
		if m.Observed != models[0].Observed {
			return nil, fmt.Errorf("%s has %d observations but %s has %d; only models of the "+
				"same data can be compared", models[0].run, models[0].Observed, m.run, m.Observed)
		}
	}
	models = slices.Clone(models)
	slices.SortStableFunc(models, func(a, b named) int { return cmp.Compare(b.ELPD, a.ELPD) })
	var out []CompareLine
	stacked, averaged := weightsOf(models)
	for i, m := range models {
		high, _ := m.HighK()
		line := CompareLine{Run: m.run, Model: m.model, ELPD: posterior.Number(m.ELPD),
			SE: posterior.Number(m.SE),
			P:  posterior.Number(m.P), HighK: high, Stacking: stacked[i], PseudoBMA: averaged[i]}
		if i > 0 {
			d := make([]float64, m.Observed)
			floats.SubTo(d, m.Pointwise, models[0].Pointwise)
			diff, se := sumAndError(d)
			line.Diff, line.DiffSE = posterior.Number(diff), posterior.Number(se)
		}
		out = append(out, line)
	}
	return out, nil
}

// weightsOf are the stacking and pseudo-BMA+ weights of models, NaN where an elpd of one is.
func weightsOf(models []named) (stacked, averaged []posterior.Number) {
	var lpd [][]float64
	bad := slices.Repeat([]posterior.Number{posterior.NotApplicable()}, len(models))
	for _, m := range models {
		if lpd = append(lpd, m.Pointwise); len(m.Pointwise) == 0 || math.IsNaN(m.ELPD) || math.IsInf(m.ELPD,
			0) {
			return bad, bad
		}
	}
	return numbers(stacking(lpd)), numbers(pseudoBMA(lpd))
}

// together puts the observations of all responses side by side.
func together(responses []export.Observed) Pointwise {
	var out Pointwise
	for _, y := range responses {
		out = append(out, y.LogLik...)
	}
	return out
}

// Different describes how the responses of two runs differ; "" where they have the same values in the same
// order. Names are not compared.
func Different(a, b []export.Observed) string {
	if len(a) != len(b) {
		return fmt.Sprintf("%d responses and %d", len(a), len(b))
	}
	for k := range a {
		if !slices.Equal(a[k].Values, b[k].Values) {
			return fmt.Sprintf("%s and %s have different values", a[k].Name, b[k].Name)
		}
	}
	return ""
}

// WriteTable writes the comparison as a text table, and its warnings below.
func (c Comparison) WriteTable(w io.Writer) error {
	rows := [][]string{{"run", "model", "elpd", "se", "difference", "se", "p", "high k", "stacking",
		"pseudo-BMA+"}}
	for _, m := range c.Models {
		rows = append(rows, []string{m.Run, m.Model, fmt.Sprintf("%.1f", m.ELPD), fmt.Sprintf("%.1f", m.SE),
			fmt.Sprintf("%.1f", m.Diff), fmt.Sprintf("%.1f", m.DiffSE), fmt.Sprintf("%.1f", m.P),
			fmt.Sprint(m.HighK), fmt.Sprintf("%.2f", m.Stacking), fmt.Sprintf("%.2f", m.PseudoBMA)})
	}
	text := posterior.AlignLeft(rows)
	for _, warning := range c.Warnings {
		text += warning + "\n"
	}
	_, err := io.WriteString(w, text)
	return err
}
