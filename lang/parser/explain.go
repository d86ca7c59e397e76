package parser

import (
	"slices"
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
)

// A situation is an unexpected token with its context.
type situation struct {
	*parser
	at        int // the index of the token
	token     lexer.Token
	prev      lexer.Token // the word before it
	expected  string
	statement string        // the keyword of the statement, "" for a likelihood
	open      []lexer.Token // brackets of the statement that are open here
}

// explain returns the diagnostic for an unexpected token, from the first rule that recognises the mistake.
func (p *parser) explain(u *unexpected, at int) *fault {
	s := &situation{parser: p, at: at, token: u.token, expected: u.expected, open: p.openBrackets(at)}
	if p.isKeyword(p.start) {
		s.statement = p.words[p.start].Value
	}
	if at > 0 {
		s.prev = p.words[at-1]
	}
	for _, rule := range []func(*situation) *fault{
		misplacedBy, inDistribution, wrongCloser, unclosed, keywordAsName, junkBehind, missingTilde,
		missingColon, dataEquals,
		tildeOrEquals, doubledOperator, singleQuoted,
	} {
		if f := rule(s); f != nil {
			return f
		}
	}
	return general(s)
}

// openBrackets returns the brackets that the current statement has opened and not closed before word at.
func (p *parser) openBrackets(at int) []lexer.Token {
	var open []lexer.Token
	for _, t := range p.words[p.start:at] {
		if closerOf(t) != "" {
			open = append(open, t)
		} else if n := len(open); n > 0 && isCloser(t) {
			open = open[:n-1]
		}
	}
	return open
}

// place returns the span of the message: the token, or the end of the word before it if the token is on
// another line.
func (s *situation) place() source.Span {
	if s.at > s.start && (s.token.EOF() || s.firstOnLine(s.at)) {
		return after(s.prev)
	}
	return spanOf(s.token)
}

// wants reports whether the grammar expects the symbol or keyword.
func (s *situation) wants(literal string) bool { return s.expected == strconv.Quote(literal) }

// column reports whether the grammar expects a column or an argument of an encoder.
func (s *situation) column() bool { return nonterminals[s.expected] == aColumn }

// misplacedBy explains groups that do not follow the one value of a call.
func misplacedBy(s *situation) *fault {
	if !beginsGroups(s.token) || s.firstOnLine(s.at) {
		return nil
	}
	return byItself(s.token)
}

func byItself(t lexer.Token) *fault {
	return faultf(diag.MisplacedBy, spanOf(t),
		"`by` stands behind the one value of a function, before its groups").
		note("write sum(v by g), with g data of levels, or sum(v by g, h) for each pair of two; mean, max, " +
			"min and log_sum_exp go by groups too")
}

func wrongCloser(s *situation) *fault {
	if len(s.open) == 0 || !isCloser(s.token) {
		return nil
	}
	opener := s.open[len(s.open)-1]
	if closerOf(opener) == s.token.Value {
		return nil
	}
	f := faultf(diag.WrongBracket, spanOf(s.token), "found %s, but the bracket that is open is %s",
		quote(s.token.Value), quote(opener.Value))
	f.d.NoteAt(s.file, spanOf(opener), "it opens here").Fix(spanOf(s.token), closerOf(opener),
		"close the open bracket")
	return f
}

// unclosed explains an open bracket before a token that cannot be inside brackets.
func unclosed(s *situation) *fault {
	if len(s.open) == 0 || !s.token.EOF() && !s.beginsStatement(s.at) && !outsideBrackets[s.token.Value] {
		return nil
	}
	opener := s.open[len(s.open)-1]
	f := faultf(diag.Unclosed, spanOf(opener), "this %s is not closed before %s", quote(opener.Value),
		found(s.token))
	var closers strings.Builder
	for _, t := range slices.Backward(s.open) {
		closers.WriteString(closerOf(t))
	}
	if s.hidden(closerOf(opener)) {
		return f.note("`//` begins a comment: the %s behind it is not read", quote(closerOf(opener)))
	}
	f.d.Fix(after(s.prev), closers.String(), "close it")
	return f
}

