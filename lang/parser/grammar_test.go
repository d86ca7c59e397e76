package parser_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/participle/v2/ebnf"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/parser"
)

// written returns the grammar: the tags of statements and types, the levels of precedence, and the
// productions in the comments of expressions.
func written(t *testing.T) string {
	t.Helper()
	lines := strings.Split(parser.Tags(), "\n")
	names := []string{ast.Loosest: "disjunction", "conjunction", "equality", "order", "range", "sum", "product",
		"prefix"}
	for level := ast.Loosest; level < ast.Prefix; level++ {
		repeated := "*"
		if ast.Single(level) {
			repeated = "?"
		}
		next, joined := names[level+1], strings.Join(operators(level), " | ")
		lines = append(lines, fmt.Sprintf("%s = %s ((%s) %s)%s .", names[level], next, joined, next,
			repeated))
	}
	production := regexp.MustCompile(`(?m)^//\t(\w+ = .* \.)$`)
	for _, file := range []string{"capture.go", "expr.go", "call.go", "recur.go"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range production.FindAllStringSubmatch(string(text), -1) {
			lines = append(lines, m[1])
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

// operators returns the operators of a level, quoted.
func operators(level int) []string {
	var out []string
	const symbols = " |&=!<>+-*/.^"
	for _, a := range symbols {
		for _, b := range symbols {
			if op := strings.TrimLeft(string(a)+string(b), " "); ast.Precedence(op) == level {
				out = append(out, fmt.Sprintf("%q", op))
			}
		}
	}
	return out
}

// TestGrammarIsDocumented compares the grammar with the page of the language. The flag -update writes it
// there.
func TestGrammarIsDocumented(t *testing.T) {
	const path, begin, end = "../../docs/language.md", "```ebnf\n", "```\n"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(page), begin)
	got, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no block %q", path, begin)
	}
	want := written(t)
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(path, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if got != want {
		t.Errorf("the grammar in %s is\n%s\nand the parser's is, which -update writes\n%s", path, got, want)
	}
}

// narrower is the grammar of the parts that verify.go has further rules for, by which these have no errors.
const narrower = `
FamilySpec = ident ("[" (ident | <number>) "]")? .
TypeSpec = ("level" "(" (expr | <string> ("," <string>)*) ")" | ident) ("<" "lower" "=" sized ("," "upper" "=" sized)? ">")?
    ("[" expr ("," expr)* "]")? .
ColumnSpec = ident ("(" ident ("," ColumnArg)* ")")? | <string> | "*" .
ColumnArg = ident ("=" Cell)? | Cell .
`

// TestSentences parses sentences of each statement's grammar, chosen at random, and the same with another
// word in the place of each: the errors are for users.
func TestSentences(t *testing.T) {
	grammar, err := ebnf.ParseString(written(t) + narrower)
	if err != nil {
		t.Fatal(err)
	}
	s := &speaker{productions: map[string]*ebnf.Expression{}, random: rand.New(rand.NewPCG(1, 2))}
	for _, p := range grammar.Productions {
		s.productions[p.Production] = p.Expression
	}
	intruders := []string{"", "0", "name", `"s"`, "=", ",", "(", ")"}
	for _, kind := range s.productions["Stmt"].Alternatives {
		for range 20 {
			s.words = nil
			s.sequence(kind, 0)
			text := strings.Join(s.words, " ")
			// `^ (` is the likelihood's
			powers := strings.Contains(text, "weights") && strings.Contains(text, "^")
			if kind.String() == "LikelihoodStmt" && s.words[0] != s.name() || powers {
				continue
			}
			if kind.String() == "BodyStmt" {
				text = "module m implements n\n" + text
			}
			checkPrinted(t, mustParse(t, text))
			for i := range s.words {
				broken := slices.Clone(s.words)
				broken[i] = intruders[s.random.IntN(len(intruders))]
				checkAny(t, strings.Join(broken, " "))
			}
		}
	}
}

// TestTermsHaveWords finds in what participle reads what an error may say that it expects inside brackets or
// after a comma: each has words for users.
func TestTermsHaveWords(t *testing.T) {
	found := regexp.MustCompile(`"[,({|]"\)? \(*([A-Z]\w*)`).FindAllStringSubmatch(parser.Tags(), -1)
	if len(found) < 5 {
		t.Fatalf("%d terms", len(found))
	}
	for _, m := range found {
		if words := parser.Wanted(m[1]); lastResort(words) {
			t.Errorf("%s: %s", m[1], words)
		}
	}
}

// A speaker makes sentences of a grammar.
type speaker struct {
	productions map[string]*ebnf.Expression
	random      *rand.Rand
	words       []string
}

// A speaker that has said so many words, or is in so many productions, takes the first alternative and leaves
// out what may be left out.
const mostWords, deepest = 60, 60

func (s *speaker) tired(depth int) bool { return depth > deepest || len(s.words) > mostWords }

// name is a name that may be that of a density.
func (s *speaker) name() string { return "a_lpdf" }

func (s *speaker) expression(e *ebnf.Expression, depth int) {
	k := 0
	if !s.tired(depth) {
		k = s.random.IntN(len(e.Alternatives))
	}
	s.sequence(e.Alternatives[k], depth+1)
}

func (s *speaker) sequence(q *ebnf.Sequence, depth int) {
	for _, term := range q.Terms {
		times := 1
		if term.Repetition != "" {
			times = 0
			if !s.tired(depth) && s.random.IntN(3) == 0 {
				times = 1 + s.random.IntN(map[string]int{"?": 1, "*": 2}[term.Repetition])
			}
		}
		for range times {
			s.term(term, depth)
		}
	}
}

func (s *speaker) term(t *ebnf.Term, depth int) {
	switch {
	case t.Group != nil:
		s.expression(t.Group.Expr, depth)
	case t.Name != "":
		s.expression(s.productions[t.Name], depth)
	case t.Token != "":
		spelt := map[string]string{"ident": s.name(), "number": "2", "string": `"s"`}
		s.words = append(s.words, spelt[t.Token])
	default:
		s.words = append(s.words, strings.Trim(t.Literal, `"`))
	}
}
