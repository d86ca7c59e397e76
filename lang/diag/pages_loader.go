package diag

// loaderPages explains V04xx.
var loaderPages = []Page{
	{
		Code: BadAux, Title: "a malformed auxiliary variable",
		Text: "In a party program, an auxiliary variable has one form: aux NAME : TYPE ~ normal(cut, rho), with a constant rho above 0.",
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
		Code: BadSend, Title: "a value that may not be sent",
		Text: "A client sends its auxiliary variables or, under transform exact, its cuts themselves; the server sends its parameters and sums of what it received. Nothing else is sent.",
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
		Code: WrongDigest, Title: "a program that differs from the manifest",
		Text: "The manifest holds the SHA-256 digest of every program. A change of one byte changes the digest.",
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
		Code: NotParty, Title: "the program of another party",
		Text: "A party runs only the program that the compiler wrote for it.",
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
		Code: WrongRole, Title: "a statement that only the other role has",
		Text: "The server has no auxiliary variables; a client sends only auxiliary variables or, under transform exact, its cuts themselves.",
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
		Text: "The manifest lists every value that one party sends to another, with its shape and the parties that see it.",
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
		Code: ChannelShape, Title: "a channel whose shape differs from the manifest",
		Text: "The manifest lists the shape of every value that one party sends to another.",
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
		Code: Unsent, Title: "an auxiliary variable that is not sent",
		Text: "A client sends every auxiliary variable. One that is not sent changes the model without any use.",
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
	{
		Code: BadManifest, Title: "a manifest that this version cannot hold a program to",
		Text: "A manifest names the versions of its schema, language and protocol, a transform that this vflc knows, one server, and lists that agree with one another. " +
			"What no vflc of this version writes is refused, whatever the program holds. The example is such a file.",
		Wrong: `{"schema": 2, "language": "1", "protocol": "5", "server": "server",
 "transform": "masked", "parties": [{"name": "server", "role": "server", "program": "server.vfl"}]}
`,
		Right: `{"schema": 2, "language": "1", "protocol": "5", "server": "server",
 "transform": "augmented", "parties": [{"name": "server", "role": "server", "program": "server.vfl"}]}
`,
	},
	{
		Code: MissingChannel, Title: "a channel of the manifest that the program does not hold",
		Text: "A program sends, receives and evaluates exactly what the manifest lists for its party. Without one of these the other parties would wait for it.",
		Wrong: `program m for a
data X : real[N, P]
param beta : real[P] ~ normal(0, 1)
`,
		Right: `program m for a
data X : real[N, P]
param beta : real[P] ~ normal(0, 1)
aux z_1 : real[N] ~ normal(X * beta, 1)
send z_1 to server
`,
	},
	{
		Code: BareCut, Title: "a cut without the noise that the manifest lists",
		Text: "Under transform exact a client sends its cuts themselves, `send NAME = EXPR to SERVER`, real functions of a parameter. Under augmented and power it sends auxiliary variables, " +
			"normal around a cut with the rho of the manifest. A program does one or the other, as the manifest says. The manifest of this example is augmented.",
		Wrong: `program m for a
data X : real[N, P]
param beta : real[P] ~ normal(0, 1)
send z_1 = X * beta to server
`,
		Right: `program m for a
data X : real[N, P]
param beta : real[P] ~ normal(0, 1)
aux z_1 : real[N] ~ normal(X * beta, 1)
send z_1 to server
`,
	},
}
