package diag

// namesPages explains V02xx.
var namesPages = []Page{
	{
		Code: UnknownName, Title: "a name that nothing declares",
		Text: "Every name in an expression is data, a parameter, a let, a const or a size. Names are case-sensitive.",
		Wrong: `data y : real[N]
param mu ~ normal(0, 1)
y ~ normal(nu, 1)
`,
		Right: `data y : real[N]
param mu ~ normal(0, 1)
y ~ normal(mu, 1)
`,
	},
	{
		Code: DeclaredTwice, Title: "a name declared twice",
		Text: "Data, parameters, lets, consts, sizes and parties share one space of names, and each name is declared once.",
		Wrong: `data y : real[N]
param mu ~ normal(0, 1)
param mu ~ normal(0, 2)
y ~ normal(mu, 1)
`,
		Right: `data y : real[N]
param mu ~ normal(0, 1)
param nu ~ normal(0, 2)
y ~ normal(mu + nu, 1)
`,
	},
	{
		Code: UsedEarly, Title: "a name used before it is declared",
		Text: "Statements are read from top to bottom. Sizes alone may be used before the data that bind them.",
		Wrong: `data y : real[N]
param mu ~ normal(0, tau)
param tau ~ half_normal(1)
y ~ normal(mu, 1)
`,
		Right: `data y : real[N]
param tau ~ half_normal(1)
param mu ~ normal(0, tau)
y ~ normal(mu, 1)
`,
	},
	{
		Code: UnboundSize, Title: "a size that nothing binds",
		Text: "A size name gets its value from the shape of data, from level(R), from a family [J], from `data K : int` or from a const.",
		Wrong: `data y : real[N]
param beta : real[K] ~ normal(0, 1)
y ~ normal(sum(beta), 1)
`,
		Right: `data y : real[N]
const K = 3
param beta : real[K] ~ normal(0, 1)
y ~ normal(sum(beta), 1)
`,
	},
	{
		Code: NotSize, Title: "not a size",
		Text: "Sizes are whole numbers ≥ 0, size names, and +, - and * of them. Their values are known before a run begins.",
		Wrong: `data y : real[N]
param mu : real[1.5] ~ normal(0, 1)
y ~ normal(mu[1], 1)
`,
		Right: `data y : real[N]
param mu : real[2] ~ normal(0, 1)
y ~ normal(mu[1] + mu[2], 1)
`,
	},
	{
		Code: UnknownType, Title: "a type that does not exist",
		Text: "Types are real, int, binary, count and level(R), each with an optional shape in brackets.",
		Wrong: `data y : float[N]
param mu ~ normal(0, 1)
y ~ normal(mu, 1)
`,
		Right: `data y : real[N]
param mu ~ normal(0, 1)
y ~ normal(mu, 1)
`,
	},
	{
		Code: UnknownParty, Title: "a party that is not declared",
		Text: "The name after @ is the server, a client, a family of clients, or shared.",
		Wrong: `client hospital_a
data y : real[N] @ shared
param mu ~ normal(0, 1) @ hospital_b
y ~ normal(mu, 1)
`,
		Right: `client hospital_a
data y : real[N] @ shared
param mu ~ normal(0, 1) @ hospital_a
y ~ normal(mu, 1)
`,
	},
	{
		Code: UnknownDist, Title: "a distribution that does not exist",
		Text: "Distributions have the names and the parameters of Stan. `vflc doc` lists those of this version.",
		Wrong: `data y : real[N]
param mu ~ gaussian(0, 1)
y ~ normal(mu, 1)
`,
		Right: `data y : real[N]
param mu ~ normal(0, 1)
y ~ normal(mu, 1)
`,
	},
	{
		Code: UnknownFunc, Title: "a function that does not exist",
		Text: "`vflc doc` lists the functions of this version. A name followed by parentheses is always a function.",
		Wrong: `data y : real[N]
param mu ~ normal(0, 1)
y ~ normal(expo(mu), 1)
`,
		Right: `data y : real[N]
param mu ~ normal(0, 1)
y ~ normal(exp(mu), 1)
`,
	},
	{
		Code: BadArguments, Title: "wrong arguments",
		Text: "Every parameter of a distribution is given once, by position or by name; functions take a fixed number of arguments.",
		Wrong: `data y : real[N]
param mu ~ normal(0)
y ~ normal(mu, 1)
`,
		Right: `data y : real[N]
param mu ~ normal(0, sigma = 1)
y ~ normal(mu, 1)
`,
	},
	{
		Code: Broadcast, Title: "shapes that do not broadcast",
		Text: "Elementwise operators broadcast as NumPy does, over trailing axes: two sizes are compatible if they are equal or one of them is 1. Sizes with different names are different, whatever their values.",
		Wrong: `data y : real[N]
data w : real[M]
param mu ~ normal(0, 1)
y ~ normal(mu + y .* w, 1)
`,
		Right: `data y : real[N]
data w : real[N]
param mu ~ normal(0, 1)
y ~ normal(mu + y .* w, 1)
`,
	},
	{
		Code: BadProduct, Title: "a product that `*` does not support",
		Text: "`*` multiplies a scalar by anything, a matrix by a vector, or a matrix by a matrix. Use .* for elementwise products, dot(u, v) for the scalar product and rowdot(A, B) for one per row.",
		Wrong: `data y : real[N]
data x : real[N]
param beta : real[N] ~ normal(0, 1)
y ~ normal(x * beta, 1)
`,
		Right: `data y : real[N]
data x : real[N]
param beta : real[N] ~ normal(0, 1)
y ~ normal(x .* beta, 1)
`,
	},
	{
		Code: ArgShape, Title: "an argument larger than the left side",
		Text: "Arguments of a distribution broadcast to the shape of the left side, never the reverse.",
		Wrong: `data y : real[N]
data X : real[N, P]
param mu ~ normal(0, 1)
y ~ normal(mu + X, 1)
`,
		Right: `data y : real[N]
data X : real[N, P]
param beta : real[P] ~ normal(0, 1)
y ~ normal(X * beta, 1)
`,
	},
	{
		Code: WrongElement, Title: "the wrong kind of number",
		Text: "A level can only be an index or be compared. Discrete distributions need a left side that is binary, count or int.",
		Wrong: `data y : real[N]
param rate ~ half_normal(1)
y ~ poisson(rate)
`,
		Right: `data y : count[N]
param rate ~ half_normal(1)
y ~ poisson(rate)
`,
	},
	{
		Code: DiscreteParameter, Title: "a discrete parameter",
		Text: "Parameters are real, because the algorithms need gradients. Marginalise a discrete parameter out of the likelihood by hand.",
		Wrong: `data y : real[N]
param k ~ poisson(3)
y ~ normal(k, 1)
`,
		Right: `data y : real[N]
param k ~ half_normal(3)
y ~ normal(k, 1)
`,
	},
	{
		Code: MustBeData, Title: "something that must be data",
		Text: "Whole-number arguments of distributions, such as the number of trials, and weights are data.",
		Wrong: `data y : count[N]
param trials ~ half_normal(1)
param a ~ normal(0, 1)
y ~ binomial_logit(trials, a)
`,
		Right: `data y : count[N]
data trials : count[N]
param a ~ normal(0, 1)
y ~ binomial_logit(trials, a)
`,
	},
	{
		Code: LeftSide, Title: "a left side that is not data",
		Text: "The left side of a likelihood is data or an expression of data alone, such as log(earn). A parameter gets its distribution where it is declared.",
		Wrong: `data y : real[N]
param mu ~ normal(0, 1)
mu ~ normal(0, 2)
y ~ normal(mu, 1)
`,
		Right: `data y : real[N]
param mu ~ normal(0, 2)
y ~ normal(mu, 1)
`,
	},
	{
		Code: BadIndex, Title: "an index that does not fit",
		Text: "Indices count from 1. An index is a whole number known when data is bound, a slice such as 2:K, or a level whose number of categories is the size of the dimension.",
		Wrong: `data y : real[N]
data group : int[N]
param a : real[5] ~ normal(0, 1)
y ~ normal(a[group], 1)
`,
		Right: `data y : real[N]
data group : level(G)[N]
param a : real[G] ~ normal(0, 1)
y ~ normal(a[group], 1)
`,
	},
	{
		Code: LetType, Title: "a let whose type does not match",
		Text: "A type on a let asserts the type of its expression.",
		Wrong: `data y : real[N]
param mu ~ normal(0, 1)
let m : real[3] = mu + y
y ~ normal(mu, 1)
`,
		Right: `data y : real[N]
param mu ~ normal(0, 1)
let m : real[N] = mu + 0 .* y
y ~ normal(m, 1)
`,
	},
	{
		Code: NotLocationScale, Title: "noncentered where it has no meaning",
		Text: "noncentered writes a parameter as location + scale · standard. The distribution must have a scale, and the parameter must not have bounds of its own.",
		Wrong: `data y : real[N]
param p ~ beta(2, 2) noncentered
y ~ normal(p, 1)
`,
		Right: `data y : real[N]
param p ~ normal(0, 2) noncentered
y ~ normal(p, 1)
`,
	},
	{
		Code: BadBounds, Title: "a bound that is not constant, or bounds that contradict",
		Text: "Bounds are lower and upper; their values use only numbers, consts and sizes, and for a parameter that is not shared also scalar data of its owner. Together, and with the support of the distribution, they leave an interval.",
		Wrong: `data y : real[N]
param s ~ half_normal(1)
param mu : real<lower=s> ~ normal(0, 1)
y ~ normal(mu, 1)
`,
		Right: `data y : real[N]
param mu : real<lower=0> ~ normal(0, 1)
y ~ normal(mu, 1)
`,
	},
	{
		Code: RandomCondition, Title: "a condition that depends on a parameter",
		Text: "Comparisons and && || ! use only data: a density that jumps with a parameter is not differentiable. A generated quantity, which has no gradient, may compare parameters.",
		Wrong: `data y : real[N]
param mu ~ normal(0, 1)
y ~ normal(where(mu > 0, mu, 0), 1)
`,
		Right: `data y : real[N]
param mu ~ normal(0, 1)
y ~ normal(relu(mu), 1)
`,
	},
	{
		Code: NotConst, Title: "a const, or an element of an array, that is not constant",
		Text: "A const uses only numbers and other consts; --set NAME=VALUE changes it on the command line. So do the elements of an array `[1, 2]`.",
		Wrong: `data y : real[N]
const m = mean(y)
param mu ~ normal(0, 1)
y ~ normal(mu + m, 1)
`,
		Right: `data y : real[N]
let m = mean(y)
param mu ~ normal(0, 1)
y ~ normal(mu + m, 1)
`,
	},
	{
		Code: BadTransform, Title: "a transform that does not exist, or a bad rho",
		Text: "Transforms are none, exact, augmented and power. rho is the standard deviation of the auxiliary variables of the last two: a constant above 0.",
		Wrong: `client a
data y : real[N] @ shared
data X : real[N, P] @ a
param beta : real[P] ~ normal(0, 1) @ a
param b ~ normal(0, 1)
y ~ normal(b + X * beta, 1)
transform augmented(rho = 0)
`,
		Right: `client a
data y : real[N] @ shared
data X : real[N, P] @ a
param beta : real[P] ~ normal(0, 1) @ a
param b ~ normal(0, 1)
y ~ normal(b + X * beta, 1)
transform augmented(rho = 0.5)
`,
	},
	{
		Code: BadFrom, Title: "a from clause that does not fit",
		Text: "`from` lists columns and encoders of columns. Encoders return real numbers; a vector uses one column, a matrix any number.",
		Wrong: `data y : real[N]
data X : real[N, P] from scale(age)
param beta : real[P] ~ normal(0, 1)
y ~ normal(X * beta, 1)
`,
		Right: `data y : real[N]
data X : real[N, P] from zscore(age)
param beta : real[P] ~ normal(0, 1)
y ~ normal(X * beta, 1)
`,
	},
	{
		Code: NotFamily, Title: "a sum over something that is not a family",
		Text: "sum(… for j in F) runs over a family of clients, declared as client F[J], or over a range of whole numbers, such as 1..K.",
		Wrong: `client lab
data y : real[N] @ shared
data X : real[N, P] @ lab
param beta : real[P] ~ normal(0, 1) @ lab
y ~ normal(sum(X * beta for j in lab), 1)
`,
		Right: `client lab[J]
data y : real[N] @ shared
data X : real[N, P] @ lab
param beta : real[P] ~ normal(0, 1) @ lab
y ~ normal(sum(X[j] * beta[j] for j in lab), 1)
`,
	},
	{
		Code: FamilyIndex, Title: "a name of a family without its member",
		Text: "Each member of a family has its own data and parameters. Outside the declarations of the family, index the name by the member: X[j] in a sum over the family.",
		Wrong: `client lab[J]
data y : real[N] @ shared
data X : real[N, P] @ lab
param beta : real[P] ~ normal(0, 1) @ lab
param b ~ normal(0, 1)
y ~ normal(b + X * beta, 1)
`,
		Right: `client lab[J]
data y : real[N] @ shared
data X : real[N, P] @ lab
param beta : real[P] ~ normal(0, 1) @ lab
param b ~ normal(0, 1)
y ~ normal(b + sum(X[j] * beta[j] for j in lab), 1)
`,
	},
	{
		Code: MemberSize, Title: "terms of different shapes",
		Text: "The terms of a sum over a family must have one shape. A size that only the family uses may differ from member to member.",
		Wrong: `client lab[J]
data y : real[N] @ shared
data X : real[N, P] @ lab
param beta : real[P] ~ normal(0, 1) @ lab
y ~ normal(sum(sum(beta[j] for j in lab)), 1)
`,
		Right: `client lab[J]
data y : real[N] @ shared
data X : real[N, P] @ lab
param beta : real[P] ~ normal(0, 1) @ lab
y ~ normal(sum(sum(beta[j]) for j in lab), 1)
`,
	},
	{
		Code: Misplaced, Title: "a statement that belongs in the other kind of file",
		Text: "aux, receive and send belong to party programs, which the compiler writes; transform, server and let belong to models. In a party program only shared data have an @ clause.",
		Wrong: `data y : real[N]
param mu ~ normal(0, 1)
receive z : real[N] from hospital_a
y ~ normal(mu + z, 1)
`,
		Right: `data y : real[N]
param mu ~ normal(0, 1)
y ~ normal(mu, 1)
`,
	},
	{
		Code: BadConstant, Title: "a constant that an argument cannot be",
		Text: "Each argument of a distribution has a domain: a scale or a rate is positive, a probability between 0 and 1, a lower end below the upper. `vflc doc normal` shows it.",
		Wrong: `data y : real[N]
param mu ~ normal(0, -1)
y ~ normal(mu, 1)
`,
		Right: `data y : real[N]
param mu ~ normal(0, 1)
y ~ normal(mu, 1)
`,
	},
	{
		Code: BadLevels, Title: "a list of categories that fits no level",
		Text: "`levels R = \"A\", \"B\"` lists the categories of the data that are level(R), in the order of their codes. R is a size of such data, not a const; every category is listed once.",
		Wrong: `levels R = "A", "B", "A"
data g : level(R)[N]
data y : real[N]
param u : real[R] ~ normal(0, 1)
y ~ normal(u[g], 1)
`,
		Right: `levels R = "A", "B"
data g : level(R)[N]
data y : real[N]
param u : real[R] ~ normal(0, 1)
y ~ normal(u[g], 1)
`,
	},
	{
		Code: WrongStructure, Title: "a distribution that does not go with a type of vectors or matrices",
		Text: "An ordered vector, a simplex, a correlation matrix and their like have a distribution of whole vectors or matrices of that kind, or, for vectors, a distribution of numbers that applies to each element. That distribution must allow every number that an element may be, and the elements of a matrix are not independent.",
		Wrong: `data y : level(K)[N]
param c : ordered[K - 1] ~ exponential(1)
y ~ ordered_logistic(0, c)
`,
		Right: `data y : level(K)[N]
param c : ordered[K - 1] ~ normal(0, 5)
y ~ ordered_logistic(0, c)
`,
	},
	{
		Code: BadMissing, Title: "missing cells of data",
		Text:  "`missing drop` leaves out the rows in which a cell of the declaration is missing, at every party whose rows are joined with them; `missing error`, which is what happens without a clause, refuses the table. A scalar has no rows.\n\n`missing impute ~ DIST` makes the missing cells parameters of the owner, and gives all cells, observed or not, the distribution. The cells are real numbers of one party; a parameter that is a category or a count has no gradient.",
		Wrong: "data y : real[N]\ndata smoker : binary[N] missing impute ~ bernoulli(0.5)\nparam b ~ normal(0, 1)\ny ~ normal(b * smoker, 1)\n",
		Right: "data y : real[N]\ndata bmi : real[N] missing impute ~ normal(mu, 5)\nparam mu ~ normal(25, 5)\nparam b ~ normal(0, 1)\ny ~ normal(b * bmi, 1)\n",
	},
	{
		Code: Unused, Title: "something that is used nowhere",
		Text: "A parameter that nothing uses keeps its prior as its posterior. Where its prior depends on other parameters, it follows that prior given them: right for a prediction or for a value that was censored, else probably a mistake, like a let or a likelihood without effect. This is a warning.",
		Wrong: `data y : real[N]
param mu ~ normal(0, 1)
param nu ~ normal(0, 1)
y ~ normal(mu, 1)
`,
		Right: `data y : real[N]
param mu ~ normal(0, 1)
param nu ~ normal(0, 1)
y ~ normal(mu + nu, 1)
`,
	},
	{
		Code: Improper, Title: "an improper posterior",
		Text: "A parameter with a flat prior that no data inform has no proper posterior. This is a warning.",
		Wrong: `data y : real[N]
param mu ~ normal(0, 1)
param nu ~ flat()
y ~ normal(mu, 1)
`,
		Right: `data y : real[N]
param mu ~ normal(0, 1)
param nu ~ flat()
y ~ normal(mu + nu, 1)
`,
	},
	{
		Code: CountedTwice, Meaning: true, Title: "data that count twice",
		Text: "Two likelihoods with the same left side multiply: its data then count as two independent observations each. A column that stands twice in one `from` clause gives two coefficients of which only the sum is known. This is a warning.",
		Wrong: `data y : real[N]
param mu ~ normal(0, 1)
y ~ normal(mu, 1)
y ~ normal(mu, 1)
`,
		Right: `data y : real[N]
param mu ~ normal(0, 1)
y ~ normal(mu, 1)
`,
	},
	{
		Code: BadDensity, Title: "a density function that the distribution does not have",
		Text: "NAME_lpdf is the log density of a continuous distribution and NAME_lpmf the log probability of a value of a discrete one. NAME_lcdf is the log probability of a value no greater, NAME_lccdf of a greater one; `vflc doc NAME` says whether a distribution has them.",
		Wrong: `data y : count[N]
param b ~ normal(0, 1)
factor poisson_log_lpdf(y | b)
`,
		Right: `data y : count[N]
param b ~ normal(0, 1)
factor poisson_log_lpmf(y | b)
`,
	},
	{
		Code: DensityName, Title: "a name with the ending of a density function",
		Text:  "Names that end in _lpdf, _lpmf, _lcdf or _lccdf are those of density functions, such as normal_lpdf(y | mu, sigma).",
		Wrong: "param my_lpdf ~ normal(0, 1)\n",
		Right: "param my_density ~ normal(0, 1)\n",
	},
	{
		Code: BadMixture, Title: "a mixture whose weights and components do not fit",
		Text: "mixture(w, DIST(…), DIST(…), …) has weights first, then two components or more that give the same kind of values. With two components one weight is the share of the first; else there is a weight for each component, or one vector of them. The weights add up to 1, which is not checked.",
		Wrong: `data y : real[N]
param w ~ beta(2, 2)
param m ~ normal(0, 5)
y ~ mixture(w, normal(m, 1), exponential(1))
`,
		Right: `data y : real[N]
param w ~ beta(2, 2)
param m ~ normal(0, 5)
y ~ mixture(w, normal(m, 1), normal(0, 10))
`,
	},
	{
		Code: BadClause, Title: "a truncation or a censoring that does not fit",
		Text: "truncate(lower=A, upper=B) says that values outside cannot occur: the density is divided by the probability of what lies between. The ends belong to it; one may be left out. censor says what is known of values that were not measured exactly: censor(right=C) that values at C or beyond are C or more, censor(left=C) the same below, either with data of type binary that mark the rows, and censor(interval=B) that a value lies between the left side and B. Both need a distribution function.",
		Wrong: `data y : count[N]
param b ~ normal(0, 1)
y ~ poisson_log(b) truncate(low=1)
`,
		Right: `data y : count[N]
param b ~ normal(0, 1)
y ~ poisson_log(b) truncate(lower=1)
`,
	},
	{
		Code: MixturePerRow, Meaning: true, Title: "a mixture of rows that Stan's text writes as a mixture of sums",
		Text: "A density function here gives one element for each row, so that log_mix(w, a, b) and log_sum_exp(a, b) let each row have its own component. In Stan normal_lpdf is a sum, and the same words choose one component for all rows; that is log_mix(w, sum(a), sum(b)) here. This is a warning; y ~ mixture(w, …) says that the mixture is per row, without it.",
		Wrong: `data y : real[N]
param w ~ beta(2, 2)
param m ~ normal(0, 5)
factor log_mix(w, normal_lpdf(y | m, 1), normal_lpdf(y | 0, 1))
`,
		Right: `data y : real[N]
param w ~ beta(2, 2)
param m ~ normal(0, 5)
factor log_mix(w, sum(normal_lpdf(y | m, 1)), sum(normal_lpdf(y | 0, 1)))
`,
	},
	{
		Code: Intercept, Title: "an intercept of which data know nothing",
		Text: "The density depends on differences between rows only: the hazard over time of cox is left free, and the cutpoints of an ordered distribution can move with the predictor. A number that is added to the predictor of every row is known from its prior, and with cutpoints it makes a ridge along which samplers are slow. This is a warning.",
		Wrong: `data y : level(K)[N]
data x : real[N]
param a ~ normal(0, 1)
param b ~ normal(0, 1)
param c : ordered[K - 1] ~ normal(0, 2)
y ~ ordered_logistic(a + b * x, c)
`,
		Right: `data y : level(K)[N]
data x : real[N]
param b ~ normal(0, 1)
param c : ordered[K - 1] ~ normal(0, 2)
y ~ ordered_logistic(b * x, c)
`,
	},
	{
		Code: DrawnGenerated, Title: "a generated quantity that cannot be drawn",
		Text:  "A generated quantity is drawn from a proper distribution, once for each draw of the parameters, with the shape of its arguments or of the type that is written. The arguments of a distribution of vectors or matrices do not give a shape, so a type is needed; a multinomial has no total to draw.",
		Wrong: "data y : real[N]\nparam b ~ normal(0, 1)\ny ~ normal(b, 1)\ngenerate next ~ flat()\n",
		Right: "data y : real[N]\nparam b ~ normal(0, 1)\ny ~ normal(b, 1)\ngenerate next ~ normal(b, 1)\n",
	},
	{
		Code: BadInitial, Title: "an unknown kind of initial values",
		Text:  "`init` names how the values of a weight begin: zeros, or random values whose spread suits a layer of the weight's shape, such as glorot_uniform or he_normal. `vflc doc` lists the kinds, and `vflc doc he_normal` describes one. Without `init`, matrices begin as glorot_uniform and vectors as zeros.",
		Wrong: "data X : real[N, P]\ndata y : real[N]\nweight w : real[P] init gaussian\ny ~ normal(X * w, 1)\n",
		Right: "data X : real[N, P]\ndata y : real[N]\nweight w : real[P] init normal\ny ~ normal(X * w, 1)\n",
	},
	{
		Code: BadWeight, Title: "a weight that is not real, or has bounds",
		Text:  "A weight is a real number, or an array of them, of which a point is estimated by gradient steps. It has no bounds and is in no set of vectors: map it where it is used, as exp(w) or softmax(w), or declare a parameter with a prior.",
		Wrong: "data y : real[N]\nweight s : real<lower=0>\ny ~ normal(0, s)\n",
		Right: "data y : real[N]\nweight log_s init zeros\ny ~ normal(0, exp(log_s))\n",
	},
	{
		Code: LinearArgument, Title: "a linear predictor as a probability, a rate or a scale",
		Text: "The argument may be any real number, but the distribution allows only a part of them: elsewhere the density is 0, and a sampler gets stuck. Take the form of the distribution that has a linear predictor, such as bernoulli_logit or poisson_log, or map the predictor by inv_logit or exp. This is a warning.",
		Wrong: `data y : binary[N]
data x : real[N]
param a ~ normal(0, 1)
param b ~ normal(0, 1)
y ~ bernoulli(a + b * x)
`,
		Right: `data y : binary[N]
data x : real[N]
param a ~ normal(0, 1)
param b ~ normal(0, 1)
y ~ bernoulli_logit(a + b * x)
`,
	},
	{
		Code: FunctionDomain, Title: "a parameter outside the domain of a function",
		Text: "The function is not defined at every value that the parameter may take: log and sqrt of a negative number are not numbers. Where a sampler comes to such a value, the step is rejected, and where a chain begins at one, it does not begin. Declare the bounds within which the function is defined; a prior on the whole line is then truncated to them. This is a warning.",
		Wrong: `data y : real[N]
param b ~ normal(0, 1)
y ~ normal(log(b), 1)
`,
		Right: `data y : real[N]
param b : real<lower=0> ~ normal(0, 1)
y ~ normal(log(b), 1)
`,
	},
	{
		Code: MovingEnd, Title: "an end of the values of a likelihood moves with parameters",
		Text: "Data beyond the ends of their distribution have no density. Where an end is a parameter that may lie among the data, a chain begins only if it happens to be beyond all of them, and a step over a value is rejected, so that the sampler sees a wall instead of a slope. Write the end as a number beyond all data plus a positive parameter, or as the largest value plus one. An end that depends on data, or a parameter whose bounds do, is left alone. This is a warning.",
		Wrong: `data y : real[N]
param a ~ half_normal(10)
y ~ uniform(0, a)
`,
		Right: `data y : real[N]
param a ~ half_normal(10)
y ~ uniform(0, max(y) + a)
`,
	},
}
