package diag

var releasePages = []Page{
	{
		Code: NotReleased, Title: "a model of which no release suffices",
		Text:  "Under `transform private` the posterior is computed from sums over rows. These suffice for one `normal` or `bernoulli_logit` likelihood, whose predictor is a sum of parameters, of parameters times columns, of matrices of columns times parameters, and of effects `u[g]` of categories that the model lists. Other models run under the other transforms, without a budget.",
		Wrong: "client a\ndata y : real<lower=0, upper=9>[N]\ndata x : real<lower=0, upper=1>[N] @ a\nparam b ~ normal(0, 1) @ a\ny ~ normal(exp(b * x), 1)\ntransform private(epsilon = 3, delta = 1e-6)\n",
		Right: "client a\ndata y : real<lower=0, upper=9>[N]\ndata x : real<lower=0, upper=1>[N] @ a\nparam b ~ normal(0, 1) @ a\ny ~ normal(b * x, 1)\ntransform private(epsilon = 3, delta = 1e-6)\n",
	},
	{
		Code: NoBounds, Title: "a column without public bounds",
		Text:  "How much one person can change a release follows from the bounds of the columns. They are declared, `data age : real<lower=0, upper=120>[N]`, and known to everybody; a column of type binary has them. An encoder that is fitted to the rows, as zscore, has bounds that tell about the rows: write the column as it is.",
		Wrong: "client a\ndata y : real<lower=0, upper=9>[N]\ndata x : real[N] @ a\nparam b ~ normal(0, 1) @ a\ny ~ normal(b * x, 1)\ntransform private(epsilon = 3, delta = 1e-6)\n",
		Right: "client a\ndata y : real<lower=0, upper=9>[N]\ndata x : real<lower=0, upper=1>[N] @ a\nparam b ~ normal(0, 1) @ a\ny ~ normal(b * x, 1)\ntransform private(epsilon = 3, delta = 1e-6)\n",
	},
	{
		Code: NoBudget, Title: "a release without a budget",
		Text:  "Under `transform private` the noise follows from epsilon and delta. Without them a release would have none, and promise nothing. With `--accept no-noise` it has none, whatever the model says: for data that are public anyway.",
		Wrong: "client a\ndata y : real<lower=0, upper=9>[N]\ndata x : real<lower=0, upper=1>[N] @ a\nparam b ~ normal(0, 1) @ a\ny ~ normal(b * x, 1)\ntransform private\n",
		Right: "client a\ndata y : real<lower=0, upper=9>[N]\ndata x : real<lower=0, upper=1>[N] @ a\nparam b ~ normal(0, 1) @ a\ny ~ normal(b * x, 1)\ntransform private(epsilon = 3, delta = 1e-6)\n",
	},
	{
		Code: ReleasedOnly, Title: "a release is asked for what needs rows",
		Text: "The parties of a model under `transform private` make one release (`vflc serve`, `vflc join`), or `vflc run` does in a simulation, and posteriors are given it. Cross-validation, calibration and whatever else evaluates rows refuse it: they would spend more than the budget, or nothing bounds them. Name another transform for these, which has no budget.",
	},
	{
		Code: BadRelease, Title: "moments that are not of the model",
		Text: "`vflc run MODEL --release moments.json` takes a file that a run with -o or a party wrote, unchanged and with the signatures of all who signed it, whose response is the model's and which has all of its columns, with the same bounds. A model may have other priors and fewer columns.",
	},
}
