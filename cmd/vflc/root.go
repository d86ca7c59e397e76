package main

import "github.com/spf13/cobra"

// newRoot returns the command tree. Every subcommand is one file and one line here.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "vflc",
		Short: "Bayesian inference over data that several parties hold and none may share",
		Long: `vflc compiles probabilistic programs (.vfl) whose data and parameters belong to several parties,
splits them into one program per party, and infers the posterior. Only auxiliary variables and their
adjoints (gradients with respect to them) cross between parties.`,
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.AddCommand(
		newRun(),
		newRepl(),
		newResume(),
		newSummary(),
		newDiagnose(),
		newPlot(),
		newReport(),
		newExport(),
		newLOO(),
		newWAIC(),
		newCompare(),
		newPredict(),
		newPPC(),
		newCV(),
		newRho(),
		newStudy(),
		newWorker(),
		newCalibrate(),
		newSimulate(),
		newCheck(),
		newCompile(),
		newFmt(),
		newExplain(),
		newDoc(),
		newAudit(),
		newProvision(),
		newAlign(),
		newPreflight(),
		newServe(),
		newJoin(),
		newStatus(),
		newStop(),
		newPublish(),
		newLogs(),
		newDemo(),
		newNew(),
		newVersion(),
		newMan(),
	)
	addCompletions(root)
	return root
}
