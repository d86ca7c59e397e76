package diag

// cutsPages explains the codes of V03xx about where noise is added.
var cutsPages = []Page{
	{
		Code: NoCut, Title: "no place for noise",
		Text: "Under a transform with noise a client adds normal noise to what it sends, and any real number may come out. So the noise is added where any number will do: " +
			"the client's largest expression such that the argument of the distribution stays inside its support, and every operation between the two is monotone in its operand or affine. " +
			"In `poisson(exp(XA * u + XB * v))` that is the linear predictor. A standard deviation, a rate or degrees of freedom of a client have no such place as they are, and neither has " +
			"an argument through `square` or `abs`. Beside the cut only shared names may stand: write `exp(log(E) + XA * u)` for `E .* exp(XA * u)`. " +
			"Ways out: let the parameter belong to the server, or be `@ shared`; write it on the log or logit scale; or take a transform that adds no noise.",
		Wrong: `client a
data y : real[N] @ shared
param m ~ normal(0, 1)
param sigma ~ half_normal(1) @ a
y ~ normal(m, sigma)
transform augmented(rho = 1)
`,
		Right: `client a
data y : real[N] @ shared
param m ~ normal(0, 1)
param log_sigma ~ normal(0, 1) @ a
y ~ normal(m, exp(log_sigma))
transform augmented(rho = 1)
`,
	},
	{
		Code: NoiseChanged, Title: "noise that is scaled or mixed",
		Text: "Each client adds noise of sd rho to its cut. A factor of the server around the cut multiplies that noise too, and a matrix product, a sum, a mean or an index around it mixes the noise of several " +
			"elements: such operations are not multiplied out, so that the cut stays inside them. Take this into account where you choose rho. This is a warning.",
		Wrong: `client a, b
data y : real[N] @ shared
data XA : real[N, P] @ a
data XB : real[N, Q] @ b
param scale ~ normal(0, 1)
param u : real[P] ~ normal(0, 1) @ a
param v : real[Q] ~ normal(0, 1) @ b
y ~ normal(scale * (XA * u + XB * v), 1)
transform augmented(rho = 1)
`,
		Right: `client a, b
data y : real[N] @ shared
data XA : real[N, P] @ a
data XB : real[N, Q] @ b
param u : real[P] ~ normal(0, 1) @ a
param v : real[Q] ~ normal(0, 1) @ b
y ~ normal(XA * u + XB * v, 1)
transform augmented(rho = 1)
`,
	},
	{
		Code: FactorInCuts, Title: "a shared parameter that multiplies cuts",
		Text: "A factor that is shared or constant is multiplied out over a sum of several parties, so that `k * (XA * u + XB * v)` has the posterior of `k * (XA * u) + k * (XB * v)`. " +
			"Where the factor holds a shared parameter, the clients need its value for each cut: the server sends it before each evaluation, and receives its gradient. This is a warning.",
		Wrong: `client a, b
data y : real[N] @ shared
data XA : real[N, P] @ a
data XB : real[N, Q] @ b
param k ~ normal(0, 1) @ shared
param u : real[P] ~ normal(0, 1) @ a
param v : real[Q] ~ normal(0, 1) @ b
y ~ normal(k * (XA * u + XB * v), 1)
transform augmented(rho = 1)
`,
		Right: `client a, b
data y : real[N] @ shared
data XA : real[N, P] @ a
data XB : real[N, Q] @ b
param k ~ normal(0, 1) @ shared
param u : real[P] ~ normal(0, 1) @ a
param v : real[Q] ~ normal(0, 1) @ b
y ~ normal(k * (XA * u) + k * (XB * v), 1)
transform augmented(rho = 1)
`,
	},
	{
		Code: CutVariants, Title: "two cuts that differ by a shared factor",
		Text: "Expressions that are equal, or differ by a number, are one cut wherever they stand. Expressions that differ by a shared datum or parameter are two: each gets noise of its own, so that the model " +
			"differs from one in which they have it in common, and a receiver learns more from the two than from one. This is a warning.",
		Wrong: `client a
data y : real[N] @ shared
data x : real[N] @ shared
data w : real[N] @ shared
data XA : real[N, P] @ a
param m ~ normal(0, 1)
param u : real[P] ~ normal(0, 1) @ a
y ~ normal(m + XA * u, 1)
x ~ normal(m + w .* (XA * u), 1)
transform augmented(rho = 1)
`,
		Right: `client a
data y : real[N] @ shared
data x : real[N] @ shared
data XA : real[N, P] @ a
param m ~ normal(0, 1)
param u : real[P] ~ normal(0, 1) @ a
y ~ normal(m + XA * u, 1)
x ~ normal(m + 2 * (XA * u), 1)
transform augmented(rho = 1)
`,
	},
}
