package compile

import (
	"slices"
	"strings"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/stdlib"
)

// A WordKind is what kind of word is expected.
type WordKind int

// The kinds. What is built in for them is [Completions]'s; names of the model and of tables are the caller's.
const (
	StatementWord  WordKind = iota // the beginning of a statement
	ExpressionWord                 // a value
	OwnerWord                      // a party
	DistributionWord
	ColumnWord // a column of a table, or an encoder
	TypeWord
	SizeWord // a size in a type
	BoundWord
	TransformWord
	MissingWord   // what is done about missing cells
	InitialWord   // how a weight begins
	ModuleWord    // what is imported
	FollowingWord // what may follow a statement that could end here
	NewNameWord   // a name that is being declared
)

// A WritingPlace is where a word is about to be written.
type WritingPlace struct {
	Word    WordKind
	Keyword string // that the statement begins with; "" for a likelihood, and where one begins
	// Call is the innermost function or distribution whose arguments the place is among, "" for none, OfDist
	// tells which of the two, and Argument counts from 0.
	Call     string
	OfDist   bool
	Argument int
}

// A Completion is a word that may stand at a place, with its use, which begins with it.
type Completion struct{ Name, Usage string }

// writingCursor reads the words of the statement that a text ends in.
type writingCursor struct {
	words []string
	stack []int // the brackets that are open
	ended bool  // the last word ends a line, on which the statement could end
}

// WritingAt finds what is expected behind a text.
func WritingAt(before string) WritingPlace {
	c := readStatement(before)
	p := WritingPlace{Word: StatementWord}
	if len(c.words) == 0 || c.ended && len(c.stack) == 0 && couldEnd(c.last()) {
		return p
	}
	if slices.Contains(parser.Keywords(), c.words[0]) {
		p.Keyword = c.words[0]
	}
	c.call(&p)
	p.Word = c.kind(p.Keyword)
	return p
}

// readStatement finds the words of the last statement.
func readStatement(before string) *writingCursor {
	c := &writingCursor{}
	keywords, end := parser.Keywords(), 0
	for _, w := range parser.Words(before) {
		word := before[w.Start:w.End]
		first := end == 0 || strings.Contains(before[end:w.Start], "\n")
		if first && (slices.Contains(keywords, word) || len(c.stack) == 0 && couldEnd(c.last())) ||
			strings.Contains(before[end:w.Start], ";") {
			*c = writingCursor{}
		}
		switch {
		case word == "(" || word == "[" || word == "{":
			c.stack = append(c.stack, len(c.words))
		case (word == ")" || word == "]" || word == "}") && len(c.stack) > 0:
			c.stack = c.stack[:len(c.stack)-1]
		}
		c.words, end = append(c.words, word), w.End
	}
	rest := before[end:]
	if strings.Contains(rest, ";") {
		return &writingCursor{}
	}
	c.ended = strings.Contains(rest, "\n")
	return c
}

// back is a word of the statement from its end, "" where there are not as many.
func (c *writingCursor) back(n int) string {
	if n >= len(c.words) {
		return ""
	}
	return c.words[len(c.words)-1-n]
}

func (c *writingCursor) last() string { return c.back(0) }

func (c *writingCursor) has(word string) bool { return slices.Contains(c.words, word) }

// couldEnd reports whether a statement could end with a word: a name, a number, a text or a closing bracket.
func couldEnd(word string) bool {
	switch word {
	case "", "from", "missing", "init", "in", "for", "weights", "by", "transform", "return":
		return false
	case ")", "]", "}", "'", "*":
		return word != "*"
	}
	return isName(word) || word[0] >= '0' && word[0] <= '9' || word[0] == '"'
}

func isName(word string) bool {
	return word != "" && (word[0] == '_' || word[0] >= 'a' && word[0] <= 'z' ||
		word[0] >= 'A' && word[0] <= 'Z' || word[0] >= 0x80)
}

