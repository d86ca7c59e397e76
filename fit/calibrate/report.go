package calibrate

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/sbc"
)

// A Verdict is the conclusion of a study.
type Verdict string

// The verdicts.
const (
	Calibrated    Verdict = "calibrated"
	NotCalibrated Verdict = "not calibrated"
	Undecided     Verdict = "undecided" // the ranks look uniform, but there are doubts
)

// verdict is that of ranks that are uniform or not.
func verdict(uniform bool, doubts []string) Verdict {
	switch {
	case !uniform:
		return NotCalibrated
	case len(doubts) > 0:
		return Undecided
	}
	return Calibrated
}

// A Report is the result of a study.
type Report struct {
	Schema     int          `json:"schema"`
	Model      string       `json:"model"`
	Backend    string       `json:"backend"`
	Transform  string       `json:"transform"`
	Seed       uint64       `json:"seed"`
	Replicates int          `json:"replicates"`
	Draws      int          `json:"draws"`
	Verdict    Verdict      `json:"verdict"`
	Calibrated bool         `json:"calibrated"` // that is the verdict
	Parameters []sbc.Result `json:"parameters"`
	Doubts     []string     `json:"doubts"`   // why ranks that look uniform do not show that the backend is calibrated
	Warnings   []string     `json:"warnings"` // what may be the reason for ranks that are not uniform
}

// Report judges the replicates that were done. It returns an error if there are none.
func (s *Study) Report() (Report, error) {
	ranks, done := s.ranks()
	if done == 0 {
		return Report{}, fmt.Errorf("no replicate was fitted: %s", strings.Join(s.doubts(), "; "))
	}
	results, p, doubts := sbc.Judge(s.scalars, ranks, ranked), s.prepared, s.doubts()
	concluded := verdict(sbc.Calibrated(results), doubts)
	return Report{
		Schema: posterior.Schema, Model: p.Name, Backend: p.Algorithm.Name, Transform: p.Checked.Transform.Kind.Name, Seed: s.seed,
		Replicates: done, Draws: ranked, Verdict: concluded, Calibrated: concluded == Calibrated, Parameters: results, Doubts: doubts, Warnings: s.warnings(),
	}, nil
}

// WriteTable writes the report as a text table, with a bar of the ranks for each parameter, and the verdict below it.
func (r Report) WriteTable(w io.Writer) error {
	rows := [][]string{{"parameter", "chi2", "df", "p", "p (Holm)", "ranks", ""}}
	least := 1.0
	for _, x := range r.Parameters {
		least = min(least, x.Adjusted)
		rows = append(rows, []string{x.Shown(), fmt.Sprintf("%.1f", x.Chi2), fmt.Sprint(x.DF), fmt.Sprintf("%.3g", x.P), fmt.Sprintf("%.3g", x.Adjusted), "│" + x.Bars() + "│", x.Reading()})
	}
	text := posterior.AlignLeft(rows)
	text += fmt.Sprintf("%s: the smallest of %d adjusted p-values is %.2g, judged at %g; %d replicates, %d draws each\n", r.Verdict, len(r.Parameters), least, sbc.Level, r.Replicates, r.Draws)
	for _, line := range slices.Concat(r.Doubts, r.Warnings) {
		text += line + "\n"
	}
	_, err := io.WriteString(w, text)
	return err
}

// ranks gathers, by scalar, the ranks of the replicates that were done.
func (s *Study) ranks() (ranks [][]int, done int) {
	ranks = make([][]int, len(s.scalars))
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

// doubts lists what biases the ranks or makes them depend on one another.
func (s *Study) doubts() []string {
	out := []string{}
	failed, slow := 0, 0
	why := ""
	for _, r := range s.results {
		if r.err != nil {
			failed++
			why = r.err.Error()
		}
		if r.done && s.chains() && r.ess < ranked {
			slow++
		}
	}
	if failed > 0 {
		out = append(out, fmt.Sprintf("%d replicates could not be fitted and are left out, which biases the ranks (the last: %s)", failed, why))
	}
	if slow > 0 {
		out = append(out, fmt.Sprintf("in %d replicates the chain had fewer than %d effective draws, though it was made %d times as long: their ranks are correlated; raise %s", slow, ranked, 1<<doublings, s.drawsFlag()))
	}
	return out
}

// drawsFlag names the setting of the number of draws.
func (s *Study) drawsFlag() string {
	setting, _ := s.prepared.Algorithm.In(backends.Draws)
	return "--" + setting.Name
}

// warnings lists what does not change the verdict.
func (s *Study) warnings() []string {
	out := []string{}
	divergent := 0
	for _, r := range s.results {
		if r.done && r.divergences > 0 {
			divergent++
		}
	}
	if divergent > 0 {
		out = append(out, fmt.Sprintf("in %d replicates transitions diverged, which may be the reason for ranks that are not uniform; try a smaller step size, or another parameterisation", divergent))
	}
	return out
}
