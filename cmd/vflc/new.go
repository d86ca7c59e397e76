package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/internal/project"
)

func newNew() *cobra.Command {
	name := project.Examples()[0].Name
	var f regression
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Write a project that runs: a model, a table for each party, vfl.toml and a README",
		Long: `Write a new folder NAME with a project that runs: a model, a table for each party, vfl.toml, which names the tables and the key
column, and a README with the commands. Begin there with your own data, or with a formula of your tables: --formula and --data.`,
		Example: `  vflc new trial
  vflc new radon --example radon
  vflc new stay --formula 'died ~ age + sex + (1 | ward)' --data clinic=clinic.csv --data registry=registry.csv`,
		Args: oneArgument("a NAME"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			e, ok := project.Find(name)
			if !ok {
				return usagef("--example %s: choose %s", name, inWords(exampleNames(), "or"))
			}
			dir := filepath.Clean(args[0])
			if err := project.ProperName(filepath.Base(dir)); err != nil {
				return &failure{exitUsage, err}
			}
			first := e.First(filepath.Base(dir))
			write := e.Write
			if f.text != "" {
				first, write = filepath.Base(dir), f.write
			}
			switch {
			case f.text != "" && cmd.Flags().Changed("example"):
				return usagef("--formula and --example exclude each other")
			case (f.text == "") != (len(f.data) == 0):
				return usagef("--formula needs --data, the tables of the parties, and --data a --formula")
			case f.text == "" && f.family != "":
				return usagef("--family is that of a --formula")
			}
			if err := write(dir); err != nil {
				return err
			}
			_, err := fmt.Fprintf(cmd.ErrOrStderr(),
				"wrote a project to %s\nnext: cd %s\n      vflc run %s.vfl\n", dir, quoted(dir), first)
			return err
		}),
	}
	cmd.Flags().StringVar(&name, "example", name, "what to `begin` with: "+exampleDocs())
	cmd.Flags().StringVar(&f.text, "formula", "", "begin with a regression: `'y ~ x + (1 | g)'`, of columns of --data")
	cmd.Flags().StringVar(&f.family, "family", "", "the `DISTRIBUTION` of the response of --formula; without it that of "+
		"0 and 1, of counts or of numbers")
	cmd.Flags().StringArrayVar(&f.data, "data", nil, "table of --formula: `PARTY=FILE`, or one FILE; repeatable")
	return cmd
}

func exampleNames() []string {
	var out []string
	for _, e := range project.Examples() {
		out = append(out, e.Name)
	}
	return out
}

func exampleDocs() string {
	var out []string
	for _, e := range project.Examples() {
		out = append(out, e.Name+" ("+e.Doc+")")
	}
	return strings.Join(out, ", ")
}
