package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/compile"
)

func stageNames() []string {
	var out []string
	for _, s := range compile.Stages() {
		out = append(out, s.Name)
	}
	return out
}

// dump prints what the compiler knows after a stage.
func (c *compiled) dump(cmd *cobra.Command, f *modelFlags, name string) error {
	if !slices.Contains(stageNames(), name) {
		return usagef("--dump %s: the stages are %s", name, strings.Join(stageNames(), ", "))
	}
	options, err := f.options()
	if err != nil {
		return err
	}
	m, _ := compile.Compile(c.source, options)
	return m.Dump(cmd.OutOrStdout(), name)
}
