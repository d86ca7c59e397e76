package lsp

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
)

// wordStart is where the word that a text ends with begins. A point is no part of it.
func wordStart(text string) int {
	at := len(text)
	for at > 0 {
		r, n := utf8.DecodeLastRuneInString(text[:at])
		if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			break
		}
		at -= n
	}
	return at
}

// complete lists what may stand at a place.
func (s *server) complete(d *document, p completionParams) any {
	offset := d.lines.offset(p.Position)
	before := d.text()[:offset]
	start := wordStart(before)
	c := &completer{server: s, doc: d, offset: offset}
	at := d.lines.rangeOf(source.Span{Start: start, End: offset})
	if strings.HasSuffix(before[:start], ".") {
		c.members(before[wordStart(before[:start-1]) : start-1])
	} else if !inComment(d, offset) {
		if place := compile.WritingAt(before[:start]); p.Context.TriggerCharacter != " " || few(place.Word) {
			c.at(place)
		}
	}
	for i := range c.items {
		text := c.items[i].Label
		if c.items[i].TextEdit != nil {
			text = c.items[i].TextEdit.NewText
		}
		c.items[i].TextEdit = &textEdit{at, text}
	}
	return completionList{Items: append([]completionItem{}, c.items...)}
}

// resolve adds to a completion the page of what is built in.
func (s *server) resolve(item *completionItem) (any, error) {
	if text := s.pages(item.Label, ""); text != "" && item.Kind != kindVariable {
		item.Documentation = markdown(text)
	}
	return item, nil
}

// few reports whether few words may stand at a place, so that they are worth showing unasked.
func few(k compile.WordKind) bool {
	switch k {
	case compile.OwnerWord, compile.DistributionWord, compile.TypeWord, compile.TransformWord,
		compile.MissingWord, compile.InitialWord, compile.ModuleWord:
		return true
	}
	return false
}

// inComment reports whether a byte is inside a comment.
func inComment(d *document, offset int) bool {
	return slices.ContainsFunc(d.reading().tree.Comments, func(c ast.Comment) bool {
		return c.Span().Start < offset && offset <= c.Span().End
	})
}

// A completer collects completions.
type completer struct {
	*server
	doc    *document
	offset int
	items  []completionItem
}

// add adds a word; those of a lower rank come first. A body is a snippet.
func (c *completer) add(rank, kind int, name, detail, body string) {
	item := completionItem{Label: name, Kind: kind, Detail: detail, SortText: fmt.Sprint(rank) + name}
	if body != "" && c.client.Capabilities.TextDocument.Completion.CompletionItem.SnippetSupport {
		item.Format, item.TextEdit = asSnippet, &textEdit{NewText: body}
	}
	c.items = append(c.items, item)
}

// at adds what may stand at a place.
func (c *completer) at(p compile.WritingPlace) {
	kinds := map[compile.WordKind]int{compile.StatementWord: kindKeyword, compile.FollowingWord: kindKeyword,
		compile.DistributionWord: kindFunction, compile.ExpressionWord: kindFunction,
		compile.ColumnWord: kindFunction, compile.TypeWord: kindClass, compile.ModuleWord: kindModule}
	for _, w := range compile.Completions(c.universe, p) {
		kind, known := kinds[p.Word]
		if !known {
			kind = kindEnumMember
		}
		body := ""
		switch p.Word {
		case compile.DistributionWord, compile.ExpressionWord, compile.ColumnWord:
			body = callSnippet(w)
		case compile.BoundWord:
			body = w.Usage
		}
		c.add(2, kind, w.Name, w.Usage, body)
	}
	switch p.Word {
	case compile.OwnerWord:
		c.owners()
	case compile.StatementWord:
		c.snippets()
		c.scope(compile.ExpressionWord)
	case compile.DistributionWord:
		c.declared(distribution)
	case compile.ExpressionWord:
		c.arguments(p)
		c.declared(function)
		c.scope(p.Word)
	case compile.SizeWord:
		c.scope(p.Word)
	}
}

