package repl

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/fit/accuracy"
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/zarr"
)

func compareCommand() command {
	return command{name: "compare", args: "[FIT FIT…]",
		doc:    "compare fits: how well they predict (elpd), and how far apart their means are",
		values: func(s *Session, _ []string) []string { return s.runNames() },
		run: func(s *Session, _ context.Context, args string) error {
			names := words(args)
			if len(names) == 0 {
				names = s.runNames()
			}
			if len(names) < 2 {
				have := "there is no fit yet"
				if len(s.runs) > 0 {
					have = "there is " + some(s.runNames(), 8)
				}
				return usagef(":compare needs two fits; %s", have)
			}
			var list []*run
			for _, name := range names {
				r, err := s.runOf(name)
				if err != nil {
					return err
				}
				list = append(list, r)
			}
			if err := s.predictions(list); err != nil {
				return err
			}
			return s.differences(list)
		}}
}

// predictions answers with the expected log predictive densities of fits; where one has none it says why.
func (s *Session) predictions(list []*run) error {
	var candidates []accuracy.Candidate
	for _, r := range list {
		observed, why := density(r)
		if why == "" && len(candidates) > 0 {
			why = accuracy.Different(candidates[0].Responses, observed)
		}
		if why != "" {
			return s.say("elpd", "no elpd, for %s: %s", r.name, why)
		}
		candidates = append(candidates, accuracy.Candidate{Run: r.stored, Responses: observed})
	}
	result, err := accuracy.LOO().Compare(candidates, nil)
	if err != nil {
		return err
	}
	return s.reply("elpd", map[string]any{"models": result.Models, "warnings": result.Warnings},
		func(w io.Writer) error {
			return result.WriteTable(w)
		})
}

// density computes the pointwise densities of a run, or says why there are none.
func density(r *run) ([]zarr.Observed, string) {
	if r.bound == nil {
		return nil, r.why.Error()
	}
	out, err := fit.Pointwise(r.bound, r.draws(), fit.LogDensities{})
	if err != nil {
		return nil, err.Error()
	}
	return out, ""
}

// A difference is that of a parameter's mean between two fits, in standard deviations of the first.
type difference struct {
	Name  string           `json:"name"`
	Owner string           `json:"owner"`
	Fit   string           `json:"fit"`
	Means [2]float64       `json:"means"`
	MCSE  posterior.Number `json:"mcse"` // of the difference, in the same units as SDs
	SDs   posterior.Number `json:"sds"`
	shown [2]string
	label string
}

// shownDifferences is the largest number of differences that are listed.
const shownDifferences = 12

// differences answers with the differences of means from the first fit, the largest first, without generated
// quantities of many elements.
func (s *Session) differences(list []*run) error {
	first, _ := posterior.Folded(posterior.Summarise(list[0].draws()))
	var out []difference
	for _, r := range list[1:] {
		rows, _ := posterior.Folded(posterior.Summarise(r.draws()))
		for _, row := range rows {
			if i := slices.IndexFunc(first, func(o posterior.Row) bool {
				return o.Name == row.Name && o.Owner == row.Owner
			}); i >= 0 {
				out = append(out, differenceOf(first[i], row, r.name))
			}
		}
	}
	slices.SortStableFunc(out, func(a, b difference) int {
		return cmp.Compare(math.Abs(float64(b.SDs)), math.Abs(float64(a.SDs)))
	})
	if len(out) == 0 {
		return s.say("differences", "the fits have no parameter in common")
	}
	var rows [][]string
	for _, d := range out[:min(len(out), shownDifferences)] {
		rows = append(rows,
			[]string{d.label, d.Owner, d.Fit, fmt.Sprintf("%+.2f ± %s", float64(d.SDs),
				strconv.FormatFloat(float64(d.MCSE), 'g', 1, 64)), d.shown[0], d.shown[1]})
	}
	if s.json {
		return s.reply("differences", map[string]any{"from": list[0].name, "differences": out}, nil)
	}
	return s.lines("differences", []string{"parameter", "owner", "fit", "sds apart", list[0].name, "mean"},
		rows)
}

func differenceOf(a, b posterior.Row, name string) difference {
	sd := float64(a.SD)
	return difference{
		Name: b.Name, label: b.Shown(), Owner: b.Owner, Fit: name,
		Means: [2]float64{float64(a.Mean), float64(b.Mean)},
		SDs:   posterior.Number((float64(b.Mean) - float64(a.Mean)) / sd),
		MCSE:  posterior.Number(portable.Hypot(float64(a.MCSE), float64(b.MCSE)) / sd),
		shown: [2]string{posterior.Limited(float64(a.Mean), float64(a.MCSE)),
			posterior.Limited(float64(b.Mean), float64(b.MCSE))},
	}
}
