package main

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/fit/effects"
	"github.com/vflc/vflc/internal/safefile"
)

// apartFlags are those of effects for a party's part of a run across machines.
type apartFlags struct{ rows, predictions, reach string }

func (a *apartFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.rows, "rows", "", "of a party's part of a run across machines: write the made-up rows "+
		"that a prediction of all parties needs from this party to this `file`")
	cmd.Flags().StringVar(&a.predictions, "predictions", "", "with --rows, which is read: show the effects by this "+
		"`file`, predictions.json of the party that draws the response")
	cmd.Flags().StringVar(&a.reach, "range", "", "with --rows, `LEAST:MOST` of a grid of numbers (default 5 % and 95 % "+
		"quantile, rounded)")
}

// effects carries out what is asked of a part of a run.
func (a *apartFlags) effects(cmd *cobra.Command, f *effectFlags, run string, terms []string) error {
	if len(terms) != 1 {
		return usagef("--rows is for one COLUMN; a party without it has ordinary rows")
	}
	if a.predictions != "" {
		return a.show(cmd, f, terms[0])
	}
	var given *effects.Range
	if least, most, ok := strings.Cut(a.reach, ":"); ok {
		given = &effects.Range{}
		var err1, err2 error
		given.Least, err1 = strconv.ParseFloat(least, 64)
		given.Most, err2 = strconv.ParseFloat(most, 64)
		ok = err1 == nil && err2 == nil && given.Least < given.Most
		if !ok {
			return usagef("--range %s: write LEAST:MOST, two numbers", a.reach)
		}
	} else if a.reach != "" {
		return usagef("--range %s: write LEAST:MOST, two numbers", a.reach)
	}
	r, err := finished(cmd, run)
	if err != nil {
		return err
	}
	if r.Record == nil || r.Result != nil {
		return usagef("--rows is of the folder of a party's part of a run")
	}
	key := r.Record.Key
	if key == "" {
		key = "id"
	}
	table, diags, err := effects.ApartRows(r, terms[0], key, f.Options, given)
	if err := settled(cmd, diags, err); err != nil {
		return err
	}
	return safefile.Write(a.rows, ownerOnly, func(w io.Writer) error {
		return csv.NewWriter(w).WriteAll(table)
	})
}

// show prints effects by predictions of the rows.
func (a *apartFlags) show(cmd *cobra.Command, f *effectFlags, term string) error {
	text, err := os.ReadFile(a.rows)
	if err != nil {
		return err
	}
	table, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil || len(table) == 0 {
		return usagef("--rows %s is no table that vflc effects --rows has written", a.rows)
	}
	var p fit.PredictionDocument
	if text, err = os.ReadFile(a.predictions); err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err != nil {
		return usagef("--predictions %s: %v", a.predictions, err)
	}
	d, diags := effects.OfPredictions(table, term, &p)
	if err := settled(cmd, diags, nil); err != nil {
		return err
	}
	return f.show(cmd, d)
}
