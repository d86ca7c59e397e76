package main

import (
	"path"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/runs"
)

// runArgument explains the RUN of every command that takes one.
const runArgument = `RUN is the folder of a finished run (vflc run -o), a folder of Stan CSV files with one chain each, or one such file.`

// chosen finds the columns that some names stand for: a parameter with all its elements (beta), an element (beta[2]), or a pattern (beta*).
// No names are all parameters.
func chosen(d *posterior.Draws, names []string) ([]int, error) {
	var out []int
	used := make([]bool, len(names))
	parameters := d.Parameters()
	for k, c := range d.Columns() {
		take := len(names) == 0 && k < parameters
		for i, name := range names {
			if matches(name, c.Name) {
				used[i], take = true, true
			}
		}
		if take {
			out = append(out, k)
		}
	}
	for i, ok := range used {
		if !ok {
			return nil, usagef("there is no parameter %s in these draws (%s)", names[i], strings.Join(variableNames(d), ", "))
		}
	}
	return out, nil
}

// matches reports whether a name or pattern stands for a column. Brackets are indices, never character classes.
func matches(name, column string) bool {
	if name == column || strings.HasPrefix(column, name+"[") {
		return true
	}
	if !strings.ContainsAny(name, "*?") {
		return false
	}
	ok, err := path.Match(strings.NewReplacer("[", `\[`, "]", `\]`).Replace(name), column)
	return ok && err == nil
}

func variableNames(d *posterior.Draws) []string {
	var out []string
	for _, v := range d.Vars {
		out = append(out, v.Name)
	}
	return out
}

func newSummary() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "summary RUN [PARAMETER…]",
		Short: "Summarise the draws of a run",
		Long: `Print means, standard deviations and quantiles of a run's draws, the Monte Carlo error of the mean, and for
Markov chains bulk and tail effective sample size and R-hat. PARAMETER is a name (beta), an element (beta[2]) or a pattern (beta*).
Auxiliary variables of a run with --save-aux are shown where they are named.

` + runArgument,
		Example: `  vflc summary out
  vflc summary out beta_a 'hospital[2].*'
  vflc summary chains/ --json`,
		Args: cobra.MinimumNArgs(1),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			r, err := runs.Open(args[0])
			if err != nil {
				return err
			}
			columns, err := chosen(r.Draws, args[1:])
			if err != nil {
				return err
			}
			rows := posterior.Summarise(r.Draws.Select(columns))
			if asJSON {
				return posterior.WriteJSON(cmd.OutOrStdout(), map[string]any{"schema": posterior.Schema, "model": r.Name(), "parameters": rows})
			}
			return posterior.WriteTable(cmd.OutOrStdout(), rows)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, with the keys of summary.json")
	return cmd
}
