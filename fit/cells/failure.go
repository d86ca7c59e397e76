package cells

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
)

// A Failure is an error that can be written down and sent: its text, its kind, and its diagnostics with their
// places.
type Failure struct {
	Text        string    `json:"text"`
	Usage       bool      `json:"usage,omitempty"` // a setting or a flag is wrong, not the model or the data
	Diagnostics diag.List `json:"diagnostics,omitempty"`
}

// FailureOf is an error as a failure; nil for none.
func FailureOf(err error) *Failure {
	if err == nil {
		return nil
	}
	f := &Failure{Text: err.Error()}
	var usage *fit.UsageError
	var found data.Errors
	f.Usage = errors.As(err, &usage)
	if errors.As(err, &found) {
		f.Diagnostics = diag.List(found)
	}
	return f
}

// ReadFailure reads a failure as JSON has it. What was sent by others is checked: a diagnostic has a code
// that there is, and places within its files.
func ReadFailure(text []byte) (*Failure, error) {
	var f Failure
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, err
	}
	for _, d := range f.Diagnostics {
		if d == nil || d.Severity < diag.Error || d.Severity > diag.Info || !within(d.File, d.Span) {
			return nil, errors.New("a diagnostic has no place")
		}
		if _, ok := diag.Explain(d.Code); !ok {
			return nil, errors.New("a diagnostic has no code")
		}
		for _, n := range d.Notes {
			if !within(n.File, n.Span) {
				return nil, errors.New("a note has no place")
			}
		}
		for _, x := range d.Fixes {
			if !within(d.File, x.Span) {
				return nil, errors.New("a fix has no place")
			}
		}
	}
	return f.Renamed(), nil
}

func within(f *source.File, s source.Span) bool {
	return f == nil || 0 <= s.Start && s.Start <= s.End && s.End <= len(f.Text)
}

// Error gives the text.
func (f *Failure) Error() string { return f.Text }

// Unwrap gives what kinds of errors a failure is.
func (f *Failure) Unwrap() (kinds []error) {
	if f.Diagnostics != nil {
		kinds = append(kinds, data.Errors(f.Diagnostics))
	}
	if f.Usage {
		kinds = append(kinds, &fit.UsageError{Err: errors.New(f.Text)})
	}
	return kinds
}

// Renamed is the failure with other names of files: the pairs are what to replace, and by what. It makes the
// files of places anew, which a failure that was sent has no lines of.
func (f *Failure) Renamed(pairs ...string) *Failure {
	names := strings.NewReplacer(pairs...)
	files := map[string]*source.File{}
	file := func(old *source.File) *source.File {
		if old == nil {
			return nil
		}
		if files[old.Name] == nil {
			files[old.Name] = source.New(names.Replace(old.Name), old.Text)
		}
		return files[old.Name]
	}
	out := &Failure{Text: names.Replace(f.Text), Usage: f.Usage}
	for _, d := range f.Diagnostics {
		if d == nil {
			continue
		}
		own := *d
		own.File, own.Message, own.Data, own.Notes = file(d.File), names.Replace(d.Message),
			names.Replace(d.Data), nil
		for _, n := range d.Notes {
			own.Notes = append(own.Notes, diag.Note{File: file(n.File), Span: n.Span,
				Message: names.Replace(n.Message)})
		}
		out.Diagnostics = append(out.Diagnostics, &own)
	}
	return out
}
