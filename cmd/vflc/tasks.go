package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/fit/crossvalidate"
	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/internal/terminal"
	"github.com/vflc/vflc/node"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/stdlib"
)

// Flags of what the parties do in place of a fit. All of them name it.
const (
	predictFlag = "predict"
	ppcFlag     = "ppc"
	weighFlag   = "log-lik"
	cvFlag      = "cv"
	fromFlag    = "from"
)

// taskFlags say what the parties do.
type taskFlags struct {
	predict, check, weigh string
	from                  string
	folds                 int
	strata                bool
	by                    string
	replicates            bool
}

func (f *taskFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.predict, predictFlag, "",
		"predict new rows with the draws of this party's `RUN`, in place of a fit; all parties say so")
	fs.BoolVar(&f.replicates, "replicates", false,
		"with --predict, "+replicatesDoc+": for the party that draws the response")
	fs.StringVar(&f.check, ppcFlag, "",
		"compare the rows of this party's `RUN` with replicates of them, in place of a "+
			"fit; all parties say so")
	fs.StringVar(&f.weigh, weighFlag, "",
		"compute the log density of every row of this party's `RUN` at its draws, for vflc loo and vflc "+
			"waic, in place of a fit; all parties say so")
	fs.StringVar(&f.from, fromFlag, "",
		"begin the chains where those of an earlier run across machines have ended, of which this party "+
			"has the part in the folder `RUN`; all parties say so")
	fs.IntVar(&f.folds, cvFlag, 0,
		"cross-validate with this many `folds`, in place of one fit; all parties say so")
	fs.BoolVar(&f.strata, "stratify", false,
		"with --cv, give each fold the same share of each value of the response: the party that has it "+
			"divides the rows, and tells the others the fold of each; all parties say so")
	fs.StringVar(&f.by, "by", "",
		"with --cv, keep the rows with one value of this `column` in one fold: the party that has it "+
			"divides the rows, and tells the others the fold of each, which its policy must "+
			"allow; all parties say so")
}

// apply sets the task, and takes what the user did not say from the run whose draws are used.
func (f *taskFlags) apply(cmd *cobra.Command, o *node.PartyOptions) error {
	given := 0
	if f.replicates && f.predict == "" {
		return usagef("--replicates says how --%s summarises", predictFlag)
	}
	o.Replicates = f.replicates
	for _, k := range []struct{ kind, run string }{{node.Predicting, f.predict}, {node.Checking, f.check},
		{node.Weighing, f.weigh}} {
		if k.run == "" {
			continue
		}
		given++
		o.Task.Kind, o.From = k.kind, k.run
		r, err := posterior.ReadRecord(k.run)
		if err != nil {
			return err
		}
		if k.kind == node.Weighing {
			if err := fit.MayKeepLogLik(r); err != nil {
				return err
			}
			o.Task.Draws = 0
		}
		if o.Tables == nil {
			o.Tables = fit.RecordedData(r)
		} else if k.kind != node.Predicting {
			return usagef("--%s is about the rows of the run; leave --data out", k.kind)
		}
		if key := cmd.Flags().Lookup("key"); !key.Changed && r.Key != "" && key.DefValue != "" {
			o.Key = r.Key
		}
	}
	if f.folds != 0 {
		given++
	}
	if f.from != "" {
		o.From = f.from
	}
	switch {
	case f.from != "" && given > 0:
		return usagef("--%s is for one fit: it does not go with --%s, --%s, --%s and --%s", fromFlag,
			predictFlag, ppcFlag, weighFlag, cvFlag)
	case given > 1:
		return usagef("--%s, --%s, --%s and --%s exclude one another", predictFlag, ppcFlag, weighFlag, cvFlag)
	case f.folds < 0 || f.folds == 1:
		return usagef("--%s %d: there are at least 2 folds", cvFlag, f.folds)
	case f.strata && f.by != "":
		return errStrataOrGroups
	case f.folds == 0 && (f.strata || f.by != ""):
		return usagef("--stratify and --by say how --%s divides rows", cvFlag)
	}
	return nil
}

// fold is one of the cross-validation.
func (f *partyFlags) fold(k int) crossvalidate.Fold {
	return crossvalidate.Fold{Folds: f.folds, Fold: k, Seed: f.Seed, Stratify: f.strata, By: f.by}
}

// A turn is a task of several that the parties do one after another.
type turn struct {
	node.Task
	dir, programs, from string
	what                string // is said when it begins
}

// inTurn has the party take part in tasks one after another. What an earlier process of it has done is not
// done again.
func (f *partyFlags) inTurn(turns []turn, run func(o node.PartyOptions) (node.Outcome, error)) error {
	finished := ""
	for _, t := range turns {
		o := f.PartyOptions
		o.Task, o.Dir, o.Programs, o.From, o.Finished, o.Divided = t.Task, t.dir, t.programs, t.from,
			finished, turns[0].dir
		number, complete, err := node.Remembered(t.dir)
		if err == nil && !complete {
			f.Say(t.what)
			if _, err = run(o); err == nil {
				number, _, err = node.Remembered(t.dir)
			}
		}
		var done *fit.CompleteError
		if err != nil && !errors.As(err, &done) {
			return err
		}
		finished = number
	}
	return nil
}

