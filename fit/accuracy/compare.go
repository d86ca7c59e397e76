package accuracy

import (
	"fmt"
	"io"
	"slices"

	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/loo"
	"github.com/vflc/vflc/posterior/runs"
	"github.com/vflc/vflc/posterior/zarr"
)

// A Comparison ranks models of the same data by how well they predict, the best first.
type Comparison struct {
	Models   []Line   `json:"models"`
	Schema   int      `json:"schema"`
	Warnings []string `json:"warnings"`
}

// A Line is one model of a comparison. Differences are from the best.
type Line struct {
	Run    string           `json:"run"`
	Model  string           `json:"model"`
	ELPD   posterior.Number `json:"elpd"`
	SE     posterior.Number `json:"se"`
	Diff   posterior.Number `json:"diff"`
	DiffSE posterior.Number `json:"diff_se"`
	P      posterior.Number `json:"p"`
	HighK  int              `json:"high_k"`
}

// A Candidate is a run to compare, with the log likelihood of its responses (fit.LogLikelihood).
type Candidate struct {
	Run       *runs.Run
	Responses []zarr.Observed
}

// Compare ranks the models of some runs, which must have the same data. progress may be nil.
func (c Criterion) Compare(candidates []Candidate, progress loo.Progress) (Comparison, error) {
	out := Comparison{Schema: posterior.Schema, Models: []Line{}, Warnings: []string{}}
	var named []loo.Named
	models := map[string]string{}
	for _, k := range candidates {
		e := c.estimate(together(k.Responses), k.Run.Draws.Independent(), progress)
		named = append(named, loo.Named{Name: k.Run.Path, Estimate: e})
		models[k.Run.Path] = k.Run.Name()
		out.Warnings = append(out.Warnings, c.warnings(k.Run.Path, e)...)
	}
	ranked, err := loo.Compare(named)
	if err != nil {
		return out, err
	}
	for _, m := range ranked {
		high, _ := m.HighK()
		out.Models = append(out.Models, Line{m.Name, models[m.Name], posterior.Number(m.ELPD),
			posterior.Number(m.SE), posterior.Number(m.Diff), posterior.Number(m.DiffSE),
			posterior.Number(m.P), high})
	}
	return out, nil
}

// together puts the observations of all responses side by side.
func together(responses []zarr.Observed) loo.Pointwise {
	var out loo.Pointwise
	for _, y := range responses {
		out = append(out, y.LogLik...)
	}
	return out
}

// Different describes how the responses of two runs differ; "" where they have the same values in the same
// order. Names are not compared.
func Different(a, b []zarr.Observed) string {
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
	rows := [][]string{{"run", "model", "elpd", "se", "difference", "se", "p", "high k"}}
	for _, m := range c.Models {
		rows = append(rows, []string{m.Run, m.Model, fmt.Sprintf("%.1f", m.ELPD), fmt.Sprintf("%.1f", m.SE),
			fmt.Sprintf("%.1f", m.Diff), fmt.Sprintf("%.1f", m.DiffSE), fmt.Sprintf("%.1f", m.P),
			fmt.Sprint(m.HighK)})
	}
	text := posterior.AlignLeft(rows)
	for _, warning := range c.Warnings {
		text += warning + "\n"
	}
	_, err := io.WriteString(w, text)
	return err
}
