package parser

import (
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
)

// A line is the words of one statement as its layout shows it: to the end of the line, or further where brackets are open or an operator ends it.
type line struct {
	words    []lexer.Token
	depths   []int  // of open brackets before each word
	density  []bool // whether each word stands directly inside the brackets of a density function
	open     []bool // the brackets that are open at the end: whether each is that of a density function
	from, to int    // in the tokens of the file
}

// A habit is something that another language writes in a way of its own. found returns the first and the last word of it in a line.
type habit struct {
	found   func(l line) (first, last int, ok bool)
	message string // what it is, and what stands here for it
	note    string // an example
}

// habits looks for the mistakes of a file that does not parse. It reports each line with a habit of another language once, in the words of that language, and leaves it out: nothing else is said of it.
func (p *parser) habits() {
	lines := p.lines()
	for _, l := range lines {
		for _, h := range foreignPrograms {
			if first, last, ok := h.found(l); ok {
				p.habit(h, l, first, last)
				p.tokens = p.tokens[len(p.tokens)-1:]
				return
			}
		}
	}
	var kept []lexer.Token
	at := 0
	for _, l := range lines {
		for _, h := range foreignLines {
			first, last, ok := h.found(l)
			if !ok {
				continue
			}
			p.habit(h, l, first, last)
			whole := spanOf(l.words[0]).Join(spanOf(l.words[len(l.words)-1]))
			refused := p.tokens[l.from]
			refused.Type, refused.Value = refusedToken, p.file.Text[whole.Start:whole.End]
			kept, at = append(append(kept, p.tokens[at:l.from]...), refused), l.to
			break
		}
	}
	if at > 0 {
		p.tokens = append(kept, p.tokens[at:]...)
	}
}

func (p *parser) habit(h habit, l line, first, last int) {
	p.attempted = true
	p.errorf(diag.ForeignHabit, spanOf(l.words[first]).Join(spanOf(l.words[last])), "%s", h.message).Note("%s", h.note)
}

// lines divides the tokens.
func (p *parser) lines() []line {
	var out []line
	var l line
	depth := 0
	for i, t := range p.tokens {
		if t.EOF() || elided(t) {
			continue
		}
		if n := len(l.words); n > 0 {
			last := l.words[n-1]
			newLine := last.Pos.Line+strings.Count(last.Value, "\n") < t.Pos.Line
			if newLine && (depth <= 0 && !continues[last.Value] && !continues[t.Value] || p.keyword(t)) || is(last, ";") && depth <= 0 {
				out, l, depth = append(out, l), line{}, 0
			}
		}
		if len(l.words) == 0 {
			l.from = i
		}
		l.words, l.depths, l.to = append(l.words, t), append(l.depths, depth), i+1
		l.density = append(l.density, len(l.open) > 0 && l.open[len(l.open)-1])
		if closerOf(t) != "" {
			depth++
			_, _, _, density := ast.Density(l.at(len(l.words) - 2))
			l.open = append(l.open, density && t.Value == "(")
		} else if isCloser(t) {
			depth--
			l.open = l.open[:max(0, len(l.open)-1)]
		}
	}
	if len(l.words) > 0 {
		out = append(out, l)
	}
	return out
}

// keyword reports whether a word begins statements and nothing else.
func (p *parser) keyword(t lexer.Token) bool {
	_, ok := p.grammar.find(t.Value)
	return ok && t.Type == keywordToken
}

// continues lists the words that do not end a line, or begin one.
var continues = set("|| && == != < <= > >= + - * / .* ./ ^ = ~ , { else")

// at returns the text of word i, "" beyond the end.
func (l line) at(i int) string {
	if i < 0 || i >= len(l.words) {
		return ""
	}
	return l.words[i].Value
}

// touch reports whether no space stands between words i and i+1.
func (l line) touch(i int) bool {
	return i >= 0 && i+1 < len(l.words) && l.words[i].Pos.Offset+len(l.words[i].Value) == l.words[i+1].Pos.Offset
}

func (l line) name(i int) bool {
	return i >= 0 && i < len(l.words) && (l.words[i].Type == identToken || l.words[i].Type == keywordToken)
}

// ofDensity reports whether word i stands directly inside the brackets of a density function.
func (l line) ofDensity(i int) bool { return l.density[i] }

// where returns the first word that a condition holds for, -1 for none.
func (l line) where(holds func(i int) bool) int {
	for i := range l.words {
		if holds(i) {
			return i
		}
	}
	return -1
}

// index returns the first word with a text, -1 for none.
func (l line) index(text string) int { return l.where(func(i int) bool { return l.at(i) == text }) }

// depth is how many brackets are open before word i.
func (l line) depth(i int) int { return l.depths[i] }

