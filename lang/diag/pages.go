package diag

import "slices"

// A Page explains a code: what is wrong, why it is refused, and a program that gets the diagnostic beside one that does not.
type Page struct {
	Code  Code
	Title string // a few words, without a full stop
	Text  string // whole sentences
	Wrong string // an input that gets the code
	Right string // the same input, mended
}

// Pages lists the page of every code, by phase.
var Pages = slices.Concat(
	syntaxPages,
	namesPages,
	ownersPages,
	loaderPages,
	sizesPages,
	maximumPages,
	rowsPages,
	dataPages,
)

// Explain returns the page of a code, and whether there is one.
func Explain(code Code) (Page, bool) {
	i := slices.IndexFunc(Pages, func(p Page) bool { return p.Code == code })
	if i < 0 {
		return Page{}, false
	}
	return Pages[i], true
}
