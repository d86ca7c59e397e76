package fit

import (
	"fmt"
	"io"
	"slices"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/runs"
)

// Diagnose examines the draws of a run that was written to a folder, as Result.Diagnose examines those of a run in memory.
func Diagnose(r *runs.Run) []posterior.Finding {
	return findings(r.Draws, posterior.Summarise(r.Draws), r.Document, maxDepth(r))
}

// maxDepth returns the depth limit of a run's trees; 0: it is not known, or there are no trees.
func maxDepth(r *runs.Run) int {
	if r.Record == nil {
		return 0
	}
	a, _ := Backend(r.Record.Backend)
	s, _ := a.In(backends.MaxDepth)
	depth, _ := r.Setting(s.Name)
	return depth
}

// findings never returns nil, so that JSON shows an empty list. The document may be nil.
func findings(d *posterior.Draws, rows []posterior.Row, document *posterior.Document, maxDepth int) []posterior.Finding {
	var known *posterior.Diagnostics
	if document != nil {
		known = &document.Diagnostics
	}
	found := append([]posterior.Finding{}, posterior.Examine(d, rows, known, maxDepth)...)
	if document == nil || document.Note == "" {
		return found
	}
	// Where draws are conditional on a maximum, its parameters are constant.
	return slices.DeleteFunc(found, func(f posterior.Finding) bool { return f.Check == "constant" && f.Value == 0 })
}

// shownFindings is the largest number of findings of one check that are written.
const shownFindings = 8

// WriteFindings writes the findings of Diagnose as text.
func WriteFindings(w io.Writer, r *runs.Run, found []posterior.Finding) error {
	if len(found) == 0 {
		_, err := fmt.Fprintln(w, nothingWrong(r))
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
			fmt.Fprintf(w, "  try: %s\n", f.Try)
		}
	}
	return nil
}

// nothingWrong lists what was checked.
func nothingWrong(r *runs.Run) string {
	if !r.Draws.Independent() {
		return fmt.Sprintf("No problem found in %d chains of %d draws: no divergences; E-BFMI, R-hat and effective sample sizes are within bounds.", r.Draws.Chains(), r.Draws.Len(0))
	}
	text := fmt.Sprintf("No problem found in %d independent draws.", r.Draws.Len(0))
	if r.Document != nil && float64(r.Document.Diagnostics.Khat) <= posterior.KhatBound {
		return text + fmt.Sprintf(" k-hat of the approximation is %.2f.", float64(r.Document.Diagnostics.Khat))
	}
	return text + " The draws do not show how close the approximation is to the posterior."
}
