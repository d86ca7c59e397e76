package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/fit/noise"
	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/internal/terminal"
	"github.com/vflc/vflc/node"
	"github.com/vflc/vflc/posterior"
)

func newPreflight() *cobra.Command {
	var f partyFlags
	cmd := &cobra.Command{
		Use:   "preflight PROGRAMS",
		Short: "Look for what would make a run across machines fail, before it begins",
		Long: `Look for what would make a run across machines fail, before it begins: the party's certificate, its program, its table, the
connection to the server, the clock, and what the server announces. Then it lists what would leave the party in a run, and what the
receiver can compute from it. Nothing of the party's data is sent. The flags are those of
vflc serve and vflc join, with --predict, --ppc, --log-lik, --cv, --from and --extrapolate those of the tasks that they start.`,
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
			checks, err := f.lookAhead(cmd)
			if err != nil {
				return err
			}
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

// lookAhead looks at what the flags name; of fits at several rho at the first as a whole, and at what the policy says of the others.
func (f *partyFlags) lookAhead(cmd *cobra.Command) ([]node.Check, error) {
	if !f.several {
		return node.Preflight(cmd.Context(), f.Options), nil
	}
	x, err := noise.Programs(f.Programs)
	if err != nil {
		return nil, err
	}
	var checks []node.Check
	for k, t := range f.fits(x) {
		o := f.Options
		o.Task, o.Programs = t.Task, t.programs
		if k == 0 {
			checks = append(node.Preflight(cmd.Context(), o), node.Check{Name: "fits", Note: true, Found: fmt.Sprintf("%d, one after another: what is listed here crosses in each, with its own noise", len(x.Fits))})
			continue
		}
		lines, err := node.Allowed(o)
		if err != nil && lines == nil {
			return nil, err
		}
		for _, c := range lines {
			c.Name = fmt.Sprintf("rho = %.4g: %s", x.Fits[k].Rho, c.Name)
			checks = append(checks, c)
		}
	}
	return checks, nil
}

// checksWidth is the width of the checks in a file.
const checksWidth = 100

// writeChecks writes a line for each check, broken where it is wider than the terminal.
func writeChecks(w io.Writer, checks []node.Check) error {
	width := terminal.TableWidth(w)
	if width == 0 {
		width = checksWidth
	}
	var b strings.Builder
	line := func(mark, name, text string) {
		b.WriteString(terminal.Fold(fmt.Sprintf("%-9s%s: %s", mark, name, text), width, 9) + "\n")
	}
	problems := 0
	for _, c := range checks {
		switch {
		case c.Problem != "":
			problems++
			line("problem", c.Name, c.Problem)
			if c.Fix != "" {
				line("", "how to fix", c.Fix)
			}
		case c.Note:
			line("note", c.Name, c.Found)
		default:
			line("ok", c.Name, c.Found)
		}
	}
	if problems == 0 {
		b.WriteString("\nno problem found\n")
	} else {
		fmt.Fprintf(&b, "\n%s\n", grouped.Count(problems, "problem"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