// begins finds lines that begin with one of several words, followed by one of others.
func begins(first, then string) func(line) (int, int, bool) {
	a, b := set(first), set(then)
	return func(l line) (int, int, bool) { return 0, 1, a[l.at(0)] && b[l.at(1)] }
}

// word finds words that one condition holds for, with the one behind it.
func word(holds func(l line, i int) bool) func(line) (int, int, bool) {
	return func(l line) (int, int, bool) {
		i := l.where(func(i int) bool { return holds(l, i) })
		return i, min(i+1, len(l.words)-1), i >= 0
	}
}

var (
	stanTypes   = set("real int vector row_vector matrix simplex ordered positive_ordered unit_vector array complex cholesky_factor_corr cholesky_factor_cov corr_matrix cov_matrix")
	pythonUses  = set("pm pymc numpyro tfd tfp pyro dist")
	densityEnds = []string{"_lupdf", "_lupmf", "_cdf", "_ccdf", "_rng"}
)

const (
	formulaNote = "write y ~ normal(a + b * x, sigma) with param a, b and sigma declared above; (1 | g) is param u : real[G] ~ normal(0, tau) with u[g] in the predictor, and g data of type level(G)"
	choiceNote  = "let z = where(age > 40, a, b)"
)

// foreignPrograms are the habits after which the whole file is in another language.
var foreignPrograms = []habit{
	{
		found: func(l line) (int, int, bool) {
			n := 1
			if l.at(0) == "transformed" || l.at(0) == "generated" {
				n = 2
			}
			block := set("functions data parameters model transformed generated")[l.at(0)] && l.at(n) == "{"
			return 0, n, block
		},
		message: "this is a program of Stan or BUGS in blocks; a vfl model is a list of statements, without blocks",
		note:    "write data y : real[N], param mu ~ normal(0, 1) with its prior, and y ~ normal(mu, 1); vectors are real[N], matrices real[N, K]",
	},
	{
		found: func(l line) (int, int, bool) {
			last := l.at(len(l.words) - 1)
			uses := l.where(func(i int) bool {
				library, _, pointed := strings.Cut(l.at(i), ".")
				return pointed && pythonUses[library]
			})
			python := l.at(0) == "import" && l.index("as") > 0 || l.at(0) == "from" && l.index("import") > 0 || (l.at(0) == "with" || l.at(0) == "def" || l.at(0) == "class") && last == ":"
			if uses >= 0 {
				return uses, uses, true
			}
			return 0, 1, python
		},
		message: "this is Python; a vfl model is a list of declarations and likelihoods",
		note:    "b = pm.Normal(\"b\", 0, 1) is param b ~ normal(0, 1); pm.Normal(\"y\", mu, 1, observed=y) is y ~ normal(mu, 1) with data y : real[N]",
	},
	{
		found:   begins("library require brm stan_glm stan_glmer lm glm lmer glmer gam quap ulam", "("),
		message: "this is R; a vfl model is a list of declarations and likelihoods",
		note:    formulaNote,
	},
}