// hidden reports whether the comment behind the word before the mistake, on its line, holds a text.
func (s *situation) hidden(text string) bool {
	for _, t := range s.tokens {
		if t.Type == commentToken && t.Pos.Line == s.prev.Pos.Line && t.Pos.Offset > s.prev.Pos.Offset {
			return strings.HasPrefix(t.Value, "//") && strings.Contains(t.Value, text)
		}
	}
	return false
}

// outsideBrackets lists the symbols and keywords that are never inside brackets.
var outsideBrackets = set("~ @ ; from noncentered weights")

func keywordAsName(s *situation) *fault {
	expected := s.expected == "ident" || s.expected == "expr" || s.column()
	if s.token.Type != keywordToken || s.firstOnLine(s.at) || !expected {
		return nil
	}
	f := faultf(diag.KeywordAsName, spanOf(s.token), "%s is a keyword and cannot be a name",
		quote(s.token.Value))
	column := s.column()
	if other, known := diag.Elsewhere(diag.Encoders, s.token.Value); column && known &&
		is(s.words[s.at+1], "(") {
		return f.note("%s", other.Sentence())
	}
	if column {
		f.d.Fix(spanOf(s.token), strconv.Quote(s.token.Value), "quote the column's name")
	} else {
		f.d.Fix(spanOf(s.token), s.token.Value+"_", "take another name")
	}
	return f
}

// junkBehind explains a name that follows a complete statement on its line.
func junkBehind(s *situation) *fault {
	if s.statement != "" || !s.wants("~") || s.start == 0 || s.start != s.end || s.firstOnLine(s.start) ||
		is(s.words[s.start-1], ";") {
		return nil
	}
	t := s.words[s.start]
	if f := s.misplaced(t); f != nil {
		return f
	}
	return s.behindStatement(t)
}

// behindStatement explains a word that follows a complete statement on its line.
func (p *parser) behindStatement(t lexer.Token) *fault {
	f := faultf(diag.MissingOperator, spanOf(t),
		"found %s after a complete statement, expected the next statement", found(t))
	if last, ok := p.stmts[len(p.stmts)-1].(*ast.Data); ok && is(t, ",") && last.Owner != nil {
		return f.note("data have one owner; what every party holds is `@ shared`, and columns of two " +
			"parties are data of two names")
	}
	if last, ok := p.stmts[len(p.stmts)-1].(*ast.Let); ok && last.Owner == nil &&
		(t.Type == identToken || t.Type == numberToken) {
		f.d.Message = "found " + found(t) + " after an expression, expected an operator or the next statement"
		f.d.Fix(before(t), "* ", "write the product")
	}
	return f
}

// missingTilde explains `param m normal(0, 1)` and `param m : normal(0, 1)`: a type has no arguments, but for
// level(R).
func missingTilde(s *situation) *fault {
	i := s.start + 2
	if s.statement != "param" || s.at < i || s.firstOnLine(i) {
		return nil
	}
	colon := is(s.words[i], ":")
	if colon {
		i++
	}
	if s.at < i || i+1 >= len(s.words) || s.words[i].Type != identToken || s.words[i].Value == "level" ||
		!is(s.words[i+1], "(") {
		return nil
	}
	at := before(s.words[i])
	if colon {
		at = spanOf(s.words[i-1])
	}
	f := faultf(diag.TildeOrEquals, spanOf(s.words[i]), "found %s, expected `~` before a distribution",
		quote(s.words[i].Value))
	text := "~ "
	if colon {
		text = "~"
	}
	f.d.Fix(at, text, "give a distribution")
	return f
}

// missingColon explains `param b real`.
func missingColon(s *situation) *fault {
	if s.token.Type != identToken || s.at != s.start+2 || s.firstOnLine(s.at) {
		return nil
	}
	typed := s.wants(":") || s.statement == "param" && s.wants("~") || s.statement == "let" && s.wants("=")
	if !typed {
		return nil
	}
	f := faultf(diag.MissingColon, spanOf(s.token), "found %s, expected a colon before the type",
		quote(s.token.Value))
	f.d.Fix(before(s.token), ": ", "write the colon")
	return f
}

