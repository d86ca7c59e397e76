package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/fit/effects"
	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/posterior"
)

func newContrast() *cobra.Command {
	var f effectFlags
	cmd := &cobra.Command{
		Use:   "contrast RUN CONTRAST…",
		Short: "Compare expected responses between kinds of rows, with bands",
		Long: `Compare the expectation of the response between two kinds of rows, at every draw of the run. CONTRAST is 'age=40 - age=30', a ratio 'age=40 / age=30', several columns as
'age=40, sex=f - age=30, sex=m', or a column alone: of numbers one more than in each row, of categories each less the first. Blanks stand around the sign.

Each side is all rows of the run with these values in place of their own, and its expectation the average over them: an average contrast, as avg_comparisons of R's marginaleffects has it. --by COLUMN
averages over the rows of each of its values. --typical compares two ordinary rows, as those of vflc effects, in place of averages. Where rows times draws are very many, fewer draws are used, and
the last line says how many.

The column "above" is the share of draws in which a difference is above 0, or a ratio above 1.`,
		Example: `  vflc contrast out 'age=40 - age=30'
  vflc contrast out treated --by sex
  vflc contrast out 'dose=20 / dose=10' --typical --at sex=f --json`,
		Args: arguments(2, 0, "a RUN and a CONTRAST"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			if f.Typical && !cmd.Flags().Changed("groups") {
				f.Groups = effects.GroupsNone
			}
			which := []string{effects.GroupsOwn, effects.GroupsNone, effects.GroupsNew}
			if f.Typical {
				which = which[1:]
			}
			if err := f.check(which, ".csv", ".json"); err != nil {
				return err
			}
			if f.Typical && f.By != "" {
				return usagef("--by divides the rows of the run, and --typical compares no rows of the run")
			}
			r, err := finished(cmd, args[0])
			if err != nil {
				return err
			}
			d, diags, err := effects.Contrasts(cmd.Context(), r, r.Name(), args[1:], f.Options)
			if err := settled(cmd, diags, err); err != nil {
				return err
			}
			if err := f.write(d); err != nil {
				return err
			}
			if f.asJSON {
				return posterior.WriteJSON(cmd.OutOrStdout(), d)
			}
			what := ", averaged over " + grouped.Count(d.Rows, "row")
			if f.Typical {
				what = held(d.At)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n%s of %s%s%s\n", posterior.AlignLeft(d.Table(fourDigits)),
				grouped.Count(d.Draws, "draw"), meant(d.Of), what, groupNote(d.Groups))
			return err
		}),
	}
	f.add(cmd, effects.GroupsOwn, ".csv or .json")
	cmd.Flags().StringVar(&f.By, "by", "", "an average for each value of this `column`")
	cmd.Flags().BoolVar(&f.Typical, "typical", false,
		"between two ordinary rows, in place of averages over the rows of the run")
	return cmd
}