// foreignLines are the habits of a line.
var foreignLines = []habit{
	{
		found: func(l line) (int, int, bool) {
			if !stanTypes[l.at(0)] {
				return 0, 0, false
			}
			i := 1
			if l.at(1) == "<" {
				for i < len(l.words) && l.at(i) != ">" {
					i++
				}
				i++
			}
			if l.at(i) == "[" {
				for i++; i < len(l.words) && !(l.at(i) == "]" && l.depth(i) == 1); i++ {
				}
				i++
			}
			return 0, min(i, len(l.words)-1), l.name(i) && l.at(i) != "weights"
		},
		message: "a declaration begins with `data`, `param` or `let`, and its type follows the name",
		note:    "data y : real[N]; param sigma : real<lower=0> ~ normal(0, 1); let eta = a + X * b",
	},
	{
		found:   begins("target lp__", "+ +="),
		message: "`target +=` is Stan's; here a likelihood is y ~ DIST(…), and a prior stands where its parameter is declared",
		note:    "`factor EXPR` adds any other term to the log density: factor log_mix(w, a, b), factor normal_lpdf(y | mu, sigma)",
	},
	{
		found:   begins("for while foreach repeat", "( i j k n t {"),
		message: "there are no loops: a statement is about whole arrays, and a recursion is a let with `recur`",
		note:    "y ~ normal(a + b * x, sigma) is the likelihood of every y, u[g] looks up one value for each row, sum(b[k] * x[k] for k in 1..K) is a sum, and let h : real[T] = recur h[1] = e[1], h[t] = phi * h[t - 1] + e[t] for t in 2..T goes step by step",
	},
	{
		found:   word(func(l line, i int) bool { return l.at(i) == "?" }),
		message: "`? :` is Stan's; a choice is where(CONDITION, A, B), with a condition of data",
		note:    choiceNote,
	},
	{
		found: word(func(l line, i int) bool {
			return l.at(i) == "if" && (l.at(i+1) == "(" && i == 0 || l.index("then") > i || l.index("else") > i)
		}),
		message: "there is no `if`: a choice is where(CONDITION, A, B), with a condition of data",
		note:    choiceNote,
	},
	{
		found: word(func(l line, i int) bool {
			if l.at(i) != "<" || l.at(i+1) != "-" || !l.touch(i) {
				return false
			}
			named := i == 1 && l.name(0) || i == 2 && l.at(0) == "let" || l.at(i-1) == "]" && l.name(0) && l.depth(i) == 0
			return named && l.index("~") < 0
		}),
		message: "`<-` is the assignment of R and BUGS; here a name is defined by let NAME = EXPRESSION",
		note:    "let mu = a + b * x, for all rows at once",
	},
	{
		found: word(func(l line, i int) bool {
			return l.at(i) == "T" && (l.at(i+1) == "[" || l.at(i+1) == "(") && l.at(i-1) == ")"
		}),
		message: "`T[a, b]` is the truncation of Stan and BUGS; here it is y ~ DIST(…) truncate(lower=a, upper=b)",
		note:    "an end that is left out is none: truncate(lower=0); for values known to lie above C write censor(right=C)",
	},
	{
		found: func(l line) (int, int, bool) {
			k := l.index("~")
			if k < 1 || l.words[0].Type == keywordToken || l.depth(k) > 0 || k+1 >= len(l.words) {
				return 0, 0, false
			}
			next := l.words[k+1]
			formula := next.Type == numberToken || next.Value == "." || next.Value == "(" || next.Value == "-" ||
				next.Type == identToken && set("+ - * : / ^ |")[l.at(k+2)]
			return k + 1, len(l.words) - 1, formula
		},
		message: "this is a formula of R; behind `~` stands the distribution of the left side, with its parameters as expressions",
		note:    formulaNote,
	},
	{
		found: func(l line) (int, int, bool) {
			bar := l.index("|")
			i := l.where(func(i int) bool {
				return i < bar && l.at(i+1) == "(" && slices.ContainsFunc(densityEnds, func(end string) bool { return strings.HasSuffix(l.at(i), end) })
			})
			return i, i + 1, i >= 0
		},
		message: "the density functions here are NAME_lpdf, NAME_lpmf, NAME_lcdf and NAME_lccdf of any distribution",
		note:    "normal_lpdf(y | mu, sigma) has all constants and one element for each row; what Stan draws by _rng is drawn here by `generate` or by vflc simulate",
	},
	{
		found: word(func(l line, i int) bool {
			return l.at(i) == "|" && l.at(i-1) != "|" && l.at(i+1) != "|" && !l.ofDensity(i)
		}),
		message: "`|` has no meaning here: of conditions on data, or is `||`; a conditional distribution is written y ~ normal(mu, sigma)",
		note:    "what is given stands in the arguments of the distribution, and what it is the distribution of on the left",
	},
	{
		found: func(l line) (int, int, bool) {
			return 0, 2, set("param data let const")[l.at(0)] && l.name(1) && l.at(2) == ","
		},
		message: "a declaration has one name",
		note:    "param a ~ normal(0, 1) and param b ~ normal(0, 1) on lines of their own, or one vector: param b : real[2] ~ normal(0, 1)",
	},
	{
		found: func(l line) (int, int, bool) {
			i := l.index("@")
			before := l.index("~")
			if l.at(0) == "data" {
				before = l.index(":")
			}
			return i, i + 1, (l.at(0) == "param" || l.at(0) == "data") && i > 1 && i < before && l.name(i+1)
		},
		message: "the owner stands behind what is declared: param NAME : TYPE ~ DIST(…) @ OWNER, data NAME : TYPE @ OWNER",
		note:    "param b ~ normal(0, 1) @ hospital",
	},
	{
		found:   word(func(l line, i int) bool { return l.at(i) == "@" && l.depth(i) > 0 }),
		message: "`@` names an owner at the end of a declaration; the product of a matrix with a vector is `*`",
		note:    "y ~ normal(a + X * b, sigma)",
	},
	{
		found:   word(func(l line, i int) bool { return l.at(i) == "%" }),
		message: "`%` is not an operator here: R's `%*%` is `*`, and remainders are computed in the table",
		note:    "let eta = X * b",
	},
	{
		found:   word(func(l line, i int) bool { return l.at(i) == "$" && l.name(i-1) }),
		message: "a column is not taken by `$`: it is declared as data, and used by its name",
		note:    "data age : real[N], or data x : real[N] from age",
	},
}
