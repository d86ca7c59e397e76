package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/stdlib"
)

func newCheck() *cobra.Command {
	var f modelFlags
	var t tableFlags
	var stdin stdinFlag
	var priors, info, asJSON bool
	var manifest string
	cmd := &cobra.Command{
		Use:   "check MODEL",
		Short: "Report errors and warnings of a model, without its data or with them",
		Long: `Report errors and warnings of a model or of one party's program, without data. With --manifest
a program is loaded as its party would load it: it must be the one that the manifest lists, and
send, receive and evaluate exactly what the manifest lists for its party. - reads a model from
standard input.

With --tables a model is checked with the tables that vflc run would read, and with --data with those that
it names: listed are the columns of every table, their types, missing cells and values, and which declaration
reads them; then the sizes that the tables give, and what is wrong, in the words of a run.`,
		Example: `  vflc check logistic.vfl --priors
  vflc check logistic.vfl --info
  vflc check logistic.vfl --transform power --json
  vflc check build/hospital_a.vfl --manifest build/manifest.json
  vflc check logistic.vfl --tables
  vflc check logistic.vfl --tables --priors
  vflc check logistic.vfl --data data.csv
  vflc check build/hospital_a.vfl --data a.csv`,
		Args: oneArgument("a MODEL"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			if !t.asked() && (cmd.Flags().Changed("key") || cmd.Flags().Changed("rows")) {
				return usagef("--key and --rows say how rows are joined: have tables read, " +
					"with --tables or --data")
			}
			if of := t.manifestOf(args[0], manifest); of != "" {
				return t.checkProgram(cmd, args[0], of, asJSON)
			}
			if t.asked() && priors && asJSON {
				return usagef("--json prints the priors or the columns of the tables: one at a time")
			}
			checked, m, diags, err := checkFile(cmd, args[0], stdin.name(args[0]), manifest, &f)
			if err != nil {
				return err
			}
			if info && checked != nil && !diags.HasErrors() {
				diags = append(diags, checked.Pedantic()...)
			}
			if t.asked() && m != nil && !diags.HasErrors() {
				if priors {
					err = showPriors(cmd.OutOrStdout(), checked, false)
				}
				err = errors.Join(err, t.checkModel(cmd, args[0], m, diags, asJSON))
				if err == nil && priors {
					err = t.checkImplied(cmd, args[0], f)
				}
				return err
			}
			if asJSON && !priors {
				err = diag.JSON(cmd.OutOrStdout(), diags.Shown())
			} else {
				err = showDiagnostics(cmd.ErrOrStderr(), diags)
			}
			if err != nil {
				return err
			}
			if diags.HasErrors() {
				return shown(exitInput)
			}
			if m != nil {
				say(cmd, m.Assumed())
			}
			if priors {
				return showPriors(cmd.OutOrStdout(), checked, asJSON)
			}
			return nil
		}),
	}
	f.add(cmd)
	stdin.add(cmd)
	cmd.Flags().StringVar(&manifest, "manifest", "",
		"the manifest `FILE` that a party's program must agree with")
	t.add(cmd.Flags())
	cmd.Flags().BoolVar(&priors, "priors", false,
		"print the prior of every parameter; with tables, also what the priors imply for the response")
	cmd.Flags().BoolVar(&info, "info", false,
		"report also what is not wrong and yet seldom meant: hard bounds, constants far from 1, improper "+
			"priors, parameters without influence")
	cmd.Flags().BoolVar(&asJSON, "json", false,
		"print the diagnostics, with tables also their columns and sizes, or with "+
			"--priors the priors, as JSON")
	return cmd
}

// checkFile checks a model, which messages call by its name, or, where a manifest is given, loads a party's
// program, which is no model.
func checkFile(cmd *cobra.Command, path, name, manifest string, f *modelFlags) (*check.Program,
	*compile.Model, diag.List, error) {
	if manifest == "" {
		if _, err := f.honour(cmd, name); err != nil {
			return nil, nil, nil, err
		}
		m, diags, err := compileNamed(path, name, f)
		if m == nil || diags.HasErrors() {
			return nil, nil, diags, err
		}
		return m.Checked, m, diags, err
	}
	if err := f.refuse("--manifest is for a party's program"); err != nil {
		return nil, nil, nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, nil, err
	}
	p, diags, err := split.LoadFile(source.New(path, string(text)), manifest, stdlib.New())
	return p, nil, diags, err
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