// callSnippet is a call with its arguments to fill in.
func callSnippet(w compile.Completion) string {
	_, list, ok := strings.Cut(w.Usage, "(")
	list, _, closed := strings.Cut(list, ")")
	if !ok || !closed {
		return w.Name + "($1)"
	}
	var out []string
	for _, a := range strings.Split(list, ", ") {
		if !strings.ContainsAny(a, "[…|") {
			out = append(out, fmt.Sprintf("${%d:%s}", len(out)+1, a))
		}
	}
	return w.Name + "(" + strings.Join(out, ", ") + ")"
}

// owners adds the parties.
func (c *completer) owners() {
	c.add(1, kindKeyword, check.Shared, "every party", "")
	for _, t := range c.doc.reading().names.file.by {
		if t.decl != nil && t.role == party {
			c.add(0, kindModule, t.name, t.decl.kind, "")
		}
	}
}

// arguments adds the names of the arguments of the distribution around a place.
func (c *completer) arguments(p compile.WritingPlace) {
	if dist, ok := c.universe.Dist(p.Call); ok && p.OfDist {
		for _, a := range dist.Params {
			c.add(1, kindProperty, a.Name, a.Doc, a.Name+" = $0")
		}
	}
}

// declared adds the functions or the distributions of the text.
func (c *completer) declared(r role) {
	for name, t := range c.doc.reading().names.others[r] {
		usage := signatureOf(t.decl.stmt)
		c.add(1, kindFunction, name, usage, callSnippet(compile.Completion{Name: name, Usage: usage}))
	}
	if r == function {
		for name := range c.doc.reading().names.others[module] {
			c.add(1, kindModule, name, "module", "")
		}
	}
}

// scope adds the names that have a value at the place, or the sizes.
func (c *completer) scope(word compile.WordKind) {
	file := c.doc.reading().names.file
	c.unfinished()
	for _, o := range c.doc.reading().names.all {
		inside := o.stmt != nil && o.stmt.Span().Start <= c.offset && c.offset <= o.stmt.Span().End
		switch {
		case !o.declares || o.of == nil || o.of.decl != o || o.role != value:
		case o.of.scope != file && !inside:
		case word == compile.SizeWord && o.kind != "size" && o.kind != "const" && o.kind != "data":
		case o.of.scope == file && inside && o.stmt.Span().End != c.offset: // its own declaration
		default:
			kind := map[string]int{"size": kindTypeParameter, "const": kindConstant}[o.kind]
			c.add(0, max(kind, kindVariable), o.name, c.detail(o), "")
		}
	}
}

// unfinished adds the names that a function or a distribution binds, of which the text has the beginning.
func (c *completer) unfinished() {
	text := c.doc.text()[:c.offset]
	start := max(strings.LastIndex("\n"+text, "\nfn "), strings.LastIndex("\n"+text, "\ndist "))
	if start < 0 || slices.ContainsFunc(c.doc.reading().tree.Stmts, func(s ast.Stmt) bool {
		return s.Span().Start >= start
	}) {
		return
	}
	before := "" // of the name and its arguments
	for _, w := range parser.Words(text[start:]) {
		word := text[start+w.Start : start+w.End]
		if slices.Contains([]string{"(", ",", "|", "[", "let", "param"}, before) && wordStart(word) == 0 &&
			start+w.End < c.offset {
			c.add(0, kindVariable, word, "argument", "")
		}
		if before = word; word == "=" || word == "return" {
			return
		}
	}
}

// detail is the type and owner of a name.
func (c *completer) detail(o *occurrence) string {
	if sym := c.doc.symbol(o.name); sym != nil && o.of.scope == c.doc.reading().names.file {
		return sym.Type.String() + " @ " + ownerOf(sym)
	}
	return o.kind
}

// members adds what stands behind a point: functions of a module, or parameters of a component.
func (c *completer) members(head string) {
	if _, tree := c.doc.module(c.server, head); tree != nil {
		for _, st := range tree.Stmts {
			if f, ok := st.(*ast.Fn); ok {
				usage := signatureOf(f)
				c.add(1, kindFunction, f.Name.Name, usage,
					callSnippet(compile.Completion{Name: f.Name.Name, Usage: usage}))
			}
		}
	}
	if p := c.doc.program(); p != nil {
		for _, sym := range p.Order {
			if name, ok := strings.CutPrefix(sym.Name, head+"."); ok {
				c.add(0, kindProperty, name, sym.Type.String(), "")
			}
		}
	}
}

