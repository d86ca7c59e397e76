package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/loo"
	"github.com/vflc/vflc/posterior/runs"
	"github.com/vflc/vflc/posterior/zarr"
)

func newCompare() *cobra.Command {
	var asJSON bool
	var name string
	cmd := &cobra.Command{
		Use:   "compare RUN RUN…",
		Short: "Compare models of the same data by how well they predict",
		Long: `Compare runs of different models of the same data by their expected log predictive density (elpd): the best first, the others with
their difference from it and the standard error of the difference, which is from paired observations. A difference of less than
about four, or of less than two standard errors, decides nothing.

` + whatDensity,
		Example: `  vflc compare pooled augmented
  vflc compare out/* --criterion waic --json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usagef("compare takes two RUNs or more; there are %d arguments", len(args))
			}
			return nil
		},
		RunE: action(func(cmd *cobra.Command, args []string) error {
			for _, c := range []criterion{leaveOneOut(), widelyApplicable()} {
				if c.name == name {
					return compareRuns(cmd, c, args, asJSON)
				}
			}
			return usagef("--criterion %s: there are loo and waic", name)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().StringVar(&name, "criterion", "loo", "loo or waic")
	return cmd
}

// comparison is one line.
type comparison struct {
	Run    string           `json:"run"`
	Model  string           `json:"model"`
	ELPD   posterior.Number `json:"elpd"`
	SE     posterior.Number `json:"se"`
	Diff   posterior.Number `json:"diff"`
	DiffSE posterior.Number `json:"diff_se"`
	P      posterior.Number `json:"p"`
	HighK  int              `json:"high_k"`
}

func compareRuns(cmd *cobra.Command, c criterion, paths []string, asJSON bool) error {
	var named []loo.Named
	var first []zarr.Observed
	warnings, models := []string{}, map[string]string{}
	for _, path := range paths {
		r, err := runs.Open(path)
		if err != nil {
			return err
		}
		responses, err := logLikelihood(cmd, r)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if first == nil {
			first = responses
		} else if why := different(first, responses); why != "" {
			return fmt.Errorf("%s and %s are not of the same data: %s", paths[0], path, why)
		}
		e := c.estimate(together(responses), r.Draws.Independent())
		named = append(named, loo.Named{Name: path, Estimate: e})
		models[path] = r.Name()
		warnings = append(warnings, c.warnings(path, e)...)
	}
	ranked, err := loo.Compare(named)
	if err != nil {
		return err
	}
	return showComparison(cmd, ranked, models, warnings, asJSON)
}

// together puts the observations of all responses side by side.
func together(responses []zarr.Observed) loo.Pointwise {
	var out loo.Pointwise
	for _, y := range responses {
		out = append(out, y.LogLik...)
	}
	return out
}

// different says how the responses of two runs differ; "" where they are the same values in the same order, whatever they are called.
func different(a, b []zarr.Observed) string {
	if len(a) != len(b) {
		return fmt.Sprintf("%d and %d responses", len(a), len(b))
	}
	for k := range a {
		if !slices.Equal(a[k].Values, b[k].Values) {
			return fmt.Sprintf("the values of %s and %s", a[k].Name, b[k].Name)
		}
	}
	return ""
}

func showComparison(cmd *cobra.Command, ranked []loo.Compared, models map[string]string, warnings []string, asJSON bool) error {
	lines := []comparison{}
	rows := [][]string{{"run", "model", "elpd", "se", "difference", "se", "p", "high k"}}
	for _, m := range ranked {
		high, _ := m.HighK()
		lines = append(lines, comparison{m.Name, models[m.Name], posterior.Number(m.ELPD), posterior.Number(m.SE), posterior.Number(m.Diff), posterior.Number(m.DiffSE), posterior.Number(m.P), high})
		rows = append(rows, []string{m.Name, models[m.Name], fmt.Sprintf("%.1f", m.ELPD), fmt.Sprintf("%.1f", m.SE), fmt.Sprintf("%.1f", m.Diff), fmt.Sprintf("%.1f", m.DiffSE), fmt.Sprintf("%.1f", m.P), fmt.Sprint(high)})
	}
	out := cmd.OutOrStdout()
	if asJSON {
		return posterior.WriteJSON(out, map[string]any{"schema": posterior.Schema, "models": lines, "warnings": warnings})
	}
	fmt.Fprint(out, posterior.AlignLeft(rows))
	for _, w := range warnings {
		fmt.Fprintln(out, w)
	}
	return nil
}
