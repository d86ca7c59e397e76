package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/node/ledger"
	"github.com/vflc/vflc/posterior"
)

// runArgument explains the RUN of every command that takes one.
const runArgument = `RUN is the folder of a finished run (vflc run -o), a folder of Stan CSV files with one chain each, or one such file.`

// fitsKey is that of the fits in a context that a prompt has for a command: they stand in the place of runs.
type fitsKey struct{}

// fitAt is the fit that a RUN names at a prompt; nil: none.
func fitAt(cmd *cobra.Command, name string) *fit.Finished {
	if fits, ok := cmd.Context().Value(fitsKey{}).(func(name string) *fit.Finished); ok {
		return fits(name)
	}
	return nil
}

// finished opens a RUN.
func finished(cmd *cobra.Command, path string) (*fit.Finished, error) {
	if f := fitAt(cmd, path); f != nil {
		return f, nil
	}
	r, err := posterior.OpenRun(path)
	return &fit.Finished{Run: r}, err
}

// published opens a RUN with what other parties have published of their results.
func published(cmd *cobra.Command, path string) (*fit.Finished, error) {
	if f := fitAt(cmd, path); f != nil {
		return f, nil
	}
	r, others, err := ledger.OpenRun(path)
	return &fit.Finished{Run: r, Published: others}, err
}

// isRun reports whether a word can be a RUN: a fit, or a folder or file that is there.
func isRun(cmd *cobra.Command, word string) bool {
	_, missing := os.Stat(word)
	return missing == nil || fitAt(cmd, word) != nil
}
