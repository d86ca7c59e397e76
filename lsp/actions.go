package lsp

import (
	"slices"
	"strings"

	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
)

const (
	quickFix = "quickfix"
	fixAll   = "source.fixAll.vfl"
)

// actions lists the fixes of the diagnostics in a part of a text, the pages of their codes, and one action
// that applies every fix that has no alternative: a message offers what it is certain of alone.
func (s *server) actions(d *document, p codeActionParams) any {
	out := []codeAction{}
	if d.facts == nil || d.facts.file != d.file {
		return out
	}
	wanted := func(kind string) bool {
		return len(p.Context.Only) == 0 || slices.ContainsFunc(p.Context.Only, func(only string) bool {
			return kind == only || strings.HasPrefix(kind, only+".")
		})
	}
	within := d.lines.span(p.Range)
	var all []edit
	for _, x := range d.facts.list.Shown() {
		own := d.facts.own(x.File)
		if own && len(x.Fixes) == 1 {
			f := x.Fixes[0]
			all = append(all, edit{f.Span, f.Text})
		}
		shown := s.diagnostic(d, d.lines, x)
		at := d.lines.span(shown.Range)
		if at.Start > within.End || at.End < within.Start || !wanted(quickFix) {
			continue
		}
		if own {
			for _, f := range x.Fixes {
				out = append(out, codeAction{Title: f.Message, Kind: quickFix, IsPreferred: len(x.Fixes) == 1,
					Diagnostics: []diagnostic{shown}, Edit: d.workspace([]edit{{f.Span, f.Text}})})
			}
		}
		if page, ok := diag.Explain(x.Code); ok {
			title := "Explain " + string(x.Code) + ": " + page.Title
			out = append(out, codeAction{Title: title, Kind: quickFix, Diagnostics: []diagnostic{shown},
				Command: &command{title, explainCommand, []string{string(x.Code)}}})
		}
	}
	if all = apart(all); len(all) > 0 && wanted(fixAll) {
		out = append(out, codeAction{Title: "Apply every fix", Kind: fixAll, Edit: d.workspace(all)})
	}
	return out
}

// apart sorts edits and keeps those that do not overlap with the one before.
func apart(all []edit) (out []edit) {
	slices.SortStableFunc(all, func(a, b edit) int { return a.at.Start - b.at.Start })
	last := source.Span{Start: -1, End: -1}
	for _, e := range all {
		if e.at.Start >= last.End && e.at != last {
			out, last = append(out, e), e.at
		}
	}
	return out
}

func (d *document) workspace(edits []edit) *workspaceEdit {
	out := []textEdit{}
	for _, e := range edits {
		out = append(out, textEdit{d.lines.rangeOf(e.at), e.text})
	}
	return &workspaceEdit{map[string][]textEdit{d.uri: out}}
}
