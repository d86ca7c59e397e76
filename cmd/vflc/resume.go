package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/runs"
)

func newResume() *cobra.Command {
	return &cobra.Command{
		Use:   "resume DIR",
		Short: "Go on with a run that was interrupted or has crashed",
		Long: `Go on with a run of Markov chains that was interrupted or has crashed: with the model, data and settings that its folder
(vflc run -o DIR) tells of, from what each chain had last written there. The result is the one that the run would have had.`,
		Example: `  vflc resume out`,
		Args:    oneArgument("the folder of a run"),
		RunE:    action(resume),
	}
}

// resume runs the recorded command again, with its folder as it is.
func resume(cmd *cobra.Command, args []string) error {
	dir, err := filepath.Abs(args[0])
	if err != nil {
		return err
	}
	r, err := readRecord(args[0])
	if err != nil {
		return err
	}
	if err := resumable(args[0], r); err != nil {
		return err
	}
	at := slices.Index(r.Command, "run")
	if at < 0 {
		return fmt.Errorf("%s: its %s holds no command to repeat", args[0], runs.RecordFile)
	}
	if err := os.Chdir(r.Directory); err != nil {
		return err
	}
	again := newRoot()
	again.SetOut(cmd.OutOrStdout())
	again.SetErr(cmd.ErrOrStderr())
	again.SetArgs(append(slices.Clone(r.Command[at:]), "--output", dir, "--"+resumeFlag))
	return again.ExecuteContext(cmd.Context())
}

// resumable says why a run cannot be resumed, of which its folder tells.
func resumable(dir string, r *posterior.Record) error {
	if a, err := algorithm(r.Backend); err == nil && !a.Markov && a.InTurn == "" {
		return fmt.Errorf("%s is a fit by %s, which leaves nothing to go on from; run it again, with more --iterations where it was too short", dir, r.Backend)
	}
	_, err := os.Stat(filepath.Join(dir, checkpointDir))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: the run had not saved its chains yet, which it does every %v and when it is interrupted; run it again", dir, saveEvery)
	}
	return err
}

// complete is the error of a resumed run with nothing left to do.
func (m *markov) complete(chains []*chain) error {
	for _, c := range chains {
		if !c.info.Done || len(c.rows) > 0 {
			return nil
		}
	}
	advice := ""
	if _, ok := chains[0].kernel.(backends.WarmStarter); ok {
		advice = "; vflc run with --from " + m.dir + " begins another where it ended"
	}
	return fmt.Errorf("%s: this run is complete%s", m.dir, advice)
}

// resumeFlag is the hidden flag of run that takes its folder as it is.
const resumeFlag = "resume"

func readRecord(dir string) (*posterior.Record, error) {
	path := filepath.Join(dir, runs.RecordFile)
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: there is no %s: it is no folder of a run", dir, runs.RecordFile)
	case err != nil:
		return nil, err
	}
	r := &posterior.Record{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// unchanged returns the record of a folder, or says where what the run would do now differs from it.
func unchanged(dir string, now posterior.Record) (posterior.Record, error) {
	then, err := readRecord(dir)
	switch {
	case err != nil:
		return now, err
	case then.Version != now.Version:
		return now, fmt.Errorf("%s was begun by vflc %s; this is %s, whose draws may differ", dir, then.Version, now.Version)
	case then.Model.SHA256 != now.Model.SHA256:
		return now, fmt.Errorf("%s has changed since %s was begun", now.Model.Path, dir)
	}
	for i, s := range now.Data {
		if i >= len(then.Data) || then.Data[i].SHA256 != s.SHA256 {
			return now, fmt.Errorf("%s has changed since %s was begun", s.Path, dir)
		}
	}
	return *then, nil
}
