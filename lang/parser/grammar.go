package parser

import (
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/vflc/vflc/lang/ast"
)

// The grammar of statements and types, in participle's notation, read field by field. Expressions are in expr.go. What each statement means is said at the node
// of lang/ast that it becomes.
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
		Impute  *distSpec     `parser:" ('~' @@)?)?"`
	}
	paramStmt struct {
		place
		Name        ident     `parser:"'param' @@"`
		Type        *typeSpec `parser:"(':' @@)?"`
		Dist        *distSpec `parser:"'~' @@"`
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
		Dist     *distSpec `parser:" | '~' @@"`
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
		Dist     *distSpec `parser:"'~' @@"`
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
		Dist *distSpec `parser:"'~' @@"`
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
		Levels expr         `parser:"('(' @@ ')')?"`
		Bounds []*boundSpec `parser:"('<' @@ (',' @@)? '>')?"`
		Dims   []expr       `parser:"('[' @@ (',' @@)* ']')?"`
	}
	boundSpec struct {
		place
		Which ident `parser:"@@"`
		Value sized `parser:"'=' @@"`
	}
	distSpec struct {
		place
		Name ident  `parser:"@@"`
		Args []*arg `parser:"'(' (@@ (',' @@)*)? ')'"`
	}
	columnSpec struct {
		place
		Star   bool         `parser:"@'*'"`
		Quoted string       `parser:"| @String"`
		Name   ident        `parser:"| @@"`
		Args   []*columnArg `parser:"  ('(' @@ (',' @@)* ')')?"`
	}
	columnArg struct {
		place
		Name  *ident `parser:"@@"`
		Value *cell  `parser:"  ('=' @@)?"`
		Only  *cell  `parser:"| @@"`
	}
	cell struct {
		place
		Text string `parser:"@(Ident | String | Number)"`
	}
)

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

// A statement is a kind of statement that begins with a keyword.
type statement struct {
	keyword    string
	contextual bool // a keyword only before a name
	parse      production
}

// A production reads one kind of statement.
type production func(*lexer.PeekingLexer) (stmt, error)

// grammar holds what participle makes of the grammar.
type grammar struct {
	statements []statement // in the order of the language's description
	byKeyword  map[string]statement
	likelihood production
	body       production // in a client's module
	text       string     // in participle's form of EBNF
}

// theGrammar builds the grammar once.
var theGrammar = sync.OnceValue(func() *grammar {
	p := participle.MustBuild[stmt](
		participle.Lexer(definition{}),
		participle.UseLookahead(0), // no backtracking: the error of the first alternative that begins is the one to report
		participle.Union[innerStmt](&letStmt{}, &paramStmt{}, &weightStmt{}),
		participle.Union[stmt](
			&serverStmt{}, &clientStmt{}, &dataStmt{}, &paramStmt{}, &weightStmt{}, &contributionStmt{}, &privateStmt{}, &bodyStmt{}, &letStmt{}, &generateStmt{}, &constStmt{},
			&fnStmt{}, &importStmt{}, &levelsStmt{}, &likelihoodStmt{}, &factorStmt{}, &transformStmt{}, &programStmt{}, &auxStmt{}, &receiveStmt{}, &sendStmt{},
		),
	)
	g := &grammar{
		statements: []statement{
			{"server", false, of[serverStmt](p)},
			{"client", false, of[clientStmt](p)},
			{"data", false, of[dataStmt](p)},
			{"param", false, of[paramStmt](p)},
			{"weight", true, of[weightStmt](p)},
			{"contribution", false, of[contributionStmt](p)},
			{"module", true, of[privateStmt](p)},
			{"let", false, of[letStmt](p)},
			{"generate", false, of[generateStmt](p)},
			{"const", false, of[constStmt](p)},
			{"fn", false, of[fnStmt](p)},
			{"import", false, of[importStmt](p)},
			{"levels", true, of[levelsStmt](p)},
			{"factor", false, of[factorStmt](p)},
			{"transform", false, of[transformStmt](p)},
			{"program", true, of[programStmt](p)},
			{"aux", true, of[auxStmt](p)},
			{"receive", true, of[receiveStmt](p)},
			{"send", true, of[sendStmt](p)},
		},
		likelihood: of[likelihoodStmt](p),
		body:       of[bodyStmt](p),
		byKeyword:  map[string]statement{},
		text:       p.String(),
	}
	for _, s := range g.statements {
		g.byKeyword[s.keyword] = s
	}
	return g
})

// of returns the production of one kind of statement.
func of[S any, P interface {
	*S
	stmt
}](p *participle.Parser[stmt]) production {
	one, err := participle.ParserForProduction[S](p)
	if err != nil {
		panic("parser: " + err.Error()) // a statement is missing from the union above
	}
	return func(lex *lexer.PeekingLexer) (stmt, error) {
		s, err := one.ParseFromLexer(lex, participle.AllowTrailing(true))
		return P(s), err
	}
}

// find returns the statement that a keyword begins.
func (g *grammar) find(keyword string) (statement, bool) {
	s, ok := g.byKeyword[keyword]
	return s, ok
}

// Keywords lists the words that begin a statement of this version, in the order of the language's description. Likelihoods begin with a name.
func Keywords() []string {
	return all(theGrammar().statements, func(s statement) string { return s.keyword })
}
