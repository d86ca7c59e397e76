package diag

var weightPages = []Page{
	{
		Code: WeightDrawn, Title: "weights where every parameter is drawn",
		Text: "A weight has no prior and is estimated as a point. The backend nuts draws every parameter from the posterior, which a flat prior need not have: a network fits as well with its hidden units in another order or larger by a factor, and its density does not vanish far away. Run --backend sfvi, which maximises over weights and approximates the posterior of the parameters, or give each weight a prior.",
		Wrong: `data y : real[N]
data X : real[N, P]
weight W : real[P, 4]
param b : real[4] ~ normal(0, 1)
y ~ normal(tanh(X * W) * b, 1)
`,
		Right: `data y : real[N]
data X : real[N, P]
param W : real[P, 4] ~ normal(0, 1)
param b : real[4] ~ normal(0, 1)
y ~ normal(tanh(X * W) * b, 1)
`,
	},
	{
		Code: WeightOfClient, Title: "weights of a client where only the server maximises",
		Text: "The backend soul maximises over auxiliary variables and the server's parameters, and draws those of the clients. A client's weight would be maximised over together with its auxiliary variables, which follow every change of it: the steps of soul come from the curvature in the auxiliary variables, and give none for a network, whose density is not concave. Weights of the server are maximised over like its parameters. Run --backend sfvi, or give the client's weights a prior.",
		Wrong: `client a
data y : real[N] @ shared
data X : real[N, P] @ a
weight W : real[P, 4] @ a
param b : real[4] ~ normal(0, 1) @ a
y ~ normal(tanh(X * W) * b, 1)
transform augmented(rho = 1)
`,
		Right: `client a
data y : real[N] @ shared
data X : real[N, P] @ a
param W : real[P, 4] ~ normal(0, 1) @ a
param b : real[4] ~ normal(0, 1) @ a
y ~ normal(tanh(X * W) * b, 1)
transform augmented(rho = 1)
`,
	},
}
