package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// A commandGroup is commands for one purpose, under a title in the help of vflc.
type commandGroup struct {
	title    string
	commands []command
}

// A command is the name of a subcommand and what makes it.
type command struct {
	name string
	make func() *cobra.Command
}

// commandGroups lists the subcommands. Every one is one file and one line here.
func commandGroups() []commandGroup {
	return []commandGroup{
		{"Begin:", []command{
			{"new", newNew},
			{"run", newRun},
			{"repl", newRepl},
		}},
		{"Write a model:", []command{
			{"check", newCheck},
			{"fmt", newFmt},
			{"lsp", newLSP},
			{"doc", newDoc},
			{"explain", newExplain},
			{"simulate", newSimulate},
			{"compile", newCompile},
			{"audit", newAudit},
			{"density", newDensity},
		}},
		{"After a run:", []command{
			{"summary", newSummary},
			{"diagnose", newDiagnose},
			{"plot", newPlot},
			{"report", newReport},
			{"ppc", newPPC},
			{"predict", newPredict},
			{"effects", newEffects},
			{"contrast", newContrast},
			{"loo", newLOO},
			{"waic", newWAIC},
			{"compare", newCompare},
			{"sensitivity", newSensitivity},
			{"evidence", newEvidence},
			{"export", newExport},
			{"resume", newResume},
		}},
		{"Many fits:", []command{
			{"cv", newCV},
			{"study", newStudy},
			{"calibrate", newCalibrate},
			{"worker", newWorker},
		}},
		{"Across machines:", []command{
			{"demo", newDemo},
			{"provision", newProvision},
			{"align", newAlign},
			{"preflight", newPreflight},
			{"serve", newServe},
			{"join", newJoin},
			{"status", newStatus},
			{"logs", newLogs},
			{"stop", newStop},
			{"publish", newPublish},
		}},
		{"Other:", []command{
			{"version", newVersion},
			{"man", newMan},
		}},
	}
}

// newRoot returns the command tree. Where the arguments begin with the name of a subcommand, or ask for what
// completes its flags, that one alone is in it: flags with their help are most of what a command does before
// it starts.
func newRoot(args ...string) *cobra.Command {
	if len(args) > 2 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd) {
		args = args[1:]
	}
	root := &cobra.Command{
		Use:   "vflc",
		Short: "Bayesian inference over data that several parties hold and none may share",
		Long: `vflc compiles probabilistic programs (.vfl) whose data and parameters belong to several parties, splits them into one program per
party, and infers the posterior. No table is sent, but what is sent reveals columns and each party's contribution to every row: vflc audit
says who can compute what.

To begin: vflc new trial, and then vflc run trial/trial.vfl.`,
		Version:       strings.TrimPrefix(version(), "vflc "),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetFlagErrorFunc(flagError)
	groups := commandGroups()
	named := func(c command) bool { return len(args) > 0 && c.name == args[0] }
	one := slices.ContainsFunc(groups, func(g commandGroup) bool {
		return slices.ContainsFunc(g.commands, named)
	})
	other := ""
	for k, g := range groups {
		other = fmt.Sprint(k)
		root.AddGroup(&cobra.Group{ID: other, Title: g.title})
		for _, c := range g.commands {
			if one && !named(c) {
				continue
			}
			sub := c.make()
			shortHelp(sub)
			sub.GroupID = other
			root.AddCommand(sub)
		}
	}
	root.SetHelpCommandGroupID(other)
	root.SetCompletionCommandGroupID(other)
	addCompletions(root)
	return root
}
