package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit/synthetic"
	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/stdlib"
)

// simulateFlags are those of simulate.
type simulateFlags struct {
	set   []string
	sizes []string
	data  []string
	seed  uint64
	out   string
	quiet bool
}

func newSimulate() *cobra.Command {
	var f simulateFlags
	cmd := &cobra.Command{
		Use:   "simulate MODEL",
		Short: "Draw parameters from their priors, and tables for every party from the model",
		Long: `Draw parameters from their priors, and tables for every party from the model, so that a run has a known truth.

Each party gets one CSV table with a key column id, in the folder where vflc run looks for it (` + "`m` for `m.vfl`" + `) or in the one that -o names;
truth.csv holds the parameters and generated quantities. A party whose data are no columns of one length, such as numbers, arrays of three dimensions or
several matrices, gets a Stan-JSON document. A column that is no response is drawn from the standard normal distribution, folded at declared bounds and made
positive for log or where it is a scale; a matrix that is a covariance is the identity; categories come in equal numbers. Columns of a CSV, or entries of a document, that --data gives for a party are used as they are, except its responses.
Responses are drawn without the noise of auxiliary variables, each after those that its distribution depends on: a covariate that is a response, the step before in
y[2:T] ~ normal(phi * y[1:T - 1], s). An element that stands on the left of no likelihood, as y[1] there, is drawn as other columns are. A size that the tables depend on is given by --size, also the members of a
family; a prior from which nothing can be drawn, such as flat, is refused, and so is a model with a factor or with cox.`,
		Example: `  vflc simulate model.vfl --size N=500 --size P=3 --seed 7
  vflc simulate model.vfl --size N=500 -o made && vflc run model.vfl --data registry=made/registry.csv --data a=made/a.csv
  vflc simulate model.vfl --data a=a.csv`,
		Args: oneArgument("a MODEL"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			return simulateModel(cmd, args[0], &f)
		}),
	}
	fs := cmd.Flags()
	fs.StringArrayVar(&f.set, "set", nil,
		"value of a const, in place of the model's own: `NAME=VALUE`; repeatable")
	fs.StringArrayVar(&f.sizes, "size", nil,
		"`NAME=NUMBER` of a size: rows, columns, categories, members of a family; repeatable")
	fs.StringArrayVar(&f.data, "data", nil,
		"CSV or Stan-JSON document whose data are used: `PARTY=FILE`, for a family "+
			"PARTY=FILE,FILE; repeatable")
	fs.Uint64Var(&f.seed, "seed", 1, "seed of all random numbers")
	fs.StringVarP(&f.out, "output", "o", "",
		"`folder` for the tables; without it the one of the model's name")
	fs.BoolVar(&f.quiet, "quiet", false, "print nothing but errors")
	return cmd
}

func simulateModel(cmd *cobra.Command, path string, f *simulateFlags) error {
	if err := applySettingsFile(cmd, path); err != nil {
		return err
	}
	// what crosses in a deployment is none of its business
	m, err := compileAloud(cmd, path, &modelFlags{set: f.set}, true)
	if err != nil {
		return err
	}
	if !m.Pooled() {
		if m, err = withoutNoise(cmd, path, f); err != nil {
			return err
		}
	}
	r := synthetic.Request{Sizes: map[string]int{}, Seed: f.seed}
	for _, text := range f.sizes {
		name, value, ok := strings.Cut(text, "=")
		n, err := strconv.Atoi(value)
		if !ok || err != nil || n < 1 {
			return usagef("--size %s: write NAME=NUMBER with a positive whole number", text)
		}
		r.Sizes[strings.TrimSpace(name)] = n
	}
	if r.Given, err = givenTables(m, f.data); err != nil {
		return err
	}
	s, diags, err := synthetic.New(m, r)
	if err := settled(cmd, diags, err); err != nil {
		return err
	}
	return writeSimulation(cmd, path, f, s, len(m.Parties()) == 1)
}

// withoutNoise compiles a model again, for the transform under which it has no auxiliary variables. Nothing
// crosses here, so every disclosure is accepted.
func withoutNoise(cmd *cobra.Command, path string, f *simulateFlags) (*compile.Model, error) {
	return compileAloud(cmd, path, &modelFlags{set: f.set, transform: stdlib.Exact.Name,
		accept: diag.AcceptanceNames()}, true)
}

// givenTables reads the values of --data.
func givenTables(m *compile.Model, flags []string) ([]synthetic.Table, error) {
	if len(flags) == 0 {
		return nil, nil
	}
	var out []synthetic.Table
	sources, err := data.Named(m.Parties(), flags)
	if err != nil {
		return nil, err
	}
	for _, s := range sources {
		for k, file := range s.Files {
			t, err := synthetic.Read(file)
			if err != nil {
				return nil, err
			}
			if t.Party, t.Family = s.Name, s.Family; s.Family {
				t.Member = k + 1
			}
			out = append(out, t)
		}
	}
	return out, nil
}

func writeSimulation(cmd *cobra.Command, path string, f *simulateFlags, s *synthetic.Simulation,
	alone bool) error {
	beside := strings.TrimSuffix(path, filepath.Ext(path))
	dir := cmp.Or(f.out, beside)
	files, err := s.Write(dir, alone)
	if err != nil || f.quiet {
		return err
	}
	w := cmd.OutOrStdout()
	for i, file := range files {
		what := "the truth: parameters as drawn, and generated quantities"
		if i < len(s.Tables) {
			if what = grouped.Count(s.Tables[i].Rows(), "row"); s.Tables[i].Document() {
				what = fmt.Sprintf("a document of %d entries", len(s.Tables[i].Columns))
			}
		}
		fmt.Fprintf(w, "%s: %s\n", filepath.Join(dir, file), what)
	}
	line := "vflc run " + path
	if filepath.Clean(dir) != filepath.Clean(beside) {
		for i, file := range files[:len(s.Tables)] {
			t := &s.Tables[i]
			switch {
			case t.Member > 1:
				line += "," + filepath.Join(dir, file)
			default:
				line += " --data " + t.Party + "=" + filepath.Join(dir, file)
			}
		}
	}
	fmt.Fprintln(w, "try: "+line)
	return nil
}
