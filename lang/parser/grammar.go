package parser

import (
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/vflc/vflc/lang/ast"
)

// A statement is a kind of statement that begins with a keyword.
type statement struct {
	keyword    string
	contextual bool // a keyword only before a name
	parse      func(*lexer.PeekingLexer) (ast.Stmt, error)
}

// A grammar holds the parsers of the statements: those that participle builds from the tags on the tree, and those that are written by hand.
type grammar struct {
	statements []statement // in the order of the language's description
	byKeyword  map[string]statement
	likelihood func(*lexer.PeekingLexer) (ast.Stmt, error)
	body       func(*lexer.PeekingLexer) (ast.Stmt, error) // in a client's module
}

// theGrammar builds the grammar once.
var theGrammar = sync.OnceValue(func() *grammar {
	options := []participle.Option{
		participle.Lexer(definition{}),
		participle.UseLookahead(0), // no backtracking: the error of the first alternative that begins is the one to report
		participle.Elide("Space"),
		participle.ParseTypeWith(parseExpr),
		participle.ParseTypeWith(parseInner),
	}
	column := participle.MustBuild[ast.Column](options...)
	p := participle.MustBuild[ast.Stmt](append(options, participle.Union[ast.Stmt](
		&ast.Server{}, &ast.Client{}, &ast.Private{}, &ast.Body{}, &ast.Const{}, &ast.Levels{}, &ast.Factor{}, &ast.Transform{}, &ast.Program{}, &ast.Send{}, &ast.Fn{}, &ast.Import{},
	))...)
	g := &grammar{
		statements: []statement{
			{"server", false, production[ast.Server](p)},
			{"client", false, production[ast.Client](p)},
			{"data", false, byHand(parseData(func(lex *lexer.PeekingLexer) (*ast.Column, error) {
				return column.ParseFromLexer(lex, participle.AllowTrailing(true))
			}))},
			{"param", false, byHand(parseParam)},
			{"weight", true, byHand(parseWeight)},
			{"contribution", false, byHand(parseContribution)},
			{"module", true, production[ast.Private](p)},
			{"let", false, byHand(parseLet)},
			{"generate", false, byHand(parseGenerate)},
			{"const", false, production[ast.Const](p)},
			{"fn", false, production[ast.Fn](p)},
			{"import", false, production[ast.Import](p)},
			{"levels", true, production[ast.Levels](p)},
			{"factor", false, production[ast.Factor](p)},
			{"transform", false, production[ast.Transform](p)},
			{"program", true, production[ast.Program](p)},
			{"aux", true, byHand(parseAux)},
			{"receive", true, byHand(parseReceive)},
			{"send", true, production[ast.Send](p)},
		},
		likelihood: byHand(parseLikelihood),
		body:       production[ast.Body](p),
		byKeyword:  map[string]statement{},
	}
	for _, s := range g.statements {
		g.byKeyword[s.keyword] = s
	}
	return g
})

// production returns the parser of one kind of statement.
func production[S any, P interface {
	*S
	ast.Stmt
}](p *participle.Parser[ast.Stmt]) func(*lexer.PeekingLexer) (ast.Stmt, error) {
	one, err := participle.ParserForProduction[S](p)
	if err != nil {
		panic("parser: " + err.Error()) // a statement is missing from the union above
	}
	return func(lex *lexer.PeekingLexer) (ast.Stmt, error) {
		s, err := one.ParseFromLexer(lex, participle.AllowTrailing(true))
		return P(s), err
	}
}

// byHand returns the parser of a kind of statement that has no tags.
func byHand[S any, P interface {
	*S
	ast.Stmt
}](parse func(*lexer.PeekingLexer, P) error) func(*lexer.PeekingLexer) (ast.Stmt, error) {
	return func(lex *lexer.PeekingLexer) (ast.Stmt, error) {
		s := P(new(S))
		return s, parse(lex, s)
	}
}

// find returns the statement that a keyword begins.
func (g *grammar) find(keyword string) (statement, bool) {
	s, ok := g.byKeyword[keyword]
	return s, ok
}

// keywords returns every word that begins a statement.
func (g *grammar) keywords() []string {
	var out []string
	for _, s := range g.statements {
		out = append(out, s.keyword)
	}
	return out
}
