package diag

// maximumPages explains V061x.
var maximumPages = []Page{
	{
		Code: NoMaximum, Title: "no maximum: a scale that may go to 0",
		Text: "The backend soul maximises over auxiliary variables and server parameters. In the location of a location-scale distribution they can fit every response. The density then grows without bound as the scale goes to 0, unless the scale's prior vanishes there faster than any power, as inv_gamma and lognormal do. The same holds for a server parameter whose prior has such a scale. Fix the scale, choose such a prior, give it a lower bound, or use --backend nuts or sfvi, which do not need a maximum.",
		Wrong: `client a
data y : real[N] @ shared
data X : real[N, P] @ a
param beta : real[P] ~ normal(0, 1) @ a
param sigma ~ half_normal(1)
y ~ normal(X * beta, sigma)
transform augmented(rho = 1)
`,
		Right: `client a
data y : real[N] @ shared
data X : real[N, P] @ a
param beta : real[P] ~ normal(0, 1) @ a
param variance ~ inv_gamma(3, 2)
y ~ normal(X * beta, sqrt(variance))
transform augmented(rho = 1)
`,
	},
	{
		Code: InfinitePrior, Title: "no maximum: a prior that is infinite at an edge",
		Text: "The backend soul maximises over server parameters on the scale of their declaration. A gamma or beta prior with a shape below 1 is infinite at an edge of its support, which no data can outweigh.",
		Wrong: `client a
data y : count[N] @ shared
data X : real[N, P] @ a
param beta : real[P] ~ normal(0, 1) @ a
param phi ~ gamma(0.5, 0.1)
y ~ neg_binomial_2_log(X * beta, phi)
transform augmented(rho = 1)
`,
		Right: `client a
data y : count[N] @ shared
data X : real[N, P] @ a
param beta : real[P] ~ normal(0, 1) @ a
param phi ~ gamma(2, 0.1)
y ~ neg_binomial_2_log(X * beta, phi)
transform augmented(rho = 1)
`,
	},
	{
		Code: NoAuxiliaries, Title: "no auxiliary variables to maximise over",
		Text: "The backend soul finds the most probable auxiliary variables, and then draws parameters given these. Under transform exact the cuts themselves cross, and there are no auxiliary variables. The backends nuts and sfvi run on it.",
		Wrong: `client a
data y : real[N] @ shared
data X : real[N, P] @ a
param beta : real[P] ~ normal(0, 1) @ a
y ~ normal(X * beta, 1)
transform exact
`,
		Right: `client a
data y : real[N] @ shared
data X : real[N, P] @ a
param beta : real[P] ~ normal(0, 1) @ a
y ~ normal(X * beta, 1)
transform augmented(rho = 1)
`,
	},
}
