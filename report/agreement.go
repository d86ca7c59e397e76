package report

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/diag"
)

// An agreementSection is what those who answer for the parties' data sign.
type agreementSection struct {
	Verdict  []string
	Accepted []diag.Acceptance
	Manifest string // SHA-256
	Parties  []split.ManifestParty
	Settings []fact
}

// A programSection is the programs as they run.
type programSection struct{ Programs []programText }

type programText struct{ Party, File, Text string }

// A signatureSection has a line to sign for every party.
type signatureSection struct {
	Manifest string
	Parties  []split.ManifestParty
}

// WriteAgreement writes what parties agree to when they run the programs of a folder, as one HTML file: what
// each can compute of the others' data, every row of the audit, the programs, and a line to sign for each of
// them.
func WriteAgreement(w io.Writer, dir string, p *compile.Bundle) error {
	m := p.Manifest
	a, given, err := fit.Declared(m, nil, nil)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(dir, compile.ManifestFile))
	if err != nil {
		return err
	}
	rows, err := fit.Audit(p, a, given)
	if err != nil {
		return err
	}
	agreed := agreementSection{Verdict: m.Run.Verdict, Manifest: split.Digest(string(text)),
		Parties: m.Parties, Settings: settingsOf(a, given)}
	for _, d := range diag.Acceptances() {
		if slices.Contains(m.Accepted, d.Name) {
			agreed.Accepted = append(agreed.Accepted, d)
		}
	}
	var listed auditSection
	listed.list(rows)
	var programs programSection
	for _, party := range m.Parties {
		text, err := os.ReadFile(filepath.Join(dir, party.Program))
		if err != nil {
			return err
		}
		programs.Programs = append(programs.Programs, programText{party.Name, party.Program, string(text)})
	}
	page := frame{
		Title: m.Model, Kind: "what crosses between parties", Kicker: "What crosses between parties",
		Facts: []fact{{"Transform", transformOf(m)}, {"Backend", a.Name},
			{"Sums over clients", sumsText(rows)}, {"Parties", partiesText(m)},
			{"Manifest", "SHA-256 " + agreed.Manifest}},
		Footer: "vflc audit of the same folder prints the same rows. Each party refuses a run whose " +
			"programs, or whose messages, are not those of the manifest with this SHA-256.",
	}
	return page.write(w, []content{
		{"agreement", "What is agreed", agreed},
		{"audit", "What crosses", listed},
		{"programs", "What each party computes", programs},
		{"signatures", "Signatures", signatureSection{agreed.Manifest, m.Parties}},
	})
}

// settingsOf are those of a run that its manifest names, in the order of the algorithm.
func settingsOf(a backends.Algorithm, given map[string]string) (out []fact) {
	for _, s := range a.Settings {
		if v, ok := given[s.Name]; ok {
			out = append(out, fact{s.Name, v})
		}
	}
	return out
}

func sumsText(rows []compile.Disclosure) string {
	if slices.ContainsFunc(rows, func(d compile.Disclosure) bool { return d.Hidden }) {
		return "masked where it says so below"
	}
	return "not masked"
}

func transformOf(m *split.Manifest) string {
	if len(m.Predicted) > 0 {
		return "none: the programs are of a prediction, in which cuts cross without noise"
	}
	var noise []string
	for _, party := range m.Parties {
		if rho, ok := m.Rho[party.Name]; ok {
			noise = append(noise, party.Name+" "+rhoText(rho))
		}
	}
	if len(noise) == 0 {
		return m.Transform
	}
	return fmt.Sprintf("%s, rho: %s", m.Transform, strings.Join(noise, ", "))
}

func partiesText(m *split.Manifest) string {
	var names []string
	for _, party := range m.Parties {
		names = append(names, party.Name)
	}
	return strings.Join(names, ", ")
}
