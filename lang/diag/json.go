package diag

import (
	"encoding/json"
	"io"

	"github.com/vflc/vflc/lang/source"
)

// A record is the JSON form of a diagnostic. Lines and columns start at 1, columns count runes, and an end is
// the position after the last rune.
type record struct {
	Code     Code         `json:"code"`
	Severity string       `json:"severity"`
	Message  string       `json:"message"`
	Place    *placeRecord `json:"place"` // null if Diagnostic.File is nil
	Data     string       `json:"data,omitempty"`
	Notes    []noteRecord `json:"notes"`
	Fixes    []fixRecord  `json:"fixes"`
}

type placeRecord struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"end_line"`
	EndColumn int    `json:"end_column"`
}

type noteRecord struct {
	Message string       `json:"message"`
	Place   *placeRecord `json:"place"`
}

type fixRecord struct {
	Message string       `json:"message"`
	Place   *placeRecord `json:"place"`
	Text    string       `json:"text"`
}

// A DiagnosticDocument is the JSON form of diagnostics.
type DiagnosticDocument struct {
	Schema      int      `json:"schema"`
	Diagnostics []record `json:"diagnostics"`
}

// DocumentOf holds all of l: pass l.Shown() for what a user should see.
func DocumentOf(l List) DiagnosticDocument {
	records := make([]record, len(l))
	for i, d := range l {
		records[i] = recordOf(d)
	}
	return DiagnosticDocument{1, records}
}

// JSON writes diagnostics for machines: {"schema":1,"diagnostics":[…]}. It writes all of l.
func JSON(w io.Writer, l List) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(DocumentOf(l))
}

func recordOf(d *Diagnostic) record {
	r := record{Code: d.Code, Severity: d.Severity.String(), Message: d.Message,
		Place: placeOf(d.File, d.Span), Data: d.Data, Notes: []noteRecord{}, Fixes: []fixRecord{}}
	for _, n := range d.Notes {
		r.Notes = append(r.Notes, noteRecord{n.Message, placeOf(n.File, n.Span)})
	}
	for _, f := range d.Fixes {
		r.Fixes = append(r.Fixes, fixRecord{f.Message, placeOf(d.File, f.Span), f.Text})
	}
	return r
}

func placeOf(f *source.File, at source.Span) *placeRecord {
	if f == nil {
		return nil
	}
	start, end := f.Position(at.Start), f.Position(at.End)
	return &placeRecord{f.Name, start.Line, start.Column, end.Line, end.Column}
}
