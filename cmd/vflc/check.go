package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/stdlib"
)

func newCheck() *cobra.Command {
	var f modelFlags
	var priors, asJSON bool
	var manifest string
	cmd := &cobra.Command{
		Use:   "check MODEL",
		Short: "Report errors and warnings of a model, without its data",
		Long: `Report errors and warnings of a model or of one party's program, without data. With --manifest
a program is loaded as its party would load it: it must be the one that the manifest lists, and
send, receive and evaluate exactly what the manifest lists for its party.`,
		Example: `  vflc check logistic.vfl --priors
  vflc check logistic.vfl --transform power --json
  vflc check build/hospital_a.vfl --manifest build/manifest.json`,
		Args: oneArgument("a MODEL"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			checked, assumed, diags, err := checkFile(cmd, args[0], manifest, &f)
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
			say(cmd, assumed)
			if priors {
				return showPriors(cmd.OutOrStdout(), checked, asJSON)
			}
			return nil
		}),
	}
	f.add(cmd)
	cmd.Flags().StringVar(&manifest, "manifest", "", "the manifest `FILE` that a party's program must agree with")
	cmd.Flags().BoolVar(&priors, "priors", false, "print the prior of every parameter")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the diagnostics, or with --priors the priors, as JSON")
	return cmd
}

// checkFile checks a model or, where a manifest is given, loads a party's program. assumed says what the compiler chose.
func checkFile(cmd *cobra.Command, path, manifest string, f *modelFlags) (_ *check.Program, assumed string, _ diag.List, _ error) {
	if manifest == "" {
		if _, err := f.honour(cmd, path); err != nil {
			return nil, "", nil, err
		}
		m, diags, err := compileFile(path, f)
		if m == nil || diags.HasErrors() {
			return nil, "", diags, err
		}
		return m.Checked, m.Assumed(), diags, err
	}
	if err := f.refuse("--manifest is for a party's program"); err != nil {
		return nil, "", nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, "", nil, err
	}
	p, diags, err := split.LoadFile(source.New(path, string(text)), manifest, stdlib.New())
	return p, "", diags, err
}

func showPriors(w io.Writer, p *check.Program, asJSON bool) error {
	priors := p.Priors()
	if asJSON {
		return posterior.WriteJSON(w, priors)
	}
	rows := [][]string{{"parameter", "owner", "type", "prior"}}
	for _, q := range priors {
		rows = append(rows, []string{q.Parameter, q.Owner, q.Type, q.Text()})
	}
	if len(priors) == 0 {
		_, err := fmt.Fprintln(w, "The model has no parameters.")
		return err
	}
	_, err := io.WriteString(w, posterior.AlignLeft(rows))
	return err
}
