package diag

// leakPages explains what would cross as data, or give it away: V033x and V0395.
var leakPages = []Page{
	{
		Code: DataCut, Title: "a cut that no parameter moves",
		Text: "What a client sends is a function of its data and its parameters: while the parameters move, it is not the data. Once what cancels is " +
			"taken out, this expression has no parameter, and so sending it would send the data. With --wire encrypted it leaves as a ciphertext, and this is not reported.",
		Wrong: `client a
data y : real[N] @ shared
data x : real[N] @ a
param m ~ normal(0, 1)
param b ~ normal(0, 1) @ a
y ~ normal(m + x + 0 * b, 1)
transform augmented(rho = 1)
`,
		Right: `client a
data y : real[N] @ shared
data x : real[N] @ a
param m ~ normal(0, 1)
param b ~ normal(0, 1) @ a
y ~ normal(m + x * b, 1)
transform augmented(rho = 1)
`,
	},
	{
		Code: GradientLeak, Title: "a shared parameter whose gradient is data",
		Text: "A client that uses a shared parameter returns its gradient, without noise. Where the derivative of a cut in the parameter depends on the " +
			"client's data and on no parameter of the client, each round returns the data times weights that the server knows: after as many rounds as there " +
			"are rows the server has the data. This is so for X * g, for u[g] with private categories g, and for the location of a noncentered parameter of " +
			"the client. A parameter of the client beside it does not protect columns either: the gradients of q in (X * q) * b and X * (q .* b), of u in u[g] * b, and of " +
			"k in k * (x * b) + z * d tell single columns, which the cuts alone tell only in some algorithms (vflc audit). One factor of all that depends on the " +
			"client's data, as k * (X * beta + z * d), is no such case: its gradient follows from the cut. A shared vector q tells coefficients with the prior normal(q, 1), and so " +
			"the columns of X * beta. Own the parameter at the client, write an array of the client around a shared number centred, or accept this with --accept gradient-leak.",
		Wrong: `client a
data y : real[N] @ shared
data X : real[N, P] @ a
param m ~ normal(0, 1)
param mu ~ normal(0, 1) @ shared
param beta : real[P] ~ normal(mu, 1) noncentered @ a
y ~ normal(m + X * beta, 1)
transform augmented(rho = 1)
`,
		Right: `client a
data y : real[N] @ shared
data X : real[N, P] @ a
param m ~ normal(0, 1)
param mu ~ normal(0, 1) @ shared
param beta : real[P] ~ normal(mu, 1) @ a
y ~ normal(m + X * beta, 1)
transform augmented(rho = 1)
`,
	},
	{
		Code: OwnLeak, Title: "a client's own likelihood with a shared parameter",
		Text: "A client returns the gradient of a shared parameter without noise: a sum over its rows of functions of the parameter, whose value the server knows, and " +
			"of the row. Each round gives one equation more for each element, and the rows stay, so that least squares recover them; parameters of the client in " +
			"the same likelihood are few beside the equations and do not change this. So a shared parameter may not stand in one likelihood, factor or prior " +
			"with data of the client. Allowed are values of one exponential family, such as normal, gamma, Poisson or Bernoulli, whose parameters are the same for " +
			"all rows or for all rows of one category, each column in one of them: then a few sums over these rows cross, never fewer than five rows. A parameter of the client whose " +
			"prior has a shared vector around it, or which is a single number, protects nothing: the gradient of mu in beta ~ normal(mu, 1) tells beta in every round, and the " +
			"client's log density, which crosses too, is then a function of known coefficients. A cut X * B tells B in every round as well, up to a change of basis, so that a " +
			"likelihood with Z * B gives the rows of Z in that basis: give it parameters of its own. Share numbers and not vectors, as below, own the " +
			"parameter at the client, or accept this with --accept gradient-leak.",
		Wrong: `client a, b
data ya : binary[N] @ a
data X : real[N, P] @ a
data yb : binary[M] @ b
param mu : real[P] ~ normal(0, 1) @ shared
param beta : real[P] ~ normal(0, 1) @ b
ya ~ bernoulli_logit(X * mu)
yb ~ bernoulli_logit(mean(beta))
`,
		Right: `client a, b
data ya : binary[N] @ a
data X : real[N, P] @ a
data yb : binary[M] @ b
param mu ~ normal(0, 1) @ shared
param tau ~ half_normal(1) @ shared
param beta_a : real[P] ~ normal(mu, tau) @ a
param beta_b : real[P] ~ normal(mu, tau) @ b
ya ~ bernoulli_logit(X * beta_a)
yb ~ bernoulli_logit(mean(beta_b))
`,
	},
	{
		Code: DataOffset, Title: "data that are added to a cut",
		Text: "A term of a cut that is data of the client and that no parameter multiplies, such as the logarithm of an exposure, is the same in every round: " +
			"noise averages away, and the other terms move around it. If every party may hold it, declare it `@ shared`. " +
			"A simulation runs with it; party programs are written only with --accept data-offset. With --wire encrypted it leaves as a ciphertext, and this is not reported.",
		Wrong: `client a
data y : count[N] @ shared
data X : real[N, P] @ a
param m ~ normal(0, 1)
data exposure : real[N] @ a
param beta : real[P] ~ normal(0, 1) @ a
y ~ poisson_log(m + X * beta + log(exposure))
transform augmented(rho = 1)
`,
		Right: `client a
data y : count[N] @ shared
data X : real[N, P] @ a
param m ~ normal(0, 1)
data exposure : real[N] @ shared
param beta : real[P] ~ normal(0, 1) @ a
y ~ poisson_log(m + X * beta + log(exposure))
transform augmented(rho = 1)
`,
	},
}

