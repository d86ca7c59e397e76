package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/posterior"
)

func newResume() *cobra.Command {
	return &cobra.Command{
		Use:   "resume DIR",
		Short: "Continue a run that was interrupted or has crashed",
		Long: `Continue a run that was interrupted or has crashed, with the model and settings that its folder (vflc run -o DIR) holds and the tables
that it names. It continues from the last state that it saved there, or begins anew if there is none. The draws are those of a run without
the interruption. A run with encrypted rows is made again with the random bytes that it wrote down, and goes on where they end.`,
		Example: `  vflc resume out`,
		Args:    oneArgument("the folder of a run"),
		RunE:    action(resume),
	}
}

// resume runs the recorded command again, and keeps its folder.
func resume(cmd *cobra.Command, args []string) error {
	r, err := posterior.ReadRecord(args[0])
	if err != nil {
		return err
	}
	if c := r.Command; len(c) > 1 && (c[1] == "serve" || c[1] == "join") {
		words := []string{"vflc"}
		for _, word := range c[1:] {
			words = append(words, quoted(word))
		}
		return fmt.Errorf("%s is a party's part of a run across machines: start the command that "+
			"began it again, in %s: %s", args[0], r.Directory, strings.Join(words, " "))
	}
	if err := fit.Resumable(args[0], r); err != nil {
		return err
	}
	return repeat(cmd, r, args[0])
}

// repeat runs the command of a record again in the folder of its run.
func repeat(cmd *cobra.Command, r *posterior.Record, dir string) error {
	at := slices.Index(r.Command, "run")
	if at < 0 {
		return fmt.Errorf("%s: its %s has no command to repeat", dir, posterior.RecordFile)
	}
	whole, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if err := os.Chdir(r.Directory); err != nil && slices.ContainsFunc(r.Command, func(a string) bool {
		return strings.HasPrefix(a, "--from")
	}) {
		return fmt.Errorf("%w; the path of --from may be relative to it", err)
	}
	_, err = perform(cmd.Context(), slices.Concat(r.Command[at:], []string{"--output", whole,
		"--overwrite=false", "--" + resumeFlag}), cmd.OutOrStdout(), cmd.ErrOrStderr())
	return err
}

// resumeFlag is the hidden flag of run that continues the run in its folder.
const resumeFlag = "resume"
