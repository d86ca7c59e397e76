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

// A grammar holds the parsers that participle builds from the tags on the tree.
type grammar struct {
	statements []statement // in the order of the language's description
	byKeyword  map[string]statement
	likelihood func(*lexer.PeekingLexer) (ast.Stmt, error)
	body       func(*lexer.PeekingLexer) (ast.Stmt, error) // in a client's module
}

// theGrammar builds the grammar once.
var theGrammar = sync.OnceValue(func() *grammar {
	ast.Expressions.Expr, ast.Expressions.Sized, ast.Expressions.Weighting = parseExpr, parseSized, parseWeighting
	p := participle.MustBuild[ast.Stmt](
		participle.Lexer(definition{}),
		participle.UseLookahead(0), // no backtracking: the error of the first alternative that begins is the one to report
		participle.Elide("Space"),
		participle.ParseTypeWith(parseExpr),
		participle.ParseTypeWith(parseSized),
		participle.ParseTypeWith(parseWeighting),
		participle.Union[ast.Stmt](&ast.Server{}, &ast.Client{}, &ast.Data{}, &ast.Param{}, &ast.Weight{}, &ast.Contribution{}, &ast.Private{}, &ast.Body{}, &ast.Let{}, &ast.Generate{}, &ast.Const{}, &ast.Levels{}, &ast.Factor{}, &ast.Transform{},
			&ast.Program{}, &ast.Aux{}, &ast.Receive{}, &ast.Send{}, &ast.Fn{}, &ast.Import{}, &ast.Likelihood{}),
		participle.Union[ast.Inner](&ast.Let{}, &ast.Param{}, &ast.Weight{}),
	)
	g := &grammar{
		statements: []statement{
			{"server", false, production[ast.Server](p)},
			{"client", false, production[ast.Client](p)},
			{"data", false, production[ast.Data](p)},
			{"param", false, production[ast.Param](p)},
			{"weight", true, production[ast.Weight](p)},
			{"contribution", false, production[ast.Contribution](p)},
			{"module", true, production[ast.Private](p)},
			{"let", false, production[ast.Let](p)},
			{"generate", false, production[ast.Generate](p)},
			{"const", false, production[ast.Const](p)},
			{"fn", false, production[ast.Fn](p)},
			{"import", false, production[ast.Import](p)},
			{"levels", true, production[ast.Levels](p)},
			{"factor", false, production[ast.Factor](p)},
			{"transform", false, production[ast.Transform](p)},
			{"program", true, production[ast.Program](p)},
			{"aux", true, production[ast.Aux](p)},
			{"receive", true, production[ast.Receive](p)},
			{"send", true, production[ast.Send](p)},
		},
		likelihood: production[ast.Likelihood](p),
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
	if _, itself := any(new(S)).(participle.Parseable); itself { // participle would make its error a text
		return func(lex *lexer.PeekingLexer) (ast.Stmt, error) {
			s := P(new(S))
			return s, any(s).(participle.Parseable).Parse(lex)
		}
	}
	one, err := participle.ParserForProduction[S](p)
	if err != nil {
		panic("parser: " + err.Error()) // a statement is missing from the union above
	}
	return func(lex *lexer.PeekingLexer) (ast.Stmt, error) {
		s, err := one.ParseFromLexer(lex, participle.AllowTrailing(true))
		return P(s), err
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
