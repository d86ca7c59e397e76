package diag

// infoPages explains V09xx.
var infoPages = []Page{
	{
		Code: HardBounds, Title: "info: a prior with hard bounds",
		Text: "A uniform prior has the density 0 outside its ends, so that no data can take the parameter there, and says inside that every value is as probable as any other. Where the ends are a guess, a smooth prior that makes such values improbable is safer and samples better. Where they are what the parameter means, as for a probability or a correlation, they are right, and nothing is reported of 0 to 1 and of -1 to 1.",
		Wrong: `data y : real[N]
param sigma ~ uniform(0, 100)
y ~ normal(0, sigma)
`,
		Right: `data y : real[N]
param sigma ~ half_normal(5)
y ~ normal(0, sigma)
`,
	},
	{
		Code: FarConstant, Title: "info: a very large or very small constant",
		Text: "A constant of 100 or more, or of 0.01 or less, in a prior puts parameters on scales that differ by orders of magnitude: the sampler needs longer to find them, and a prior that was meant to say little, such as one with the standard deviation 1e6, says that huge values are what to expect. Standardise the data where they are bound, or measure in other units, so that parameters are of the size 1.",
		Wrong: `data y : real[N]
param b ~ normal(0, 1e6)
y ~ normal(b, 1)
`,
		Right: `data y : real[N] from zscore(y)
param b ~ normal(0, 2)
y ~ normal(b, 1)
`,
	},
	{
		Code: SpikedPrior, Title: "info: a prior that is infinite at an end of its support",
		Text: "With such a parameter the density of the prior grows without bound towards an end, and most of its mass may lie next to it: gamma(0.5, 0.5) has its peak at 0. Few models mean that; for a scale half_normal or exponential are the usual choices.",
		Wrong: `data y : real[N]
param tau ~ gamma(0.5, 0.5)
y ~ normal(0, tau)
`,
		Right: `data y : real[N]
param tau ~ half_normal(1)
y ~ normal(0, tau)
`,
	},
	{
		Code: LooseBound, Title: "info: a bound outside the support of the distribution",
		Text: "The distribution has no values beyond the ends of its support, so that a bound there changes nothing. Either the bound or the distribution is not what was meant.",
		Wrong: `data y : binary[N]
param p : real<lower=0, upper=2> ~ beta(2, 2)
y ~ bernoulli(p)
`,
		Right: `data y : binary[N]
param p ~ beta(2, 2)
y ~ bernoulli(p)
`,
	},
	{
		Code: FlatPrior, Title: "info: an improper prior",
		Text: "A flat prior on an infinite set is no distribution. The posterior is one only where the data determine the parameter, and nothing can be simulated from the model. A proper prior, however wide, avoids both.",
		Wrong: `data y : real[N]
param b ~ flat()
y ~ normal(b, 1)
`,
		Right: `data y : real[N]
param b ~ normal(0, 5)
y ~ normal(b, 1)
`,
	},
	{
		Code: NoInfluence, Title: "info: a parameter that no likelihood depends on",
		Text: "The parameter stands only in priors of parameters that enter no likelihood and no factor: its posterior is its prior. Often a term of the predictor has been forgotten.",
		Wrong: `data y : real[N]
data g : level(G)[N]
param a ~ normal(0, 1)
param tau ~ half_normal(1)
param u : real[G] ~ normal(0, tau)
generate first = u[1]
y ~ normal(a, 1)
`,
		Right: `data y : real[N]
data g : level(G)[N]
param a ~ normal(0, 1)
param tau ~ half_normal(1)
param u : real[G] ~ normal(0, tau)
generate first = u[1]
y ~ normal(a + u[g], 1)
`,
	},
}
