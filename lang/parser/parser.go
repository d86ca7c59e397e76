// Package parser turns vfl text into a syntax tree and diagnostics. It always returns a tree. The tree of a
// file with errors holds the correct statements.
//
// A hand-written lexer feeds participle, which parses statements and types by the tags in grammar.go, and
// calls a precedence climber, expr.go, for expressions. What is read becomes the tree in convert.go.
// Each statement is parsed on its own, and after an error the parser continues at the next statement.
package parser

import (
	"cmp"
	"slices"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
)

// Parse returns the tree of f and the errors in its text: at most a few per statement, and none that is a
// consequence of another.
func Parse(f *source.File) (*ast.File, diag.List) {
	tree, diags := parse(&parser{file: f, grammar: theGrammar(), tokens: tokenize(f.Text)})
	if len(diags) == 0 {
		return tree, nil
	}
	p := &parser{file: f, grammar: theGrammar(), tokens: tokenize(f.Text)}
	if p.habits(tree.Stmts); len(p.diags) == 0 {
		return tree, diags
	}
	return parse(p)
}

// parse parses the tokens of p.
func parse(p *parser) (*ast.File, diag.List) {
	p.lexical()
	stmts := p.statements()
	if !p.attempted && len(p.diags) == 0 {
		p.errorf(diag.EmptyFile, source.Span{},
			"this file has no statements").Note("A model has at least a parameter, `param b ~ normal(0, 1)`.")
	}
	return &ast.File{Source: p.file, Stmts: stmts, Comments: comments(p.tokens)}, p.diags
}

// parser is the state of one parse.
type parser struct {
	file    *source.File
	grammar *grammar
	tokens  []lexer.Token // all tokens but blanks
	words   []lexer.Token // the tokens that the grammar reads; the last one is EOF
	window  window        // what participle sees of the words
	start   int           // the index in words where the current statement begins
	end     int           // the index in words after the last correct statement
	stmts   []ast.Stmt
	diags   diag.List

	lastStart int // the index in words where the last correct statement begins
	// where the last correct statement should have ended, if it continued into the next one, else 0
	ranOn     int
	again     int  // where the parse last went back to, or 0
	attempted bool // the file has a token other than a semicolon
}

func comments(tokens []lexer.Token) []ast.Comment {
	var out []ast.Comment
	for _, t := range tokens {
		if t.Type == commentToken {
			out = append(out, ast.Comment{At: ast.At(spanOf(t)), Text: t.Value, Doc: isDoc(t.Value)})
		}
	}
	return out
}

// isDoc reports whether a comment documents the declaration below it.
func isDoc(text string) bool {
	return len(text) >= 3 && text[:3] == "///" && (len(text) == 3 || text[3] != '/')
}

// elided reports whether the grammar skips t.
func elided(t lexer.Token) bool { return t.Type == commentToken || t.Type == refusedToken }

// statements parses the file, statement by statement.
func (p *parser) statements() []ast.Stmt {
	p.findWords()
	for i := 0; ; {
		for is(p.words[i], ";") {
			i++
		}
		if p.words[i].EOF() || len(p.diags) >= maxDiagnostics {
			return p.stmts
		}
		p.attempted = true
		i = p.next(i)
	}
}

// findWords collects the tokens that the grammar reads. It marks a contextual keyword that begins its line,
// and that a name follows there, as a keyword, so that an unfinished statement above does not read it as a
// name.
func (p *parser) findWords() {
	p.words = p.tokens
	if slices.ContainsFunc(p.tokens, elided) {
		p.words = slices.DeleteFunc(slices.Clone(p.tokens), elided)
	}
	for i := range p.words[:len(p.words)-1] {
		if p.words[i].Type == identToken && p.isKeyword(i) && p.firstOnLine(i) && !p.firstOnLine(i+1) {
			p.words[i].Type = keywordToken
		}
	}
}

// next parses the statement that begins at word i, or reports why it cannot. It returns the word at which the
// next one is to be sought.
func (p *parser) next(i int) int {
	p.start = i
	p.seek(i)
	stmt, err := p.statement()
	read := p.window.from + p.window.Cursor()
	if err != nil {
		return p.recover(read, err)
	}
	p.stmts, p.end, p.lastStart = append(p.stmts, stmt.node(p)), read, p.start
	return read
}

// recover reports err and returns where the next statement begins: after the error and the words that were
// read, or back at the line that the statement swallowed.
func (p *parser) recover(read int, err error) int {
	retried := p.again > 0 && p.start == p.again
	n := len(p.diags)
	bad := p.report(err)
	// the guess that a likelihood begins here was wrong: its error is a consequence of the one before
	if retried && !p.tildeBetween(p.start, bad) {
		p.diags = p.diags[:n]
	}
	at := p.nextStart(max(p.start+1, read, bad))
	p.again = cmp.Or(p.ranOn, p.swallowed(bad))
	if end := p.functionEnd(); end > bad {
		at, p.again, p.ranOn = max(at, end), 0, 0
	}
	if p.ranOn = 0; p.again > 0 {
		at = p.again
	}
	return at
}

