package diag

import "slices"

// A Page explains a code: what is wrong, why vflc refuses it, a program that produces the diagnostic, and a corrected program.
type Page struct {
	Code    Code
	Title   string // a few words, without a full stop
	Text    string // whole sentences
	Wrong   string // an input that produces the code
	Right   string // the same input, corrected
	Meaning bool   // a warning about what a result means: it is shown where a command is quiet, too
}

// Pages lists the page of every code, by phase.
var Pages = slices.Concat(
	syntaxPages,
	namesPages,
	ownersPages,
	cutsPages,
	loaderPages,
	functionPages,
	recurPages,
	leakPages,
	loadLeakPages,
	sizesPages,
	maximumPages,
	simulatePages,
	weightPages,
	privatePages,
	releasePages,
	rowsPages,
	studiesPages,
	cellsPages,
	networkPages,
	alignPages,
	estimatorsPages,
	startsPages,
	dataPages,
	infoPages,
)

// Loud returns the diagnostics that a command shows where it is quiet: errors, and what changes the meaning of a result.
func (l List) Loud() (out List) {
	for _, d := range l {
		if p, _ := Explain(d.Code); d.Severity == Error || d.Severity == Warning && p.Meaning {
			out = append(out, d)
		}
	}
	return out
}

// Explain returns the page of a code, and whether the code has one.
func Explain(code Code) (Page, bool) {
	i := slices.IndexFunc(Pages, func(p Page) bool { return p.Code == code })
	if i < 0 {
		return Page{}, false
	}
	return Pages[i], true
}