// call finds the call around the end of the statement.
func (c *writingCursor) call(p *WritingPlace) {
	for _, open := range slices.Backward(c.stack) {
		if c.words[open] != "(" || open == 0 || !isName(c.words[open-1]) {
			continue
		}
		p.Call = c.words[open-1]
		if dist, _, _, ok := ast.Density(p.Call); ok {
			p.Call, p.OfDist = dist, true
			if !slices.Contains(c.words[open:], "|") {
				p.Call = ""
			}
		}
		p.OfDist = p.OfDist || open > 1 && c.words[open-2] == "~"
		depth := 0
		for _, w := range c.words[open+1:] {
			switch {
			case w == "(" || w == "[" || w == "{":
				depth++
			case w == ")" || w == "]" || w == "}":
				depth--
			case w == "," && depth == 0:
				p.Argument++
			}
		}
		return
	}
}

// typed reports whether a statement has a type, and is in it or about to be.
func (c *writingCursor) typed(keyword string) bool {
	switch keyword {
	case "data", "param", "weight", "contribution", "let", "generate", "aux", "receive":
		return !c.has("~") && !c.has("=") && !c.has("@") && !c.has("from")
	}
	return false
}

// kind is what the last word calls for.
func (c *writingCursor) kind(keyword string) WordKind {
	last := c.last()
	bySign := map[string]WordKind{"@": OwnerWord, "to": OwnerWord, "~": DistributionWord,
		"missing": MissingWord, "init": InitialWord,
		"for": NewNameWord}
	switch kind, known := bySign[last]; {
	case known:
		return kind
	case keyword == "data" && c.has("from") && !c.has("missing"):
		return ColumnWord
	case len(c.words) == 1 && keyword == "transform":
		return TransformWord
	case len(c.words) == 1 && keyword == "import":
		return ModuleWord
	case len(c.words) == 1 && keyword != "" && keyword != "factor":
		return NewNameWord
	case c.typed(keyword) && last == ":" && len(c.stack) == 0:
		return TypeWord
	case c.typed(keyword) && len(c.stack) > 0:
		return SizeWord
	case c.typed(keyword) && c.has("<") && !c.has(">") && (last == "<" || last == ","):
		return BoundWord
	case len(c.stack) == 0 && couldEnd(last):
		return FollowingWord
	}
	return ExpressionWord
}

// Completions lists what is built in for a place.
func Completions(u *stdlib.Universe, p WritingPlace) []Completion {
	switch p.Word {
	case StatementWord:
		return withUsage(u, parser.Keywords())
	case ExpressionWord:
		return withUsage(u, u.Funcs())
	case DistributionWord:
		return append(withUsage(u, u.Dists()), withUsage(u, []string{"mixture"})...)
	case ColumnWord:
		return withUsage(u, u.Encoders())
	case TypeWord:
		names := []string{"real", "int", "binary", "count", "level"}
		if p.Keyword == "param" {
			names = append(names, u.StructuredTypes()...)
		}
		return withUsage(u, names)
	case BoundWord:
		return []Completion{{"lower", "lower = "}, {"upper", "upper = "}}
	case TransformWord:
		return withUsage(u, u.Transforms())
	case MissingWord:
		return bare("error", "drop", "impute")
	case InitialWord:
		return withUsage(u, u.Initials())
	case ModuleWord:
		return bare(u.Modules()...)
	case FollowingWord:
		return withUsage(u, following(p.Keyword))
	}
	return nil
}

// following lists the clauses of a kind of statement.
func following(keyword string) []string {
	switch keyword {
	case "data":
		return []string{"from", "missing"}
	case "param":
		return []string{"truncate", "noncentered"}
	case "weight":
		return []string{"init"}
	case "generate":
		return []string{"truncate"}
	case "":
		return []string{"truncate", "censor", "weights"}
	}
	return nil
}

func bare(names ...string) (out []Completion) {
	for _, n := range names {
		out = append(out, Completion{n, n})
	}
	return out
}

// withUsage gives names the first line of their pages, where they have one.
func withUsage(u *stdlib.Universe, names []string) []Completion {
	out := bare(names...)
	for i, c := range out {
		if p := stdlib.PagesOf(u, c.Name); len(p) > 0 {
			out[i].Usage = p[0].Usage
		}
	}
	return out
}
