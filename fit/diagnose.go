package fit

import (
	"fmt"
	"io"

	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/posterior"
)

// shownFindings is the largest number of findings of one check that are written.
const shownFindings = 8

// WriteFindings writes the findings of Diagnose as text.
func WriteFindings(w io.Writer, r *posterior.Run, found []posterior.Finding) error {
	if len(found) == 0 {
		_, err := io.WriteString(w, nothingWrong(r)+"\n")
		return err
	}
	WriteProblems(w, found)
	return nil
}

// WriteProblems writes findings as text, with their remedies.
func WriteProblems(w io.Writer, found []posterior.Finding) {
	for _, p := range Problems(found) {
		for _, text := range p.Texts {
			fmt.Fprintf(w, "%s\n", text)
		}
		if p.More > 0 {
			fmt.Fprintf(w, "… and %d more\n", p.More)
		}
		if p.Try != "" {
			fmt.Fprintf(w, "  try: %s\n", p.Try)
		}
	}
}

// A Problem is what several findings of one check have in common.
type Problem struct {
	Texts []string // of the worst
	More  int      // findings of the check that are left out
	Try   string   // "": there is no remedy
}

// Problems puts together consecutive findings of one check with one remedy. Of each check it keeps a few
// findings.
func Problems(found []posterior.Finding) []Problem {
	var out []Problem
	counts := map[string]int{}
	for i, f := range found {
		counts[f.Check]++
		if i == 0 || found[i-1].Check != f.Check || found[i-1].Try != f.Try &&
			counts[f.Check] <= shownFindings {
			out = append(out, Problem{Try: f.Try})
		}
		p := &out[len(out)-1]
		if counts[f.Check] > shownFindings {
			p.More++
		} else {
			p.Texts = append(p.Texts, f.Text)
		}
	}
	return out
}

// nothingWrong lists what was checked.
func nothingWrong(r *posterior.Run) string {
	if !r.Draws.Independent() {
		return fmt.Sprintf("No problem found in %s of %d draws: %s within bounds.",
			grouped.Count(r.Draws.Chains(), "chain"), r.Draws.Len(0), checked(r.Draws))
	}
	if r.Record != nil && r.Record.PriorOnly {
		return fmt.Sprintf("No problem found in %s of %d independent draws from the prior.",
			grouped.Count(r.Draws.Chains(), "chain"), r.Draws.Len(0))
	}
	text := fmt.Sprintf("No problem found in %d independent draws.", r.Draws.Len(0))
	if r.Document != nil && float64(r.Document.Diagnostics.Khat) <= posterior.KhatBound {
		return text + fmt.Sprintf(" k-hat of the approximation is %.2f.",
			float64(r.Document.Diagnostics.Khat))
	}
	return text + " The draws do not show how close the approximation is to the posterior."
}

// checked lists what was within bounds: only a sampler with trajectories has divergences and energies.
func checked(d *posterior.Draws) string {
	if d.HasTrajectories() {
		return "no divergences; E-BFMI, R-hat and effective sample sizes are"
	}
	return "R-hat and effective sample sizes are"
}
