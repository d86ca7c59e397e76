package diag

// leakPages explains what would cross as data: V033x and V0395.
var leakPages = []Page{
	{
		Code: DataCut, Title: "a cut that no parameter moves",
		Text: "What a client sends is a function of its data and its parameters: while the parameters move, it is not the data. Once what cancels is " +
			"taken out, this expression has no parameter, and so sending it would send the data.",
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
			"the client. A scale that multiplies a private parameter, as k * (X * beta), is no such case. Own the parameter at the client, write the client's " +
			"parameter centred, or accept this with --accept gradient-leak.",
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
		Code: DataOffset, Title: "data that are added to a cut",
		Text: "A term of a cut that is data of the client and that no parameter multiplies, such as the logarithm of an exposure, is the same in every round: " +
			"only the noise covers it, which averages away, and the other terms move around it. If every party may hold it, declare it `@ shared`. " +
			"A simulation runs with it; party programs are written only with --accept data-offset.",
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
