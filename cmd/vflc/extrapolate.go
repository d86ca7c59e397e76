package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/fit/choices"
	"github.com/vflc/vflc/fit/noise"
	"github.com/vflc/vflc/internal/terminal"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/runs"
)

// extrapolateFlag is the flag of run that fits at several rho.
const extrapolateFlag = "extrapolate"

// rhoList reads several values of rho; nil where none is given.
func rhoList(text string) (out []float64, err error) {
	if text == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || !(v > 0) || v > choices.MaxRho {
			return nil, usagef("--rho %s: write positive numbers, as 0.7,0.5,0.25", text)
		}
		out = append(out, v)
	}
	return out, nil
}

// extrapolate fits at several rho, and prints the posterior at rho = 0.
func (s *runState) extrapolate() error {
	if s.flags.from != "" {
		return usagef("--from does not go with --%s, whose fits begin side by side", extrapolateFlag)
	}
	rhos, err := rhoList(s.flags.rho)
	if err != nil {
		return err
	}
	s.flags.rho = "" // each fit has its own
	series, err := s.series(rhos)
	if err != nil {
		return err
	}
	collectLater()
	stop, release := interrupted(s.cmd.Context())
	defer release()
	err = series.Run(s.cmd.Context(), stop.Done())
	s.stopped = interruption(stop)
	if err != nil {
		var init *fit.InitError
		if s.flags.dir != "" && errors.As(err, &init) {
			noise.Abandon(s.flags.dir)
		}
		return err
	}
	for _, f := range series.Fits {
		if s.flags.dir != "" {
			if err := f.Result.Save(filepath.Join(s.flags.dir, noise.Folder(f.Rho))); err != nil &&
				s.unsaved == nil {
				s.unsaved = err
			}
		}
	}
	return s.extrapolated(series.Extrapolate())
}

// series prepares the fits, and the folder where there is one.
func (s *runState) series(rhos []float64) (*noise.Series, error) {
	m, err := compileAloud(s.cmd, s.path, &s.flags.modelFlags, s.flags.quiet)
	if err != nil {
		return nil, err
	}
	s.model = m
	if err := noise.Suits(m, s.backend); err != nil {
		return nil, err
	}
	if err := s.inspect(); err != nil {
		return nil, err
	}
	sources, err := data.Locate(s.path, m.Parties(), s.flags.data)
	if err != nil {
		return nil, err
	}
	sources.Limit(s.flags.most)
	clients := m.Addends(sources)
	joining, err := s.flags.joining()
	if err != nil {
		return nil, err
	}
	if rhos == nil {
		sds, diags, err := noise.ScaledSDs(s.cmd.Context(), m, sources,
			fit.Options{Algorithm: s.backend, Joining: joining, Seed: s.flags.seed})
		if err := settleQuietly(s.cmd, diags, s.flags.quiet); err != nil {
			return nil, err
		}
		if err != nil {
			return nil, err
		}
		rhos = noise.Values(sds, clients)
	}
	if err := noise.Extrapolable(rhos, clients); err != nil {
		return nil, err
	}
	changed, err := s.flags.options()
	if err != nil {
		return nil, err
	}
	if s.flags.dir != "" {
		if err := noise.Begin(s.flags.dir, m.Name, clients, rhos, s.flags.replace); err != nil {
			return nil, err
		}
	}
	series, diags, err := s.openSeries(m, sources, rhos, joining, changed.Set)
	if s.flags.dir != "" && (err != nil || diags.HasErrors()) {
		noise.Abandon(s.flags.dir)
	}
	if err := settleQuietly(s.cmd, diags, s.flags.quiet); err != nil {
		return nil, err
	}
	return series, err
}

// openSeries prepares the fits.
func (s *runState) openSeries(m *compile.Model, sources data.Sources, rhos []float64, joining data.Joining,
	constants map[string]float64) (*noise.Series, diag.List, error) {
	s.screen = terminal.NewScreen(s.cmd.ErrOrStderr(), s.flags.quiet)
	o := fit.Options{
		Algorithm: s.backend, Settings: settingsFor(s.cmd, s.backend, m, s.typed), Joining: joining,
		Seed: s.flags.seed, SaveEvery: s.flags.every,
		LogLik: s.flags.logLik, Auxiliary: s.flags.saveAux, Progress: s.screen,
		Origin: fit.Origin{Constants: constants, Began: s.begun},
	}
	return noise.Open(m, sources, rhos, o, func(rho float64, o *fit.Options) {
		if s.flags.dir != "" {
			o.Dir = filepath.Join(s.flags.dir, noise.Folder(rho))
		}
		o.Origin.Command = s.fitCommand(rho, o.Dir)
	})
}

