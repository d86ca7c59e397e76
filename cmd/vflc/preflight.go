package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/node"
	"github.com/vflc/vflc/posterior"
)

func newPreflight() *cobra.Command {
	var f partyFlags
	cmd := &cobra.Command{
		Use:   "preflight PROGRAMS",
		Short: "Look for what would make a run across machines fail, before it begins",
		Long: `Look for what would make a run across machines fail, before it begins: the party's certificate, its program, its table, the
connection to the server, the clock, and what the server announces. Nothing of the party's data is sent. The flags are those of
vflc serve and vflc join, with --predict, --ppc, --log-lik and --cv those of the tasks that they start.`,
		Example: `  vflc preflight build --identity hospital_a --data a.csv
  vflc preflight build --identity hospital_a --predict run_a --data new_a.csv`,
		Args: oneArgument("the folder PROGRAMS"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			if err := refuseLones(cmd); err != nil {
				return err
			}
			if f.Identity == "" {
				return usagef("name the folder with the party's keys and certificate: --identity DIR")
			}
			if err := wholeNATS(f.NATS, f.Listen); err != nil {
				return err
			}
			f.Programs = args[0]
			if err := f.apply(cmd, &f.Options); err != nil {
				return err
			}
			if f.folds > 0 {
				f.Task.Fold = f.fold(1)
			}
			checks := node.Preflight(cmd.Context(), f.Options)
			if f.asJSON {
				if err := posterior.WriteJSON(cmd.OutOrStdout(), checks); err != nil {
					return err
				}
			} else if err := writeChecks(cmd.OutOrStdout(), checks); err != nil {
				return err
			}
			for _, c := range checks {
				if c.Problem != "" {
					return shown(exitInput)
				}
			}
			return nil
		}),
	}
	fs := cmd.Flags()
	fs.StringVar(&f.Identity, "identity", "", "`folder` with the party's keys and certificate (vflc provision)")
	fs.StringArrayVar(&f.Tables, "data", nil, "the party's table, as for vflc join; repeatable")
	fs.StringVar(&f.Key, "key", "", "`column` on which rows are joined (default: id)")
	fs.StringVar(&f.Listen, "listen", "", "`HOST:PORT` that the server will listen on")
	addNATS(fs, &f.NATS)
	f.taskFlags.add(cmd)
	addLones(cmd)
	fs.BoolVar(&f.asJSON, "json", false, "print as JSON")
	return cmd
}

func writeChecks(w io.Writer, checks []node.Check) error {
	rows := [][]string{{"check", "problem", "how to fix"}}
	for _, c := range checks {
		problem := c.Problem
		if problem == "" {
			problem = "none: " + c.Found
		}
		rows = append(rows, []string{c.Name, problem, c.Fix})
	}
	_, err := io.WriteString(w, posterior.AlignLeft(rows))
	return err
}
