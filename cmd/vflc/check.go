package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
)

func newCheck() *cobra.Command {
	var f modelFlags
	var priors, asJSON bool
	cmd := &cobra.Command{
		Use:   "check MODEL",
		Short: "Report errors and warnings of a model, without its data",
		Example: `  vflc check logistic.vfl --priors
  vflc check logistic.vfl --transform power --json`,
		Args: oneArgument("a MODEL"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			m, diags, err := compileFile(args[0], &f)
			if err != nil {
				return err
			}
			switch {
			case asJSON && !priors:
				err = diag.JSON(cmd.OutOrStdout(), diags.Shown())
			default:
				err = showDiagnostics(cmd.ErrOrStderr(), diags)
			}
			if err != nil {
				return err
			}
			if diags.HasErrors() {
				return shown(exitInput)
			}
			if priors {
				return showPriors(cmd.OutOrStdout(), m.Checked, asJSON)
			}
			return nil
		}),
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&priors, "priors", false, "print the prior of every parameter")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the diagnostics, or with --priors the priors, as JSON")
	return cmd
}

func showPriors(w io.Writer, p *check.Program, asJSON bool) error {
	priors := p.Priors()
	if asJSON {
		return posterior.WriteJSON(w, priors)
	}
	rows := [][]string{{"parameter", "owner", "type", "prior"}}
	for _, q := range priors {
		if q.Noncentered {
			q.Prior += " noncentered"
		}
		rows = append(rows, []string{q.Parameter, q.Owner, q.Type, q.Prior})
	}
	if len(priors) == 0 {
		_, err := fmt.Fprintln(w, "The model has no parameters.")
		return err
	}
	_, err := io.WriteString(w, posterior.AlignLeft(rows))
	return err
}
