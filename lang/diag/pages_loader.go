package diag

// loaderPages explains V04xx.
var loaderPages = []Page{
	{
		Code: BadAux, Title: "an auxiliary variable that is none",
		Text: "In a party program, aux NAME : TYPE ~ normal(cut, rho) with a constant rho above 0 is the only form.",
		Wrong: `program m for a
data X : real[N, P]
param beta : real[P] ~ normal(0, 1)
aux z_1 : real[N] ~ cauchy(X * beta, 1)
send z_1 to server
`,
		Right: `program m for a
data X : real[N, P]
param beta : real[P] ~ normal(0, 1)
aux z_1 : real[N] ~ normal(X * beta, 1)
send z_1 to server
`,
	},
	{
		Code: BadSend, Title: "something that may not be sent",
		Text: "A client sends its auxiliary variables; the server sends its parameters and sums of what it received. Nothing else crosses.",
		Wrong: `program m for a
data X : real[N, P]
param beta : real[P] ~ normal(0, 1)
aux z_1 : real[N] ~ normal(X * beta, 1)
send z_1 to server
send X to server
`,
		Right: `program m for a
data X : real[N, P]
param beta : real[P] ~ normal(0, 1)
aux z_1 : real[N] ~ normal(X * beta, 1)
send z_1 to server
`,
	},
	{
		Code: WrongDigest, Title: "a program that is not the one of the manifest",
		Text: "The manifest holds the SHA-256 of every program. A program that differs in one byte is another program.",
		Wrong: `program m for a
data X : real[N, Q]
param beta : real[Q] ~ normal(0, 1)
aux z_1 : real[N] ~ normal(X * beta, 1)
send z_1 to server
`,
		Right: `program m for a
data X : real[N, P]
param beta : real[P] ~ normal(0, 1)
aux z_1 : real[N] ~ normal(X * beta, 1)
send z_1 to server
`,
	},
	{
		Code: NotParty, Title: "the program of somebody else",
		Text: "A party runs the program that was written for it.",
		Wrong: `program m for b
data X : real[N, P]
param beta : real[P] ~ normal(0, 1)
aux z_1 : real[N] ~ normal(X * beta, 1)
send z_1 to server
`,
		Right: `program m for a
data X : real[N, P]
param beta : real[P] ~ normal(0, 1)
aux z_1 : real[N] ~ normal(X * beta, 1)
send z_1 to server
`,
	},
	{
		Code: WrongRole, Title: "a statement of the other role",
		Text: "The server has no auxiliary variables; a client sends nothing but auxiliary variables.",
		Wrong: `program m for a
data X : real[N, P]
param beta : real[P] ~ normal(0, 1)
aux z_1 : real[N] ~ normal(X * beta, 1)
send z_1 to server
send beta to server
`,
		Right: `program m for a
data X : real[N, P]
param beta : real[P] ~ normal(0, 1)
aux z_1 : real[N] ~ normal(X * beta, 1)
send z_1 to server
`,
	},
	{
		Code: WrongPeer, Title: "a peer that a party does not have",
		Text: "Clients exchange messages with the server only, and the server with the clients of the manifest.",
		Wrong: `program m for a
data X : real[N, P]
param beta : real[P] ~ normal(0, 1)
aux z_1 : real[N] ~ normal(X * beta, 1)
send z_1 to b
`,
		Right: `program m for a
data X : real[N, P]
param beta : real[P] ~ normal(0, 1)
aux z_1 : real[N] ~ normal(X * beta, 1)
send z_1 to server
`,
	},
	{
		Code: UnlistedChannel, Title: "a channel that the manifest does not list",
		Text: "Everything that crosses between parties stands in the manifest, with its shape and who sees it.",
		Wrong: `program m for a
data X : real[N, P]
param beta : real[P] ~ normal(0, 1)
aux z_1 : real[N] ~ normal(X * beta, 1)
send z_1 to server
aux z_9 : real[N] ~ normal(2 * X * beta, 1)
send z_9 to server
`,
		Right: `program m for a
data X : real[N, P]
param beta : real[P] ~ normal(0, 1)
aux z_1 : real[N] ~ normal(X * beta, 1)
send z_1 to server
`,
	},
	{
		Code: ChannelShape, Title: "a channel of another shape",
		Text: "The shape of everything that crosses stands in the manifest.",
		Wrong: `program m for a
data X : real[N, P]
param beta : real[P] ~ normal(0, 1)
aux z_1 : real[P] ~ normal(beta, 1)
send z_1 to server
`,
		Right: `program m for a
data X : real[N, P]
param beta : real[P] ~ normal(0, 1)
aux z_1 : real[N] ~ normal(X * beta, 1)
send z_1 to server
`,
	},
	{
		Code: Unsent, Title: "an auxiliary variable that stays",
		Text: "An auxiliary variable exists to be sent; one that is not changes the model for nothing.",
		Wrong: `program m for a
data X : real[N, P]
param beta : real[P] ~ normal(0, 1)
aux z_1 : real[N] ~ normal(X * beta, 1)
`,
		Right: `program m for a
data X : real[N, P]
param beta : real[P] ~ normal(0, 1)
aux z_1 : real[N] ~ normal(X * beta, 1)
send z_1 to server
`,
	},
}
