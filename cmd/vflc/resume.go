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
	r, err := readRecord(dir)
	if err != nil {
		return err
	}
	switch _, err := os.Stat(filepath.Join(dir, checkpointDir)); {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: there is no %s in it: runs of Markov chains can be resumed, after the first %v", args[0], checkpointDir, saveEvery)
	case err != nil:
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

// resumeFlag is the hidden flag of run that takes its folder as it is.
const resumeFlag = "resume"

func readRecord(dir string) (*posterior.Record, error) {
	path := filepath.Join(dir, runs.RecordFile)
	text, err := os.ReadFile(path)
	if err != nil {
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
