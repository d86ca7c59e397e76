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
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/internal/terminal"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/release"
)

// attackRun prints what the server of a run can reconstruct of the clients' contributions.
func attackRun(cmd *cobra.Command, path string, asJSON bool) error {
	if err := refuseBeside(cmd, "attack", "json"); err != nil {
		return err
	}
	if _, err := recordOf(path); err != nil {
		return err
	}
	run, err := posterior.OpenRun(path)
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

// attackRelease prints how often the release in a file tells values of the rows of a model, whose tables
// stand beside it, to whoever knows all others.
func attackRelease(cmd *cobra.Command, path, moments string, f *modelFlags) error {
	m, err := compileAloud(cmd, path, f, true)
	if err != nil {
		return err
	}
	if m.Design == nil {
		return fmt.Errorf("--release is for a model under transform private, and %s has transform %s", path,
			m.Checked.Transform.Kind)
	}
	of, err := readMoments(moments, "")
	if err != nil {
		return err
	}
	sources, err := data.Locate(path, m.Parties(), nil)
	if err != nil {
		return err
	}
	told, diags, err := fit.AttackRelease(m, sources, of)
	if err == nil {
		err = settle(cmd, diags)
	}
	if err != nil {
		return err
	}
	w := cmd.OutOrStdout()
	fmt.Fprintf(w, "Whoever knows all values but one, and the true one and another for it, tells which from %s "+
		"(half is a guess):\n", moments)
	for _, t := range told {
		fmt.Fprintf(w, "  %-20s %3d of %3d rows: %s\n", t.Column, t.Told, t.Tried, t.Verdict())
	}
	_, err = fmt.Fprintln(w, bounded(of))
	return err
}

// bounded says how often that may be.
func bounded(m *release.Moments) string {
	if m.Terms.NoNoise {
		return "The release has no noise, and nothing bounds this."
	}
	return fmt.Sprintf("Epsilon %g at delta %g allows at most %.0f %%, to all parties but one together.",
		m.Terms.Epsilon, m.Terms.Delta, 100*m.MostTold())
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
	return posterior.ReadRecord(path)
}

// auditFolder audits the programs of a run with its backend and settings.
func auditFolder(cmd *cobra.Command, path string, f *modelFlags) (*auditReport, error) {
	if err := refuseBeside(cmd, "json"); err != nil {
		return nil, err
	}
	r, err := posterior.ReadRecord(path)
	if err != nil {
		return nil, err
	}
	a, err := algorithm(r.Backend)
	if err != nil {
		return nil, err
	}
	programs := filepath.Join(path, posterior.ProgramsDir)
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
	if run, err := posterior.OpenRun(path); err == nil {
		bundle, _, err := compile.ReadBundle(programs)
		if err != nil {
			return nil, err
		}
		if report.verdict, err = fit.RunVerdict(run, bundle, a); err != nil {
			return nil, err
		}
	}
	document, err := posterior.ReadDocument(path)
	if document != nil && report.encrypted {
		report.known = document.Deployment
	}
	return report, err
}
