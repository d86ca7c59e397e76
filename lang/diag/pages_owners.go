package diag

// ownersPages explains V03xx.
var ownersPages = []Page{
	{
		Code: ClientData, Title: "client data that another party would read",
		Text: "Data never leave a client. What leaves is a noisy version of an expression that depends on at least one parameter of the client.",
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
		Code: ForeignPrior, Title: "a prior that needs another client's names",
		Text: "A prior is evaluated where its parameter lives, so it may use that party's names and shared ones.",
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
		Text: "What the server owns, clients do not see. A parameter that clients need is owned @ shared: the server keeps it and sends it to those who use it.",
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
		Code: ClientResponse, Title: "a client's response that others help to explain",
		Text: "Where several parties enter a likelihood, the server evaluates it, or under power every client with a share in it. So the response is the server's or shared.",
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
		Code: LetOwner, Title: "a let that is not the owner's alone",
		Text: "@ on a let asserts that only this party's names and shared ones are in it.",
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
		Text: "Under the power transform every client evaluates the likelihood, so data in it must be shared. Parameters of the server in it are sent to the clients, and the manifest says so.",
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
		Code: PowerNotAdditive, Title: "power with contributions that meet in more than a sum",
		Text: "The power transform replaces the others' contributions by the sum of their z. Contributions that enter by themselves, or in two different sums, need the augmented transform.",
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
		Code: LetsTooLarge, Title: "lets that grow too large",
		Text: "To find what crosses between parties, lets are written out. Lets that use one another twice or more double at every step.",
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
		Code: GenerateOwner, Title: "a generated quantity that no party can compute",
		Text: "A generated quantity is computed where the names in it live: by one party, from its own and from shared parameters.",
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
transform augmented(rho = 1)
`,
	},
	{
		Code: LabelLeak, Title: "the adjoint tells the response",
		Text: "For a discrete response, the adjoint that the server returns has the sign of the outcome minus its mean: in one round it tells every client the response of each row. This is a warning.",
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
		Code: SeparateCuts, Title: "contributions seen one by one",
		Text: "Where contributions of clients enter a likelihood only through their sum, the server needs only the sum. Here it needs each by itself, and secure summation does not apply. This is a warning.",
		Wrong: `client a, b
data y : real[N]
data XA : real[N, P] @ a
data XB : real[N, Q] @ b
param u : real[P] ~ normal(0, 1) @ a
param v : real[Q] ~ normal(0, 1) @ b
y ~ normal((XA * u) .* (XB * v), 1)
transform augmented(rho = 1)
`,
		Right: `client a, b
data y : real[N]
data XA : real[N, P] @ a
data XB : real[N, Q] @ b
param u : real[P] ~ normal(0, 1) @ a
param v : real[Q] ~ normal(0, 1) @ b
y ~ normal(XA * u + XB * v, 1)
transform augmented(rho = 1)
`,
	},
}
