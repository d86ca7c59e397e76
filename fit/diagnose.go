package fit

import (
	"fmt"
	"io"

	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/runs"
)

// shownFindings is the largest number of findings of one check that are written.
const shownFindings = 8

// WriteFindings writes the findings of Diagnose as text.
func WriteFindings(w io.Writer, r *runs.Run, found []posterior.Finding) error {
	if len(found) == 0 {
		text := nothingWrong(r) + "\n"
		if c := cost(r); c != "" {
			text += c + "\n"
		}
		_, err := io.WriteString(w, text)
		return err
	}
	counts := map[string]int{}
	for i, f := range found {
		counts[f.Check]++
		if counts[f.Check] <= shownFindings {
			fmt.Fprintf(w, "%s\n", f.Text)
		}
		if i+1 < len(found) && found[i+1].Check == f.Check && found[i+1].Try == f.Try {
			continue
		}
		if more := counts[f.Check] - shownFindings; more > 0 && (i+1 == len(found) || found[i+1].Check != f.Check) {
			fmt.Fprintf(w, "… and %d more\n", more)
		}
		if counts[f.Check] <= shownFindings || i+1 == len(found) || found[i+1].Check != f.Check {
			tryLine(w, f.Try)
		}
	}
	return nil
}

func tryLine(w io.Writer, remedy string) {
	if remedy != "" {
		fmt.Fprintf(w, "  try: %s\n", remedy)
	}
}

// nothingWrong lists what was checked.
func nothingWrong(r *runs.Run) string {
	if !r.Draws.Independent() {
		return fmt.Sprintf("No problem found in %d chains of %d draws: %s within bounds.", r.Draws.Chains(), r.Draws.Len(0), checked(r.Draws))
	}
	text := fmt.Sprintf("No problem found in %d independent draws.", r.Draws.Len(0))
	if r.Document != nil && float64(r.Document.Diagnostics.Khat) <= posterior.KhatBound {
		return text + fmt.Sprintf(" k-hat of the approximation is %.2f.", float64(r.Document.Diagnostics.Khat))
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
