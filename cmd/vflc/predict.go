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

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/posterior"
)

// predictFlags are those of predict.
type predictFlags struct {
	request       fit.PredictionRequest
	probs         []float64
	output, draws string
	asJSON, audit bool
}

func newPredict() *cobra.Command {
	var f predictFlags
	cmd := &cobra.Command{
		Use:   "predict RUN [PARTY=FILE…]",
		Short: "Predict the responses of new rows",
		Long: `Predict the responses of new rows at the draws of a run, after any backend and under any transform. A response that is 0 or 1, a count or a category is predicted by its
expectation, of a category the probability of each: mean, standard deviation and quantiles say how sure the model is of that probability or mean. With --replicates, and of continuous responses
always, standard deviation and quantiles are of draws of the response itself: where a new one will lie. The mean is the expectation, averaged over the draws of the run. The column "of" says which it
is. Generated quantities of the model with an element for each row, as generate p = inv_logit(a + X * b), are computed for the new rows too, if no response enters them.

The new tables have the columns of the run's, without the response. Encoders are as the run fitted them, and its folder keeps them: zscore(age) subtracts the mean age of
the run's rows, and a category that the run did not see is refused, unless its encoder has a place for it. With --new-levels the elements of parameters for a new category of a level are drawn from their prior, given the other
parameters of each draw: what the model says of a ward that it has not seen. Rows are joined by the key of the run. PARTY=FILE is as with --data. Without either the rows of the run are
predicted.

Predictions are those of the model as it is written, also under a transform that adds noise: each client would send its cuts for the new rows, without noise, and receive the shared
parameters. --audit lists that.`,
		Example: `  vflc predict out --data hospital_a=new_a.csv --data hospital_b=new_b.csv
  vflc predict out --data new.csv -o predictions.csv --save-draws draws.csv
  vflc predict out --json
  vflc predict out --audit`,
		Args: arguments(1, 0, "a RUN"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			r, err := finished(cmd, args[0])
			if err != nil {
				return err
			}
			f.request.Data = append(f.request.Data, args[1:]...)
			if f.audit && r.Result != nil {
				return usagef("--audit is about the folder of a run: :export FOLDER writes one")
			}
			if f.audit {
				return auditPrediction(cmd, r.Run, f.asJSON)
			}
			return predict(cmd, r, &f)
		}),
	}
	fs := cmd.Flags()
	fs.StringArrayVar(&f.request.Data, "data", nil,
		"table of new rows: `PARTY=FILE`, for a family PARTY=FILE,FILE, without clients FILE; repeatable "+
			"(default the tables of the run)")
	fs.StringVar(&f.request.Key, "key", "",
		"`column` that joins the rows of the new tables (default that of the run)")
	fs.BoolVar(&f.request.NewLevels, "new-levels", false,
		"draw the parameters of categories that the run did not see from their prior, given the other "+
			"parameters of each draw")
	fs.IntVar(&f.request.Draws, "draws", 0, "use this many draws of the run, at even distances (default all)")
	fs.Uint64Var(&f.request.Seed, "seed", 1, "seed of the draws of the response")
	fs.Float64SliceVar(&f.probs, "probs", []float64{0.05, 0.5, 0.95}, "`probabilities` of the quantiles")
	fs.Lookup("probs").DefValue = "0.05,0.5,0.95" // as one types it
	fs.StringVarP(&f.output, "output", "o", "",
		"write the predictions to this `file`, which ends in .csv or .json")
	fs.StringVar(&f.draws, "save-draws", "",
		"write the draws of what is summarised to this CSV `file`, a line for each draw of the run")
	fs.BoolVar(&f.request.Replicates, "replicates", false, replicatesDoc)
	fs.BoolVar(&f.asJSON, "json", false, "print JSON")
	fs.BoolVar(&f.audit, "audit", false, "print what crosses between the parties, and predict nothing")
	return cmd
}

const replicatesDoc = "summarise draws of binary responses, counts and categories too, in " +
	"place of their expectation"

func predict(cmd *cobra.Command, r *fit.Finished, f *predictFlags) error {
	ending := filepath.Ext(f.output)
	switch {
	case f.request.Draws < 0:
		return usagef("--draws %d: give a number above 0", f.request.Draws)
	case f.output != "" && ending != ".csv" && ending != ".json":
		return usagef("-o %s: name a file that ends in .csv or .json", f.output)
	}
	for _, p := range f.probs {
		if !(p >= 0 && p <= 1) {
			return usagef("--probs %v: give numbers from 0 to 1", p)
		}
	}
	p, diags, err := r.Predict(cmd.Context(), f.request)
	if err := settled(cmd, diags, err); err != nil {
		return err
	}
	d := p.Document(f.probs)
	if f.draws != "" {
		if err := safefile.Write(f.draws, ownerOnly, p.WriteDraws); err != nil {
			return err
		}
	}
	switch ending {
	case ".csv":
		err = safefile.Write(f.output, ownerOnly, d.WriteCSV)
	case ".json":
		err = safefile.Write(f.output, ownerOnly, func(w io.Writer) error {
			return posterior.WriteJSON(w, d)
		})
	}
	switch {
	case err != nil:
		return err
	case f.asJSON:
		return posterior.WriteJSON(cmd.OutOrStdout(), d)
	}
	_, err = io.WriteString(cmd.OutOrStdout(), predictionText(&d, f.output))
	return err
}

// ownerOnly is the permission of files with predictions: they are for the eyes of their owner.
const ownerOnly = 0o600

// shownPredictions is the number of rows that a table on the screen has.
const shownPredictions = 20

// predictionText is a table for each response, the first rows of many.
func predictionText(d *fit.PredictionDocument, file string) string {
	var b strings.Builder
	for k := range d.Responses {
		table := d.Table(k, func(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) })
		more := len(table) - 1 - shownPredictions
		b.WriteString(posterior.AlignLeft(table[:min(len(table), shownPredictions+1)]))
		switch {
		case more > 0 && file == "":
			fmt.Fprintf(&b, "… and %d more; -o FILE.csv writes all\n", more)
		case more > 0:
			fmt.Fprintf(&b, "… and %d more in %s\n", more, file)
		}
	}
	fmt.Fprintf(&b, "\n%s\n", grouped.Count(d.Draws, "draw"))
	for _, size := range slices.Sorted(maps.Keys(d.NewLevels)) {
		fmt.Fprintf(&b,
			"level(%s): the run did not see %d of the categories; their parameters "+
				"are drawn from the prior\n", size, d.NewLevels[size])
	}
	return b.String()
}

// auditPrediction prints what crosses when new rows are predicted.
func auditPrediction(cmd *cobra.Command, r *posterior.Run, asJSON bool) error {
	rows, diags, err := fit.PredictionAudit(r)
	if err := settled(cmd, diags, err); err != nil {
		return err
	}
	report := &auditReport{model: r.Name(), transform: "of a prediction", pooled: rows == nil, rows: rows}
	if asJSON {
		return posterior.WriteJSON(cmd.OutOrStdout(), report.document())
	}
	return report.print(cmd.OutOrStdout())
}
