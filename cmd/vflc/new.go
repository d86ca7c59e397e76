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
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Write a project that runs: a model, a table for each party, vfl.toml and a README",
		Long: `Write a new folder NAME with a project that runs: a model, a table for each party, vfl.toml, which names the tables and the key
column, and a README with the commands. Begin there with your own data.`,
		Example: `  vflc new trial
  vflc new radon --example radon`,
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
			if err := e.Write(dir); err != nil {
				return err
			}
			_, err := fmt.Fprintf(cmd.ErrOrStderr(),
				"wrote a project to %s\nnext: cd %s\n      vflc run %s.vfl\n", dir, quoted(dir),
				e.First(filepath.Base(dir)))
			return err
		}),
	}
	cmd.Flags().StringVar(&name, "example", name, "what to `begin` with: "+exampleDocs())
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
