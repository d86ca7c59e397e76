package diag

// startsPages explains V0665 and V0666.
var startsPages = []Page{
	{
		Code: NoStart, Title: "no point with a finite density to begin at",
		Text:  "A sampler or an approximation begins at random values of the parameters, and tries 100 of them. At all of them the log density or its gradient was not a finite number. The message names what was not finite at the last one, and the party: a likelihood, a prior, a client's cut, or the gradient of a parameter. Where data alone make a part of a likelihood infinite, such as the logarithm of an exposure of 0, it names the first row in which they do: correct it, or leave it out. Otherwise data lie mostly outside of a bound that moves with parameters, or an argument leaves its domain. Write such a bound as a number beyond all data plus a positive parameter, give parameters the bounds that the model has for them, or let a run begin at values of your own with --inits.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata y : real[N]\nparam a ~ normal(0, 1)\ny ~ uniform(0, exp(a))\n-- m/data.csv --\ny\n1.5\n2000\n0.5\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata y : real[N]\nparam a ~ normal(0, 1)\ny ~ uniform(0, 2000 + exp(a))\n-- m/data.csv --\ny\n1.5\n2000\n0.5\n",
	},
	{
		Code: NotFinite, Title: "the density or its gradient is not finite any more",
		Text:  "An approximation began at a point with a finite density, and then came to where the log density or its gradient was no finite number in many iterations in a row, so that no step leads on. The message names what was not finite, and the party. Mostly a step was too long for the scale of the model: covariates of large values are centred and scaled, priors keep parameters in the range of the data, and a smaller step helps.",
		Wrong: "vflc run m.vfl --key none --quiet --backend sfvi --estimator sampled --schedule constant --lr 1e5\n-- m.vfl --\ndata y : count[N]\ndata x : real[N]\nparam b ~ normal(0, 1)\nparam s ~ half_normal(1)\ny ~ neg_binomial_2_log(b * x, s)\n-- m/data.csv --\ny,x\n1,100\n2,300\n9,-1e6\n",
		Right: "vflc run m.vfl --key none --quiet --backend sfvi\n-- m.vfl --\ndata y : count[N]\ndata x : real[N] from zscore(x)\nparam b ~ normal(0, 1)\nparam s ~ half_normal(1)\ny ~ neg_binomial_2_log(b * x, s)\n-- m/data.csv --\ny,x\n1,100\n2,300\n9,-1e6\n",
	},
}
