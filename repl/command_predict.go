package repl

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/internal/atomicfile"
	"github.com/vflc/vflc/posterior"
)

func predictCommand() command {
	return command{name: "predict", args: "[PARTY=FILE…] [--new-levels] [> FILE]",
		doc: "predict the responses of new rows, or of the rows of the fit; --new-levels draws parameters " +
			"of new categories from their prior; > FILE.csv writes all of them", files: true,
		run: func(s *Session, ctx context.Context, args string) error {
			r, err := s.runOf("")
			if err != nil {
				return err
			}
			if r.bound == nil {
				return inputf("%s: its model or its data cannot be read: %v", r.name, r.why)
			}
			tables, path, toFile := strings.Cut(args, ">")
			if path = strings.TrimSpace(path); toFile && !strings.HasSuffix(path, ".csv") {
				return usagef(":predict … > FILE needs the name of a file that ends in .csv")
			}
			const newLevels = "--new-levels"
			given := words(tables)
			q := fit.PredictionRequest{NewLevels: slices.Contains(given, newLevels), Seed: 1}
			q.Data = slices.DeleteFunc(given, func(word string) bool { return word == newLevels })
			if len(q.Data) == 0 {
				q.Data = r.tables()
			}
			if r.stored.Record != nil {
				q.Wire, q.Intersect = fit.WireOf(r.stored.Record), r.stored.Record.Intersect
			}
			p, diags, err := fit.PredictBound(ctx, r.bound, r.draws(), q)
			if err := refused(diags); err != nil {
				return err
			}
			if err != nil {
				return err
			}
			d := p.Document([]float64{0.05, 0.5, 0.95})
			if toFile {
				if err := atomicfile.Write(path, 0o600, d.WriteCSV); err != nil {
					return err
				}
				return s.say("exported", "written: %s", path)
			}
			return s.predicted(r, &d)
		}}
}

// tables are the tables of a fit, as --data names them.
func (r *run) tables() []string {
	if r.stored.Record == nil {
		return nil
	}
	return fit.RecordedData(r.stored.Record)
}

// predicted answers with a table for each response, the first rows of many.
func (s *Session) predicted(r *run, d *fit.PredictionDocument) error {
	return s.reply("predict", map[string]any{"fit": r.name, "predictions": d}, func(w io.Writer) error {
		for k := range d.Responses {
			table := d.Table(k, func(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) })
			for line := range strings.Lines(posterior.AlignLeft(table[:min(len(table), shownRows+1)])) {
				fmt.Fprintln(w, cut(strings.TrimRight(line, " \n"), s.Width()))
			}
			if more := len(table) - 1 - shownRows; more > 0 {
				fmt.Fprintf(w, "… and %d more; :predict > FILE.csv writes all\n", more)
			}
		}
		s.remind(w, r)
		return nil
	})
}
