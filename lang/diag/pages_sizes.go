package diag

// sizesPages explains V056x.
var sizesPages = []Page{
	{
		Code: SizeConflict, Title: "a size with two values",
		Text: "A size has one value in the whole model. Here the data of two declarations, or of two parties, give it different values.",
		Wrong: `data y : real[N]
data X : real[N, P]
data Z : real[N, P]
param beta : real[P] ~ normal(0, 1)
y ~ normal(X * beta + Z * beta, 1)
`,
		Right: `data y : real[N]
data X : real[N, P]
data Z : real[N, Q]
param beta : real[P] ~ normal(0, 1)
param zeta : real[Q] ~ normal(0, 1)
y ~ normal(X * beta + Z * zeta, 1)
`,
	},
	{
		Code: MemberCount, Title: "a family with the wrong number of tables",
		Text: "A family has one member for each table that is bound to it. A number in the declaration must equal the number of tables.",
		Wrong: `client lab[3]
data y : real[N] @ shared
data X : real[N, P] @ lab
param beta : real[P] ~ normal(0, 1) @ lab
y ~ normal(sum(X[j] * beta[j] for j in lab), 1)
`,
		Right: `client lab[J]
data y : real[N] @ shared
data X : real[N, P] @ lab
param beta : real[P] ~ normal(0, 1) @ lab
y ~ normal(sum(X[j] * beta[j] for j in lab), 1)
`,
	},
	{
		Code: BeyondData, Title: "an index beyond the data",
		Text: "An index or slice that depends on a size is checked when the data give the size its value.",
		Wrong: `data y : real[N]
data X : real[N, P]
param mu ~ normal(0, 1)
y ~ normal(mu * X[:, 3], 1)
`,
		Right: `data y : real[N]
data X : real[N, P]
param beta : real[P] ~ normal(0, 1)
y ~ normal(X * beta, 1)
`,
	},
	{
		Code: BadSupport, Title: "a support that is empty or not constant",
		Text: "The support of a parameter comes from its distribution and its declared bounds; it must be an interval known when the data are bound.",
		Wrong: `data y : real[N]
param mu : real<lower=2, upper=1> ~ normal(0, 1)
y ~ normal(mu, 1)
`,
		Right: `data y : real[N]
param mu : real<lower=1, upper=2> ~ normal(0, 1)
y ~ normal(mu, 1)
`,
	},
	{
		Code: OutsideSupport, Title: "data that their distribution does not allow",
		Text: "An observation is a value that its distribution can give, and data among the arguments of a distribution are values that the argument can have. " +
			"Otherwise the density is 0 for all parameters, and nothing can be fitted. The message gives the first such row, with its key and its place in the table.",
		Wrong: `data y : real[N] // one y is -1
param rate ~ gamma(2, 1)
y ~ gamma(2, rate)
`,
		Right: `data y : real[N] // one y is -1
param mu ~ normal(0, 10)
y ~ normal(mu, 1)
`,
	},
	{
		Code: DifferentLevels, Title: "categories whose number differs between parties",
		Text: "Whole numbers in a level are their own codes, and their number is the largest. Where the largest numbers of two parties differ, no party knows whether it has them all: the model gives the size, as a const, as `data R : int`, or by listing the categories.",
		Wrong: `client a
data y : real[N]
data g : level(R)[N]
data h : level(R)[N] @ a
param u : real[R] ~ normal(0, 1) @ shared
param v : real[R] ~ normal(0, 1) @ a
y ~ normal(u[g] + v[h], 1)
`,
		Right: `client a
const R = 5
data y : real[N]
data g : level(R)[N]
data h : level(R)[N] @ a
param u : real[R] ~ normal(0, 1) @ shared
param v : real[R] ~ normal(0, 1) @ a
y ~ normal(u[g] + v[h], 1)
`,
	},
	{
		Code: NoiseOfResponse, Title: "rho is large for the response",
		Text: "Where the predictor is the location of the response, as in a normal likelihood, the auxiliary variables add noise to the response itself: of standard deviation rho times the square root of the number of clients, in the units of the response. " +
			"Residual variance that is estimated becomes smaller by the square of it; residual variance that is given does not, and the posterior becomes wider. This is a warning that the noise exceeds a fifth of the response's standard deviation.",
		Wrong: `client a, b
data y : real[N] // the standard deviation of y is 1.5
data XA : real[N, P] @ a
data XB : real[N, Q] @ b
param u : real[P] ~ normal(0, 1) @ a
param v : real[Q] ~ normal(0, 1) @ b
param sigma ~ half_normal(1)
y ~ normal(XA * u + XB * v, sigma)
transform augmented(rho = 0.5)
`,
		Right: `client a, b
data y : real[N] // the standard deviation of y is 1.5
data XA : real[N, P] @ a
data XB : real[N, Q] @ b
param u : real[P] ~ normal(0, 1) @ a
param v : real[Q] ~ normal(0, 1) @ b
param sigma ~ half_normal(1)
y ~ normal(XA * u + XB * v, sigma)
transform augmented(rho = 0.1)
`,
	},
	{
		Code: CannotEvaluate, Title: "an expression that cannot be evaluated",
		Text: "The expression is well formed, but it has no valid value for these data.",
		Wrong: `data y : real[N]
param mu : real[N - 5] ~ normal(0, 1)
y ~ normal(sum(mu), 1)
`,
		Right: `data y : real[N]
param mu ~ normal(0, 1)
y ~ normal(mu, 1)
`,
	},
}
