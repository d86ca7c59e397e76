package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/fit/crossvalidate"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
)

// A Task is what the parties do together. Every party names it, and takes part in no other.
type Task struct {
	Kind string `json:"kind,omitempty"` // one of the kinds
	crossvalidate.Fold
	Draws int `json:"draws,omitempty"` // of the run to use, at even distances; 0: all; the server says
}

// The kinds of tasks.
const (
	Fitting    = ""        // a fit; of a cross-validation, to the rows that are not in the fold
	Predicting = "predict" // predictions of new rows
	Checking   = "ppc"     // replicates of the rows of a run, which are compared with them
	Weighing   = "log-lik" // the log densities of the rows of a run at its draws
	Scoring    = "score"   // predictions of the rows in the fold, and the log density of what was observed
)

// folder is the folder of the programs of the task, below that of the model's.
func (t Task) folder() string {
	switch t.Kind {
	case Predicting:
		return compile.PredictDir
	case Checking, Scoring, Weighing:
		return compile.ScoreDir
	}
	return ""
}

// done is a file that is in the folder of the task when the party has its results.
func (t Task) done() string {
	switch t.Kind {
	case Predicting:
		return posterior.PredictedFile
	case Checking:
		return posterior.ChecksFile
	case Scoring, Weighing:
		return posterior.ScoresFile
	}
	return posterior.SummaryFile
}

// same reports whether a party that was started for t takes part in the other.
func (t Task) same(o Task) bool {
	return t.Kind == o.Kind && t.Folds == o.Folds && t.Fold.Fold == o.Fold.Fold && t.Stratify == o.Stratify &&
		t.By == o.By
}

// divided says how folds are found that one party tells.
func (t Task) divided() string {
	switch {
	case t.Stratify:
		return ", --stratify"
	case t.By != "":
		return fmt.Sprintf(", --by %q", t.By)
	}
	return ""
}

// String names the task in messages.
func (t Task) String() string {
	text := map[string]string{Fitting: "a fit", Predicting: "a prediction",
		Checking: "a comparison of data with replicates", Scoring: "scores of rows that were left out",
		Weighing: "the log densities of the rows of a run"}[t.Kind]
	if t.Folds > 0 {
		text += fmt.Sprintf(" (fold %d of %d%s)", t.Fold.Fold, t.Folds, t.divided())
	}
	return text
}

// An Outcome is what a party has when its task is done: a *fit.Result or a *PredictionOutcome.
type Outcome interface {
	Deliver() error // is called when all parties have theirs
}

// PredictionOutcome is the outcome of a task other than a fit.
type PredictionOutcome struct {
	*fit.Predictions
	Task
	Checks   []fit.PredictiveCheck // of Checking
	Document fit.PredictionDocument
}

// Deliver implements Outcome: nothing is kept for other parties.
func (*PredictionOutcome) Deliver() error { return nil }

// probs are the quantiles in the files of a prediction.
func probs() []float64 { return []float64{0.05, 0.5, 0.95} }

// bind reads the party's rows: those of the table but for the ones that are left out, with the encoders of an
// earlier run where new rows are predicted.
func (p *participant) bind(a announcement, part *compile.OneParty, left map[string]compile.RowDisclosure,
	folds []int) error {
	j := data.Joining{Key: a.Key}
	bind := func() error { return refused(CodeData, part.Bind(p.tables(), p.MaxBytes, j, left), nil) }
	if a.Task.Kind != Fitting {
		var err error
		if p.earlier, err = posterior.OpenRun(p.From); err != nil {
			return refused(CodeData, nil, err)
		}
		fitted, err := fit.FittedOf(p.earlier, part)
		if err != nil {
			return refused(CodeData, nil, err)
		}
		bind = func() error {
			return refused(CodeData, part.BindNew(p.tables(), p.MaxBytes, j, left, fitted), nil)
		}
	}
	if err := bind(); err != nil || a.Task.Folds == 0 || a.Task.Told() && folds == nil {
		return err
	}
	if err := a.Task.Select(part, a.Task.Kind == Fitting, folds); err != nil {
		return refused(CodeData, nil, err)
	}
	return bind()
}

