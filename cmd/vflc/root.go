package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// A commandGroup is commands for one purpose, under a title in the help of vflc.
type commandGroup struct {
	title    string
	commands []*cobra.Command
}

// commandGroups lists the subcommands. Every one is one file and one line here.
func commandGroups() []commandGroup {
	return []commandGroup{
		{"Begin:", []*cobra.Command{
			newNew(),
			newRun(),
			newRepl(),
		}},
		{"Write a model:", []*cobra.Command{
			newCheck(),
			newFmt(),
			newDoc(),
			newExplain(),
			newSimulate(),
			newCompile(),
			newAudit(),
		}},
		{"After a run:", []*cobra.Command{
			newSummary(),
			newDiagnose(),
			newPlot(),
			newReport(),
			newPPC(),
			newPredict(),
			newLOO(),
			newWAIC(),
			newCompare(),
			newExport(),
			newResume(),
		}},
		{"Many fits:", []*cobra.Command{
			newCV(),
			newRho(),
			newStudy(),
			newCalibrate(),
			newWorker(),
		}},
		{"Across machines:", []*cobra.Command{
			newDemo(),
			newProvision(),
			newAlign(),
			newPreflight(),
			newServe(),
			newJoin(),
			newStatus(),
			newLogs(),
			newStop(),
			newPublish(),
		}},
		{"Other:", []*cobra.Command{
			newVersion(),
			newMan(),
		}},
	}
}

// newRoot returns the command tree.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "vflc",
		Short: "Bayesian inference over data that several parties hold and none may share",
		Long: `vflc compiles probabilistic programs (.vfl) whose data and parameters belong to several parties, splits them into one program per
party, and infers the posterior. Tables and parameters stay with their parties; vflc audit lists what crosses between them.

To begin: vflc new trial, and then vflc run trial/trial.vfl.`,
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	other := ""
	for k, g := range commandGroups() {
		other = fmt.Sprint(k)
		root.AddGroup(&cobra.Group{ID: other, Title: g.title})
		for _, c := range g.commands {
			c.GroupID = other
			root.AddCommand(c)
		}
	}
	root.SetHelpCommandGroupID(other)
	root.SetCompletionCommandGroupID(other)
	addCompletions(root)
	return root
}
