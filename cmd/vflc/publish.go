package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/node/ledger"
	"github.com/vflc/vflc/node/policy"
	"github.com/vflc/vflc/posterior"
)

func newPublish() *cobra.Command {
	o := ledger.PublishOptions{}
	var draws bool
	cmd := &cobra.Command{
		Use:   "publish RUN [PARAMETER…]",
		Short: "Write what a party lets others see of its results",
		Long: `Write a file with a party's own results of a run across machines, signed with its key: summaries, or draws with --draws. The line release of
the party's policy.toml says which of them may leave; without it nothing may. PARAMETER is as in vflc summary. Without one, all parameters are
published but those with an element for each row or missing cell; generated quantities are published where they are named. Names of columns and
categories are left out unless the policy has release_names = true. The ledger of the run gets a line.

Nothing is sent. Whoever gets the file puts it into the folder published of the own part of the run: vflc summary, plot, export and the prompt
then show these results beside the own, by owner, after comparing signature and run. Draws of all parties are draws of one joint posterior.`,
		Example: `  vflc publish run --identity hospital_a
  vflc publish run 'beta_a*' --draws --identity hospital_a -o hospital_a.json`,
		Args: arguments(1, 0, "the folder RUN of a run"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			if o.Identity == "" {
				return usagef("name the folder with the party's keys and policy: --identity DIR")
			}
			o.Dir, o.Names, o.What = args[0], args[1:], policy.Summaries
			if draws {
				o.What = policy.Draws
			}
			p, path, err := ledger.Publish(o)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.ErrOrStderr(),
				"wrote %s: %s of %s scalars of %s; others put it into %s of their parts of the run\n", path,
				p.What, grouped.Digits(p.Parameters()), p.Party,
				posterior.PublishedDir+string(filepath.Separator))
			return err
		}),
	}
	cmd.Flags().StringVar(&o.Identity, "identity", "", "`folder` with the party's keys and policy")
	cmd.Flags().BoolVar(&draws, "draws", false, "publish draws in place of summaries")
	cmd.Flags().StringVarP(&o.Out, "output", "o", "",
		"`file` to write (default: in the folder published of RUN)")
	return cmd
}
