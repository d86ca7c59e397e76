package diag

import (
	"fmt"
	"slices"
	"strings"
)

// An Acceptance is a way in which a model lets a party learn another's data, and which a user can accept.
type Acceptance struct {
	Name  string // of the flag's value, as --accept takes it
	Doc   string // what is accepted, as the end of "accepts that …"
	Codes []Code
	// Split is true where party programs are written only if the disclosure is accepted. A simulation warns.
	Split bool
}

// Acceptances lists the disclosures.
func Acceptances() []Acceptance {
	return []Acceptance{
		{Name: "label-leak", Doc: "clients learn the server's response from what the server returns",
			Codes: []Code{LabelLeak}},
		{Name: "gradient-leak",
			Doc:   "the server learns data of a client from the gradient of a shared parameter",
			Codes: []Code{GradientLeak, OwnLeak, SmallCells}},
		{Name: "data-offset",
			Doc:   "data of a client enter a cut as they are, so that whoever receives it can recover them",
			Codes: []Code{DataOffset}, Split: true},
		{Name: "new-cut",
			Doc: "a generated quantity makes a client send a value that no " +
				"likelihood needs, in every round",
			Codes: []Code{GenerateOwner}},
		{Name: "no-noise",
			Doc: "a release under transform private has no noise, and so no privacy: for " +
				"data that are public anyway", Codes: []Code{NoBudget}},
		{Name: "few-rows",
			Doc: "of encrypted rows, in a simulation, a party learns more numbers than a twentieth of the " +
				"rows, or few rows stand alone in a column",
			Codes: []Code{TooFewRows, AloneRows}},
	}
}

// AcceptanceNames returns the names of the disclosures, in the order of Acceptances.
func AcceptanceNames() []string {
	var out []string
	for _, d := range Acceptances() {
		out = append(out, d.Name)
	}
	return out
}

// An Accepted holds the names of what is accepted, in the order of Acceptances.
type Accepted []string

// ParseAccepted reads a list of names that are separated by commas. The error names one that is unknown.
func ParseAccepted(list string) (Accepted, error) {
	var given Accepted
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if !slices.Contains(AcceptanceNames(), name) {
			return nil, fmt.Errorf("%q is nothing that can be accepted: choose among %s", name,
				strings.Join(AcceptanceNames(), ", "))
		}
		given = append(given, name)
	}
	ungiven := func(n string) bool { return !slices.Contains(given, n) }
	return slices.DeleteFunc(AcceptanceNames(), ungiven), nil
}

// Code reports whether diagnostics with a code are accepted.
func (s Accepted) Code(code Code) bool {
	for _, d := range Acceptances() {
		if slices.Contains(d.Codes, code) && slices.Contains(s, d.Name) {
			return true
		}
	}
	return false
}

// Drop returns the diagnostics without those that are accepted.
func (s Accepted) Drop(list List) List {
	return slices.DeleteFunc(slices.Clone(list), func(d *Diagnostic) bool { return s.Code(d.Code) })
}

// AcceptFlag is how a code is accepted on the command line; "" where it cannot be.
func AcceptFlag(code Code) string {
	for _, d := range Acceptances() {
		if slices.Contains(d.Codes, code) {
			return "--accept " + d.Name
		}
	}
	return ""
}

// ForSplit returns the diagnostics as they are where party programs are written: warnings of a disclosure
// that must be accepted for this are errors.
func ForSplit(list List) List {
	out := slices.Clone(list)
	for i, d := range out {
		for _, a := range Acceptances() {
			if a.Split && slices.Contains(a.Codes, d.Code) {
				strict := *d
				strict.Severity, strict.Notes = Error, slices.Clone(d.Notes)
				out[i] = strict.Note("a simulation runs with it; party programs are written only with %s",
					AcceptFlag(d.Code))
			}
		}
	}
	return out
}
