package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/posterior"
)

// replicates is the number of draws that :ppc uses.
const replicates = 500

func ppcCommand() command {
	return command{name: "ppc", args: "[RESPONSE] [STATISTIC]",
		doc: "compare the data with replicates from the model: :ppc y mean(y == 0); :plot ppc draws them",
		run: func(s *Session, ctx context.Context, args string) error {
			r, err := s.runOf("")
			if err != nil {
				return err
			}
			p, err := r.replicated(ctx, replicates)
			if err != nil {
				return err
			}
			name, statistic, _ := strings.Cut(args, " ")
			var names, statistics []string
			if name != "" {
				names = []string{name}
			}
			if statistic = strings.TrimSpace(statistic); statistic != "" {
				statistics = []string{statistic}
			}
			checks, diags, err := p.Checks(names, statistics)
			if err := refused(diags); err != nil {
				return err
			}
			if err != nil {
				return usagef("%v", err)
			}
			return s.checks(r, checks)
		}}
}

// replicated draws the responses of a fit again.
func (r *run) replicated(ctx context.Context, draws int) (*fit.Replication, error) {
	if r.bound == nil {
		return nil, inputf("%s: its model or its data cannot be read: %v", r.name, r.why)
	}
	p, err := fit.ReplicateBound(ctx, r.bound, r.draws(), draws, 1)
	var list data.Errors
	if err != nil && errors.As(err, &list) {
		return nil, inputf("%v", list)
	}
	return p, err
}

// checks answers with a table of predictive checks.
func (s *Session) checks(r *run, checks []fit.PredictiveCheck) error {
	shown, left := fit.Telling(checks)
	table := fit.CheckCells(shown)
	return s.reply("ppc", map[string]any{"fit": r.name, "checks": checks}, func(w io.Writer) error {
		for line := range strings.Lines(posterior.AlignLeft(table)) {
			fmt.Fprintln(w, cut(strings.TrimRight(line, " \n"), s.Width()))
		}
		if left > 0 {
			fmt.Fprintln(w, s.wrapped(fit.EqualNote(left)))
		}
		s.remind(w, r)
		return nil
	})
}
