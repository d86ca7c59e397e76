package main

import (
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/loo"
	"github.com/vflc/vflc/posterior/runs"
	"github.com/vflc/vflc/posterior/zarr"
)

// A criterion estimates how well a model predicts.
type criterion struct {
	name, short, long string
	estimate          func(ll loo.Pointwise, independent bool) loo.Estimate
}

func leaveOneOut() criterion {
	return criterion{"loo", "Estimate predictive accuracy by leave-one-out cross-validation", `Estimate the expected log predictive density of a run's model by Pareto-smoothed importance sampling leave-one-out
cross-validation (PSIS-LOO), without fitting again. Observations whose Pareto k is high have too much influence for that.`, loo.Of}
}

func widelyApplicable() criterion {
	return criterion{"waic", "Estimate predictive accuracy by WAIC", `Estimate the expected log predictive density of a run's model by the widely applicable information criterion. LOO is more reliable
and says where it is not.`, func(ll loo.Pointwise, _ bool) loo.Estimate { return loo.WAIC(ll) }}
}

// whatDensity explains what is computed for each transform.
const whatDensity = `The log density of each observation is what vflc run --log-lik stored, or is computed from the run's model, data and draws. It is that of the
model that ran: with transform augmented, the auxiliary variables are integrated out, row by row, where they enter through one sum. With transform
power there is none. Everything is computed in one process with all data: for simulations and pooled models.`

func newLOO() *cobra.Command  { return newCriterion(leaveOneOut()) }
func newWAIC() *cobra.Command { return newCriterion(widelyApplicable()) }

func newCriterion(c criterion) *cobra.Command {
	var asJSON, strict bool
	cmd := &cobra.Command{
		Use:     c.name + " RUN",
		Short:   c.short,
		Long:    c.long + "\n\n" + whatDensity,
		Example: fmt.Sprintf("  vflc run model.vfl -o out --log-lik\n  vflc %s out\n  vflc %s out --json", c.name, c.name),
		Args:    oneArgument("a RUN"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			r, err := runs.Open(args[0])
			if err != nil {
				return err
			}
			responses, err := logLikelihood(cmd, r)
			if err != nil {
				return err
			}
			e := c.evaluate(r, responses)
			if asJSON {
				err = posterior.WriteJSON(cmd.OutOrStdout(), e)
			} else {
				err = e.write(cmd.OutOrStdout())
			}
			if err == nil && strict && len(e.Warnings) > 0 {
				return said(exitUntrusted)
			}
			return err
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, with every observation")
	cmd.Flags().BoolVar(&strict, "strict", false, "exit with 3 when the estimate cannot be trusted")
	return cmd
}

// accuracy is what the commands print.
type accuracy struct {
	Schema    int                `json:"schema"`
	Model     string             `json:"model"`
	Criterion string             `json:"criterion"`
	Transform string             `json:"transform"`
	Responses []responseAccuracy `json:"responses"`
	Warnings  []string           `json:"warnings"`
}

// responseAccuracy is of one response, in nats.
type responseAccuracy struct {
	Name         string             `json:"name"`
	Observations int                `json:"observations"`
	Draws        int                `json:"draws"`
	ELPD         posterior.Number   `json:"elpd"`
	SE           posterior.Number   `json:"se"`
	P            posterior.Number   `json:"p"`
	PSE          posterior.Number   `json:"p_se"`
	KBound       posterior.Number   `json:"k_bound"`
	HighK        int                `json:"high_k"`
	K            []posterior.Number `json:"k"`
	REff         []posterior.Number `json:"r_eff"`
	Pointwise    []posterior.Number `json:"pointwise"`
}

func (c criterion) evaluate(r *runs.Run, responses []zarr.Observed) accuracy {
	a := accuracy{Schema: posterior.Schema, Model: r.Name(), Criterion: c.name, Responses: []responseAccuracy{}, Warnings: []string{}}
	if r.Document != nil {
		a.Transform = r.Document.Transform
	}
	for _, y := range responses {
		e := c.estimate(y.LogLik, r.Draws.Independent())
		a.Responses = append(a.Responses, describeAccuracy(y.Name, e))
		a.Warnings = append(a.Warnings, c.warnings(y.Name, e)...)
	}
	if r.Draws.Independent() {
		a.Warnings = append(a.Warnings, "the draws are of an approximation and are taken for draws of the posterior; a sampler's (--backend nuts) are safer to compare models by")
	}
	return a
}

func describeAccuracy(name string, e loo.Estimate) responseAccuracy {
	d := responseAccuracy{
		Name: name, Observations: e.Observed, Draws: e.Draws, ELPD: posterior.Number(e.ELPD), SE: posterior.Number(e.SE), P: posterior.Number(e.P), PSE: posterior.Number(e.PSE),
		KBound: posterior.NotApplicable(), K: numbers(e.K), REff: numbers(e.REff), Pointwise: numbers(e.Pointwise),
	}
	if e.K != nil {
		n, bound := e.HighK()
		d.HighK, d.KBound = n, posterior.Number(bound)
	}
	return d
}

func numbers(v []float64) []posterior.Number {
	out := make([]posterior.Number, len(v))
	for i, x := range v {
		out[i] = posterior.Number(x)
	}
	return out
}

func (c criterion) warnings(name string, e loo.Estimate) []string {
	var out []string
	if n, bound := e.HighK(); n > 0 {
		out = append(out, fmt.Sprintf("%s: Pareto k is above %.2f for %d of %d observations: leaving them out changes the posterior too much to be had from these draws; more draws, a model that expects such values, or k-fold cross-validation", name, bound, n, e.Observed))
	}
	if n := e.HighVar; n > 0 {
		out = append(out, fmt.Sprintf("%s: the variance of log p is above %.1f for %d of %d observations: WAIC is not reliable; use vflc loo", name, loo.VarianceBound, n, e.Observed))
	}
	if math.IsNaN(e.ELPD) {
		out = append(out, name+": the log likelihood is not finite at some draws")
	}
	return out
}

func (a accuracy) write(w io.Writer) error {
	rows := [][]string{{"response", "observations", "elpd", "se", "p", "se", a.criterionScale()}}
	for _, r := range a.Responses {
		e := float64(r.ELPD)
		rows = append(rows, []string{r.Name, fmt.Sprint(r.Observations), fmt.Sprintf("%.1f", e), fmt.Sprintf("%.1f", r.SE), fmt.Sprintf("%.1f", r.P), fmt.Sprintf("%.1f", r.PSE), fmt.Sprintf("%.1f", -2*e)})
	}
	text := posterior.AlignLeft(rows)
	for _, r := range a.Responses {
		if len(r.K) > 0 && r.HighK == 0 {
			text += fmt.Sprintf("%s: all Pareto k are below %.2f\n", r.Name, float64(r.KBound))
		}
	}
	for _, m := range a.Warnings {
		text += m + "\n"
	}
	_, err := io.WriteString(w, text)
	return err
}

func (a accuracy) criterionScale() string {
	if a.Criterion == "loo" {
		return "looic"
	}
	return "waic"
}
