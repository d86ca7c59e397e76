package main

import (
	"testing"

	"github.com/spf13/cobra"
)

func TestCommandsHaveTheirNames(t *testing.T) {
	for _, g := range commandGroups() {
		for _, c := range g.commands {
			if got := c.make().Name(); got != c.name {
				t.Errorf("the command %s is listed as %s", got, c.name)
			}
		}
	}
}

// A command starts in milliseconds: the flags of one command are made, and no descriptor of the library once
// for each flag. The most are 903.
func TestACommandMakesOneCommand(t *testing.T) {
	for _, g := range commandGroups() {
		for _, c := range g.commands {
			if got := testing.AllocsPerRun(3, func() { newRoot(c.name) }); got > 2000 {
				t.Errorf("vflc %s makes %v allocations before it begins", c.name, got)
			}
			for _, args := range [][]string{{c.name}, {cobra.ShellCompRequestCmd, c.name, "--"}} {
				if n := len(newRoot(args...).Commands()); n != 1 {
					t.Errorf("vflc %v makes %d commands", args, n)
				}
			}
		}
	}
}