// dataEquals explains `data X = onehot(ward)`: data are declared by a type, and read from columns.
func dataEquals(s *situation) *fault {
	if s.statement != "data" || !is(s.token, "=") || !s.wants(":") {
		return nil
	}
	f := faultf(diag.Unexpected, spanOf(s.token),
		"found `=`, expected `:`: data have a type, and are read `from` columns of a table")
	shape := "real[N]"
	if i := s.at + 2; i < len(s.words) && is(s.words[i], "(") {
		shape = "real[N, P]" // an encoder may give several columns
	}
	f.d.Fix(spanOf(s.token), ": "+shape+" from", "declare its type, and where it is read from")
	return f
}

// tildeOrEquals explains `~`, `=`, `==`, `:` or `>=` in place of one another.
func tildeOrEquals(s *situation) *fault {
	at := spanOf(s.token)
	switch {
	case s.wants("~") && is(s.token, "="):
		f := faultf(diag.TildeOrEquals, at,
			"found `=`, expected `~`: a distribution follows `~`, and `=` defines a `let`")
		if s.statement == "" && !s.data(s.words[s.start].Value) {
			f.d.Fix(before(s.words[s.start]), "let ", "define a name")
		} else {
			f.d.Fix(at, "~", "give a distribution")
		}
		return f
	case s.wants("=") && is(s.token, "~") && s.statement == "let":
		f := faultf(diag.TildeOrEquals, at,
			"found `~`, expected `=`: a `let` has a value, and a `param` has a distribution")
		f.d.Fix(spanOf(s.words[s.start]), "param", "declare a parameter")
		return f
	case s.wants("~") && is(s.token, "==") && s.statement == "":
		f := faultf(diag.TildeOrEquals, at, "found `==`, expected `~`")
		f.d.Fix(at, "~", "give a distribution")
		return f
	case s.statement == "" && s.wants("~") && is(s.token, ":"):
		return faultf(diag.Unexpected, at,
			"found `:`, expected `~`").note("A declaration begins with its keyword: " +
			"`data`, `param` or `let`.")
	case s.wants(">") && is(s.token, ">="):
		f := faultf(diag.Unexpected, at, "found `>=`, expected `>`")
		f.d.Fix(at, "> =", "separate the two")
		return f
	case (s.wants(")") || s.wants(",")) && is(s.token, "="):
		return faultf(diag.Unexpected, at,
			"found `=` inside an expression").note("`==` compares; the arguments of functions have no " +
			"names, only those of distributions, as in normal(mu = 0, sigma = 1)")
	}
	return nil
}

// data reports whether a statement above declares data of this name.
func (p *parser) data(name string) bool {
	return slices.ContainsFunc(p.stmts, func(s ast.Stmt) bool {
		d, ok := s.(*ast.Data)
		return ok && d.Name.Name == name
	})
}

// doubledOperator explains `**` in place of `^`.
func doubledOperator(s *situation) *fault {
	if s.expected != "expr" || !is(s.token, "*") || !is(s.prev, "*") ||
		s.prev.Pos.Offset+1 != s.token.Pos.Offset {
		return nil
	}
	both := spanOf(s.prev).Join(spanOf(s.token))
	f := faultf(diag.ExpectedExpr, both, "`**` is not an operator")
	f.d.Fix(both, "^", "write a power")
	return f
}

func singleQuoted(s *situation) *fault {
	if !is(s.token, "'") || !s.column() && s.expected != "expr" {
		return nil
	}
	return faultf(diag.ExpectedExpr, spanOf(s.token), "found `'`, expected %s",
		wanted(s.expected)).note(`Column names that need quotes take double ones, "like this".`)
}

// general reports the token that was found and what the grammar expects.
func general(s *situation) *fault {
	code := diag.Unexpected
	if wanted(s.expected) == nonterminals["expr"] {
		code = diag.ExpectedExpr
	}
	f := faultf(code, s.place(), "found %s, expected %s", found(s.token), s.wantedHere())
	if s.statement == "data" && is(s.token, "*") && len(s.open) > 0 {
		f.d.Message = "an encoder takes columns by their names, and `*` stands by itself"
		return f.note("name each column: from zscore(age), zscore(chol)")
	}
	if s.expected == `"("` && s.prev.Type == identToken && s.statement != "transform" {
		f.d.Note("A distribution is written with its arguments, as in normal(0, 1) or flat().")
	}
	s.advise(f)
	if s.token.Type != symbolToken && len(s.open) > 0 && (s.wants(")") || s.wants("]")) {
		// a comma would make it one argument more, where perhaps an operator is missing
		if sep := s.separator(); sep == "," {
			f.d.Note("a comma or an operator is missing between %s and %s", quote(s.prev.Value),
				quote(s.token.Value))
		} else {
			f.d.Fix(after(s.prev), sep, "separate the two")
		}
	}
	return f
}

