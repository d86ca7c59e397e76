// Package accept lists the disclosures that a run or a deployment may have only where somebody accepts them
// by name.
package accept

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vflc/vflc/lang/diag"
)

// A Acceptance is a way in which a model lets a party learn another's data, and which a user can accept.
type Acceptance struct {
	Name  string // of the flag's value, as --accept takes it
	Doc   string // what is accepted, as the end of "accepts that …"
	Codes []diag.Code
	// Split is true where party programs are written only if the disclosure is accepted. A simulation warns.
	Split bool
}

// All lists the disclosures.
func All() []Acceptance {
	return []Acceptance{
		{Name: "label-leak", Doc: "clients learn the server's response from what the server returns",
			Codes: []diag.Code{diag.LabelLeak}},
		{Name: "gradient-leak",
			Doc:   "the server learns data of a client from the gradient of a shared parameter",
			Codes: []diag.Code{diag.GradientLeak, diag.OwnLeak, diag.SmallCells}},
		{Name: "data-offset",
			Doc:   "data of a client enter a cut as they are, so that whoever receives it can recover them",
			Codes: []diag.Code{diag.DataOffset}, Split: true},
		{Name: "new-cut",
			Doc: "a generated quantity makes a client send a value that no " +
				"likelihood needs, in every round",
			Codes: []diag.Code{diag.GenerateOwner}},
		{Name: "no-noise",
			Doc: "a release under transform private has no noise, and so no privacy: for " +
				"data that are public anyway", Codes: []diag.Code{diag.NoBudget}},
		{Name: "few-rows",
			Doc: "of encrypted rows, in a simulation, a party learns more numbers than a twentieth of the " +
				"rows, or few rows stand alone in a column",
			Codes: []diag.Code{diag.TooFewRows, diag.AloneRows}},
	}
}

// Names returns the names of the disclosures, in the order of All.
func Names() []string {
	var out []string
	for _, d := range All() {
		out = append(out, d.Name)
	}
	return out
}

// A Accepted holds the names of what is accepted, in the order of All.
type Accepted []string

// Parse reads a list of names that are separated by commas. The error names one that is unknown.
func Parse(list string) (Accepted, error) {
	var given Accepted
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if !slices.Contains(Names(), name) {
			return nil, fmt.Errorf("%q is nothing that can be accepted: choose among %s", name,
				strings.Join(Names(), ", "))
		}
		given = append(given, name)
	}
	return slices.DeleteFunc(Names(), func(n string) bool { return !slices.Contains(given, n) }), nil
}

// Code reports whether diagnostics with a code are accepted.
func (s Accepted) Code(code diag.Code) bool {
	for _, d := range All() {
		if slices.Contains(d.Codes, code) && slices.Contains(s, d.Name) {
			return true
		}
	}
	return false
}

// Drop returns the diagnostics without those that are accepted.
func (s Accepted) Drop(list diag.List) diag.List {
	return slices.DeleteFunc(slices.Clone(list), func(d *diag.Diagnostic) bool { return s.Code(d.Code) })
}

// Flag is how a code is accepted on the command line; "" where it cannot be.
func Flag(code diag.Code) string {
	for _, d := range All() {
		if slices.Contains(d.Codes, code) {
			return "--accept " + d.Name
		}
	}
	return ""
}

// ForSplit returns the diagnostics as they are where party programs are written: warnings of a disclosure
// that must be accepted for this are errors.
func ForSplit(list diag.List) diag.List {
	out := slices.Clone(list)
	for i, d := range out {
		for _, a := range All() {
			if a.Split && slices.Contains(a.Codes, d.Code) {
				strict := *d
				strict.Severity, strict.Notes = diag.Error, slices.Clone(d.Notes)
				out[i] = strict.Note("a simulation runs with it; party programs are written only with %s",
					Flag(d.Code))
			}
		}
	}
	return out
}
