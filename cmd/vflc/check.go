package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/internal/inputfile"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/node"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/stdlib"
)

func newCheck() *cobra.Command {
	var f modelFlags
	var priors, info, asJSON bool
	var manifest string
	var tables []string
	cmd := &cobra.Command{
		Use:   "check MODEL",
		Short: "Report errors and warnings of a model, without its data or with them",
		Long: `Report errors and warnings of a model or of one party's program, without data. With --manifest
a program is loaded as its party would load it: it must be the one that the manifest lists, and
send, receive and evaluate exactly what the manifest lists for its party. - reads a model from
standard input. With --data a model is checked with the tables of its parties, as a run would
read them.`,
		Example: `  vflc check logistic.vfl --priors
  vflc check logistic.vfl --info
  vflc check logistic.vfl --transform power --json
  vflc check build/hospital_a.vfl --manifest build/manifest.json
  vflc check logistic.vfl --data data.csv
  vflc check build/hospital_a.vfl --data a.csv`,
		Args: oneArgument("a MODEL"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			if tables != nil {
				return checkTables(cmd, args[0], manifest, tables, &f)
			}
			checked, assumed, diags, err := checkFile(cmd, args[0], manifest, &f)
			if err != nil {
				return err
			}
			if info && checked != nil && !diags.HasErrors() {
				diags = append(diags, checked.Pedantic()...)
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
	cmd.Flags().StringArrayVar(&tables, "data", nil, "of a model, read these tables as vflc run does, PARTY=FILE; of a party's program, read this `FILE` as the party of the program will, and shared=FILE as it will read shared data that its own table does not have: columns, encoders, missing cells; repeatable; the manifest is the one beside the program unless --manifest names another")
	cmd.Flags().BoolVar(&priors, "priors", false, "print the prior of every parameter")
	cmd.Flags().BoolVar(&info, "info", false, "report also what is not wrong and yet seldom meant: hard bounds, constants far from 1, improper priors, parameters without influence")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the diagnostics, or with --priors the priors, as JSON")
	return cmd
}

// checkTables checks a party's program with its table where a manifest is named or beside it, and else a model with the tables of its parties.
func checkTables(cmd *cobra.Command, path, manifest string, tables []string, f *modelFlags) error {
	if manifest != "" {
		return checkData(cmd, path, manifest, tables)
	}
	beside := filepath.Join(filepath.Dir(path), compile.ManifestFile)
	if _, err := os.Stat(beside); err == nil && isProgram(path) {
		return checkData(cmd, path, beside, tables)
	}
	if _, err := f.honour(cmd, path); err != nil {
		return err
	}
	m, err := compileWhole(cmd, path, f)
	if err != nil {
		return err
	}
	sources, err := data.Locate(path, m.Parties(), tables)
	if err != nil {
		return err
	}
	b, diags, err := compile.Bind(m, sources, data.Joining{})
	if err == nil {
		err = settle(cmd, diags)
	}
	if err != nil {
		return err
	}
	for _, text := range append(append([]string{b.Assumed()}, b.Data.Joined()...), b.Imputed()...) {
		say(cmd, text)
	}
	for _, name := range slices.Sorted(maps.Keys(b.Sizes.Common)) {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s = %d\n", name, b.Sizes.Common[name])
	}
	return nil
}

// isProgram reports a party's program, whose first word says so; a model may lie beside a manifest that is none of its own.
func isProgram(path string) bool {
	text, err := os.ReadFile(path)
	return err == nil && strings.HasPrefix(strings.TrimSpace(string(text)), "program ")
}

// checkData is a party's own dry run: its program with its table, before anybody else is involved.
func checkData(cmd *cobra.Command, path, manifest string, tables []string) error {
	universe := stdlib.New()
	m, diags, err := split.ReadManifest(manifest, universe)
	if err == nil && diags.HasErrors() {
		err = data.Errors(diags)
	}
	if err != nil {
		return err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for _, p := range m.Parties {
		if p.Program != filepath.Base(path) {
			continue
		}
		party := p.Name
		if p.Family != "" {
			party += "[1]"
		}
		own, err := compile.OwnProgram(m, filepath.Dir(path), p.Name)
		if err != nil {
			return err
		}
		part, diags, err := compile.OpenParty(m, party, source.New(path, string(text)), own)
		if err == nil && !diags.HasErrors() {
			diags = part.Bind(node.TablesOf(p.Name, tables), inputfile.MaxBytes, data.Joining{}, nil)
		}
		if err == nil && diags.HasErrors() {
			err = data.Errors(diags)
		}
		if err != nil {
			return err
		}
		facts, diags := part.Facts(nil)
		if diags.HasErrors() {
			return data.Errors(diags)
		}
		for _, name := range slices.Sorted(maps.Keys(facts.Sizes)) {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s = %d\n", name, facts.Sizes[name].Value)
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "%s can read %s\n", p.Name, strings.Join(tables, ", "))
		return nil
	}
	return fmt.Errorf("%s lists no program %s", manifest, filepath.Base(path))
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