// advise adds to a general message what stands in such a place.
func (s *situation) advise(f *fault) {
	opened := s.prev.Value == "["
	switch {
	case (s.statement == "param" || s.statement == "data") && s.at == s.start+2 && is(s.token, "["):
		f.d.Fix(before(s.token), " : real", "the shape stands behind the type")
	case s.statement == "param" && s.wants("~"):
		f.d.Message += ": a parameter is declared with its prior"
		f.note("param sigma : real<lower=0> ~ normal(0, 1); one without a prior has the density 1, ~ flat()")
	case s.statement == "const" && s.wants("="):
		f.note("a const has a value, which --set changes: const K = 5; a size that data bind is not declared")
	case s.statement == "transform" && s.at > s.start+1 && s.words[s.start+1].Value == "private":
		f.note("transform private(epsilon = 3, delta = 1e-6)")
	case s.statement == "transform" && s.at > s.start+1:
		f.note("transform augmented(rho = 0.2), or by client, transform augmented(rho = {a: 0.1, b: 0.2})")
	case s.statement == "fn" && s.wants("return"):
		f.note("the value of a body stands behind `return`: fn f(x) { return x + 1 }, or fn f(x) = x + 1")
	case s.statement == "fn" && is(s.token, ":"):
		f.note("arguments and values of functions have no types: fn f(x) = x + 1")
	case s.statement == "" && s.at == s.start+1 && s.prev.Value == "levels":
		f.note("levels R = \"A\", \"B\" lists the categories of the data that are level(R)")
	case s.expected == "expr" && opened && is(s.token, "]"):
		f.d.Fix(spanOf(s.prev).Join(spanOf(s.token)), "", "the whole array is its name")
	case s.expected == "expr" && (opened && is(s.token, ",") || s.prev.Value == "," && is(s.token, "]")):
		f.d.Fix(before(s.token), s.blankBefore()+":", "all along an axis is `:`")
	case s.statement == "let" && is(s.token, "[") || s.statement == "let" && is(s.token, "="):
		f.note("a recursion begins with `recur`: let h : real[T] = recur h[1] = …, h[t] = … for t in 2..T")
	case s.expected == "expr" && s.prev.Value == "(" && s.at > 1 && s.words[s.at-2].Value == "level":
		f.note("level(R) has as many categories as R, and level(\"M\", \"F\") those that are listed")
	case s.statement == "data" && s.wants(":") && is(s.token, "@"):
		f.note("data have a type, and one owner behind it: data X : real[N, P] @ a; columns of two parties are " +
			"data of two names")
	case s.expected == "TypeSpec":
		if other, known := diag.Elsewhere(diag.Types, s.token.Value); known {
			f.note("%s", other.Sentence())
		}
	}
}

// blankBefore is what separates an insertion before the token from the comma before it.
func (s *situation) blankBefore() string {
	if s.prev.Value == "," && s.prev.Pos.Offset+1 == s.token.Pos.Offset {
		return " "
	}
	return ""
}

// wantedHere describes what the grammar expects, with the comma that a list also allows.
func (s *situation) wantedHere() string {
	if s.statement == "transform" && s.at == s.start+1 {
		return "the name of a transform, such as `augmented`"
	}
	if s.statement == "data" && s.prev.Value == "missing" {
		return "`drop`, `impute` or `error`"
	}
	if !is(s.token, ",") && (s.wants("]") || s.wants(">") || s.wants("}") || s.wants(")") &&
		len(s.open) > 0 && s.separator() == ",") {
		return "`,` or " + wanted(s.expected)
	}
	return wanted(s.expected)
}

