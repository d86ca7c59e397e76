package diag

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// A Namespace is one of those that names of the language live in.
type Namespace int

// The namespaces, in the order of elsewhere.txt.
const (
	Functions Namespace = iota
	Distributions
	Types
	Encoders
	Initials
	Values
)

// A Foreign is a name that Stan, R, NumPy, SciPy, PyMC, BUGS or the description of this language has and this
// version has not. It is never taken for a misspelling.
type Foreign struct {
	Name  string
	From  string // whose name it is
	Write string // what to write here; "" where nothing here does the same
	Note  string // what else to know, "" for nothing
	// Write is a name that takes the same arguments and means the same, so that it can be put in its place
	Same bool
}

//go:embed elsewhere.txt
var elsewhereText string

// foreigns are the names by namespace, which is a section of the file; a line has names of which the same is
// said.
var foreigns = sync.OnceValue(func() (spaces [][]Foreign) {
	for line := range strings.Lines(elsewhereText) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
			continue
		case strings.HasPrefix(line, "["):
			spaces = append(spaces, nil)
			continue
		}
		fields := append(strings.Split(line, "|"), "", "", "")
		f := Foreign{From: strings.TrimSpace(fields[1]), Note: strings.TrimSpace(fields[3])}
		f.Write, f.Same = strings.CutPrefix(strings.TrimSpace(fields[2]), "= ")
		last := &spaces[len(spaces)-1]
		for name := range strings.SplitSeq(fields[0], ",") {
			f.Name = strings.TrimSpace(name)
			*last = append(*last, f)
		}
	}
	return spaces
})

// Foreigns lists the names of a namespace that are known elsewhere.
func Foreigns(space Namespace) []Foreign { return foreigns()[space] }

// Elsewhere returns a name that is known elsewhere.
func Elsewhere(space Namespace, name string) (Foreign, bool) {
	if i := strings.LastIndex(name, "_"); i > 0 && space == Functions &&
		slices.Contains([]string{"rng", "lupdf", "lupmf", "cdf", "ccdf"}, name[i+1:]) {
		return Foreign{Name: name, From: "Stan's name", Note: "the density functions here are " + name[:i] +
			"_lpdf or _lpmf, _lcdf and _lccdf, and a prediction may be a parameter that nothing uses, " +
			"param next ~ normal(mu, sigma)"}, true
	}
	list := Foreigns(space)
	i := slices.IndexFunc(list, func(f Foreign) bool { return f.Name == name })
	if i < 0 {
		return Foreign{}, false
	}
	return list[i], true
}

// later is whose name it is that a later version may have.
const later = "not in this version"

// Sentence is the advice on what to write.
func (f Foreign) Sentence() string {
	text := f.Name + " is " + f.From
	switch {
	case f.Write != "":
		text += ": write " + f.Write
	case f.Note == "" && f.From != later:
		text += ", and this version has nothing like it"
	}
	switch {
	case strings.HasPrefix(f.Note, "with "):
		text += ", " + f.Note
	case f.Note != "":
		text += "; " + f.Note
	}
	return text
}
