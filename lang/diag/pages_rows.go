package diag

// rowsPages explains V062x.
var rowsPages = []Page{
	{
		Code: MixedRows, Title: "minibatches: an expression that mixes rows",
		Text: "With --minibatch, an iteration evaluates the likelihood of some rows and scales it up to all rows. That is correct only if the likelihood of a row depends on that row of the data alone. A mean, a sum or another summary over rows, a slice of rows, a product with a transpose, and the number of rows as a value change when rows are left out. Compute them beforehand, as part of the data: encoders such as zscore use all rows. For the same reason a client's contribution to the likelihood has one element per row.",
		Wrong: `data x : real[N]
data y : real[N]
param a ~ normal(0, 1)
param b ~ normal(0, 1)
y ~ normal(a + b * (x - mean(x)), 1)
`,
		Right: `data x : real[N] from center(x)
data y : real[N]
param a ~ normal(0, 1)
param b ~ normal(0, 1)
y ~ normal(a + b * x, 1)
`,
	},
	{
		Code: RowParam, Title: "minibatches: a parameter that grows with the rows",
		Text: "The approximation has one factor for all elements of a parameter, and an iteration of --minibatch uses only some of the rows. A parameter with one element per group, indexed by a level, works. Auxiliary variables have one element per row too, and minibatches support them.",
		Wrong: `data y : real[N]
param u : real[N] ~ normal(0, 1)
y ~ normal(u, 1)
`,
		Right: `data y : real[N]
data group : level(G)[N]
param u : real[G] ~ normal(0, 1)
y ~ normal(u[group], 1)
`,
	},
	{
		Code: NoRows, Title: "minibatches: no single size counts the rows",
		Text: "--minibatch divides the rows of the response. One size name must count them in all likelihoods and at all parties, such as N in `data y : real[N]`. Minibatches do not work for responses with different numbers of rows, for a response whose size is a number, or for a number of rows that each member of a family sets itself.",
		Wrong: `data y : real[N]
data w : real[M]
param a ~ normal(0, 1)
y ~ normal(a, 1)
w ~ normal(a, 2)
`,
		Right: `data y : real[N]
data w : real[N]
param a ~ normal(0, 1)
y ~ normal(a, 1)
w ~ normal(a, 2)
`,
	},
}
