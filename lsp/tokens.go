package lsp

import (
	"slices"

	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
)

// The legend of semantic tokens, in the names of the specification.
var (
	tokenTypes = [...]string{"keyword", "variable", "parameter", "type", "typeParameter", "function", "namespace",
		"class", "property", "enumMember", "number", "string", "comment", "operator"}
	tokenModifiers = [...]string{"declaration", "readonly", "defaultLibrary"}
)

const (
	declarationBit = 1 << iota
	readonlyBit
	libraryBit
)

// A token is a part of a text with its type and modifiers.
type token struct {
	at        source.Span
	kind      string
	modifiers uint32
}

// tokens lists what the parts of a text are: its names by what they stand for, other words by their form.
func (s *server) tokens(d *document, _ ofDocument) any {
	r := d.reading()
	var all []token
	at := map[int]bool{}
	for _, o := range r.names.all {
		if o.at.Start < o.at.End && !at[o.at.Start] {
			kind, modifiers := o.token()
			all, at[o.at.Start] = append(all, token{o.at, kind, modifiers}), true
		}
	}
	for _, c := range r.tree.Comments {
		all = append(all, token{c.Span(), "comment", 0})
	}
	parsed := 0
	for _, w := range parser.Words(d.text()) {
		for parsed < len(r.tree.Stmts) && r.tree.Stmts[parsed].Span().End <= w.Start {
			parsed++
		}
		inside := parsed < len(r.tree.Stmts) && r.tree.Stmts[parsed].Span().Start <= w.Start
		if kind := form(d.text()[w.Start:w.End], inside); kind != "" && !at[w.Start] {
			all = append(all, token{w, kind, 0})
		}
	}
	slices.SortStableFunc(all, func(a, b token) int { return a.at.Start - b.at.Start })
	return semanticTokens{d.encoded(all)}
}

// token is how a name is shown.
func (o *occurrence) token() (string, uint32) {
	var bits uint32
	if o.declares {
		bits |= declarationBit
	}
	if o.of == nil && o.role != column {
		bits |= libraryBit
	}
	switch o.role {
	case party:
		return "class", bits
	case function, distribution, encoder:
		return "function", bits
	case module:
		return "namespace", bits
	case member, column:
		return "property", bits
	case element:
		return "type", bits
	case argument:
		return "parameter", bits
	case clause:
		return "enumMember", bits
	}
	if o.of == nil || o.of.decl == nil {
		return "variable", 0
	}
	switch o.of.decl.kind {
	case "size", "levels":
		return "typeParameter", bits
	case "argument", "param", "weight":
		return "parameter", bits
	case "data", "const":
		return "variable", bits | readonlyBit
	}
	return "variable", bits
}

// form is what a word is by its form. Outside of whole statements only what no name can be is known.
func form(word string, inside bool) string {
	switch c := word[0]; {
	case c >= '0' && c <= '9' || c == '.' && len(word) > 1 && word != "..":
		if word[len(word)-1] >= '0' && word[len(word)-1] <= '9' {
			return "number"
		}
		return "operator"
	case c == '"':
		return "string"
	case c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80:
		if inside || slices.Contains(parser.Keywords(), word) {
			return "keyword"
		}
		return ""
	case slices.Contains([]byte("()[]{},:"), c):
		return ""
	}
	return "operator"
}

// encoded writes tokens as the protocol has them: each by its distance from the one before. One that goes
// over several lines is cut up, and one that overlaps with the last is left out.
func (d *document) encoded(all []token) []uint32 {
	out := []uint32{}
	var last position
	end := 0
	for _, t := range all {
		if t.at.Start < end {
			continue
		}
		end = t.at.End
		kind := slices.Index(tokenTypes[:], t.kind)
		from, to := d.lines.position(t.at.Start), d.lines.position(t.at.End)
		for n := from.Line; n <= to.Line; n++ {
			begin, stop := 0, to.Character
			if n == from.Line {
				begin = from.Character
			}
			if n < to.Line {
				stop = d.lines.position(d.lines.starts[n] + len(d.lines.line(n))).Character
			}
			if stop <= begin {
				continue
			}
			step := begin
			if n == last.Line {
				step -= last.Character
			}
			out = append(out, uint32(n-last.Line), uint32(step), uint32(stop-begin), uint32(kind),
				t.modifiers)
			last = position{n, begin}
		}
	}
	return out
}