// loadLeakPages explains V07xx, which a client finds when it binds its data.
var loadLeakPages = []Page{
	{
		Code: FixedCut, Title: "a cut that its parameters hardly move",
		Text: "When a client binds its data it draws the parameters in each cut 64 times from their priors, those that it receives included, and from standard " +
			"normals on the unconstrained scale where a prior is flat. If the variance of the cut over these draws is 0, or less than a millionth of the " +
			"variance between its rows, what would cross is data. A program that another party has sent is examined in the same way. With --wire encrypted the cut leaves as a ciphertext, and this is not reported.",
		Wrong: `client a
data y : real[N] @ shared
data x : real[N] @ a
param m ~ normal(0, 1)
param b ~ normal(0, 1) @ a
y ~ normal(m + x .* exp(1e-9 * b), 1)
transform augmented(rho = 1)
`,
		Right: `client a
data y : real[N] @ shared
data x : real[N] @ a
param m ~ normal(0, 1)
param b ~ normal(0, 1) @ a
y ~ normal(m + x .* exp(b), 1)
transform augmented(rho = 1)
`,
	},
	{
		Code: WeakNoise, Title: "noise that is lost beside the cut",
		Text: "The variance of the noise must be at least 1e-12 of the variance of the cut, over draws of its parameters from their priors and over its rows. " +
			"With less, the cut itself would cross under the name of a variable with noise. Take a larger rho, standardise the data, or narrow the priors.",
		Wrong: `client a
data y : real[N] @ shared
data x : real[N] @ a
param m ~ normal(0, 1)
param b ~ normal(0, 1) @ a
y ~ normal(m + x * b, 1)
transform augmented(rho = 1e-9)
`,
		Right: `client a
data y : real[N] @ shared
data x : real[N] @ a
param m ~ normal(0, 1)
param b ~ normal(0, 1) @ a
y ~ normal(m + x * b, 1)
transform augmented(rho = 0.25)
`,
	},
	{
		Code: SmallCells, Title: "a shared parameter that few rows use",
		Text: "A client returns the gradient of a shared parameter without noise, element by element: a sum over the rows that use the element. With fewer than " +
			"five rows in a likelihood of the client, cuts apart, that sum gives the rows away; with one, it is the row: a small category, or a table of few rows. The client counts the rows when it " +
			"binds its data. Merge small categories, own the parameter at the client, or accept this with --accept gradient-leak.",
		Wrong: `client a
data y : real[N] @ shared
data x : real[N] @ a
param mu ~ normal(0, 1) @ shared
x[1:4] ~ normal(mu, 1)
y ~ normal(mu, 1)
transform augmented(rho = 1)
`,
		Right: `client a
data y : real[N] @ shared
data x : real[N] @ a
param mu ~ normal(0, 1) @ shared
x ~ normal(mu, 1)
y ~ normal(mu, 1)
transform augmented(rho = 1)
`,
	},
}