// separator returns the separator of two expressions in the innermost bracket: a comma in a list, else an
// operator.
func (s *situation) separator() string {
	opener := s.open[len(s.open)-1]
	i := s.indexOf(opener)
	if opener.Value != "(" || i > 0 && s.words[i-1].Type == identToken {
		return ","
	}
	return " *"
}

// badStart explains a word that cannot begin a statement.
func (p *parser) badStart() error {
	t := p.words[p.start]
	// directly after a correct statement
	behind := p.start > 0 && p.start == p.end && !is(p.words[p.start-1], ";")
	switch {
	case t.Type == invalidToken:
		return &unexpected{token: t}
	case isCloser(t):
		f := faultf(diag.WrongBracket, spanOf(t), "found %s, but no bracket is open", quote(t.Value))
		f.d.Fix(spanOf(t), "", "delete it")
		return f
	case is(t, "~") && p.runOn() > 0:
		return p.expectedBefore(p.runOn())
	case behind && p.misplaced(t) != nil:
		return p.misplaced(t)
	case t.Type == identToken:
		return p.unknownStatement(t)
	case behind && !p.firstOnLine(p.start):
		return p.behindStatement(t)
	}
	f := faultf(diag.UnknownStatement, spanOf(t),
		"a statement cannot begin with %s: it begins with a keyword such as `param`, or with the name of "+
			"data that has a likelihood", found(t))
	if p.likelihoodHere() {
		f.d.Note("give the left side a name: let z = 1 - y, and z ~ …; a number that was observed is a " +
			"factor, as factor bernoulli_lpmf(1 | p)")
	}
	return f
}

// likelihoodHere reports whether the line of a statement has a `~`.
func (p *parser) likelihoodHere() bool {
	for i := p.start; i < len(p.words) && (i == p.start || !p.firstOnLine(i)); i++ {
		if is(p.words[i], "~") {
			return true
		}
	}
	return false
}

// runOn returns the index of the first word on the current line if the correct statement above ended in an
// operator and so continued into that line, else 0.
func (p *parser) runOn() int {
	first := p.start
	for !p.firstOnLine(first) {
		first--
	}
	if p.start != p.end || first <= p.lastStart || first == p.start || !operators[p.words[first-1].Value] {
		return 0
	}
	return first
}

// operators lists the symbols that cannot end an expression.
var operators = set("|| && == != < <= > >= + - * / .* ./ ^ ! =")

// expectedBefore explains an expression that breaks off at the end of a line, and removes the statement that
// contains it.
func (p *parser) expectedBefore(first int) *fault {
	p.stmts, p.end, p.ranOn = p.stmts[:len(p.stmts)-1], 0, first
	return faultf(diag.ExpectedExpr, after(p.words[first-1]),
		"found the next statement, expected an expression")
}

