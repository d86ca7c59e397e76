package calibrate

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/posterior"
)

// A Conclusion is the conclusion of a study.
type Conclusion string

// The verdicts.
const (
	Calibrated    Conclusion = "calibrated"
	NotCalibrated Conclusion = "not calibrated"
	Undecided     Conclusion = "undecided" // the ranks look uniform, but there are doubts
)

// verdict is that of ranks that are uniform or not.
func verdict(uniform bool, doubts []string) Conclusion {
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
	Verdict    Conclusion   `json:"verdict"`
	Calibrated bool         `json:"calibrated"` // that is the verdict
	Parameters []RankResult `json:"parameters"`
	// LogLikelihood is judged with the parameters; nil without responses.
	LogLikelihood *RankResult `json:"log_likelihood,omitempty"`
	// Detectable is nil where there are too few replicates for any.
	Detectable *Detectable `json:"detectable,omitempty"`
	// why ranks that look uniform do not show that the backend is calibrated
	Doubts   []string `json:"doubts"`
	Warnings []string `json:"warnings"` // what may be the reason for ranks that are not uniform
}

// Detectable are the errors of the posterior of one quantity that a study of this size finds with a
// probability.
type Detectable struct {
	Probability float64 `json:"probability"`
	Shift       float64 `json:"shift"` // in standard deviations
	Width       float64 `json:"width"` // so many times too wide, or too narrow
}

// Report judges the replicates that were done. It returns an error if there are none.
func (s *Calibration) Report() (Report, error) {
	ranks, done := s.ranks()
	if done == 0 {
		return Report{}, fmt.Errorf("no replicate was fitted: %s", strings.Join(s.doubts(), "; "))
	}
	results, p, doubts := Judge(s.quantities, ranks, ranked), s.prepared, s.doubts()
	concluded := verdict(Uniform(results), doubts)
	out := Report{
		Schema: posterior.Schema, Model: p.Name, Backend: p.Algorithm.Name,
		Transform: p.Checked.Transform.Kind.Name, Seed: s.seed,
		Replicates: done, Draws: ranked, Verdict: concluded, Calibrated: concluded == Calibrated,
		Parameters: results[:len(s.elements)], Doubts: doubts, Warnings: s.warnings(),
	}
	if s.likelihood {
		out.LogLikelihood = &results[len(s.elements)]
	}
	if shift, width := DetectableBias(done, len(results), ranked); !math.IsInf(max(shift, width), 1) {
		out.Detectable = &Detectable{Probability: Power, Shift: shift, Width: width}
	}
	return out, nil
}

// quantities are all that was judged.
func (r Report) quantities() []RankResult {
	if r.LogLikelihood == nil {
		return r.Parameters
	}
	return append(slices.Clone(r.Parameters), *r.LogLikelihood)
}

// WriteTable writes the report as a text table, with a bar of the ranks and what is wrong for each quantity,
// and the verdict below it with what it means.
func (r Report) WriteTable(w io.Writer) error {
	rows := [][]string{{"parameter", "shift", "p", "width", "p", "shape p", "p (Holm)", "ranks", ""}}
	all, wrong := r.quantities(), 0
	least := all[0]
	for _, x := range all {
		if x.Adjusted < least.Adjusted || x.Adjusted == least.Adjusted && x.P < least.P {
			least = x
		}
		if x.Adjusted < Level {
			wrong++
		}
		shape := "–" // not tested
		if x.DF > 0 {
			shape = fmt.Sprintf("%.2g", x.Shape)
		}
		rows = append(rows, []string{x.Shown(), fmt.Sprintf("%+.2f", x.Shift.Estimate),
			fmt.Sprintf("%.2g", x.Shift.P), fmt.Sprintf("%.2f", x.Width.Estimate),
			fmt.Sprintf("%.2g", x.Width.P), shape, fmt.Sprintf("%.2g", x.Adjusted), "│" + x.Bars() + "│",
			x.Reading()})
	}
	text := posterior.AlignLeft(rows)
	text += fmt.Sprintf("%s: the smallest of %d adjusted p-values is %.2g (%s), judged at %g; %d "+
		"replicates, %d draws each\n", r.Verdict, len(all), least.Adjusted, least.Shown(), Level,
		r.Replicates, r.Draws)
	if wrong > 0 {
		text += fmt.Sprintf("an error in %d of %d quantities: a study of a right posterior finds one with "+
			"probability %g at most\n", wrong, len(all), Level)
	}
	if explanation := r.fits(); explanation != "" {
		text += explanation + "\n"
	}
	for _, line := range slices.Concat([]string{r.sensitivity()}, r.Doubts, r.Warnings) {
		text += line + "\n"
	}
	_, err := io.WriteString(w, text)
	return err
}

// fits says what a wrong log likelihood means; "" where it is not wrong.
func (r Report) fits() string {
	l := r.LogLikelihood
	switch {
	case l == nil || l.Adjusted >= Level:
		return ""
	case l.Shift.P > min(l.Width.P, l.Shape):
		return "log likelihood: the draws fit the data about as well as the parameters that made them, but " +
			"not with the variation that they should have"
	case l.Shift.Estimate < 0:
		return "log likelihood: the draws fit the data worse than the parameters that made them do: the " +
			"data count for too little, or the prior for too much"
	}
	return "log likelihood: the draws fit the data better than the parameters that made them should: the " +
		"data count for too much, or the prior for too little"
}

// sensitivity says how large an error the study would have found.
func (r Report) sensitivity() string {
	if r.Detectable == nil {
		return fmt.Sprintf("%d replicates are too few to find even large errors; take more", r.Replicates)
	}
	d := r.Detectable
	return fmt.Sprintf("a posterior that is shifted by %.2f sd, or %.2f times too wide or narrow, in one "+
		"quantity is found by about %g of such studies", d.Shift, d.Width, d.Probability)
}

// ranks gathers, by quantity, the ranks of the replicates that were done.
func (s *Calibration) ranks() (ranks [][]int, done int) {
	ranks = make([][]int, len(s.quantities))
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
func (s *Calibration) doubts() []string {
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
		out = append(out,
			fmt.Sprintf("%d replicates could not be fitted and are left out, which biases "+
				"the ranks (the last: %s)", failed, why))
	}
	if slow > 0 {
		out = append(out,
			fmt.Sprintf("in %d replicates the chain had fewer than %d effective draws, though it was made "+
				"%d times as long: their ranks are correlated; raise %s", slow, ranked, 1<<doublings,
				s.drawsFlag()))
	}
	return out
}

// drawsFlag names the setting of the number of draws.
func (s *Calibration) drawsFlag() string {
	setting, _ := s.prepared.Algorithm.In(backends.Draws)
	return "--" + setting.Name
}

// warnings lists what does not change the verdict.
func (s *Calibration) warnings() []string {
	out := []string{}
	divergent := 0
	for _, r := range s.results {
		if r.done && r.divergences > 0 {
			divergent++
		}
	}
	if divergent > 0 {
		out = append(out,
			fmt.Sprintf("in %d replicates transitions diverged, which may be the reason for ranks that are "+
				"not uniform; try a smaller step size, or another parameterisation", divergent))
	}
	return out
}