// fitCommand is the command line that makes one of the fits by itself.
func (s *runState) fitCommand(rho float64, dir string) []string {
	own := []string{extrapolateFlag, "rho", "output", "overwrite", "json", "strict"}
	typed := slices.DeleteFunc(slices.Clone(s.typed), func(name string) bool {
		return slices.Contains(own, name)
	})
	words := append(commandWords(s.cmd, s.path, s.cmd, typed), "--"+extrapolateFlag+"=false", "--rho",
		strconv.FormatFloat(rho, 'g', -1, 64))
	if dir != "" {
		words = append(words, "--output", dir)
	}
	return words
}

// extrapolated prints the result and what is wrong with it.
func (s *runState) extrapolated(e noise.Extrapolation) error {
	if err := writeExtrapolation(s.cmd, e, s.flags.asJSON); err != nil {
		return err
	}
	writeFindings(s.cmd, e.Findings)
	if s.unsaved != nil {
		return fit.WithNotes(s.unsaved, fmt.Sprintf("vflc resume %s finishes all fits", quoted(s.flags.dir)))
	}
	if s.flags.dir != "" {
		s.screen.Say("written to %s, a folder for each fit; vflc summary %s repeats this table", s.flags.dir,
			quoted(s.flags.dir))
	}
	return s.flags.strict.of(e.Findings)
}

// writeFindings writes what is wrong, as one warning a check.
func writeFindings(cmd *cobra.Command, findings []posterior.Finding) {
	for _, m := range fit.Messages(findings) {
		fmt.Fprintf(cmd.ErrOrStderr(), "warning: %s\n", m)
	}
}

func writeExtrapolation(cmd *cobra.Command, e noise.Extrapolation, asJSON bool) error {
	if asJSON {
		return posterior.WriteJSON(cmd.OutOrStdout(), e)
	}
	_, err := fmt.Fprint(cmd.OutOrStdout(), e.Table())
	return err
}

// summariseExtrapolation is vflc summary of the folder of an extrapolation, with all parameters or those that
// match.
func summariseExtrapolation(cmd *cobra.Command, dir string, patterns []string, asJSON bool) error {
	e, all, err := noise.Read(dir)
	if err != nil {
		return err
	}
	columns, err := all[0].Draws.Choose(patterns)
	if err != nil {
		return &failure{exitUsage, err}
	}
	e.Parameters = e.Chosen(columns)
	return writeExtrapolation(cmd, e, asJSON)
}

// resumeExtrapolation continues the fits in the folder of an extrapolation that have not finished, begins
// those that had not begun, and prints the posterior at rho = 0.
func resumeExtrapolation(cmd *cobra.Command, dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	x, err := runs.ReadExtrapolation(dir)
	if err != nil {
		return err
	}
	var begun *posterior.Record
	for _, f := range x.Fits {
		if r, err := runs.ReadRecord(filepath.Join(dir, f.Folder)); err == nil {
			begun = r
		}
	}
	if begun == nil {
		return fmt.Errorf("%s: none of its fits has begun; run the command again with --overwrite", dir)
	}
	done := 0
	for _, f := range x.Fits {
		finished, err := resumeFit(cmd, filepath.Join(dir, f.Folder), f.Rho, begun)
		if err != nil {
			return err
		}
		if finished {
			done++
		}
	}
	if done == len(x.Fits) {
		return fmt.Errorf("%s: its fits are complete; vflc summary %s prints the table", dir, quoted(dir))
	}
	return summariseExtrapolation(cmd, dir, nil, false)
}

// resumeFit continues one of the fits, or begins it as another of them was begun; finished reports that there
// was nothing left to do.
func resumeFit(cmd *cobra.Command, dir string, rho float64, other *posterior.Record) (finished bool,
	err error) {
	r, err := runs.ReadRecord(dir)
	if err != nil {
		return false, repeat(cmd, other, dir, io.Discard, "--rho", strconv.FormatFloat(rho, 'g', -1, 64))
	}
	var complete *fit.CompleteError
	switch err := fit.Resumable(dir, r); {
	case errors.As(err, &complete):
		return true, nil
	case err != nil:
		return false, err
	}
	return false, repeat(cmd, r, dir, io.Discard, "--"+resumeFlag)
}