// ready makes the party's part of the epoch, which run performs.
func (p *participant) ready(a *fit.Apart, o fit.Options) error {
	if p.releases() {
		p.discard = func() {}
		p.job = func(ctx context.Context) (Outcome, error) { return p.release(ctx, a) }
		return nil
	}
	if p.announce.Task.Kind == Fitting {
		prepared, diags, err := fit.OpenApart(p.part, a, o)
		if err := refused(CodeSettings, diags, err); err != nil {
			return err
		}
		p.discard = prepared.Discard
		p.job = func(ctx context.Context) (Outcome, error) {
			r, err := prepared.Sample(ctx, nil)
			if err != nil {
				return nil, err
			}
			return r, r.Save(p.Dir)
		}
		return nil
	}
	plan, _, err := fit.PlanApart(p.part, o)
	if err != nil {
		return &refusal{CodeSettings, err}
	}
	p.discard = func() {}
	p.job = func(ctx context.Context) (Outcome, error) {
		predicted, err := fit.PredictApart(ctx, p.part, p.earlier, plan, a, p.announce.Task.Draws)
		if err != nil {
			return nil, err
		}
		return p.keep(predicted)
	}
	return nil
}

// keep writes what the party has of a prediction.
func (p *participant) keep(predicted *fit.Predictions) (Outcome, error) {
	predicted.Replicates = p.Replicates
	out := &PredictionOutcome{Predictions: predicted, Task: p.announce.Task,
		Document: predicted.Document(probs())}
	switch out.Kind {
	case Predicting:
		return out, predicted.Save(p.Dir, probs())
	case Weighing:
		if err := fit.KeepLogLik(p.earlier, predicted); err != nil {
			return nil, err
		}
		return out, out.SaveScores(p.Dir, predicted)
	case Scoring:
		return out, out.SaveScores(p.Dir, predicted)
	}
	if len(predicted.Responses) > 0 {
		r, err := predicted.Replication(p.earlier.Draws, out.Task.Draws)
		if err != nil {
			return nil, err
		}
		if err := r.WriteZarr(filepath.Join(p.Dir, posterior.CheckedDir)); err != nil {
			return nil, err
		}
		checks, diags, err := r.Checks(nil, nil)
		if err := data.Failed(diags, err); err != nil {
			return nil, err
		}
		out.Checks = checks
	}
	return out, safefile.Write(filepath.Join(p.Dir, posterior.ChecksFile), 0o600, func(w io.Writer) error {
		return posterior.WriteJSON(w, fit.ChecksDocument(p.manifest.Model, predicted.Draws, out.Checks))
	})
}

// mayPredict returns an error where the folder does not hold the programs of the task, or those of another.
func (n *node) mayPredict(predicted int) error {
	if (predicted > 0) != (n.Task.Kind != Fitting) {
		return otherTask("%s holds the programs of another task than %s; name the folder that "+
			"vflc compile has written", n.programs(), n.Task)
	}
	return nil
}

func otherTask(format string, args ...any) error {
	return data.Coded(diag.OtherTask, format, args...)
}

// programs is the folder of the programs of the task.
func (n *node) programs() string { return filepath.Join(n.Programs, n.Task.folder()) }

// noPrograms explains that there are no programs for a task.
func (n *node) noPrograms(err error) error {
	if errors.Is(err, fs.ErrNotExist) && n.Task.Kind != Fitting {
		if _, other := os.Stat(n.Programs); other == nil {
			return otherTask("%v: vflc compile writes programs for %s where the responses of a model can "+
				"be drawn so (vflc predict RUN of a run in one process says why not); compile the model "+
				"again, and give all parties the folder", err, n.Task)
		}
	}
	return coded(diag.BadPrograms, "%v; name the folder that vflc compile --split-by client has written", err)
}