// crossValidate has the party take part in the fit to the rows of all folds but one, and in the prediction of
// that one, fold by fold.
func (f *partyFlags) crossValidate(cmd *cobra.Command, run func(o node.PartyOptions) (node.Outcome,
	error)) error {
	var turns []turn
	var scored []string
	for k := 1; k <= f.folds; k++ {
		fitted := filepath.Join(f.Dir, fmt.Sprintf("fold-%d", k), "fit")
		scored = append(scored, filepath.Join(filepath.Dir(fitted), "score"))
		say := func(what string) string { return fmt.Sprintf("fold %d of %d: %s", k, f.folds, what) }
		turns = append(turns,
			turn{Task: node.Task{Kind: node.Fitting, Fold: f.fold(k)}, dir: fitted, programs: f.Programs,
				what: say("fit to the other rows")},
			turn{Task: node.Task{Kind: node.Scoring, Fold: f.fold(k)}, dir: scored[k-1], programs: f.Programs,
				from: fitted, what: say("predictions")})
	}
	if err := f.inTurn(turns, run); err != nil {
		return err
	}
	m, diags, err := split.ReadManifest(filepath.Join(f.Programs, compile.ManifestFile), stdlib.New())
	if err := data.Failed(diags, err); err != nil {
		return err
	}
	r, err := crossvalidate.Gather(m.Model, scored)
	switch {
	case err != nil:
		return err
	case r == nil:
		f.Say("the cross-validation is complete; its report is at the party that holds the response")
		return nil
	}
	if err := safefile.Write(filepath.Join(f.Dir, posterior.ValidationFile), ownerOnly,
		func(w io.Writer) error {
			return posterior.WriteJSON(w, r)
		}); err != nil {
		return err
	}
	f.Say("written to " + f.Dir)
	if f.asJSON {
		return posterior.WriteJSON(cmd.OutOrStdout(), r)
	}
	return r.WriteTable(cmd.OutOrStdout())
}

// show prints what a party has when its task is done.
func (f *partyFlags) show(cmd *cobra.Command, outcome node.Outcome) error {
	out := cmd.OutOrStdout()
	switch r := outcome.(type) {
	case *fit.Result:
		if f.asJSON {
			return posterior.WriteJSON(out, r.Document)
		}
		if err := r.WriteTableWithin(out, terminal.TableWidth(out)); err != nil {
			return err
		}
		for _, m := range r.Document.Diagnostics.Messages {
			fmt.Fprintf(cmd.ErrOrStderr(), "warning: %s\n", m)
		}
		if o := r.Document.Sooner; o != nil {
			f.Say(fmt.Sprintf("next: %s takes %s in place of %s, to draws that "+
				"weights correct where they can", o.Settings, o, grouped.Digits(r.Document.Work.Sequential)))
		}
	case *node.ReleaseOutcome:
		fmt.Fprintln(out, promise(r.Moments))
		f.Say("every party has signed it; vflc run MODEL --release " + filepath.Join(f.Dir,
			posterior.MomentsFile) + " fits a posterior to it")
	case *node.PredictionOutcome:
		text := predictionText(&r.Document, filepath.Join(f.Dir, posterior.PredictedTable))
		switch {
		case r.Kind == node.Checking && f.asJSON:
			return posterior.WriteJSON(out, fit.ChecksDocument(r.Model.Name, r.Predictions.Draws, r.Checks))
		case f.asJSON:
			return posterior.WriteJSON(out, r.Document)
		case len(r.Responses) == 0:
			f.Say("this party draws no response: the results are at the party that does")
			return nil
		case r.Kind == node.Weighing:
			text = fmt.Sprintf("the log densities of %d responses at %d draws are in %s; vflc loo %s\n",
				len(r.Responses), r.Predictions.Draws, f.From, f.From)
		case r.Kind == node.Checking:
			text = checksText(r.Checks, r.Predictions.Draws)
		}
		if _, err := io.WriteString(out, text); err != nil {
			return err
		}
	}
	f.Say("written to " + f.Dir)
	return nil
}

// taskFolder is the folder of the task that is under way in a party's folder: the folder itself, or of a
// cross-validation that of the fold.
func taskFolder(dir string) string {
	newest, at := dir, int64(0)
	files, _ := filepath.Glob(filepath.Join(dir, "fold-*", "*", posterior.SessionDir, node.StatusFile))
	for _, file := range files {
		if info, err := os.Stat(file); err == nil && info.ModTime().UnixNano() > at {
			newest, at = filepath.Dir(filepath.Dir(file)), info.ModTime().UnixNano()
		}
	}
	return newest
}
