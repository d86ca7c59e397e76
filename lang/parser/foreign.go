package parser

import (
	"slices"
	"strings"
)

var (
	stanTypes = set("real int vector row_vector matrix simplex ordered positive_ordered unit_vector " +
		"array complex cholesky_factor_corr cholesky_factor_cov corr_matrix cov_matrix")
	pythonUses = set("pm pymc numpyro tfd tfp pyro dist")
	rPrograms  = set("library require brm bf brmsformula set_prior stan_glm stan_glmer lm glm lmer " +
		"glmer gam quap ulam list")
	densityEnds = []string{"_lupdf", "_lupmf", "_cdf", "_ccdf", "_rng"}
)

const (
	formulaNote = "write y ~ glm(normal, 1 + x + (1 | g)), with a family and the formula, and data declared above: x " +
		"of type real[N], g of level(G)[N]; or by hand y ~ normal(a + b * x + u[g], sigma) with its parameters"
	choiceNote = "let z = where(age > 40, a, b)"
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
		message: "this is a program of Stan or BUGS in blocks; a vfl model is a list of " +
			"statements, without blocks",
		note: "write data y : real[N], param mu ~ normal(0, 1) with its prior, and y ~ normal(mu, 1); " +
			"vectors are real[N], matrices real[N, K]",
	},
	{
		found: func(l line) (int, int, bool) {
			last := l.at(len(l.words) - 1)
			uses := l.where(func(i int) bool {
				library, _, pointed := strings.Cut(l.at(i), ".")
				return pointed && pythonUses[library]
			})
			python := l.at(0) == "import" && l.index("as") > 0 || l.at(0) == "from" &&
				l.index("import") > 0 || (l.at(0) == "with" || l.at(0) == "def" || l.at(0) == "class") &&
				last == ":"
			if uses >= 0 {
				return uses, uses, true
			}
			return 0, 1, python
		},
		message: "this is Python; a vfl model is a list of declarations and likelihoods",
		note: "b = pm.Normal(\"b\", 0, 1) is param b ~ normal(0, 1); pm.Normal(\"y\", mu, 1, " +
			"observed=y) is y ~ normal(mu, 1) with data y : real[N]",
	},
	{
		found: word(func(l line, i int) bool {
			value := i == 0 || l.words[0].Type != keywordToken && (l.at(i-1) == "=" || l.at(i-1) == "-" &&
				l.at(i-2) == "<")
			return rPrograms[l.at(i)] && l.at(i+1) == "(" && value && l.depth(i) == 0
		}),
		message: "this is R; a vfl model is a list of declarations and likelihoods",
		note:    formulaNote,
	},
}

