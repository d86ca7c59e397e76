// Package assess assesses a fitted model from the draws of a run; nothing is fitted again.
//
// How well it predicts rows that it has not seen: by leave-one-out cross-validation with Pareto-smoothed
// importance sampling or WAIC (Vehtari, Gelman and Gabry 2017), by which models of the same data are
// compared.
//
// How much its answer depends on the priors and on the likelihood: how fast the distribution of a parameter
// changes where one of them is raised to a power near 1 (Kallioinen, Paananen, Bürkner and Vehtari 2024,
// "Detecting and diagnosing prior and likelihood sensitivity with power-scaling", Statistics and Computing
// 34, 57).
//
// How probable the data are: the marginal likelihood, log ∫ p(y, θ) dθ, by bridge sampling from draws of a
// Markov chain, and by importance sampling from draws of an approximation.
package assess

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/export"
)

// A Criterion estimates how well a model predicts.
type Criterion struct {
	Name     string // as in the table of a comparison
	estimate func(ll Pointwise, independent bool, d PointDensity, progress Progress) Estimate
	moving   []PointDensity
}

// LOO is leave-one-out cross-validation by Pareto-smoothed importance sampling.
func LOO() Criterion { return Criterion{Name: "loo", estimate: psis} }

// Moving is leave-one-out cross-validation that moves draws for observations whose Pareto shape is too high,
// with a density for each response.
func Moving(d []PointDensity) Criterion { return Criterion{"loo", psis, d} }

// WAIC is the widely applicable information criterion.
func WAIC() Criterion { return Criterion{Name: "waic", estimate: waic} }

// A Report is the predictive accuracy of one run.
type Report struct {
	Schema    int                `json:"schema"`
	Model     string             `json:"model"`
	Criterion string             `json:"criterion"`
	Transform string             `json:"transform"`
	Responses []ResponseAccuracy `json:"responses"`
	Warnings  []string           `json:"warnings"`
	// LOO-PIT, where it is wanted
	Transformed []Transformed `json:"pit,omitempty"`
}

// A ResponseAccuracy is the accuracy for one response, in nats.
type ResponseAccuracy struct {
	Name         string             `json:"name"`
	Observations int                `json:"observations"`
	Draws        int                `json:"draws"`    // that the estimate uses
	OfDraws      int                `json:"of_draws"` // that the run has
	ELPD         posterior.Number   `json:"elpd"`
	SE           posterior.Number   `json:"se"`
	MCSE         posterior.Number   `json:"mcse"` // Monte Carlo standard error of ELPD
	P            posterior.Number   `json:"p"`
	PSE          posterior.Number   `json:"p_se"`
	KBound       posterior.Number   `json:"k_bound"`
	HighK        int                `json:"high_k"`
	K            []posterior.Number `json:"k"`
	Moved        int                `json:"moved,omitempty"`    // observations for which draws were moved
	KBefore      []posterior.Number `json:"k_before,omitempty"` // before that; null where they were not
	REff         []posterior.Number `json:"r_eff"`
	Pointwise    []posterior.Number `json:"pointwise"`
}

// Of estimates the accuracy of a run's model from the log likelihood of its responses (fit.LogLikelihood).
// progress may be nil.
func (c Criterion) Of(r *posterior.Run, responses []export.Observed, progress Progress) Report {
	a := Report{Schema: posterior.Schema, Model: r.Name(), Criterion: c.Name, Responses: []ResponseAccuracy{},
		Warnings: []string{}}
	if r.Document != nil {
		a.Transform = r.Document.Transform
	}
	for k, y := range responses {
		var d PointDensity
		if c.moving != nil {
			d = c.moving[k]
		}
		e := c.estimate(y.LogLik, r.Draws.Independent(), d, progress)
		a.Responses = append(a.Responses, describeAccuracy(y.Name, e, drawsOf(r.Draws)))
		a.Warnings = append(a.Warnings, c.warnings(y.Name, e)...)
	}
	if r.Draws.Independent() {
		a.Warnings = append(a.Warnings,
			"these draws come from an approximation, and are used as if they came from the posterior; "+
				"compare models by draws of a sampler (--backend nuts)")
	}
	return a
}

