package calibrate

import (
	"fmt"
	"io"
	"strings"

	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/sbc"
)

// A Report is the verdict of a study.
type Report struct {
	Schema     int          `json:"schema"`
	Model      string       `json:"model"`
	Backend    string       `json:"backend"`
	Transform  string       `json:"transform"`
	Seed       uint64       `json:"seed"`
	Replicates int          `json:"replicates"`
	Draws      int          `json:"draws"`
	Calibrated bool         `json:"calibrated"`
	Parameters []sbc.Result `json:"parameters"`
	Warnings   []string     `json:"warnings"`
}

// Report judges the replicates that were done. It returns an error if there are none.
func (s *Study) Report() (Report, error) {
	ranks, done := s.ranks()
	if done == 0 {
		return Report{}, fmt.Errorf("no replicate was fitted: %s", strings.Join(s.warnings(), "; "))
	}
	results, p := sbc.Judge(s.names, ranks, ranked), s.prepared
	return Report{
		Schema: posterior.Schema, Model: p.Name, Backend: p.Algorithm.Name, Transform: p.Checked.Transform.Kind.Name, Seed: s.seed,
		Replicates: done, Draws: ranked, Calibrated: sbc.Calibrated(results), Parameters: results, Warnings: s.warnings(),
	}, nil
}

// WriteTable writes the report as a text table, with a bar of the ranks for each parameter, and the verdict below it.
func (r Report) WriteTable(w io.Writer) error {
	rows := [][]string{{"parameter", "chi2", "df", "p", "p (Holm)", "ranks", ""}}
	least := 1.0
	for _, x := range r.Parameters {
		least = min(least, x.Adjusted)
		rows = append(rows, []string{x.Name, fmt.Sprintf("%.1f", x.Chi2), fmt.Sprint(x.DF), fmt.Sprintf("%.3g", x.P), fmt.Sprintf("%.3g", x.Adjusted), "│" + x.Bars() + "│", x.Reading()})
	}
	text := posterior.AlignLeft(rows)
	verdict := "calibrated"
	if !r.Calibrated {
		verdict = "not calibrated"
	}
	text += fmt.Sprintf("%s: the smallest of %d adjusted p-values is %.2g, judged at %g; %d replicates, %d draws each\n", verdict, len(r.Parameters), least, sbc.Level, r.Replicates, r.Draws)
	for _, warning := range r.Warnings {
		text += warning + "\n"
	}
	_, err := io.WriteString(w, text)
	return err
}

// ranks gathers, by scalar, the ranks of the replicates that were done.
func (s *Study) ranks() (ranks [][]int, done int) {
	ranks = make([][]int, len(s.names))
	for _, r := range s.results {
		if !r.done {
			continue
		}
		done++
		for k, v := range r.ranks {
			ranks[k] = append(ranks[k], v)
		}
	}
	return ranks, done
}

// warnings lists what weakens the verdict.
func (s *Study) warnings() []string {
	out := []string{}
	failed, slow, divergent := 0, 0, 0
	why := ""
	for _, r := range s.results {
		if r.err != nil {
			failed++
			why = r.err.Error()
		}
		if r.done && r.divergences > 0 {
			divergent++
		}
		if r.done && s.chains() && r.ess < ranked {
			slow++
		}
	}
	if failed > 0 {
		out = append(out, fmt.Sprintf("%d replicates could not be fitted and are left out, which biases the ranks (the last: %s)", failed, why))
	}
	if divergent > 0 {
		out = append(out, fmt.Sprintf("in %d replicates transitions diverged, which may be the reason for ranks that are not uniform; try --target-accept 0.95, or another parameterisation", divergent))
	}
	if slow > 0 {
		out = append(out, fmt.Sprintf("in %d replicates the chain had fewer than %d effective draws, though it was made %d times as long: their ranks are correlated; raise --draws", slow, ranked, 1<<doublings))
	}
	return out
}
