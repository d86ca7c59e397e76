package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

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
receiver can compute from it, and of a run with encrypted rows how many numbers that depend on the party's would be decrypted.
Nothing of the party's data is sent. A client without policy.toml takes part in a run only if its owner
has confirmed what is shown here (--confirm). The flags are those of
vflc serve and vflc join, with --predict, --ppc, --log-lik, --cv and --from those of the tasks that they start.`,
		Example: `  vflc preflight build --identity hospital_a --data a.csv
  vflc preflight build --identity hospital_a --data a.csv --confirm
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
			if err := f.apply(cmd, &f.PartyOptions); err != nil {
				return err
			}
			if f.folds > 0 {
				f.Task.Fold = f.fold(1)
			}
			checks, pending, err := f.lookAhead(cmd)
			if err != nil {
				return err
			}
			told := 0 // of the checks, at the question
			if pending != nil {
				var asked []node.Check
				if asked, told = f.ask(cmd, checks, pending); told > 0 {
					fmt.Fprintln(cmd.OutOrStdout())
				}
				checks = append(checks, asked...)
			}
			if f.asJSON {
				if err := posterior.WriteJSON(cmd.OutOrStdout(), checks); err != nil {
					return err
				}
			} else if err := writeChecks(cmd.OutOrStdout(), checks[told:]); err != nil {
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
	fs.StringVar(&f.Identity, "identity", "",
		"`folder` with the party's keys and certificate (vflc provision)")
	fs.StringArrayVar(&f.Tables, "data", nil, "the party's table, as for vflc join; repeatable")
	fs.StringVar(&f.Key, "key", "", "`column` on which rows are joined (default: id)")
	fs.StringVar(&f.Listen, "listen", "", "`HOST:PORT` that the server will listen on")
	addNATS(fs, &f.NATS)
	f.taskFlags.add(cmd)
	addLones(cmd)
	fs.BoolVar(&f.confirm, "confirm", false,
		"of a client without a policy, or after a run that V0839 has ended: confirm the run that is shown, "+
			"where nothing is wrong with it; at a terminal it is asked")
	fs.BoolVar(&f.asJSON, "json", false, "print as JSON")
	return cmd
}

// lookAhead looks at what the flags name.
func (f *partyFlags) lookAhead(cmd *cobra.Command) ([]node.Check, *node.Pending, error) {
	checks, pending := node.Preflight(cmd.Context(), f.PartyOptions)
	if pending == nil || f.folds == 0 {
		return checks, pending, nil
	}
	o := f.PartyOptions
	o.Task.Kind = node.Scoring
	more, err := also(pending, o, "in the prediction of each fold")
	return append(checks, more...), pending, err
}

// also adds a task to what can be confirmed, and shows what leaves in it.
func also(pending *node.Pending, o node.PartyOptions, name string) (checks []node.Check, err error) {
	lines, err := pending.Also(o)
	for _, line := range lines {
		checks = append(checks, node.Check{Name: name + ": verdict", Note: true, Found: line})
	}
	return checks, err
}

// ask has the owner confirm what was found, and says how that stands. told is how many checks were shown for
// it.
func (f *partyFlags) ask(cmd *cobra.Command, found []node.Check, pending *node.Pending) (how []node.Check,
	told int) {
	const name = "confirmed"
	at, err := pending.Known()
	if err == nil {
		return []node.Check{{Name: name, Found: "by the party's owner, on " + at.Format(time.DateOnly)}}, 0
	}
	missing := node.Check{Name: name, Problem: err.Error(),
		Fix: "read what leaves, and to whom; then vflc preflight with the same arguments and --confirm"}
	if slices.ContainsFunc(found, func(c node.Check) bool { return c.Problem != "" }) {
		return []node.Check{missing}, 0
	}
	if !f.confirm {
		in, ok := cmd.InOrStdin().(*os.File)
		if f.asJSON || !ok || !terminal.Is(in) || !terminal.Is(cmd.OutOrStdout()) {
			return []node.Check{missing}, 0
		}
		if err := writeChecks(cmd.OutOrStdout(), found); err != nil {
			return []node.Check{missing}, 0
		}
		told = len(found)
		fmt.Fprint(cmd.OutOrStdout(),
			"\nShall this party take part in this run, as it is shown above? (yes or no) ")
		answer, _ := bufio.NewReader(in).ReadString('\n') // no answer is none
		if strings.TrimSpace(answer) != "yes" {
			return []node.Check{missing}, told
		}
	}
	path, err := pending.Confirm()
	if err != nil {
		return []node.Check{{Name: name, Problem: err.Error(),
			Fix: "let this process write to the folder with the party's keys"}}, told
	}
	return []node.Check{{Name: name, Found: "this run, in " + path}}, told
}

// rank orders checks by what matters first: what is wrong, who can compute what, the run, what crosses, what
// people read to each other, and what is in order.
func rank(c node.Check) int {
	order := []string{"verdict", "run", "contributors", "forecast", "rounds", "settings", "leaves", "arrives",
		"manifest", "digests", "key", "authority"}
	switch at := slices.Index(order, c.Name); {
	case c.Problem != "":
		return -1
	case strings.HasSuffix(c.Name, ": verdict"):
		return 0
	case at >= 0:
		return at
	case c.Note:
		return len(order)
	}
	return len(order) + 1
}

// writeChecks writes a line for each check, what matters first; on a terminal it is broken where it is wider
// than that.
func writeChecks(w io.Writer, checks []node.Check) error {
	width := terminal.TableWidth(w)
	var b strings.Builder
	line := func(mark, name, text string) {
		text = fmt.Sprintf("%-9s%s: %s", mark, name, text)
		if width > 0 {
			text = terminal.Fold(text, width, 9)
		}
		b.WriteString(text + "\n")
	}
	var problems []string
	checks = slices.Clone(checks)
	slices.SortStableFunc(checks, func(a, b node.Check) int { return rank(a) - rank(b) })
	for _, c := range checks {
		switch {
		case c.Problem != "":
			problems = append(problems, c.Name)
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
	if problems == nil {
		b.WriteString("\nno problem found\n")
	} else {
		fmt.Fprintf(&b, "\n%s: %s\n", grouped.Count(len(problems), "problem"), strings.Join(problems, ", "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
