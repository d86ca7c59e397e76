package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/posterior/runs"
)

func newResume() *cobra.Command {
	return &cobra.Command{
		Use:   "resume DIR",
		Short: "Continue a run that was interrupted or has crashed",
		Long: `Continue a run that was interrupted or has crashed, with the model and settings that its folder (vflc run -o DIR) holds and the tables
that it names. It continues from the last state that it saved there, or begins anew if there is none. The draws are those of a run without
the interruption.`,
		Example: `  vflc resume out`,
		Args:    oneArgument("the folder of a run"),
		RunE:    action(resume),
	}
}

// resume runs the recorded command again, and keeps its folder.
func resume(cmd *cobra.Command, args []string) error {
	dir, err := filepath.Abs(args[0])
	if err != nil {
		return err
	}
	r, err := runs.ReadRecord(args[0])
	if err != nil {
		return err
	}
	if err := fit.Resumable(args[0], r); err != nil {
		return err
	}
	at := slices.Index(r.Command, "run")
	if at < 0 {
		return fmt.Errorf("%s: its %s has no command to repeat", args[0], runs.RecordFile)
	}
	if err := os.Chdir(r.Directory); err != nil && slices.ContainsFunc(r.Command, func(a string) bool { return strings.HasPrefix(a, "--from") }) {
		return fmt.Errorf("%w; the path of --from may be relative to it", err)
	}
	again := newRoot()
	again.SetOut(cmd.OutOrStdout())
	again.SetErr(cmd.ErrOrStderr())
	again.SetArgs(append(slices.Clone(r.Command[at:]), "--output", dir, "--overwrite=false", "--"+resumeFlag))
	return again.ExecuteContext(cmd.Context())
}

// resumeFlag is the hidden flag of run that continues the run in its folder.
const resumeFlag = "resume"
