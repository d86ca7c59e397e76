package diag

// ownersPages explains V03xx.
var ownersPages = []Page{
	{
		Code: PowerFactor, Title: "a factor of several parties under the power transform",
		Text: "Under the power transform each client evaluates a likelihood with a response that all of them hold. A factor has no response. One that names a single party's quantities, and shared ones, is evaluated there under every transform.",
		Wrong: `client a
data y : real[N] @ shared
data x : real[N] @ a
param beta ~ normal(0, 1) @ a
param b ~ normal(0, 1)
factor normal_lpdf(y | b + x * beta, 1)
transform power(rho = 1)
`,
		Right: `client a
data y : real[N] @ shared
data x : real[N] @ a
param beta ~ normal(0, 1) @ a
param b ~ normal(0, 1)
factor normal_lpdf(y | b + x * beta, 1)
transform augmented(rho = 1)
`,
	},
	{
		Code: PowerJoint, Title: "a likelihood of all rows together under the power transform",
		Text: "Under the power transform each client evaluates a likelihood with its own predictor exact and noise on the others'. A likelihood such as Cox's has one value for all rows, in which each row is compared with others: the server evaluates it, under `transform augmented` or `transform exact`.",
		Wrong: `client a, b
data months : real<lower=0>[N] @ shared
data died : binary[N] @ shared
data x : real[N] @ a
data w : real[N] @ b
param beta ~ normal(0, 1) @ a
param gamma ~ normal(0, 1) @ b
months ~ cox(x * beta + w * gamma, died)
transform power(rho = 1)
`,
		Right: `client a, b
data months : real<lower=0>[N]
data died : binary[N]
data x : real[N] @ a
data w : real[N] @ b
param beta ~ normal(0, 1) @ a
param gamma ~ normal(0, 1) @ b
months ~ cox(x * beta + w * gamma, died)
transform augmented(rho = 1)
`,
	},
	{
		Code: ClientData, Title: "client data that another party would read",
		Text: "A client sends no data as they are. What it sends are expressions, with noise or without, each of which depends on at least one of its parameters; vflc audit says what a receiver can compute from them, columns of two values for one.",
		Wrong: `client a
data y : real[N] @ shared
data x : real[N] @ a
param beta ~ normal(0, 1)
y ~ normal(x * beta, 1)
`,
		Right: `client a
data y : real[N] @ shared
data x : real[N] @ a
param beta ~ normal(0, 1) @ a
param b ~ normal(0, 1)
y ~ normal(b + x * beta, 1)
`,
	},
	{
		Code: ForeignPrior, Title: "a prior that uses another client's names",
		Text: "The owner of a parameter evaluates its prior, so the prior may use only the owner's names and shared names.",
		Wrong: `client a, b
data y : real[N] @ shared
data XA : real[N, P] @ a
data XB : real[N, Q] @ b
param tau ~ half_normal(1) @ a
param u : real[P] ~ normal(0, tau) @ a
param v : real[Q] ~ normal(0, tau) @ b
y ~ normal(XA * u + XB * v, 1)
`,
		Right: `client a, b
data y : real[N] @ shared
data XA : real[N, P] @ a
data XB : real[N, Q] @ b
param tau ~ half_normal(1) @ shared
param u : real[P] ~ normal(0, tau) @ a
param v : real[Q] ~ normal(0, tau) @ b
y ~ normal(XA * u + XB * v, 1)
`,
	},
	{
		Code: ServerName, Title: "a client that uses a name of the server",
		Text: "Clients do not see what the server owns. Declare a parameter that clients need @ shared: the server keeps it and sends it to the clients that use it.",
		Wrong: `client a
data y : real[N] @ shared
data X : real[N, P] @ a
param tau ~ half_normal(1)
param beta : real[P] ~ normal(0, tau) @ a
param b ~ normal(0, 1)
y ~ normal(b + X * beta, 1)
`,
		Right: `client a
data y : real[N] @ shared
data X : real[N, P] @ a
param tau ~ half_normal(1) @ shared
param beta : real[P] ~ normal(0, tau) @ a
param b ~ normal(0, 1)
y ~ normal(b + X * beta, 1)
`,
	},
	{
		Code: ClientResponse, Title: "a client's response in a likelihood of several parties",
		Text: "If a likelihood uses names of several parties, the server evaluates it, or under power every client that contributes to it. So the response must belong to the server or be shared.",
		Wrong: `client a, b
data y : real[N] @ a
data XB : real[N, P] @ b
param beta : real[P] ~ normal(0, 1) @ b
param m ~ normal(0, 1) @ a
y ~ normal(m + XB * beta, 1)
`,
		Right: `client a, b
data y : real[N]
data XB : real[N, P] @ b
param beta : real[P] ~ normal(0, 1) @ b
param m ~ normal(0, 1) @ a
y ~ normal(m + XB * beta, 1)
`,
	},
	{
		Code: LetOwner, Title: "a let that uses another party's names",
		Text: "@ on a let asserts that its expression uses only this party's names and shared names.",
		Wrong: `client a, b
data y : real[N]
data XA : real[N, P] @ a
data XB : real[N, Q] @ b
param u : real[P] ~ normal(0, 1) @ a
param v : real[Q] ~ normal(0, 1) @ b
let eta = XA * u + XB * v @ a
y ~ normal(eta, 1)
`,
		Right: `client a, b
data y : real[N]
data XA : real[N, P] @ a
data XB : real[N, Q] @ b
param u : real[P] ~ normal(0, 1) @ a
param v : real[Q] ~ normal(0, 1) @ b
let eta = XA * u @ a
y ~ normal(eta + XB * v, 1)
`,
	},
	{
		Code: PowerResponse, Title: "power with a response that clients may not see",
		Text: "Under the power transform every client evaluates the likelihood, so the response must be shared.",
		Wrong: `client a, b
data y : real[N]
data XA : real[N, P] @ a
data XB : real[N, Q] @ b
param u : real[P] ~ normal(0, 1) @ a
param v : real[Q] ~ normal(0, 1) @ b
y ~ normal(XA * u + XB * v, 1)
transform power(rho = 1)
`,
		Right: `client a, b
data y : real[N] @ shared
data XA : real[N, P] @ a
data XB : real[N, Q] @ b
param u : real[P] ~ normal(0, 1) @ a
param v : real[Q] ~ normal(0, 1) @ b
y ~ normal(XA * u + XB * v, 1)
transform power(rho = 1)
`,
	},
	{
		Code: PowerData, Title: "power with data that clients may not see",
		Text: "Under the power transform every client evaluates the likelihood, so data in it must be shared. The server sends its parameters in the likelihood to the clients, and the manifest lists them.",
		Wrong: `client a, b
data y : real[N] @ shared
data offset : real[N]
data XA : real[N, P] @ a
data XB : real[N, Q] @ b
param u : real[P] ~ normal(0, 1) @ a
param v : real[Q] ~ normal(0, 1) @ b
y ~ normal(offset + XA * u + XB * v, 1)
transform power(rho = 1)
`,
		Right: `client a, b
data y : real[N] @ shared
data offset : real[N] @ shared
data XA : real[N, P] @ a
data XB : real[N, Q] @ b
param u : real[P] ~ normal(0, 1) @ a
param v : real[Q] ~ normal(0, 1) @ b
y ~ normal(offset + XA * u + XB * v, 1)
transform power(rho = 1)
`,
	},
	{
		Code: PowerNotAdditive, Title: "power with contributions that do not enter through one sum",
		Text: "Under the power transform, a client evaluates the likelihood with the sum of the other clients' auxiliary variables z in place of their contributions. Contributions that enter separately, or in two different sums, need the augmented transform.",
		Wrong: `client a, b
data y : real[N] @ shared
data XA : real[N, P] @ a
data XB : real[N, Q] @ b
param u : real[P] ~ normal(0, 1) @ a
param v : real[Q] ~ normal(0, 1) @ b
y ~ normal((XA * u) .* (XB * v), 1)
transform power(rho = 1)
`,
		Right: `client a, b
data y : real[N] @ shared
data XA : real[N, P] @ a
data XB : real[N, Q] @ b
param u : real[P] ~ normal(0, 1) @ a
param v : real[Q] ~ normal(0, 1) @ b
y ~ normal((XA * u) .* (XB * v), 1)
transform augmented(rho = 1)
`,
	},
	{
		Code: LetsTooLarge, Title: "lets that expand to too large an expression",
		Text: "To find the cuts, the compiler replaces each let by its expression. In a chain of lets that each use the previous one twice, the expression doubles at every step.",
		Wrong: `client a
data y : real[N] @ shared
data x : real[N] @ a
param beta ~ normal(0, 1) @ a
param b ~ normal(0, 1)
let l0 = x * beta
let l1 = l0 .* l0
let l2 = l1 .* l1
let l3 = l2 .* l2
let l4 = l3 .* l3
let l5 = l4 .* l4
let l6 = l5 .* l5
let l7 = l6 .* l6
let l8 = l7 .* l7
let l9 = l8 .* l8
let l10 = l9 .* l9
let l11 = l10 .* l10
let l12 = l11 .* l11
let l13 = l12 .* l12
let l14 = l13 .* l13
let l15 = l14 .* l14
let l16 = l15 .* l15
let l17 = l16 .* l16
let l18 = l17 .* l17
let l19 = l18 .* l18
y ~ normal(b + l19, 1)
`,
		Right: `client a
data y : real[N] @ shared
data x : real[N] @ a
param beta ~ normal(0, 1) @ a
param b ~ normal(0, 1)
let l0 = x * beta
y ~ normal(b + l0 ^ 8, 1)
`,
	},
	{
		Code: GenerateOwner, Title: "a generated quantity that needs what no likelihood sends",
		Text: "A generated quantity of one party's names is computed there. One of several parties' is computed by the server, from what it holds of each draw for the " +
			"likelihoods: the sums of what the clients send, each as a whole. So fitted values and replicated responses need nothing of another kind. Anything else would be a " +
			"further value in every round: let its owner compute it, or accept that it is sent, with --accept new-cut.",
		Wrong: `client a
data y : real[N] @ shared
data X : real[N, P] @ a
param beta : real[P] ~ normal(0, 1) @ a
param b ~ normal(0, 1)
y ~ normal(b + X * beta, 1)
generate total = b + sum(beta)
transform augmented(rho = 1)
`,
		Right: `client a
data y : real[N] @ shared
data X : real[N, P] @ a
param beta : real[P] ~ normal(0, 1) @ a
param b ~ normal(0, 1)
y ~ normal(b + X * beta, 1)
generate total = sum(beta)
generate y_rep ~ normal(b + X * beta, 1)
transform augmented(rho = 1)
`,
	},
	{
		Code: OpenNoise, Title: "rho of a family of unknown size",
		Text: "Where neither the model nor the command line gives rho, it is 0.05 divided by the square root of the number of clients that enter a likelihood: noise of standard deviation 0.05 on the predictor, however many clients there are. The posterior is then within a per cent of that of the true model, and where it is not, as where a response has a small scale, the run has a finding. A run counts the tables of a family. The party programs hold rho as a number, so that whoever reads them knows how much noise they add; to write them without data, give rho or the number of members.",
		Wrong: `client lab[J]
data y : binary[N] @ shared
data X : real[N, P] @ lab
param beta : real[P] ~ normal(0, 1) @ lab
y ~ bernoulli_logit(sum(X[j] * beta[j] for j in lab))
transform augmented
`,
		Right: `client lab[J]
data y : binary[N] @ shared
data X : real[N, P] @ lab
param beta : real[P] ~ normal(0, 1) @ lab
y ~ bernoulli_logit(sum(X[j] * beta[j] for j in lab))
transform augmented(rho = 0.1)
`,
	},
	{
		Code: LabelLeak, Title: "the adjoint reveals the response",
		Text: "The server returns the adjoint, the derivative of the log density in the predictor, to every client that has a cut in the likelihood. Its sign is that of the response less its mean: " +
			"for a 0/1 response one round, or a few, reveal it, row by row. For a count, one round tells which rows lie above their mean. For counts and real responses the adjoint is a function of the response " +
			"once the predictor is given ((y - mu)/sigma² for a normal), so that a client that estimates the predictor, over rounds in which it moves, computes the response. Noise at the cuts does not prevent it. This is a warning. With --wire encrypted no adjoint crosses, and it is not given.",
		Wrong: `client a, b
data y : binary[N]
data XA : real[N, P] @ a
data XB : real[N, Q] @ b
param u : real[P] ~ normal(0, 1) @ a
param v : real[Q] ~ normal(0, 1) @ b
y ~ bernoulli_logit(XA * u + XB * v)
transform augmented(rho = 1)
`,
		Right: `client a, b
data y : binary[N] @ shared
data XA : real[N, P] @ a
data XB : real[N, Q] @ b
param u : real[P] ~ normal(0, 1) @ a
param v : real[Q] ~ normal(0, 1) @ b
y ~ bernoulli_logit(XA * u + XB * v)
transform augmented(rho = 1)
`,
	},
	{
		Code: SeparateCuts, Title: "contributions that the server sees separately",
		Text: "If the contributions of clients enter a likelihood only through their sum, the server needs only the sum. Here it needs each contribution, so secure summation does not apply. This is a warning.",
		Wrong: `client a, b
data y : real[N] @ shared
data XA : real[N, P] @ a
data XB : real[N, Q] @ b
param u : real[P] ~ normal(0, 1) @ a
param v : real[Q] ~ normal(0, 1) @ b
y ~ normal((XA * u) .* (XB * v), 1)
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
}