// snippets adds whole statements.
func (c *completer) snippets() {
	for _, s := range [][2]string{
		{"data", "data ${1:x} : ${2:real[N]} @ ${3:shared}"},
		{"param", "param ${1:b} ~ ${2:" + c.anyPrior() + "}$0"},
		{"let", "let ${1:eta} = $0"}, {"generate", "generate ${1:q} = $0"}, {"const", "const ${1:K} = $0"},
		{"client", "client ${1:a}, ${2:b}"}, {"transform", "transform augmented(rho = ${1:0.25})"},
		{"fn", "fn ${1:f}(${2:x}) = $0"},
		{"ode", "let ${1:y} = ode(${2:f}, ${3:y0}, ${4:times}, ${0:a})"},
		{"recur", "let ${1:h} : real[${2:T}] = recur $1[1] = ${3:0}, $1[t] = $0 for t in 2..$2"},
	} {
		c.add(3, kindSnippet, s[0]+" …", s[1], s[1])
	}
}

// anyPrior is a distribution with its arguments, for a snippet to begin with.
func (c *completer) anyPrior() string {
	dist, _ := c.universe.Dist(stdlib.Noise)
	return dist.Name + "(0, 1)"
}

// signatureOf writes the head of a function or a distribution that a text declares.
func signatureOf(st ast.Node) string {
	var args []string
	switch st := st.(type) {
	case *ast.Fn:
		for _, a := range st.Args {
			var names []string
			for _, id := range a.Names() {
				names = append(names, id.Name)
			}
			if text := strings.Join(names, ", "); a.Name == nil {
				args = append(args, "["+text+"]")
			} else {
				args = append(args, text)
			}
		}
		return st.Name.Name + "(" + strings.Join(args, ", ") + ")"
	case *ast.Distribution:
		for _, a := range st.Args {
			text := a.Name.Name
			if a.Type != nil {
				text += " : " + format.Type(a.Type)
			}
			args = append(args, text)
		}
		return st.Name.Name + "(" + strings.Join(args, ", ") + ")"
	}
	return ""
}

// signatureHelp shows the arguments of the call around a place.
func (s *server) signatureHelp(d *document, p ofDocument) any {
	place := compile.WritingAt(d.text()[:d.lines.offset(p.Position)])
	if place.Call == "" {
		return nil
	}
	found := s.signatures(d, place)
	if len(found) == 0 {
		return nil
	}
	last := max(len(found[0].Parameters)-1, 0)
	return signatureHelp{Signatures: found[:1], ActiveParameter: min(place.Argument, last)}
}

// signatures finds what is called by a name.
func (s *server) signatures(d *document, place compile.WritingPlace) (out []signature) {
	r := function
	if place.OfDist {
		r = distribution
	}
	label := ""
	if t := d.reading().names.others[r][place.Call]; t != nil {
		label = signatureOf(t.decl.stmt)
	} else if head, name, ok := strings.Cut(place.Call, "."); ok {
		if f, _ := d.function(s, head, name); f != nil {
			label = signatureOf(f)
		}
	}
	if label != "" {
		return []signature{{Label: label, Parameters: parametersOf(label, nil)}}
	}
	for _, page := range stdlib.PagesOf(s.universe, place.Call) {
		if page.Kind == "distribution" == place.OfDist && (place.OfDist || page.Kind == "function") {
			usage, _, _ := strings.Cut(page.Usage, " or ")
			out = append(out, signature{Label: usage, Documentation: markdown(page.Doc),
				Parameters: parametersOf(usage, page.Arguments)})
		}
	}
	return out
}

// parametersOf lists the arguments in a head such as normal(mu, sigma).
func parametersOf(label string, docs []stdlib.Entry) []parameter {
	out := []parameter{}
	_, list, _ := strings.Cut(strings.TrimSuffix(label, ")"), "(")
	for _, a := range strings.Split(list, ", ") {
		x := parameter{Label: a}
		for _, e := range docs {
			if e.Name == a {
				x.Documentation = markdown(e.Doc)
			}
		}
		if a != "" {
			out = append(out, x)
		}
	}
	return out
}