func describeAccuracy(name string, e Estimate, draws int) ResponseAccuracy {
	d := ResponseAccuracy{
		Name: name, Observations: e.Observed, Draws: e.Draws, OfDraws: draws, ELPD: posterior.Number(e.ELPD),
		SE: posterior.Number(e.SE), MCSE: posterior.Number(e.MCSE), P: posterior.Number(e.P),
		PSE:    posterior.Number(e.PSE),
		KBound: posterior.NotApplicable(), K: numbers(e.K), REff: numbers(e.REff),
		Pointwise: numbers(e.Pointwise),
	}
	if e.K != nil {
		n, bound := e.HighK()
		d.HighK, d.KBound = n, posterior.Number(bound)
		d.moved(e.Before)
	}
	return d
}

// moved counts the observations for which draws were moved.
func (r *ResponseAccuracy) moved(before []float64) {
	all := numbers(before)
	for i, k := range before {
		if k == 0 {
			all[i] = posterior.NotApplicable()
			continue
		}
		r.Moved++
		r.KBefore = all
	}
}

func drawsOf(d *posterior.Draws) (n int) {
	for c := range d.Chains() {
		n += d.Len(c)
	}
	return n
}

func numbers(v []float64) []posterior.Number {
	out := make([]posterior.Number, len(v))
	for i, x := range v {
		out[i] = posterior.Number(x)
	}
	return out
}

func (c Criterion) warnings(name string, e Estimate) []string {
	var out []string
	if n, bound := e.HighK(); n > 0 {
		try := "more draws, "
		if !slices.ContainsFunc(e.Before, func(k float64) bool { return k != 0 }) {
			try = "vflc loo --moment-match, " + try
		}
		out = append(out,
			fmt.Sprintf("%s: Pareto k is above %.2f for %d of %d observations: leaving them out changes "+
				"the posterior too much for an estimate from these draws; try %sa model that expects "+
				"such values, or k-fold cross-validation", name, bound, n, e.Observed, try))
	}
	if n := e.HighVar; n > 0 {
		out = append(out,
			fmt.Sprintf("%s: the variance of log p is above %.1f for %d of %d observations: WAIC is "+
				"not reliable; use vflc loo", name, VarianceBound, n, e.Observed))
	}
	if math.IsNaN(e.ELPD) {
		out = append(out, name+": the log likelihood is not finite at some draws")
	}
	return out
}

// WriteTable writes the report as a text table with a line per response, and its warnings below.
func (a Report) WriteTable(w io.Writer) error {
	rows := [][]string{{"response", "observations", "elpd", "se", "p", "se", a.criterionScale()}}
	for _, r := range a.Responses {
		e := float64(r.ELPD)
		rows = append(rows, []string{r.Name, fmt.Sprint(r.Observations), fmt.Sprintf("%.1f", e),
			fmt.Sprintf("%.1f", r.SE), fmt.Sprintf("%.1f", r.P), fmt.Sprintf("%.1f", r.PSE),
			fmt.Sprintf("%.1f", -2*e)})
	}
	text := posterior.AlignLeft(rows)
	for _, r := range a.Responses {
		if len(r.K) > 0 && r.HighK == 0 {
			text += fmt.Sprintf("%s: all Pareto k are below %.2f\n", r.Name, float64(r.KBound))
		}
	}
	for _, r := range a.Responses {
		if r.Moved > 0 {
			text += fmt.Sprintf("%s: draws were moved for %d of %d observations\n", r.Name, r.Moved,
				r.Observations)
		}
		text += r.monteCarlo()
	}
	for _, t := range a.Transformed {
		text += t.Text()
	}
	for _, m := range a.Warnings {
		text += m + "\n"
	}
	_, err := io.WriteString(w, text)
	return err
}

// monteCarlo states the error that comes from the number of draws.
func (r ResponseAccuracy) monteCarlo() string {
	text := fmt.Sprintf("%s: other draws of the same posterior would change elpd by about %.2g (its "+
		"Monte Carlo standard error)", r.Name, float64(r.MCSE))
	if r.Draws < r.OfDraws {
		text += fmt.Sprintf("; computed from %d of %d draws, at even distances: --draws %d uses all", r.Draws,
			r.OfDraws, r.OfDraws)
	}
	return text + "\n"
}

func (a Report) criterionScale() string {
	if a.Criterion == "loo" {
		return "looic"
	}
	return "waic"
}
