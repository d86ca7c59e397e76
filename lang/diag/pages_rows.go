package diag

// rowsPages explains V062x.
var rowsPages = []Page{
	{
		Code: MixedRows, Title: "minibatches: an expression that mixes rows",
		Text: "With --minibatch an iteration evaluates some of the rows, and counts them for all. That is right where a row's likelihood depends on that row of the data alone. A mean, a sum or another summary over rows, a slice of rows, a product with a transpose, and the number of rows as a value have another value over some of the rows. Compute them into the data: encoders such as zscore see all rows. A client's contribution to the likelihood has one element a row for the same reason.",
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
		Text: "A parameter with an element a row has a factor of the approximation that covers all of them, and an iteration of --minibatch has some of the rows only. One element per group, chosen by a level, is fine. With auxiliary variables, which have one element a row too, minibatches work.",
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
		Code: NoRows, Title: "minibatches: no size that counts rows",
		Text: "--minibatch divides the rows of the response. One name has to count them, the same for all likelihoods and all parties: N of `data y : real[N]`. A model of several responses with different numbers of rows, of a response whose size is a number, or of rows that each member of a family has for itself, cannot be divided.",
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
