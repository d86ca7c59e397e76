package diag

// simulatePages explains V063x.
var simulatePages = []Page{
	{
		Code: Undrawable, Title: "nothing can be drawn from the model",
		Text: "vflc simulate and vflc calibrate draw parameters from their priors, and responses from their likelihoods. So each prior is a distribution: flat() is none, and a bound that cuts off a share which depends on other parameters leaves none (truncate does). Each response is the name of data, or a part of them such as y[2:T], has one likelihood, and no weights, which say how often a row counts. Responses may depend on each other, and elements of one on earlier ones: they are drawn in the order of that. A circle has none, and a prior cannot depend on a response. A factor is a term of the density, and cox a density of all rows together. Marks of censoring, censor(right=died == 0), say what became of the rows that there were; a bound, censor(right=C), can be drawn up to.",
		Wrong: `data y : real[N]
param m ~ flat()
y ~ normal(m, 1)
`,
		Right: `data y : real[N]
param m ~ normal(0, 10)
y ~ normal(m, 1)
`,
	},
	{
		Code: NoTables, Title: "no tables for the model",
		Text: "vflc simulate makes a table, or a Stan-JSON document, for every party. The message says what the given tables or the sizes do not allow: columns of another length than the table that --data gives, fewer rows than categories, a response that goes through an encoder, whose column cannot be found from its values, or a category that no row was drawn from, so that a run would count one category less. More rows (--size), another seed, a document in place of a CSV, or a const for the number of categories help, as the message says.",
		Wrong: `data cost : real[N] from log(cost)
param m ~ normal(0, 1)
cost ~ normal(m, 1)
`,
		Right: `data cost : real<lower=0>[N]
param m ~ normal(0, 1)
cost ~ lognormal(m, 1)
`,
	},
	{
		Code: NewLevels, Title: "no parameters for new categories",
		Text: "With --new-levels, `vflc predict` and `vflc cv` draw the elements of parameters for categories that the run did not see from their priors, given the other parameters of each draw. So an element needs a prior of its own, and enters the model by its own category alone: u[ward] does, and u[ward] - mean(u) does not, since new wards would change the mean and with it the predictions of the old ones. A vector of all categories with one joint prior, such as a random walk, has no prior for one more, and data of each category have no value for it.",
		Wrong: `data y : real[N]
data ward : level(R)[N]
param tau ~ half_normal(1)
param u : real[R] ~ gaussian_random_walk(0, tau)
y ~ normal(u[ward], 1)
`,
		Right: `data y : real[N]
data ward : level(R)[N]
param tau ~ half_normal(1)
param u : real[R] ~ normal(0, tau)
y ~ normal(u[ward], 1)
`,
	},
}
