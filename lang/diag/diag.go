// Package diag holds diagnostics as values: messages with a code, a place, notes and fixes.
package diag

import (
	"fmt"
	"slices"
	"sort"

	"github.com/vflc/vflc/lang/source"
)

// Severity separates errors, which stop a run, from what does not.
type Severity int

// The severities.
const (
	Error Severity = iota
	Warning
	Info // of what is not wrong and yet seldom meant
)

// A Code identifies one kind of diagnostic, such as V0302. A code never changes its meaning; each has a page
// in [Pages].
type Code string

// A Fix replaces Span by Text, which corrects the cause of the diagnostic.
type Fix struct {
	Message string
	Span    source.Span
	Text    string
}

// A Note adds a second place, or (with a nil File) a sentence, to a diagnostic.
type Note struct {
	File    *source.File
	Span    source.Span
	Message string
}

// A Diagnostic is one message about one place.
type Diagnostic struct {
	Code     Code
	Severity Severity
	File     *source.File // nil if the diagnostic is about a flag or a data file
	Span     source.Span
	Message  string // what was found and what was expected
	Notes    []Note
	Fixes    []Fix
	Data     string // FILE:LINE if the place is in a data file
}

// Note appends a sentence without a place and returns d.
func (d *Diagnostic) Note(format string, args ...any) *Diagnostic {
	d.Notes = append(d.Notes, Note{Message: fmt.Sprintf(format, args...)})
	return d
}

// NoteAt appends a note with a place and returns d.
func (d *Diagnostic) NoteAt(file *source.File, span source.Span, format string, args ...any) *Diagnostic {
	d.Notes = append(d.Notes, Note{File: file, Span: span, Message: fmt.Sprintf(format, args...)})
	return d
}

// Fix appends a replacement of span by text and returns d.
func (d *Diagnostic) Fix(span source.Span, text, format string, args ...any) *Diagnostic {
	d.Fixes = append(d.Fixes, Fix{Message: fmt.Sprintf(format, args...), Span: span, Text: text})
	return d
}

// A List collects diagnostics. The zero value is an empty list.
type List []*Diagnostic

// Errorf appends an error and returns it, for notes and fixes.
func (l *List) Errorf(code Code, file *source.File, span source.Span, format string,
	args ...any) *Diagnostic {
	return l.add(Error, code, file, span, format, args)
}

// Warnf appends a warning and returns it, for notes and fixes.
func (l *List) Warnf(code Code, file *source.File, span source.Span, format string, args ...any) *Diagnostic {
	return l.add(Warning, code, file, span, format, args)
}

func (l *List) add(s Severity, code Code, file *source.File, span source.Span, format string,
	args []any) *Diagnostic {
	d := &Diagnostic{Code: code, Severity: s, File: file, Span: span, Message: fmt.Sprintf(format, args...)}
	*l = append(*l, d)
	return d
}

// repeats reports whether two diagnostics say the same of one place.
func (d *Diagnostic) repeats(o *Diagnostic) bool {
	return d.Code == o.Code && d.File == o.File && d.Span == o.Span && d.Message == o.Message
}

// HasErrors reports whether any diagnostic is an error.
func (l List) HasErrors() bool {
	for _, d := range l {
		if d.Severity == Error {
			return true
		}
	}
	return false
}

// maxErrors is the largest number of errors that Shown returns.
const maxErrors = 20

// Shown returns the diagnostics that a user should see, by position and each once: at most twenty errors or,
// if there are no errors, all others. A let that stands in two places is written out in both, so that what is
// wrong with it is found twice.
func (l List) Shown() List {
	want := Warning
	if l.HasErrors() {
		want = Error
	}
	var out List
	for _, d := range l {
		if (d.Severity == want || want == Warning && d.Severity == Info) &&
			!slices.ContainsFunc(out, d.repeats) {
			out = append(out, d)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Span.Start < out[j].Span.Start })
	if want == Error && len(out) > maxErrors {
		out = out[:maxErrors]
	}
	return out
}
