package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/node"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/release"
)

// release makes the release of a model under transform private, or reads one, and goes on with the posterior
// given it.
func (s *runState) release() error {
	m := s.model
	switch {
	case m.Design == nil && s.flags.moments != "":
		return fmt.Errorf("--release is for a model under transform private, and %s has transform %s",
			m.Source.Name, m.Checked.Transform.Kind)
	case s.flags.signers != "" && s.flags.moments == "":
		return usagef("--authority is of those who have signed a release: give --release FILE too")
	case m.Design == nil:
		return nil
	}
	var diags diag.List
	var err error
	if s.flags.moments != "" {
		s.moments, err = readMoments(s.flags.moments, s.flags.signers)
	} else if s.moments, diags, err = s.releaseRows(); err == nil {
		err = settleQuietly(s.cmd, diags, s.flags.quiet)
	}
	if err != nil {
		return err
	}
	s.model, diags = m.Posterior(s.moments)
	if err := settleQuietly(s.cmd, diags, s.flags.quiet); err != nil {
		return err
	}
	if !s.flags.quiet {
		fmt.Fprintln(s.cmd.ErrOrStderr(), promise(s.moments))
	}
	if without := node.NoAccount(s.moments, s.account.Parties()); without != "" && s.flags.moments == "" &&
		!s.flags.quiet {
		fmt.Fprintln(s.cmd.ErrOrStderr(), without+noAccount)
	}
	return nil
}

// noAccount follows of which parties' rows none is kept.
const noAccount = ": nothing adds up what releases of them cost, bounds it, or refuses runs without noise; " +
	"--identity DIR keeps it, with the keys, history and [budget] of a party"

// releaseRows makes the release of the tables, and charges it to the accounts of those who have one.
func (s *runState) releaseRows() (*release.Moments, diag.List, error) {
	joining, err := s.flags.joining()
	if err == nil {
		s.account, err = node.OpenAccount(s.flags.identities)
	}
	if err != nil {
		return nil, nil, err
	}
	terms := s.model.Terms(nil)
	if s.account != nil && s.flags.dir == "" && !terms.NoNoise {
		return nil, nil, usagef("--identity keeps a ledger in the folder of the run; name one with -o")
	}
	if s.flags.dir != "" { // before anything is charged
		if err := fit.Free(s.flags.dir, s.flags.replace); err != nil {
			return nil, nil, err
		}
	}
	joining.Rows = s.account.Rows(terms)
	sources, err := data.Locate(s.path, s.model.Parties(), s.flags.data)
	if err != nil {
		return nil, nil, err
	}
	sources.Limit(int64(s.flags.most), int64(s.flags.memory))
	m, diags, err := fit.Release(s.model, sources, joining)
	if err != nil || diags.HasErrors() {
		return nil, diags, err
	}
	return m, diags, s.charge(m)
}

// charge notes what a release costs those who have an account, before anything of it leaves the process. What
// was paid for is then kept, whatever becomes of the run.
func (s *runState) charge(m *release.Moments) error {
	said, err := s.account.Charge(s.flags.dir, m)
	for _, text := range said {
		if !s.flags.quiet {
			fmt.Fprintln(s.cmd.ErrOrStderr(), text)
		}
	}
	if err != nil || said == nil {
		return err
	}
	text, err := m.JSON()
	if err == nil {
		err = safefile.WriteBytes(filepath.Join(s.flags.dir, posterior.MomentsFile), 0o600, text)
	}
	return err
}

// isPosterior reports whether a run that is resumed is of the posterior given a release.
func (s *runState) isPosterior() bool { return s.recorded != nil && hasReleased(s.flags.dir) }

// readMoments reads the file of a release.
func readMoments(path, authority string) (*release.Moments, error) {
	text, err := safefile.ReadText(path)
	if err != nil {
		return nil, err
	}
	m, err := release.Parse(text)
	if err == nil {
		err = node.CheckRelease(m, authority)
	}
	if err != nil {
		d := &diag.Diagnostic{Code: diag.BadRelease, Severity: diag.Error,
			Message: fmt.Sprintf("%s is no release: %v", path, err)}
		return nil, data.Errors{d.Note("give the %s of a run with -o, as it was written", posterior.MomentsFile)}
	}
	return m, nil
}

// promise says what a release promises.
func promise(m *release.Moments) string {
	if m.Terms.NoNoise {
		return fmt.Sprintf("release of %d rows without noise: it bounds nothing that it tells of a row",
			m.Rows)
	}
	return fmt.Sprintf("release of %d rows: epsilon %g at delta %g for one person's row, against all "+
		"parties but one; later fits of it (--release) cost nothing, and another release as much again",
		m.Rows, m.Terms.Epsilon, m.Terms.Delta)
}

// hasReleased reports whether a folder is that of a run with a release.
func hasReleased(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, posterior.MomentsFile))
	return err == nil
}

// printReleased says what the run in a folder has released, to whom and with which budget, where it has
// released something; kept are the parties with a ledger of it.
func printReleased(w io.Writer, dir string, kept []string) error {
	if !hasReleased(dir) {
		return nil
	}
	path := filepath.Join(dir, posterior.MomentsFile)
	m, err := readMoments(path, "")
	if err != nil {
		return err
	}
	var names, signers []string
	for _, c := range m.Columns {
		names = append(names, c.Name)
	}
	for _, s := range m.Signatures {
		signers = append(signers, s.Party)
	}
	budget, to := "without noise", "whoever has "+path
	if !m.Terms.NoNoise {
		budget = fmt.Sprintf("with epsilon %g at delta %g", m.Terms.Epsilon, m.Terms.Delta)
	}
	signed := "; one process has made it, and nobody signed it"
	if without := node.NoAccount(m, kept); without != "" {
		signed += "; " + without
	}
	if len(signers) > 0 {
		to, signed = "all parties", "; signed by "+strings.Join(signers, " and ")
	}
	sums := "second moments"
	if m.Gradients != nil {
		sums += fmt.Sprintf(" and %d scores", len(m.Gradients.Steps))
	}
	_, err = fmt.Fprintf(w, "Released once to %s: %s of %s of %d rows, %s%s.\n", to, sums,
		strings.Join(names, ", "), m.Rows, budget, signed)
	return err
}