// swallowed returns the index of a likelihood that the current statement, unfinished on a line above, has
// probably read as its own, at most up to its `~`; else 0.
func (p *parser) swallowed(bad int) int {
	first := bad
	for first > p.start && !p.firstOnLine(first) {
		first--
	}
	if first <= p.start || first == bad || p.tildeBetween(first, bad) || p.words[first].Type != identToken ||
		!p.tildeOnLine(first) {
		return 0
	}
	return first
}

// statement parses the statement that begins at p.start.
func (p *parser) statement() (stmt, error) {
	lex := p.window.PeekingLexer
	switch t := p.words[p.start]; {
	case p.isKeyword(p.start):
		s, _ := p.grammar.find(t.Value)
		return s.parse(lex)
	case t.Type == identToken && is(p.words[p.start+1], "=") && p.private():
		return p.grammar.body.parse(lex)
	case t.Type == identToken && !p.misspelt(p.start):
		return p.grammar.likelihood.parse(lex)
	}
	return nil, p.badStart()
}

// private reports whether the file is the module of a client.
func (p *parser) private() bool { return is(p.words[0], "module") && p.isKeyword(0) }

// isKeyword reports whether word i begins a statement by its keyword.
func (p *parser) isKeyword(i int) bool {
	t := p.words[i]
	s, ok := p.grammar.find(t.Value)
	if !ok || !s.contextual || t.Type == keywordToken {
		return ok && t.Type == keywordToken
	}
	return t.Type == identToken && p.words[i+1].Type == identToken
}

// tildeBetween reports whether a `~` is among the words from i up to but not including j.
func (p *parser) tildeBetween(i, j int) bool {
	return slices.ContainsFunc(p.words[i:j], func(t lexer.Token) bool { return is(t, "~") })
}

// misspelt reports whether the name at word i is in the place of a keyword: another word follows it on its
// line.
func (p *parser) misspelt(i int) bool {
	next := p.words[i+1]
	return (next.Type == identToken || next.Type == keywordToken && next.Value != "weights") &&
		!p.firstOnLine(i+1)
}

// firstOnLine reports whether word i is the first on its line.
func (p *parser) firstOnLine(i int) bool {
	return i == 0 || p.words[i-1].Pos.Line < p.words[i].Pos.Line
}

// nextStart returns the index of the first word, from i on, that begins a statement or ends the file.
func (p *parser) nextStart(i int) int {
	depth := len(p.openBrackets(i))
	for ; !p.words[i].EOF() && !p.beginsStatement(i); i++ {
		// a likelihood or a definition, possibly malformed
		if depth == 0 && p.firstOnLine(i) && (p.tildeOnLine(i) || is(p.words[i+1], "=")) {
			return i
		}
		if closerOf(p.words[i]) != "" {
			depth++
		} else if isCloser(p.words[i]) && depth > 0 {
			depth--
		}
	}
	return i
}

// beginsStatement guesses whether a statement begins at word i: certainly at a keyword and after a semicolon,
// at a name only if the line looks like a likelihood.
func (p *parser) beginsStatement(i int) bool {
	t := p.words[i]
	if t.Type == keywordToken && p.isKeyword(i) || i > 0 && is(p.words[i-1], ";") {
		return true
	}
	return t.Type == identToken && p.firstOnLine(i) && (p.isKeyword(i) || p.tildeOnLine(i) || p.misspelt(i) &&
		p.nearest(t.Value) != "")
}

// tildeOnLine reports whether a `~` follows word i on its line, outside brackets that open there.
func (p *parser) tildeOnLine(i int) bool {
	depth := 0
	for j := i; !p.words[j].EOF() && p.words[j].Pos.Line == p.words[i].Pos.Line; j++ {
		switch t := p.words[j]; {
		case closerOf(t) != "":
			depth++
		case isCloser(t):
			depth--
		case is(t, "~") && depth == 0:
			return true
		}
	}
	return false
}

// closerOf returns the bracket that closes t, or "" if t opens nothing.
func closerOf(t lexer.Token) string {
	if t.Type != symbolToken {
		return ""
	}
	switch t.Value {
	case "(":
		return ")"
	case "[":
		return "]"
	case "{":
		return "}"
	}
	return ""
}

func isCloser(t lexer.Token) bool {
	return t.Type == symbolToken && (t.Value == ")" || t.Value == "]" || t.Value == "}")
}
