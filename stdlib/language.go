package stdlib

// Language lists the names of statements, clauses and types of numbers, in the order of the language's
// description.
func Language() []string {
	var out []string
	for _, p := range languagePages() {
		out = append(out, p.Name)
	}
	return out
}

// languagePages are the pages of what belongs to the language itself: statements, clauses and types of
// numbers.
func languagePages() []Page {
	statement := func(name, usage, doc string, examples ...string) Page {
		return Page{Kind: "statement", Name: name, Usage: usage, Doc: doc, Examples: examples}
	}
	clause := func(name, usage, doc string, examples ...string) Page {
		return Page{Kind: "clause", Name: name, Usage: usage, Doc: doc, Examples: examples}
	}
	number := func(name, usage, doc string, examples ...string) Page {
		return Page{Kind: "type", Name: name, Usage: usage, Doc: doc, Examples: examples}
	}
	const y, end = "data y : real[N]\n", "param m ~ normal(0, 1)\ny ~ normal(m, 1)"
	return []Page{
		statement("server", "server NAME",
			"Names the party that coordinates and evaluates what mixes names of several parties. "+
				"Without it, the client that holds the response of such a likelihood, or a party of the name "+
				"server.", "server registry\n"+y+end),
		statement("client", "client NAME, NAME, … or client NAME[J]",
			"Declares parties that keep their data. NAME[J] is a family of J clients that run the same "+
				"code on data of their own; J is a number, or counted by the tables that are bound.",
			"client a, b\n"+y+end,
			"client lab[3]\ndata x : real[N] @ lab\ndata y : real[N] @ shared\nparam b ~ normal(0, 1) @ "+
				"lab\nparam s ~ half_normal(1)\ny ~ normal(sum(x[j] * b[j] for j in lab), s)"),
		statement("data", "data NAME : TYPE [@ OWNER] [from COLUMNS] [missing KIND]",
			"Declares data, which their owner alone reads. Names in the shape are sizes, bound by the "+
				"table. Without `from` the column has the name of the data; `from` lists columns and "+
				"encoders. `data N : int` is the size N.",
			"data y : real[N] from \"blood pressure\"\nparam m ~ normal(0, 1)\ny ~ normal(m, 1)"),
		statement("param", "param NAME [: TYPE] ~ DIST(…) [truncate(…)] [noncentered] [@ OWNER]",
			"Declares a parameter with its prior. It lives at its owner; `@ shared` is one value for all, "+
				"kept by the server. Without a type it is a number; a bound, as real<lower=0>, restricts it.",
			y+"param s : real<lower=0> ~ normal(0, 1)\ny ~ normal(0, s)"),
		statement("weight", "weight NAME : TYPE [init KIND] [@ OWNER]",
			"Declares parameters without a prior, of which a point is estimated, as the weights of a "+
				"network. Backends that draw every parameter refuse them. `init` names the kind of "+
				"values that they begin with.",
			"data X : real[N, P]\n"+y+
				"weight w : real[P] init zeros\nparam s ~ half_normal(1)\ny ~ normal(X * w, s)"),
		statement("contribution", "contribution NAME : TYPE @ CLIENT",
			"Declares a part of the model that a client keeps to itself: the other parties see its shape "+
				"only. The client's own file, its module, says what it is.",
			"client a\ndata y : real[N] @ shared\ncontribution eta : real[N] @ a\nparam m ~ normal(0, "+
				"1)\ny ~ normal(m + eta, 1)"),
		statement("module", "module CLIENT implements MODEL",
			"Begins the file in which a client says what its contributions are: declarations of its own, "+
				"and NAME = EXPR for each contribution."),
		statement("let", "let NAME [: TYPE] = EXPR [@ OWNER]",
			"Names a value. The owner follows from what it depends on; `@` asserts it.",
			y+"data x : real[N]\nparam b ~ normal(0, 1)\nlet eta = b * x\ny ~ normal(eta, 1)"),
		statement("generate", "generate NAME [: TYPE] = EXPR",
			"Names a quantity that is computed after inference, from each draw. It may compare "+
				"parameters, sort and rank.",
			y+"param m ~ normal(0, 1)\ny ~ normal(m, 1)\ngenerate above = m > 0"),
		statement("const", "const NAME = EXPR",
			"Names a number that is known when the model is compiled; --set NAME=VALUE gives another one. "+
				"A whole number may be a size.",
			"const K = 3\n"+y+"param b : real[K] ~ normal(0, 1)\ny ~ normal(sum(b), 1)"),
		statement("fn", "fn NAME(ARGUMENTS) = EXPR or fn NAME(ARGUMENTS) { let …; return EXPR }",
			"Declares a function, which is written out where it is called. One with `param` or `weight` "+
				"inside is a component: its call stands in a let of its own, and h.W is the parameter W of "+
				"the call that `let h` makes. Nothing calls itself.",
			"fn line(x, a, b) = a + b * x\n"+y+
				"data x : real[N]\nparam b ~ normal(0, 1)\ny ~ normal(line(x, 0, b), 1)"),
		statement("dist", "dist NAME(y | ARGUMENTS) = EXPR or dist NAME(y : TYPE | a : TYPE, …) { log = EXPR … }",
			"Declares a distribution by the logarithm of its density. `cdf`, `ccdf` and `mean` are further "+
				"parts, and `generate` the steps of a generator, whose last one gives y. The body is about "+
				"one number; NAME stands behind `~` as any distribution does, element by element.",
			"dist tilted(y | mu, s : real<lower=0>) {\n    let u = (y - mu) / s\n    log = -abs(u) - "+
				"log(2 * s)\n    cdf = where(u < 0, exp(u) / 2, 1 - exp(-u) / 2)\n    generate y ~ "+
				"laplace(mu, s)\n}\n"+y+"param m ~ normal(0, 1)\nparam s ~ half_normal(1)\ny ~ tilted(m, s)"),
		statement("import", "import NAME or import \"./FILE.vfl\"",
			"Makes the functions of a module known, as NAME.function. The standard library has nn and glm; "+
				"a file stands beside the model.", "import nn\ndata X : real[N, P]\n"+y+
				"let h = nn.linear(X)\nparam s ~ half_normal(1)\ny ~ normal(h, s)"),
		statement("levels", "levels R = \"A\", \"B\", …",
			"Lists the categories of data that are level(R), in the order of their codes. Where several "+
				"parties have columns of words it is needed: the coding is public then.",
			"levels R = \"low\", \"high\"\ndata g : level(R)[N]\n"+y+
				"param u : real[R] ~ normal(0, 1)\ny ~ normal(u[g], 1)"),
		statement("factor", "factor EXPR",
			"Adds a term to the log density; of an array, the sum of its elements.",
			y+"param m ~ normal(0, 1)\nfactor normal_lpdf(y | m, 1)"),
		statement("transform", "transform augmented(rho = R) | power(rho = R) | exact | none",
			"Chooses how clients' contributions cross: with noise of standard deviation rho to the server "+
				"(augmented), to each other's likelihoods (power), as they are (exact), or not at all, all "+
				"data in one place (none).",
			"client a\ndata y : real[N] @ shared\ndata x : real[N] @ a\nparam b ~ normal(0, 1) @ a\ny ~ "+
				"normal(x * b, 1)\ntransform augmented(rho = 0.2)"),
		statement("program", "program MODEL for PARTY",
			"Begins the program of a party, which vflc compile writes: what that party alone runs."),
		statement("aux", "aux NAME : TYPE ~ normal(CUT, rho)",
			"In a party's program: what a client contributes, with noise, as a variable that is "+
				"sampled beside its parameters."),
		statement("receive", "receive NAME : TYPE from PARTY",
			"In a party's program: a value that another party sends in each evaluation, and of which "+
				"the derivative goes back."),
		statement("send", "send NAME [= EXPR] to PARTY, …",
			"In a party's program: a value that goes to other parties in each evaluation."),
		clause("recur", "let NAME : real[T] = recur NAME[1] = EXPR, NAME[t] = EXPR for t in 2..T",
			"Defines an array step by step along its first axis: each entry from those at a fixed distance "+
				"before it (or behind it, for a range that runs down). The first "+
				"entries are given one by one. A step may name its parts: k[t] = EXPR before the last entry.",
			"data y : real[T]\nparam phi ~ uniform(-1, 1)\nlet h : real[T] = recur h[1] = 0, h[t] = phi * "+
				"h[t - 1] + y[t - 1] for t in 2..T\ny ~ normal(h, 1)"),
		clause("ode", "ode(f, y0, times, a, …, t0 = 0, by = LEVEL, rel_tol = 1e-6, abs_tol = 1e-6, max_num_steps = "+
			"10000), or ode NAME[t0] = y0, NAME'[t] = EXPR for t in times",
			"Solves the differential equation y' = f(t, y, a, …) from y0 at t0: a row for each of the times, which "+
				"are data that do not decrease. Dormand and Prince's method of order 5(4) chooses its steps so that the error of each, "+
				"in the solution and in its derivatives in parameters, is at most abs_tol + rel_tol * |y|. With "+
				"`by` it is solved for each category from its rows, and cl[subject] in y0 and a is that of the "+
				"category. A point with no solution within max_num_steps has density 0; a stiff system needs too many.",
			"data y : real<lower=0>[N]\ndata time : real<lower=0>[N]\nparam k ~ half_normal(1)\nparam s ~ "+
				"half_normal(1)\nfn decay(t, z, k) = -k * z\ny ~ lognormal(log(ode(decay, 10, time, k)), s)"),
		clause("by", "sum(v by g) or sum(v by g, h)",
			"Adds the rows of v of each category of a level, or of each pair of two; mean, max, min and "+
				"log_sum_exp go by groups too.",
			"data g : level(G)[N]\n"+y+"let m = mean(y by g)\nparam s ~ half_normal(1)\ny - m[g] ~ normal(0, s)"),
		clause("missing", "data NAME : TYPE missing error | drop | impute [~ DIST(…)]",
			"Says what becomes of rows with an empty cell: `error`, which is the default, refuses them; "+
				"`drop` leaves them out, at every party; `impute ~ DIST(…)` makes the cells "+
				"parameters of the owner.",
			"param mu ~ normal(0, 1)\nparam tau ~ half_normal(1)\ndata x : real[N] missing impute ~ "+
				"normal(mu, tau)\ndata y : real[N] missing drop\nparam b ~ normal(0, "+
				"1)\ny ~ normal(b * x, 1)"),
		clause("mixture", "y ~ mixture(w, DIST(…), DIST(…)) or mixture(WEIGHTS, DIST(…), …)",
			"A mixture row by row: with two components w is the share of the first, else there is a weight "+
				"for each, or a vector of them. The components have one support. Of vectors and matrices "+
				"write factor log_sum_exp(log(w) + DIST_lpdf(y | …), …).",
			y+"param w ~ beta(2, 2)\nparam m : ordered[2] ~ normal(0, 5)\ny ~ mixture(w, "+
				"normal(m[1], 1), normal(m[2], 1))"),
		clause("truncate", "~ DIST(…) truncate(lower=A, upper=B)",
			"Restricts a distribution to an interval outside of which no value can occur, and rescales it. "+
				"Either end may be left out.",
			y+"param m ~ normal(0, 1)\ny ~ normal(m, 1) truncate(lower=0)"),
		clause("censor", "y ~ DIST(…) censor(right=C | left=C | interval=B)",
			"For values that were not observed exactly: known to be above C, below C, or between the left "+
				"side and B. A condition such as died == 0 marks the rows where it is so.",
			"data t : real<lower=0>[N]\ndata died : binary[N]\nparam s ~ half_normal(1)\nt ~ "+
				"exponential(s) censor(right=died == 0)"),
		clause("weights", "y ~ DIST(…) weights EXPR",
			"Multiplies the log density of each row by a number of data, as for rows that stand for several.",
			"data w : real<lower=0>[N]\n"+y+"param m ~ normal(0, 1)\ny ~ normal(m, 1) weights w"),
		clause("noncentered", "param NAME ~ DIST(…) noncentered",
			"Samples (x - location) / scale in place of x: the same model, which is easier to sample "+
				"where data say little of x.",
			y+"data g : level(G)[N]\nparam tau ~ half_normal(1)\nparam u : real[G] ~ normal(0, tau) "+
				"noncentered\ny ~ normal(u[g], 1)"),
		clause("init", "weight NAME : TYPE init KIND",
			"Names the kind of values that a weight begins with; vflc doc lists the kinds."),
		clause("from", "data NAME : TYPE from COLUMN, ENCODER(COLUMN), …",
			"Binds data to columns of the owner's table by name, through encoders, or by * to all columns "+
				"that nothing else takes.", "data X : real[N, P] from zscore(age), onehot(sex)\n"+y+
				"param b : real[P] ~ normal(0, 1)\ny ~ normal(X * b, 1)"),
		clause("shared", "@ shared",
			"Of data: every party holds a copy. Of a parameter: the server keeps one value and sends it to "+
				"the parties that use it.", "client a\ndata y : real[N] @ shared\n"+end),
		number("real", "real, real[N], real[N, P], real<lower=A, upper=B>[N]",
			"Real numbers: one, a vector, a matrix, or an array of three axes, with "+
				"bounds where there are some.", y+end),
		number("int", "int, int[N]", "Whole numbers. A single one, data K : int, is the size K.",
			"data K : int\n"+y+"param b : real[K] ~ normal(0, 1)\ny ~ normal(sum(b), 1)"),
		number("binary", "binary, binary[N]", "0 or 1.",
			"data y : binary[N]\nparam m ~ normal(0, 1)\ny ~ bernoulli_logit(m)"),
		number("count", "count, count[N]", "Whole numbers from 0 on.",
			"data y : count[N]\nparam m ~ normal(0, 1)\ny ~ poisson_log(m)"),
		number("level", "level(R)[N], level(\"A\", \"B\")[N]",
			"Categories, of which there are R: the codes 1 to R, or words, which the type may list. They "+
				"index arrays, u[g], and compare, g == 2 or g == \"B\".",
			"data g : level(R)[N]\ndata sex : level(\"F\", \"M\")[N]\n"+y+
				"param u : real[R] ~ normal(0, 1)\nparam b ~ normal(0, 1)\n"+
				"y ~ normal(u[g] + b * (sex == \"M\"), 1)"),
	}
}
