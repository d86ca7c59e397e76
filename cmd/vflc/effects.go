package main

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/fit/effects"
	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/plot"
)

// effectFlags are those of effects and of contrast.
type effectFlags struct {
	effects.Options
	output string
	asJSON bool
}

func (f *effectFlags) add(cmd *cobra.Command, groups, endings string) {
	fs := cmd.Flags()
	fs.StringArrayVar(&f.At, "at", nil, "hold a column at a value, `COLUMN=VALUE`; repeatable")
	fs.StringVar(&f.Groups, "groups", groups, "`which` group effects enter: none, those of a new category (new), "+
		"or those that the rows of the run have (own)")
	fs.BoolVar(&f.Linear, "linear", false, "of the linear predictor, in place of the expectation of the response")
	fs.Float64Var(&f.Level, "band", 0.95, "`probability` of the band between two quantiles")
	fs.IntVar(&f.Draws, "draws", 0, "use this many draws of the run, at even distances (default all)")
	fs.Uint64Var(&f.Seed, "seed", 1, "seed of group effects of new categories")
	fs.StringVarP(&f.output, "output", "o", "", "write to this `file`, which ends in "+endings)
	fs.BoolVar(&f.asJSON, "json", false, "print JSON")
}

// check refuses flags that say nothing.
func (f *effectFlags) check(groups []string, endings ...string) error {
	switch {
	case f.Draws < 0:
		return usagef("--draws %d: give a number above 0", f.Draws)
	case !(f.Level > 0 && f.Level < 1):
		return usagef("--band %v: give a number between 0 and 1", f.Level)
	case !slices.Contains(groups, f.Groups):
		return usagef("--groups %s: choose %s", f.Groups, strings.Join(groups, " or "))
	case f.output != "" && !slices.Contains(endings, filepath.Ext(f.output)):
		return usagef("-o %s: name a file that ends in %s", f.output, strings.Join(endings, " or "))
	}
	return nil
}

// write writes a document to the file that is wanted.
func (f *effectFlags) write(d interface{ WriteCSV(io.Writer) error }) error {
	switch filepath.Ext(f.output) {
	case ".csv":
		return safefile.Write(f.output, ownerOnly, d.WriteCSV)
	case ".json":
		return safefile.Write(f.output, ownerOnly, func(w io.Writer) error {
			return posterior.WriteJSON(w, d)
		})
	}
	return nil
}

func newEffects() *cobra.Command {
	var f effectFlags
	var apart apartFlags
	cmd := &cobra.Command{
		Use:   "effects RUN [COLUMN[:COLUMN]…]",
		Short: "Show how the expected response changes along a column, with bands",
		Long: `Show how the expectation of the response changes along a column of the tables, while the other columns are as in an ordinary row: numbers at their mean over the
rows of the run, whole numbers at their median, categories at the first. The column has --points values from its least to its largest, or all of its categories. age:sex shows age for each sex, and of a
second column of numbers its mean and a standard deviation below and above. Without a COLUMN each has its turn. Columns are those of the tables, before encoders: a polynomial or a spline is a
curve. These are the conventions of conditional_effects in R's brms, and so are the numbers.

Group effects, parameters of a level that vary around a centre as u ~ normal(0, tau) does, are at that centre. --groups new draws them for a category that the run did not see, so that the band has their
variation too, and --at ward=3 takes those of ward 3.

Rows are made up in this process, which holds the tables and draws of all parties, and predicted as vflc predict does. PARTY.COLUMN tells columns of one name apart. The table has the mean, the standard
deviation, the median and a band of the draws; -o writes all points as .csv or .json, or the plot as .svg, and vflc plot RUN effects shows it here.

Across machines the parties predict made-up rows together. Each writes its own, vflc effects RUN COLUMN --rows rows.csv, gives them to vflc serve or vflc join as --predict RUN --data rows.csv, and the party
that has the column shows the effect with the predictions that the party of the response hands to it: --rows rows.csv --predictions predictions.json. What crosses is what vflc audit PROGRAMS/predict lists,
of made-up rows in place of people: a client's cuts on them tell where its grid lies, which therefore goes from the rounded 5 % to the rounded 95 % quantile or where --range says, and other columns are at
their rounded median. Least and largest values of a column are not in it.`,
		Example: `  vflc effects out age
  vflc effects out age:sex -o effects.svg
  vflc effects out dose --at sex=f --linear
  vflc plot out effects age`,
		Args: arguments(1, 0, "a RUN"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			if err := f.check([]string{effects.GroupsNone, effects.GroupsNew}, ".csv", ".json",
				plot.Ending); err != nil {
				return err
			}
			if f.Points < 2 {
				return usagef("--points %d: give a number above 1", f.Points)
			}
			if apart.rows != "" {
				return apart.effects(cmd, &f, args[0], args[1:])
			} else if apart.predictions+apart.reach != "" {
				return usagef("--predictions and --range go with --rows")
			}
			r, err := finished(cmd, args[0])
			if err != nil {
				return err
			}
			d, diags, err := effects.Of(cmd.Context(), r, r.Name(), args[1:], f.Options)
			if err := settled(cmd, diags, err); err != nil {
				return err
			}
			return f.show(cmd, d)
		}),
	}
	f.add(cmd, effects.GroupsNone, ".csv, .json or "+plot.Ending)
	apart.add(cmd)
	cmd.Flags().IntVar(&f.Points, "points", 100, "values of a column of numbers")
	return cmd
}

// shownPoints are those that a table on the screen has of a curve.
const shownPoints = 10

// show prints effects, and writes them to a file.
func (f *effectFlags) show(cmd *cobra.Command, d *effects.Document) error {
	if err := f.write(d); err != nil {
		return err
	}
	if filepath.Ext(f.output) == plot.Ending {
		figure, err := plot.Make("effects", []plot.RunView{{Name: d.Model, Effects: d.Plotted()}}, nil)
		if err == nil {
			err = figure.Save(f.output, 0, 0)
		}
		if err != nil {
			return err
		}
	}
	if f.asJSON {
		return posterior.WriteJSON(cmd.OutOrStdout(), d)
	}
	var b strings.Builder
	for k := range d.Effects {
		b.WriteString(posterior.AlignLeft(d.Effects[k].Table(d.Level, shownPoints, fourDigits)) + "\n")
	}
	fmt.Fprintf(&b, "%s of %s", grouped.Count(d.Draws, "draw"), meant(d.Of))
	b.WriteString(held(d.At) + groupNote(d.Groups) + "\n")
	_, err := io.WriteString(cmd.OutOrStdout(), b.String())
	return err
}

func fourDigits(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }

func meant(of string) string {
	if of == "predictor" {
		return "the linear predictor"
	}
	return "the expectation"
}

// held says what columns have that do not vary.
func held(at map[string]string) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(at)) {
		value := at[name]
		if v, err := strconv.ParseFloat(value, 64); err == nil {
			value = fourDigits(v)
		}
		out = append(out, name+"="+value)
	}
	if len(out) == 0 {
		return ""
	}
	return ", at " + strings.Join(out, ", ")
}

func groupNote(groups string) string {
	if groups == effects.GroupsNew {
		return "; group effects are those of a new category"
	}
	return ""
}
