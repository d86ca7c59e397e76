package playground

import (
	"unicode/utf16"

	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
)

// A diagnostic is one with its places as offsets into the text of the model, in the units of UTF-16 that
// a browser counts. From and To are -1 where the place is elsewhere, which Where names.
type diagnostic struct {
	Code     diag.Code `json:"code"`
	Severity string    `json:"severity"`
	Message  string    `json:"message"`
	From     int       `json:"from"`
	To       int       `json:"to"`
	Where    string    `json:"where"`
	Notes    []string  `json:"notes"`
	Fixes    []fix     `json:"fixes"`
	Page     string    `json:"page"` // as vflc explain prints it
}

// A fix replaces a part of the model.
type fix struct {
	Message string `json:"message"`
	From    int    `json:"from"`
	To      int    `json:"to"`
	Text    string `json:"text"`
}

// found are diagnostics of a model.
func found(model *source.File, list diag.List) []diagnostic {
	out := []diagnostic{}
	for _, d := range list {
		f := diagnostic{Code: d.Code, Severity: d.Severity.String(), Message: d.Message, From: -1, To: -1,
			Where: d.Data,
			Notes: []string{}, Fixes: []fix{}, Page: pageOf(d.Code)}
		if d.File != nil && model != nil && d.File.Name == model.Name {
			f.From, f.To = units(d.File.Text, d.Span.Start), units(d.File.Text, d.Span.End)
			for _, x := range d.Fixes {
				f.Fixes = append(f.Fixes, fix{x.Message, units(d.File.Text, x.Span.Start),
					units(d.File.Text, x.Span.End), x.Text})
			}
		} else if d.File != nil {
			f.Where = d.File.Name
		}
		for _, n := range d.Notes {
			f.Notes = append(f.Notes, n.Message)
		}
		out = append(out, f)
	}
	return out
}

// units is an offset in bytes as one in units of UTF-16.
func units(text string, offset int) (n int) {
	for _, r := range text[:min(offset, len(text))] {
		n += utf16.RuneLen(r)
	}
	return n
}

// pageOf is the page of a code as text.
func pageOf(code diag.Code) string {
	p, ok := diag.Explain(code)
	if !ok {
		return ""
	}
	return p.Title + "\n\n" + p.Text + "\n\nWrong:\n\n" + p.Wrong + "\n\nRight:\n\n" + p.Right
}
