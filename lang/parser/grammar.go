package parser

import (
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/vflc/vflc/lang/ast"
)

// The grammar of statements and types, in participle's notation, read field by field. Expressions are in
// expr.go. What each statement means is said at the node of lang/ast that it becomes.
type (
	serverStmt struct {
		place
		Name ident `parser:"'server' @@"`
	}
	clientStmt struct {
		place
		Clients []*familySpec `parser:"'client' @@ (',' @@)*"`
	}
	familySpec struct {
		place
		Name  ident `parser:"@@"`
		Count expr  `parser:"('[' @@ ']')?"`
	}
	dataStmt struct {
		place
		Name    ident         `parser:"'data' @@"`
		Type    *typeSpec     `parser:"':' @@"`
		Owner   *ident        `parser:"('@' @@)?"`
		From    []*columnSpec `parser:"('from' @@ (',' @@)*)?"`
		Missing *ident        `parser:"('missing' @@"`
		Impute  *dist         `parser:" ('~' @@)?)?"`
	}
	paramStmt struct {
		place
		Name        ident     `parser:"'param' @@"`
		Type        *typeSpec `parser:"(':' @@)?"`
		Dist        *dist     `parser:"'~' @@"`
		Truncate    []*arg    `parser:"('truncate' '(' @@ (',' @@)* ')')?"`
		Noncentered bool      `parser:"@'noncentered'?"`
		Owner       *ident    `parser:"('@' @@)?"`
	}
	weightStmt struct {
		place
		Name  ident     `parser:"'weight' @@"`
		Type  *typeSpec `parser:"(':' @@)?"`
		Init  *ident    `parser:"('init' @@)?"`
		Owner *ident    `parser:"('@' @@)?"`
	}
	contributionStmt struct {
		place
		Name  ident     `parser:"'contribution' @@"`
		Type  *typeSpec `parser:"':' @@"`
		Owner *ident    `parser:"('@' @@)?"`
	}
	privateStmt struct {
		place
		Client ident `parser:"'module' @@"`
		Model  ident `parser:"'implements' @@"`
	}
	bodyStmt struct {
		place
		Name  ident `parser:"@@"`
		Value expr  `parser:"'=' @@"`
	}
	letStmt struct {
		place
		Name  ident     `parser:"'let' @@"`
		Type  *typeSpec `parser:"(':' @@)?"`
		Value expr      `parser:"'=' @@"`
		Owner *ident    `parser:"('@' @@)?"`
	}
	generateStmt struct {
		place
		Name     ident     `parser:"'generate' @@"`
		Type     *typeSpec `parser:"(':' @@)?"`
		Value    expr      `parser:"('=' @@"`
		Dist     *dist     `parser:" | '~' @@"`
		Truncate []*arg    `parser:"   ('truncate' '(' @@ (',' @@)* ')')?)"`
		Owner    *ident    `parser:"('@' @@)?"`
	}
	constStmt struct {
		place
		Name  ident `parser:"'const' @@"`
		Value expr  `parser:"'=' @@"`
	}
	fnStmt struct {
		place
		Name  ident       `parser:"'fn' @@"`
		Args  []*fnArg    `parser:"'(' (@@ (',' @@)*)? ')'"`
		Body  []innerStmt `parser:"( '{' ';'* (@@ ';'*)*"`
		Block bool        `parser:"  @'return'"`
		Value expr        `parser:"  @@ ';'* '}'"`
		Plain expr        `parser:"| '=' @@ )"`
	}
	fnArg struct {
		place
		Name  *ident   `parser:"@@"`
		Elems []*ident `parser:"| '[' @@ (',' @@)* ']'"`
	}
	distStmt struct {
		place
		Name  ident      `parser:"'dist' @@"`
		Value *distArg   `parser:"'(' @@"`
		Args  []*distArg `parser:"('|' @@ (',' @@)*)? ')'"`
		Body  []distPart `parser:"( '{' ';'* (@@ ';'*)* '}'"`
		Plain expr       `parser:"| '=' @@ )"`
	}
	distArg struct {
		place
		Name ident     `parser:"@@"`
		Type *typeSpec `parser:"(':' @@)?"`
	}
	importStmt struct {
		place
		Name *ident `parser:"'import' ( @@"`
		Path string `parser:"| @String )"`
	}
	levelsStmt struct {
		place
		Name       ident       `parser:"'levels' @@"`
		Categories []*category `parser:"'=' @@ (',' @@)*"`
	}
	category struct {
		place
		Text string `parser:"@(String | Number)"`
	}
	likelihoodStmt struct {
		place
		Left     expr      `parser:"@@"`
		Dist     *dist     `parser:"'~' @@"`
		Truncate []*arg    `parser:"('truncate' '(' @@ (',' @@)* ')')?"`
		Censor   []*arg    `parser:"('censor' '(' @@ (',' @@)* ')')?"`
		Weights  weighting `parser:"('weights' @@)?"`
		Power    expr      `parser:"('^' '(' @@ ')')?"`
	}
	factorStmt struct {
		place
		Value expr `parser:"'factor' @@"`
	}
	transformStmt struct {
		place
		Kind  ident   `parser:"'transform' @@"`
		Rho   expr    `parser:"('(' ('rho' '=' (@@"`
		RhoBy []*rho  `parser:" | '{' @@ (',' @@)* '}')"`
		Terms []*term `parser:" | @@ (',' @@)*) ')')?"`
	}
	rho struct {
		place
		Client ident `parser:"@@"`
		Value  expr  `parser:"':' @@"`
	}
	term struct {
		place
		Name  ident `parser:"@@"`
		Value expr  `parser:"'=' @@"`
	}
	programStmt struct {
		place
		Name ident `parser:"'program' @@"`
		For  ident `parser:"'for' @@"`
	}
	auxStmt struct {
		place
		Name ident     `parser:"'aux' @@"`
		Type *typeSpec `parser:"':' @@"`
		Dist *dist     `parser:"'~' @@"`
	}
	receiveStmt struct {
		place
		Name ident     `parser:"'receive' @@"`
		Type *typeSpec `parser:"':' @@"`
		From ident     `parser:"'from' @@"`
	}
	sendStmt struct {
		place
		Name  ident   `parser:"'send' @@"`
		Value expr    `parser:"('=' @@)?"`
		To    []ident `parser:"'to' @@ (',' @@)*"`
	}

	typeSpec struct {
		place
		Elem   ident        `parser:"@@"`
		Levels []expr       `parser:"('(' @@ (',' @@)* ')')?"`
		Bounds []*boundSpec `parser:"('<' @@ (',' @@)? '>')?"`
		Dims   []expr       `parser:"('[' @@ (',' @@)* ']')?"`
	}
	boundSpec struct {
		place
		Which ident `parser:"@@"`
		Value sized `parser:"'=' @@"`
	}
	columnSpec struct {
		place
		Name   ident        `parser:"@@"`
		Args   []*columnArg `parser:"  ('(' @@ (',' @@)* ')')?"`
		Quoted string       `parser:"| @String"`
		Star   bool         `parser:"| @'*'"`
	}
	columnArg struct {
		place
		Name  *ident `parser:"@@"`
		Value *cell  `parser:"  ('=' @@)?"`
		Only  *cell  `parser:"| @@"`
		Star  bool   `parser:"| @'*'"`
	}
	cell struct {
		place
		Text string `parser:"@(Ident | String | '-'? Number)"`
	}
)

