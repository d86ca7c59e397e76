package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/fit"
)

// fitFlags are those of the commands that fit a model, apart from the settings of backends.
type fitFlags struct {
	modelFlags
	joinFlags
	data          []string
	backend       string
	seed          uint64
	quiet, asJSON bool

	// Once they are read: the flags of the command line, and the algorithm of the backend.
	typed     []string
	algorithm backends.Algorithm
}

// add adds the flags, and those of the settings. json says what --json prints.
func (f *fitFlags) add(cmd *cobra.Command, json string) {
	f.modelFlags.add(cmd)
	fs := cmd.Flags()
	fs.StringArrayVar(&f.data, "data", nil,
		"table of a party: `PARTY=FILE`; of a family: PARTY=FILE,FILE,…; of a model without "+
			"clients: FILE; repeatable")
	f.addJoins(fs)
	addBackend(cmd, &f.backend)
	fs.Uint64Var(&f.seed, "seed", 1, docOf("seed"))
	fs.BoolVar(&f.quiet, "quiet", false, quietDoc+"; findings about the result are always printed")
	fs.BoolVar(&f.asJSON, "json", false, "print "+json+" as JSON")
}

// addBackend adds the flag of the algorithm, and those of the settings of all.
func addBackend(cmd *cobra.Command, name *string) {
	cmd.Flags().StringVar(name, "backend", fit.Backends()[0].Name,
		"inference `algorithm`: "+strings.Join(algorithmNames(), ", "))
	addSettings(cmd)
}

// read reads the vfl.toml beside the model too.
func (f *fitFlags) read(cmd *cobra.Command, model string) (err error) {
	f.typed, f.algorithm, err = f.honourWith(cmd, model, &f.backend)
	return err
}

// honourWith is honour, and finds the algorithm of a backend, which vfl.toml may name too. Settings that are
// typed must be of it.
func (f *modelFlags) honourWith(cmd *cobra.Command, model string, backend *string) (typed []string,
	a backends.Algorithm, err error) {
	if typed, err = f.honour(cmd, model); err != nil {
		return nil, a, err
	}
	if a, err = algorithm(*backend); err == nil {
		f.forRun(cmd, a)
		err = refuseForeign(typed, a)
	}
	return typed, a, err
}

// forRun makes the model one for runs by an algorithm with the settings of the command line.
func (f *modelFlags) forRun(cmd *cobra.Command, a backends.Algorithm) {
	given := map[string]string{}
	if s, ok := a.In(backends.Initial); ok && cmd.Flags().Lookup(s.Name) != nil {
		given[s.Name] = cmd.Flags().Lookup(s.Name).Value.String()
	}
	f.byRows = fit.OfRows(a, given)
}

// compiled is the model, whose diagnostics are printed. A command that is only inspected ends.
func (f *fitFlags) compiled(cmd *cobra.Command, path string) (*compile.Model, error) {
	m, err := compileAloud(cmd, path, &f.modelFlags, f.quiet)
	if err != nil {
		return nil, err
	}
	return m, inspected(cmd, m, path, f.data, f.algorithm, f.typed)
}

// fitting are the options of a fit of a model.
func (f *fitFlags) fitting(cmd *cobra.Command, m *compile.Model) (fit.Options, error) {
	joining, err := f.joining()
	return fit.Options{Algorithm: f.algorithm, Settings: settingsFor(cmd, f.algorithm, m, f.typed),
		Joining: joining, Seed: f.seed}, err
}
