package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/internal/terminal"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/runs"
)

// attackRun prints what the server of a run can reconstruct of the clients' contributions.
func attackRun(cmd *cobra.Command, path string, asJSON bool) error {
	if err := refuseBeside(cmd, "attack", "json"); err != nil {
		return err
	}
	if _, err := recordOf(path); err != nil {
		return err
	}
	run, err := runs.Open(path)
	if err != nil {
		return err
	}
	if part, err := fit.IsPart(run); err != nil {
		return err
	} else if part {
		report, err := fit.AttackRecorded(run)
		switch {
		case err != nil:
			return err
		case asJSON:
			return posterior.WriteJSON(cmd.OutOrStdout(), report)
		}
		return report.WriteText(cmd.OutOrStdout())
	}
	screen := terminal.NewScreen(cmd.ErrOrStderr(), false)
	report, diags, err := fit.Attack(cmd.Context(), run, screen)
	if err := settle(cmd, diags); err != nil {
		return err
	}
	switch {
	case err != nil:
		return err
	case asJSON:
		return posterior.WriteJSON(cmd.OutOrStdout(), report)
	}
	return report.WriteText(cmd.OutOrStdout())
}

// refuseBeside is a usage error where other flags are given beside some.
func refuseBeside(cmd *cobra.Command, allowed ...string) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		for _, name := range allowed {
			if f.Name == name {
				return
			}
		}
		err = usagef("--%s does not go with a folder, which has its own settings", f.Name)
	})
	return err
}

// recordOf reads the record of a run. The error says where the path is no folder of a run.
func recordOf(path string) (*posterior.Record, error) {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		if err == nil {
			err = fmt.Errorf("%s is not the folder of a run: name what vflc run -o wrote", path)
		}
		return nil, err
	}
	return runs.ReadRecord(path)
}

// auditFolder audits the programs of a run with its backend and settings.
func auditFolder(cmd *cobra.Command, path string, f *modelFlags) (*auditReport, error) {
	if err := refuseBeside(cmd, "json", rttFlag, bandwidthFlag); err != nil {
		return nil, err
	}
	r, err := runs.ReadRecord(path)
	if err != nil {
		return nil, err
	}
	a, err := algorithm(r.Backend)
	if err != nil {
		return nil, err
	}
	programs := filepath.Join(path, runs.ProgramsDir)
	if _, err := os.Stat(filepath.Join(programs, split.ManifestFile)); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has no party programs: its run had transform %s, or has not finished",
			path, r.Transform)
	}
	report, err := auditPrograms(cmd, programs, f, func(*split.Manifest) (backends.Algorithm,
		map[string]string, error) {
		return a, fit.RecordedSettings(r, a), nil
	})
	if err != nil {
		return nil, err
	}
	if run, err := runs.Open(path); err == nil {
		bundle, _, err := compile.ReadBundle(programs)
		if err != nil {
			return nil, err
		}
		if report.verdict, err = fit.RunVerdict(run, bundle, a); err != nil {
			return nil, err
		}
	}
	document, err := runs.ReadDocument(path)
	if document != nil {
		report.work = &document.Work
		if report.encrypted {
			report.known = document.Deployment
		}
	}
	return report, err
}
