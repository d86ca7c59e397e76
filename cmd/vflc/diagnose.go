package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/runs"
)

// shownFindings is how many findings of one check are printed; JSON has all.
const shownFindings = 8

func newDiagnose() *cobra.Command {
	var asJSON, strict bool
	cmd := &cobra.Command{
		Use:   "diagnose RUN",
		Short: "Say whether the draws of a run can be trusted",
		Long: `Say what is wrong with the draws of a run, how much, and what to try: divergences, transitions at the depth limit,
E-BFMI below 0.3, R-hat above 1.01, effective sample sizes below 400, k-hat of a variational fit above 0.7, a fit that has not converged.

` + runArgument,
		Example: `  vflc diagnose out
  vflc diagnose out --strict --json`,
		Args: cobra.ExactArgs(1),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			r, err := runs.Open(args[0])
			if err != nil {
				return err
			}
			found := examine(r)
			if asJSON {
				err = posterior.WriteJSON(cmd.OutOrStdout(), map[string]any{"schema": posterior.Schema, "model": r.Name(), "trusted": len(found) == 0, "findings": found})
			} else {
				err = writeFindings(cmd.OutOrStdout(), r, found)
			}
			if err == nil && strict && len(found) > 0 {
				return said(exitUntrusted)
			}
			return err
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print every finding as JSON")
	cmd.Flags().BoolVar(&strict, "strict", false, "exit with 3 when there is anything to report")
	return cmd
}

// examine looks at a run; it never returns nil, so that JSON shows an empty list.
func examine(r *runs.Run) []posterior.Finding {
	var said *posterior.Diagnostics
	if r.Document != nil {
		said = &r.Document.Diagnostics
	}
	depth, _ := r.Setting("max-depth")
	found := append([]posterior.Finding{}, posterior.Examine(r.Draws, posterior.Summarise(r.Draws), said, depth)...)
	if r.Document == nil || r.Document.Note == "" {
		return found
	}
	// Draws given a maximum have it as constants.
	return slices.DeleteFunc(found, func(f posterior.Finding) bool { return f.Check == "constant" && f.Value == 0 })
}

func writeFindings(w io.Writer, r *runs.Run, found []posterior.Finding) error {
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

// nothingWrong says what was looked at.
func nothingWrong(r *runs.Run) string {
	if !r.Draws.Independent() {
		return fmt.Sprintf("Nothing to report: %d chains of %d draws; no divergences, E-BFMI, R-hat and effective sample sizes within bounds.", r.Draws.Chains(), r.Draws.Len(0))
	}
	text := fmt.Sprintf("Nothing to report of %d independent draws.", r.Draws.Len(0))
	if r.Document != nil && float64(r.Document.Diagnostics.Khat) <= posterior.KhatBound {
		return text + fmt.Sprintf(" k-hat of the approximation is %.2f.", float64(r.Document.Diagnostics.Khat))
	}
	return text + " How close an approximation they come from is not known from the draws."
}