// foreignLines are the habits of a line.
var foreignLines = []habit{
	{
		found: func(l line) (int, int, bool) {
			if l.at(0) == "var" && l.name(1) && l.at(2) != "=" {
				return 0, 1, true
			}
			i := 0
			if set("data param let")[l.at(0)] {
				i = 1
			}
			if !stanTypes[l.at(i)] {
				return 0, 0, false
			}
			if i++; l.at(i) == "<" {
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
		note: "data y : real[N], which binds the size N by the rows of the table; param sigma : " +
			"real<lower=0> ~ normal(0, 1); let eta = a + X * b",
	},
	{
		found: func(l line) (int, int, bool) {
			sum := set("target lp__ jacobian")[l.at(0)] && l.at(1) == "+" ||
				l.at(0) == "increment_log_prob" && l.at(1) == "("
			return 0, 1, sum
		},
		message: "`target +=` and its kin are Stan's; here a likelihood is y ~ DIST(…), and a prior stands " +
			"where its parameter is declared",
		note: "`factor EXPR` adds any other term to the log density: factor log_mix(w, a, b), factor " +
			"normal_lpdf(y | mu, sigma)",
	},
	{
		found:   begins("print reject fatal_error cat stopifnot", "("),
		message: "a model prints nothing and stops nothing: it says which values are how probable",
		note: "generate z = EXPR keeps a value of every draw; the bounds of data are " +
			"checked when they are bound",
	},
	{
		found: func(l line) (int, int, bool) {
			if i := l.index("for"); i > l.index("~") && l.index("~") > 0 && l.depth(i) == 0 &&
				l.words[0].Type != keywordToken {
				return i, len(l.words) - 1, true
			}
			return begins("for while foreach repeat", "( i j k n t {")(l)
		},
		message: "there are no loops: a statement is about whole arrays, and a " +
			"recursion is a let with `recur`",
		note: "y ~ normal(a + b * x, sigma) is the likelihood of every y, u[g] looks up one value for " +
			"each row, sum(b[k] * x[k] for k in 1..K) is a sum, and let h : real[T] = recur h[1] = e[1], " +
			"h[t] = phi * h[t - 1] + e[t] for t in 2..T goes step by step",
	},
	{
		found:   word(func(l line, i int) bool { return l.at(i) == "?" }),
		message: "`? :` is Stan's; a choice is where(CONDITION, A, B), with a condition of data",
		note:    choiceNote,
	},
	{
		found: word(func(l line, i int) bool {
			return l.at(i) == "if" && (l.at(i+1) == "(" && i == 0 || l.index("then") > i ||
				l.index("else") > i)
		}),
		message: "there is no `if`: a choice is where(CONDITION, A, B), with a condition of data",
		note:    choiceNote,
	},
	{
		found: word(func(l line, i int) bool {
			python := l.at(i) == "lambda" && i > 1 && (l.name(i+1) || l.at(i+1) == ":") // param lambda : real
			return python || l.at(i) == "function" && l.at(i+1) == "("
		}),
		message: "a function is declared by `fn`, in a statement of its own",
		note:    "fn f(x) = x + 1; one with intermediate values is fn f(x) { let a = x + 1 return a ^ 2 }",
	},
	{
		found: func(l line) (int, int, bool) {
			i := l.where(func(i int) bool {
				arrow := l.at(i) == "<" && l.at(i+1) == "-" && l.touch(i) && l.name(0) && l.at(1) == "("
				return l.depth(i) == 0 && l.at(i-1) == ")" && (arrow || l.at(i) == "=" && l.at(0) == "let" &&
					l.name(1) && l.at(2) == "(")
			})
			return 0, i - 1, i >= 0
		},
		message: "a function to the left is BUGS's; here the value itself is defined, by the " +
			"inverse of that function",
		note: "let p = inv_logit(a + b * x), let mu = exp(a + b * x); or leave it to the distribution: " +
			"y ~ bernoulli_logit(a + b * x), y ~ poisson_log(a + b * x)",
	},
	{
		found: word(func(l line, i int) bool {
			if l.at(i) == ":" && l.at(i+1) == "=" && l.touch(i) {
				return i == 1 && l.name(0) || i == 2 && l.at(0) == "let"
			}
			if l.at(i) != "<" || l.at(i+1) != "-" || !l.touch(i) {
				return false
			}
			named := i == 1 && l.name(0) || i == 2 && l.at(0) == "let" || l.at(i-1) == "]" && l.name(0) &&
				l.depth(i) == 0
			return named && l.index("~") < 0
		}),
		message: "`<-` and `:=` are assignments of other languages; here a name is defined " +
			"by let NAME = EXPRESSION",
		note: "let mu = a + b * x, for all rows at once",
	},
	{
		found: word(func(l line, i int) bool {
			return (l.at(i) == "T" || l.at(i) == "I") && (l.at(i+1) == "[" || l.at(i+1) == "(") &&
				l.at(i-1) == ")"
		}),
		message: "`T[a, b]` is the truncation of Stan and BUGS, and so is `I(a, b)`; here it is y ~ " +
			"DIST(…) truncate(lower=a, upper=b)",
		note: "an end that is left out is none: truncate(lower=0); for values known to lie above " +
			"C write censor(right=C)",
	},
	{
		found: func(l line) (int, int, bool) {
			k := l.index("~")
			if k < 1 || l.words[0].Type == keywordToken || l.depth(k) > 0 || k+1 >= len(l.words) {
				return 0, 0, false
			}
			next := l.words[k+1]
			formula := next.Type == numberToken || next.Value == "." || next.Value == "(" ||
				next.Value == "-" ||
				next.Type == identToken && set("+ - * : / ^ |")[l.at(k+2)]
			return k + 1, len(l.words) - 1, formula
		},
		message: "this is a formula of R; behind `~` stands the distribution of the left side, with its " +
			"parameters as expressions",
		note: formulaNote,
	},
	{
		found: func(l line) (int, int, bool) {
			bar := l.index("|")
			i := l.where(func(i int) bool {
				return i < bar && l.at(i+1) == "(" && slices.ContainsFunc(densityEnds, func(end string) bool {
					return strings.HasSuffix(l.at(i), end)
				})
			})
			return i, i + 1, i >= 0
		},
		message: "the density functions here are NAME_lpdf, NAME_lpmf, NAME_lcdf and " +
			"NAME_lccdf of any distribution",
		note: "normal_lpdf(y | mu, sigma) has all constants and one element for each row; what Stan " +
			"draws by _rng is drawn here by `generate` or by vflc simulate",
	},
	{
		found: word(func(l line, i int) bool {
			return l.at(i) == "|" && l.at(i-1) != "|" && l.at(i+1) != "|" && !l.ofDensity(i) &&
				!set("dist distribution")[l.at(0)]
		}),
		message: "`|` has no meaning here: of conditions on data, or is `||`; a conditional distribution " +
			"is written y ~ normal(mu, sigma)",
		note: "what is given stands in the arguments of the distribution, and what it is the " +
			"distribution of on the left",
	},
	{
		found: func(l line) (int, int, bool) {
			return 0, 2, set("param data let const")[l.at(0)] && l.name(1) && l.at(2) == ","
		},
		message: "a declaration has one name",
		note: "param a ~ normal(0, 1) and param b ~ normal(0, 1) on lines of their own, or one vector: " +
			"param b : real[2] ~ normal(0, 1)",
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
		message: "the owner stands behind what is declared: param NAME : TYPE ~ DIST(…) @ OWNER, " +
			"data NAME : TYPE @ OWNER",
		note: "param b ~ normal(0, 1) @ hospital",
	},
	{
		found: word(func(l line, i int) bool { return l.at(i) == "@" && l.depth(i) > 0 }),
		message: "`@` names an owner at the end of a declaration; the product of a " +
			"matrix with a vector is `*`",
		note: "y ~ normal(a + X * b, sigma)",
	},
	{
		found: word(func(l line, i int) bool {
			switch l.at(i) {
			case "and", "or":
				return i > 1 && (l.operand(i-1) || isCloser(l.words[i-1])) &&
					(l.operand(i+1) || l.at(i+1) == "(" || l.at(i+1) == "!" || l.at(i+1) == "-")
			case "not":
				return i > 1 && !l.operand(i-1) && l.name(i+1)
			}
			return false
		}),
		message: "`and`, `or` and `not` are Python's; here they are `&&`, `||` and `!`",
		note:    "let z = where(age > 40 && !smoker, a, b)",
	},
	{
		found:   word(func(l line, i int) bool { return l.at(i) == "for" && l.inside(i) == "[" }),
		message: "there are no lists with `for`: an expression of whole arrays has a value for every element",
		note: "x[1:3] is a part of an array, exp(x) is the exponential of every element, and sum(b[k] * " +
			"x[k] for k in 1..K) is a sum",
	},
	{
		found: func(l line) (int, int, bool) {
			i := l.where(func(i int) bool {
				return l.at(i) == "array" && l.at(i-1) == ":" && l.at(i+1) == "["
			})
			return i, len(l.words) - 1, i == 3
		},
		message: "the shape stands behind the type of the elements",
		note:    "data y : real[N], data X : real[N, P], data k : count[N], data g : level(R)[N]",
	},
	{
		found: func(l line) (int, int, bool) {
			from := l.index("from")
			i := l.where(func(i int) bool {
				return i > from+1 && l.depth(i) == 0 && (l.at(i) == ":" || l.at(i) == "*" && l.name(i-1) &&
					l.name(i+1))
			})
			return i - 1, min(i+1, len(l.words)-1), l.at(0) == "data" && from > 0 && i > 0
		},
		message: "interactions of R's formulas are encoders here",
		note:    "from age, sex, interact(age, sex): age * sex of R is these three, age:sex the last",
	},
	{
		found: func(l line) (int, int, bool) {
			from := l.index("from")
			i := l.where(func(i int) bool {
				return i > from && l.depth(i) == 0 && (set("== != < > + - / ^")[l.at(i)] || i == from+1 &&
					l.at(i) == "(")
			})
			return from + 1, len(l.words) - 1, l.at(0) == "data" && from > 0 && i > 0
		},
		message: "`from` has columns and encoders of columns; what is computed of them is a let",
		note: "from is(sex, \"male\") is 1 in these rows, from zscore(age) is standardised, let years = " +
			"(age - 50) / 10 is computed, and from \"blood-pressure\" is a column",
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