// misplaced explains a clause that follows the statement that should contain it. It returns nil if t does not
// begin a clause.
func (p *parser) misplaced(t lexer.Token) *fault {
	code, message := diag.ClauseOrder, ""
	switch last := p.stmts[len(p.stmts)-1].(type) {
	case *ast.Data:
		switch {
		case is(t, "@") && last.Owner == nil:
			message = "the owner stands before `from`: data NAME : TYPE @ OWNER from COLUMNS"
		case is(t, "~"):
			code, message = diag.TildeOrEquals,
				"data has no distribution in its declaration: give it one in a statement of its own, "+
					quote(last.Name.Name+" ~ …")
		}
	case *ast.Param:
		switch {
		case is(t, "noncentered"):
			message = "`noncentered` stands before the owner: param NAME ~ DIST(…) noncentered @ OWNER"
		case is(t, "truncate"):
			message = "`truncate` stands behind the distribution: param NAME ~ DIST(…) " +
				"truncate(lower=A) @ OWNER"
		case is(t, "init"):
			message = "`init` belongs to a weight, which has no prior: weight NAME : TYPE init KIND @ OWNER"
		case is(t, "censor"):
			message = "only a likelihood can be censored; a value that is known to lie above C is " +
				"a parameter with a bound"
		}
	case *ast.Generate:
		if is(t, "@") {
			message = "a generated quantity has no owner: the party computes it whose names are in it"
		}
	case *ast.Weight:
		switch {
		case is(t, "~"):
			code, message = diag.TildeOrEquals,
				"a weight has no prior: it is estimated as a point; with a prior it is a parameter, "+
					quote("param "+last.Name.Name+" ~ …")
		case is(t, "="):
			code, message = diag.TildeOrEquals, "a weight has no value: "+quote("init zeros")+
				" names the kind of values that it begins with, and `let` defines a name"
		case is(t, "init"):
			message = "`init` stands before the owner: weight NAME : TYPE init KIND @ OWNER"
		case is(t, "(") && last.Init != nil:
			message = "a kind of initial values takes no arguments: weight NAME : TYPE init " + last.Init.Name
		case t.Type == identToken && last.Type == nil && last.Init == nil && !p.firstOnLine(p.start):
			code, message = diag.MissingColon, "found "+quote(t.Value)+", expected a colon before the type"
		}
	case *ast.Likelihood:
		switch {
		case is(t, "@"):
			message = "a likelihood has no owner: the compiler finds who evaluates it"
		case is(t, "weights"):
			message = "`weights` stands before the power: y ~ DIST(…) weights EXPRESSION ^ (POWER)"
		case is(t, "truncate"):
			message = "`truncate` stands behind the distribution, before `censor` and `weights`: y ~ " +
				"DIST(…) truncate(lower=A)"
		case is(t, "censor"):
			message = "`censor` stands behind the distribution and `truncate`, before `weights`: y ~ " +
				"DIST(…) censor(right=C)"
		case is(t, "noncentered"):
			message = "only a `param` can be noncentered"
		}
	}
	if message == "" && is(t, "@") {
		message = "a second owner, or an owner where none is allowed: a name has one owner, and `@ " +
			"shared` is seen by every party"
	}
	if message == "" {
		return nil
	}
	return faultf(code, spanOf(t), "%s", message)
}

// unknownStatement explains two words in a row, of which the first is not a keyword.
func (p *parser) unknownStatement(t lexer.Token) *fault {
	if f := p.blankInColumn(t); f != nil {
		return f
	}
	for i := p.start; i < min(p.start+2, len(p.words)); i++ {
		if beginsGroups(p.words[i]) && !p.firstOnLine(i) {
			return byItself(p.words[i])
		}
	}
	f := faultf(diag.UnknownStatement, spanOf(t), "%s does not begin a statement", quote(t.Value))
	if near := p.nearest(t.Value); near != "" {
		f.d.Fix(spanOf(t), near, "did you mean %s?", quote(near))
	}
	return f
}

// blankInColumn explains a column's name with blanks, as in `from age at entry`.
func (p *parser) blankInColumn(t lexer.Token) *fault {
	if len(p.stmts) == 0 {
		return nil
	}
	last, ok := p.stmts[len(p.stmts)-1].(*ast.Data)
	i := p.wordAt(t.Pos.Offset)
	if !ok || last.From == nil || i < 1 || p.firstOnLine(i) || p.words[i-1].Type != identToken {
		return nil
	}
	end := i
	for end+1 < len(p.words) && p.words[end+1].Type == identToken && !p.firstOnLine(end+1) {
		end++
	}
	whole := spanOf(p.words[i-1]).Join(spanOf(p.words[end]))
	f := faultf(diag.UnknownStatement, whole, "a column's name with blanks needs quotes")
	f.d.Fix(whole, strconv.Quote(p.file.Text[whole.Start:whole.End]), "quote it")
	return f
}

// synonyms maps keywords of other languages to vfl's.
var synonyms = map[string]string{"parameter": "param", "parameters": "param", "constant": "const",
	"var": "let", "distribution": "dist", "def": "fn", "function": "fn", "party": "client", "clients": "client"}

// nearest returns the statement keyword that a word probably means, or "".
func (p *parser) nearest(word string) string {
	word = strings.ToLower(word)
	best, least := synonyms[word], 3
	if best != "" {
		return best
	}
	for _, k := range Keywords() {
		d := levenshtein.ComputeDistance(word, k)
		if d < least && 2*d < len(k)+1 || d == least && best != "" && k < best {
			best, least = k, d
		}
	}
	return best
}
