package repl

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/posterior"
)

// A run is a fit of this session, or the folder of one that was opened.
type run struct {
	fit.Finished // Bound is nil where a folder's model or data cannot be read
	name         string
	of           *state // the model and tables that it was made with; nil for a folder
	why          error  // for which Bound is nil
}

// constants are the values that the run has in place of those of consts in its model.
func (r *run) constants() map[string]float64 {
	if r.Record == nil {
		return nil
	}
	return r.Record.Constants
}

// runOf returns a run by name; without a name the current one.
func (s *Session) runOf(name string) (*run, error) {
	if err := s.settle(); err != nil {
		return nil, err
	}
	switch i := slices.IndexFunc(s.runs, func(r *run) bool { return r.name == name }); {
	case name != "" && i >= 0:
		return s.runs[i], nil
	case name != "" && len(s.runs) > 0:
		return nil, usagef("there is no fit %s%s; there are: %s", name, nearest(name, s.runNames()),
			strings.Join(s.runNames(), ", "))
	case s.current == nil:
		return nil, inputf("there is no fit yet: :fit makes one, :open RUN reads one")
	}
	return s.current, nil
}

func (s *Session) runNames() []string {
	var out []string
	for _, r := range s.runs {
		out = append(out, r.name)
	}
	return out
}

// take makes a run the current one, in place of another with its name.
func (s *Session) take(r *run) {
	s.runs = slices.DeleteFunc(s.runs, func(o *run) bool { return o.name == r.name })
	s.runs, s.current = append(s.runs, r), r
}

// freeName is the name of the next fit.
func (s *Session) freeName() string {
	for i := 1; ; i++ {
		if name := fmt.Sprint("fit", i); !slices.Contains(s.runNames(), name) {
			return name
		}
	}
}

// remind says that answers are about a fit whose model has changed since.
func (s *Session) remind(w io.Writer, r *run) {
	if r.of == nil {
		return
	}
	if changed := s.now.changes(r.of); len(changed) > 0 {
		fmt.Fprintln(w,
			s.wrapped(fmt.Sprintf("(%s is of a model that differs in %s)", r.name,
				strings.Join(changed, ", "))))
	}
}

// shownRows is the largest number of rows of a table that nobody asked for in full.
const shownRows = 40

// table answers with rows of a summary, the first of many. whole: they are of all of a fit, and large
// generated quantities are folded.
func (s *Session) table(kind string, r *run, rows []posterior.SummaryRow, whole bool, below string) error {
	fields := map[string]any{"parameters": rows}
	if r != nil {
		fields["fit"] = r.name
	}
	return s.reply(kind, fields, func(w io.Writer) error {
		rows, folds := rows, []posterior.LeftOut(nil)
		if whole {
			rows, folds = posterior.Folded(rows)
		}
		if err := posterior.WriteTableWithin(w, rows[:min(len(rows), shownRows)], s.Width()); err != nil {
			return err
		}
		if more := len(rows) - shownRows; more > 0 {
			fmt.Fprintf(w, "… and %d more; name one, as %s\n", more, rows[len(rows)-1].Name)
		}
		io.WriteString(w, s.wrapped(posterior.FoldText(folds, "%s shows them")))
		if r != nil {
			s.remind(w, r)
		}
		_, err := io.WriteString(w, s.wrapped(below))
		return err
	})
}