// A file is what a text consists of. The parser reads its statements one at a time, since it goes on behind
// an error.
type file struct {
	Stmts []stmt `parser:"';'* (@@ ';'*)*"`
}

// A stmt is one of the statements above.
type stmt interface {
	node(p *parser) ast.Stmt
}

// An innerStmt may stand in a function.
type innerStmt interface {
	stmt
	inner()
}

func (*letStmt) inner()    {}
func (*paramStmt) inner()  {}
func (*weightStmt) inner() {}

// A distPart may stand in a distribution.
type distPart interface {
	stmt
	part()
}

func (*letStmt) part()      {}
func (*generateStmt) part() {}
func (*bodyStmt) part()     {}

// A statement is a kind of statement: the keyword that it begins with, and its grammar.
type statement struct {
	keyword    string // "" where it begins with a name
	contextual bool   // a keyword only before a name
	form       stmt
	bind       func(*participle.Parser[file]) production
	parse      production
}

// A production reads one kind of statement.
type production func(*lexer.PeekingLexer) (stmt, error)

// kind describes a kind of statement.
func kind[S any, P interface {
	*S
	stmt
}](keyword string, contextual bool) *statement {
	bind := func(p *participle.Parser[file]) production {
		one, err := participle.ParserForProduction[S](p)
		if err != nil {
			panic("parser: " + err.Error()) // the union of statements has no such form
		}
		return func(lex *lexer.PeekingLexer) (stmt, error) {
			s, err := one.ParseFromLexer(lex, participle.AllowTrailing(true))
			return P(s), err
		}
	}
	return &statement{keyword: keyword, contextual: contextual, form: P(new(S)), bind: bind}
}

