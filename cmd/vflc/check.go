package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/posterior"
)

func newCheck() *cobra.Command {
	var f modelFlags
	var priors, asJSON bool
	cmd := &cobra.Command{
		Use:   "check MODEL",
		Short: "Report errors and warnings without data",
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
				return said(exitInput)
			}
			if priors {
				return showPriors(cmd.OutOrStdout(), m.Checked, asJSON)
			}
			return nil
		}),
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&priors, "priors", false, "print every prior in force")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the diagnostics, or with --priors the priors, as JSON")
	return cmd
}

// A prior is that of one parameter, with defaults filled in.
type prior struct {
	Parameter   string `json:"parameter"`
	Type        string `json:"type"`
	Owner       string `json:"owner"`
	Prior       string `json:"prior"`
	Noncentered bool   `json:"noncentered"`
}

func priorsOf(p *check.Program) []prior {
	out := []prior{}
	for _, s := range p.Order {
		if d, ok := s.Decl.(*ast.Param); ok {
			out = append(out, prior{s.Name, s.Type.String() + bounds(s), s.Owner, priorText(s), d.Noncentered})
		}
	}
	return out
}

// priorText is the distribution with every argument, those left out by their defaults.
func priorText(s *check.Symbol) string {
	args := make([]string, len(s.Args))
	for i, a := range s.Args {
		if a == nil {
			args[i] = strconv.FormatFloat(s.Dist.Params[i].Default, 'g', -1, 64)
		} else {
			args[i] = format.Expr(a)
		}
	}
	return s.Dist.Name + "(" + strings.Join(args, ", ") + ")"
}

// bounds are those declared on the type.
func bounds(s *check.Symbol) string {
	var parts []string
	if s.Lower != nil {
		parts = append(parts, "lower="+format.Expr(s.Lower))
	}
	if s.Upper != nil {
		parts = append(parts, "upper="+format.Expr(s.Upper))
	}
	if parts == nil {
		return ""
	}
	return " <" + strings.Join(parts, ", ") + ">"
}

func showPriors(w io.Writer, p *check.Program, asJSON bool) error {
	priors := priorsOf(p)
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