// A grammar holds the kinds of statements.
type grammar struct {
	whole            *participle.Parser[file]
	statements       []*statement // that begin with a keyword, in the order of the language's description
	byKeyword        map[string]*statement
	likelihood, body *statement // the others; a body stands in a client's module
}

// theGrammar builds the grammar once.
var theGrammar = sync.OnceValue(func() *grammar {
	g := &grammar{byKeyword: map[string]*statement{}}
	g.likelihood, g.body = kind[likelihoodStmt]("", false), kind[bodyStmt]("", false)
	g.statements = []*statement{
		kind[serverStmt]("server", false),
		kind[clientStmt]("client", false),
		kind[dataStmt]("data", false),
		kind[paramStmt]("param", false),
		kind[weightStmt]("weight", true),
		kind[contributionStmt]("contribution", false),
		kind[privateStmt]("module", true),
		kind[letStmt]("let", false),
		kind[generateStmt]("generate", false),
		kind[constStmt]("const", false),
		kind[fnStmt]("fn", false),
		kind[distStmt]("dist", true),
		kind[importStmt]("import", false),
		kind[levelsStmt]("levels", true),
		kind[factorStmt]("factor", false),
		kind[transformStmt]("transform", false),
		kind[programStmt]("program", true),
		kind[auxStmt]("aux", true),
		kind[receiveStmt]("receive", true),
		kind[sendStmt]("send", true),
	}
	every := append(g.statements, g.likelihood, g.body)
	g.whole = participle.MustBuild[file](
		participle.Lexer(definition{}),
		// no backtracking: the error of the first alternative that begins is the one to report
		participle.UseLookahead(0),
		participle.Union[innerStmt](&letStmt{}, &paramStmt{}, &weightStmt{}),
		participle.Union[distPart](&letStmt{}, &generateStmt{}, &bodyStmt{}),
		participle.Union[stmt](all(every, func(s *statement) stmt { return s.form })...),
	)
	for _, s := range every {
		g.byKeyword[s.keyword], s.parse = s, s.bind(g.whole)
	}
	return g
})

// find returns the statement that a keyword begins.
func (g *grammar) find(keyword string) (*statement, bool) {
	s, ok := g.byKeyword[keyword]
	return s, ok
}

// Keywords lists the words that begin a statement of this version, in the order of the language's
// description. Likelihoods begin with a name.
func Keywords() []string {
	return all(theGrammar().statements, func(s *statement) string { return s.keyword })
}
